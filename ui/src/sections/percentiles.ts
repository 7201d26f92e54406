// Response times over percentiles, the tail with as much room as the middle.

import { chips } from "../chips";
import { curves, lastPoints, type Point } from "../charts/curves";
import { linkToAudit } from "../charts/links";
import { h } from "../dom";
import { figure } from "../figure";
import type { State } from "../state";
import { table } from "../table";
import { trialsBehind } from "../tip";
import { digits, withUnit } from "../units";
import { section, type Section } from "./section";

const NAMES: Record<string, string> = {
  response: "Response time at the equal arrival rate",
  service: "Service time at the equal arrival rate",
  closed_service: "Service time in the closed loop",
};
/** Percentiles that a trial may have a figure of, the farthest first. */
const OF_TRIALS = ["p99", "p90", "p50"];
const NAMED = [0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999];

export const percentiles: Section = (state) => {
  const { model } = state;
  const all = model.page.curves.filter((curve) =>
    model.treatments.some((one) => one.name === curve.treatment),
  );
  const histograms = Object.keys(NAMES).filter((name) =>
    all.some((curve) => curve.histogram === name),
  );
  if (histograms.length === 0) return null;
  let histogram = histograms[0]!;
  const choice = h(
    "select",
    {
      onchange: (event: Event) => {
        histogram = (event.target as HTMLSelectElement).value;
        state.changed();
      },
    },
    histograms.map((name) => h("option", { value: name }, NAMES[name])),
  );
  const chosen = () => all.filter((curve) => curve.histogram === histogram);
  // A scale of the share that was slower: 90 %, 99 % and 99.9 % stand evenly.
  const tail = (quantile: number) => 1 / (1 - quantile);
  return section(
    "percentiles",
    "How long does an answer take?",
    "Counted from the instant a request was due, over every request: one that failed is slower than every answer. A line ends where fewer than a hundred requests lie beyond it.",
    figure(state, {
      title: "Times over percentiles",
      file: "percentiles",
      caption:
        "Histograms of all blocks merged; the shade is the 95 % interval from leaving out one block at a time.",
      controls: () => [
        h("div", { class: "controls" }, h("label", {}, "Distribution", choice)),
        chips(state),
      ],
      draw: (width) => {
        const points: Point[] = chosen().flatMap((curve) =>
          curve.quantiles_ratio.map((quantile, index) => ({
            treatment: curve.treatment,
            x: tail(quantile),
            y: curve.times_ns[index]!,
            low: curve.low_ns[index],
            high: curve.high_ns[index],
          })),
        );
        if (points.length === 0) return null;
        const longest = points.reduce((most, point) => Math.max(most, point.x), 10);
        const svg = curves(points, {
          width,
          picked: [...state.picked],
          title: (name) => model.title(name),
          x: {
            type: "log",
            label: "percentile",
            domain: [1, longest],
            ticks: [0, 0.5, 0.9, 0.99, 0.999, 0.9999].map(tail).filter((x) => x <= longest * 1.01),
            format: percentile,
          },
          y: {
            type: "log",
            label: NAMES[histogram]!,
            format: (y) => withUnit("ns", y).replace(/\.0+ /, " "),
          },
        });
        const last = lastPoints(points);
        const end = (name: string) => {
          const { x, y } = last.get(name)!;
          return `${percentile(x)} ${withUnit("ns", y)}`;
        };
        linkToAudit(
          svg,
          (name) => `${model.title(name)}: ${end(name)}`,
          (name) => {
            const metric = farthest(state, name, histogram);
            return [
              h("strong", {}, model.title(name)),
              h("div", {}, `${NAMES[histogram]}, all blocks: ${end(name)}`),
              h("div", {}, `${model.metric(metric).title} of its trials:`),
              trialsBehind(model, name, "ns", (trial) => trial.metrics[metric]),
            ];
          },
        );
        return svg;
      },
      table: () =>
        table(
          chosen(),
          [
            { heading: "Treatment", text: (curve) => model.title(curve.treatment) },
            {
              heading: "Requests",
              number: true,
              text: (curve) => digits(curve.requests_count),
              order: (curve) => curve.requests_count,
            },
            ...NAMED.map((quantile) => {
              const at = (curve: (typeof all)[number]) =>
                curve.times_ns[curve.quantiles_ratio.indexOf(quantile)];
              return {
                heading: `p${Number((quantile * 100).toPrecision(6))}`,
                number: true,
                text: (curve: (typeof all)[number]) => {
                  const time = at(curve);
                  return time === undefined ? "–" : withUnit("ns", time);
                },
                order: (curve: (typeof all)[number]) => at(curve) ?? null,
              };
            }),
          ],
          { caption: "Times at percentiles" },
        ),
    }),
  );
};

function percentile(x: number): string {
  return x <= 1 ? "0" : `p${Number((100 * (1 - 1 / x)).toPrecision(5))}`;
}

/** The metric of a histogram's farthest percentile that any trial of a treatment has. */
function farthest({ model }: State, treatment: string, histogram: string): string {
  const metrics = OF_TRIALS.map((name) => `${histogram}_${name}_ns`);
  const has = (metric: string) =>
    model.trials(treatment).some((trial) => trial.metrics[metric] !== undefined);
  return metrics.find(has) ?? metrics.at(-1)!;
}
