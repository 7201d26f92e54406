// Who is ahead, against a baseline the reader chooses: ratios with intervals, tiers, verdicts, and all figures.

import { linkToAudit } from "../charts/links";
import { whiskers, type WhiskerRow } from "../charts/whiskers";
import { h, idOf, type Child } from "../dom";
import type { Ratio, TreatmentFindings } from "../document";
import { figure } from "../figure";
import type { Model } from "../model";
import type { State } from "../state";
import { table, type Column } from "../table";
import { explain, trialsBehind } from "../tip";
import { digits, perCent, range, reach, scaleFor, times, withUnit } from "../units";
import { section } from "./section";

export function tiers(state: State): HTMLElement {
  const { model } = state;
  const { findings } = model.page;
  let metric = findings.primary_metric;
  const redraw = () => state.changed();
  const choice = h(
    "select",
    {
      "aria-label": "Metric",
      onchange: (event: Event) => {
        metric = (event.target as HTMLSelectElement).value;
        redraw();
      },
    },
    model
      .comparable()
      .map((one) =>
        h(
          "option",
          { value: one.name, selected: one.name === metric },
          metricName(model, one.name),
        ),
      ),
  );
  return section(
    "tiers",
    "Who is ahead?",
    [
      "Ratios to the baseline with 95 % intervals, taken block by block so that the machine's moods divide out. ",
      "Between two tiers every pair is decided.",
    ],
    figure(state, {
      title: "Ratio to the baseline",
      file: "tiers",
      caption: [
        `The band is ±${perCent(findings.relevant_difference_ratio)}: smaller differences do not matter to whoever asked. `,
        "Faint strokes are single blocks; open dots are not ranked. Intervals on the run's own metric hold for all pairs together, others stand alone.",
      ],
      controls: () => h("div", { class: "controls" }, h("label", {}, "Metric", choice)),
      draw: (width) => chart(state, metric, width),
    }),
    verdicts(state),
    h("h3", {}, "All figures"),
    h(
      "p",
      { class: "soft small" },
      "Coloured where the interval of the ratio to the baseline leaves out 1. Percentiles count a failed request as slower than every answer. * has trials that are not VALID.",
    ),
    figures(state),
  );
}

function metricName(model: Model, name: string): string {
  const metric = model.metric(name);
  return name === model.page.findings.primary_metric
    ? `${metric.title} (the run's own)`
    : metric.title;
}

export function sideOf(ratio: Ratio | null, better: string): "better" | "worse" | undefined {
  if (!ratio?.low_ratio || !ratio.high_ratio || better === "neither") return undefined;
  if (ratio.low_ratio <= 1 && ratio.high_ratio >= 1) return undefined;
  const less = ratio.ratio < 1;
  return less === (better === "lower") ? "better" : "worse";
}

export function ratioText(ratio: Ratio | null): string {
  if (!ratio) return "–";
  const interval =
    ratio.low_ratio && ratio.high_ratio ? ` (${range(ratio.low_ratio, ratio.high_ratio)})` : "";
  return `${times(ratio.ratio)}${interval}`;
}

function rows(state: State, metric: string): WhiskerRow[] {
  const { model, baseline } = state;
  const better = model.metric(metric).better;
  const own = metric === model.page.findings.primary_metric;
  return model.treatments.map((treatment) => {
    const isBaseline = treatment.name === baseline;
    const ratio = model.ratio(treatment.name, baseline, metric);
    const tier = own && treatment.standing.kind === "ranked" ? treatment.standing.tier : null;
    return {
      name: treatment.name,
      title: tier === null ? treatment.title : `${tier}  ${treatment.title}`,
      estimate: isBaseline ? 1 : (ratio?.ratio ?? null),
      low: ratio?.low_ratio,
      high: ratio?.high_ratio,
      points: ratio ? blockRatios(model, treatment.name, baseline, metric) : [],
      label: isBaseline ? "baseline" : ratio ? ratioText(ratio) : absent(treatment),
      tone: isBaseline ? "ink" : (sideOf(ratio, better) ?? "soft"),
      open: treatment.standing.kind !== "ranked",
      group: String(tier),
    };
  });
}

function absent(treatment: TreatmentFindings): string {
  return treatment.valid_count + treatment.degraded_count === 0 ? "INVALID" : "not comparable";
}

function blockRatios(model: Model, one: string, other: string, metric: string): number[] {
  const base = model.byBlock(other, (trial) => trial.metrics[metric]);
  const own = model.byBlock(one, (trial) => trial.metrics[metric]);
  return [...own].flatMap(([block, value]) => {
    const against = base.get(block);
    return against === undefined ? [] : [value / against];
  });
}

function chart(state: State, metric: string, width: number): SVGSVGElement {
  const { model } = state;
  const { title, better, unit } = model.metric(metric);
  const band = model.page.findings.relevant_difference_ratio;
  const drawn = rows(state, metric);
  const svg = whiskers(drawn, {
    width,
    log: true,
    origin: 1,
    format: (value) => `${Number(value.toPrecision(3))}×`,
    band: [1 / (1 + band), 1 + band],
    scale: `${title}, ${model.title(state.baseline)} = 1; ${better === "lower" ? "less" : "more"} is better`,
  });
  const byName = new Map(drawn.map((row) => [row.name, row]));
  linkToAudit(
    svg,
    (name) => `${model.title(name)}: ${byName.get(name)!.label}`,
    (name) => [
      h("strong", {}, model.title(name)),
      h("div", {}, byName.get(name)!.label),
      verdictOf(model, name, state.baseline),
      trialsBehind(model, name, unit, (trial) => trial.metrics[metric]),
    ],
    (name) => {
      const ratio = model.ratio(name, state.baseline, metric);
      return ratio && [ratio.ratio, ratio.low_ratio, ratio.high_ratio].join(" ");
    },
  );
  return svg;
}

function verdictOf(model: Model, name: string, baseline: string): Child {
  const sentence = model.pair(name, baseline)?.pair.sentence;
  return (
    sentence &&
    h("div", {}, `On ${model.metric(model.page.findings.primary_metric).title}: ${sentence}`)
  );
}

function verdicts(state: State): HTMLElement {
  const { model } = state;
  const body = h("div");
  state.watch(() => {
    const pairs = model.ranked.flatMap((one) => model.pair(one.name, state.baseline)?.pair ?? []);
    body.replaceChildren(
      h(
        "ul",
        { class: "small", "data-verdicts": true },
        pairs.map((pair) =>
          h("li", {}, pair.sentence, h("span", { class: "soft" }, ` · ${ratioText(pair)}`)),
        ),
      ),
    );
  });
  return h(
    "details",
    { open: model.ranked.length <= 8 },
    h("summary", {}, "Verdicts against the baseline, in words"),
    body,
  );
}

const SHOWN = [
  "service_cpu_per_good_answer_us",
  "database_cpu_per_good_answer_us",
  "completion_rate_per_s",
  "response_p50_ns",
  "response_p90_ns",
  "response_p99_ns",
  "memory_peak_bytes",
  "first_answer_ns",
  "failed_requests_count",
];

function figures(state: State): HTMLElement {
  const { model } = state;
  const body = h("div");
  const primary = model.page.findings.primary_metric;
  const metrics = [primary, ...SHOWN.filter((name) => name !== primary)];
  const there = metrics.filter((name) => model.treatments.some((one) => one.figures[name]));
  state.watch(() => {
    body.replaceChildren(
      table(
        model.treatments,
        [
          standing(),
          treatmentColumn(),
          toBaseline(state),
          ...there.map((name) => column(state, name)),
        ],
        {
          caption: "All figures",
          wide: true,
          rowClass: (row) => (row.standing.kind === "ranked" ? undefined : "apart"),
        },
      ),
    );
  });
  return body;
}

function standing(): Column<TreatmentFindings> {
  const of = (row: TreatmentFindings) =>
    row.standing.kind === "ranked" ? row.standing.tier : null;
  return { heading: "Tier", number: true, text: (row) => String(of(row) ?? "–"), order: of };
}

function treatmentColumn(): Column<TreatmentFindings> {
  const mark = (row: TreatmentFindings) => (row.degraded_count + row.invalid_count > 0 ? " *" : "");
  return {
    heading: "Treatment",
    name: true,
    text: (row) => row.title + mark(row),
    show: (row) => [h("a", { href: `#${idOf("audit", row.name)}` }, row.title), mark(row)],
  };
}

function toBaseline(state: State): Column<TreatmentFindings> {
  const { model } = state;
  const primary = model.page.findings.primary_metric;
  const of = (row: TreatmentFindings) => model.ratio(row.name, state.baseline, primary);
  return {
    heading: `vs ${model.title(state.baseline)}`,
    number: true,
    title: model.metric(primary).title,
    text: (row) => (row.name === state.baseline ? "baseline" : ratioText(of(row))),
    order: (row) => (row.name === state.baseline ? 1 : (of(row)?.ratio ?? null)),
    side: (row) => sideOf(of(row), model.metric(primary).better),
    show: (row) => {
      const ratio = of(row);
      if (row.name === state.baseline || !ratio)
        return row.name === state.baseline ? "baseline" : "–";
      const [value, interval] = ratioText(ratio).split(" (");
      return [value, interval && h("span", { class: "range" }, interval.replace(")", ""))];
    },
  };
}

function column(state: State, name: string): Column<TreatmentFindings> {
  const { model } = state;
  const metric = model.metric(name);
  const values = model.treatments.flatMap((one) => one.figures[name]?.estimate ?? []);
  const { divisor, sign } = scaleFor(metric.unit, values);
  const whole = metric.unit === "count";
  const text = (row: TreatmentFindings) => {
    const found = row.figures[name];
    if (!found) return "–";
    const spread = found.low && found.high ? ` ${reach(found.low, found.high, divisor)}` : "";
    return `${whole ? found.estimate : digits(found.estimate / divisor)}${spread}`;
  };
  return {
    heading: sign && sign !== "/s" ? `${metric.title}, ${sign}` : metric.title,
    title: metric.description,
    number: true,
    text,
    order: (row) => row.figures[name]?.estimate ?? null,
    side: (row) =>
      name === "failed_requests_count"
        ? undefined
        : sideOf(model.ratio(row.name, state.baseline, name), metric.better),
    show: (row) => {
      const found = row.figures[name];
      if (!found) return "–";
      const [value, ...spread] = text(row).split(" ");
      const link = h(
        "a",
        { class: "value", href: `#${idOf("audit", row.name)}` },
        value,
        spread.length > 0 && h("span", { class: "range" }, spread.join(" ")),
      );
      explain(link, () => [
        h("strong", {}, `${row.title}, ${metric.title}`),
        h(
          "div",
          {},
          `${whole ? found.estimate : withUnit(metric.unit, found.estimate)} · ${found.basis.replaceAll("_", " ")} of ${found.blocks_count} blocks`,
        ),
        h("div", {}, `to the baseline: ${ratioText(model.ratio(row.name, state.baseline, name))}`),
        trialsBehind(model, row.name, metric.unit, (trial) => trial.metrics[name]),
      ]);
      return link;
    },
  };
}
