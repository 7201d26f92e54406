// The run over time: what every slice of a trial showed, and how fast the machine was just then.

import * as Plot from "@observablehq/plot";
import { lastPoints, logTicks } from "../charts/curves";
import { linkToAudit } from "../charts/links";
import { chips } from "../chips";
import { colours, seriesColour } from "../colours";
import { h } from "../dom";
import type { Trial } from "../document";
import { figure } from "../figure";
import type { State } from "../state";
import { trialsBehind } from "../tip";
import { digits, scaleFor } from "../units";
import { samples } from "./samples";
import { section, type Section } from "./section";

interface Slice {
  treatment: string;
  trial: string;
  block: number;
  load: string;
  at_s: number;
  canary_ns: number | null;
  value: number | null;
}

const KINDS = {
  open: {
    title: "CPU time per good answer of each slice, µs",
    load: "open",
    metric: "service_cpu_per_good_answer_us",
  },
  closed: {
    title: "Answers per second of each slice",
    load: "closed",
    metric: "goodput_per_s",
  },
} as const;

export const series: Section = (state) => {
  const { model } = state;
  const all = model.page.trials.flatMap(slicesOf);
  if (all.length === 0) return null;
  const end_s = Math.max(...all.map((slice) => slice.at_s));
  let kind: keyof typeof KINDS = "open";
  const choice = h(
    "select",
    {
      onchange: (event: Event) => {
        kind = (event.target as HTMLSelectElement).value as keyof typeof KINDS;
        state.changed();
      },
    },
    Object.entries(KINDS).map(([name, { title }]) => h("option", { value: name }, title)),
  );
  return section(
    "series",
    "What happened when",
    "Every slice of every trial in the order they were measured, over the time of a fixed job run just before each: where that canary rises, the machine was slow for everybody.",
    figure(state, {
      title: "Slices over the run",
      file: "slices",
      caption:
        "One dot a slice of about a second; the last of each treatment leads to its audit. Blocks are apart because every service is started afresh in between.",
      controls: () => [
        h("div", { class: "controls" }, h("label", {}, "Slices", choice)),
        chips(state),
      ],
      draw: (width) =>
        overTime(
          state,
          end_s,
          all.filter((slice) => slice.load === KINDS[kind].load && slice.value !== null),
          KINDS[kind],
          width,
        ),
    }),
    canary(state, end_s, all),
    samples(state),
  );
};

function slicesOf(trial: Trial): Slice[] {
  const slices = trial.slices ?? {};
  const column = (name: string) => (slices[name] ?? []) as (number | null)[];
  const [at, canary, good, window, cpu] = [
    "at_s",
    "canary_ns",
    "good_answers_count",
    "window_s",
    "service_cpu_ns",
  ].map(column);
  return (slices.load ?? []).map((load, i) => {
    const answers = good![i] ?? 0;
    const spent = cpu![i];
    const value =
      load === "open"
        ? spent != null && answers > 0
          ? spent / 1e3 / answers
          : null
        : window![i]
          ? answers / window![i]!
          : null;
    return {
      treatment: trial.treatment,
      trial: trial.trial,
      block: trial.block,
      // Slices of a level of their own are told at their level.
      load: slices.level?.[i] ? "level" : String(load),
      at_s: at![i] ?? 0,
      canary_ns: canary![i] ?? null,
      value,
    };
  });
}

/** A strip; strips with the same `end_s` can be read one under another. */
export function frame(
  width: number,
  height: number,
  colour: ReturnType<typeof colours>,
  end_s: number,
): Plot.PlotOptions {
  return {
    width,
    height,
    marginLeft: 58,
    marginRight: 12,
    marginTop: 26,
    marginBottom: 38,
    style: {
      background: "transparent",
      color: colour.soft,
      fontSize: "12px",
      fontFamily: "inherit",
    },
    x: {
      domain: [0, end_s / 60],
      label: "minutes since the run began",
      labelArrow: "none",
      labelAnchor: "center",
      tickSize: 0,
      labelOffset: 34,
    },
  };
}

function overTime(
  state: State,
  end_s: number,
  slices: Slice[],
  { title, metric }: (typeof KINDS)[keyof typeof KINDS],
  width: number,
): SVGSVGElement | null {
  if (slices.length === 0) return null;
  const colour = colours();
  const picked = [...state.picked];
  const of = (slice: Slice) => seriesColour(picked, slice.treatment, colour);
  const ticks = logTicks(slices.map((slice) => ({ y: slice.value! })));
  const front = slices.filter((slice) => state.picked.has(slice.treatment));
  const line = { x: (slice: Slice) => slice.at_s / 60, y: "value" };
  const svg = Plot.plot({
    ...frame(width, 320, colour, end_s),
    y: { type: "log", label: title, labelArrow: "none", tickFormat: digits, ticks, tickSize: 0 },
    marks: [
      Plot.gridY({ stroke: colour.rule, strokeOpacity: 1, ticks }),
      Plot.dot(
        slices.filter((slice) => !state.picked.has(slice.treatment)),
        { ...line, r: 1.5, fill: colour.faint, fillOpacity: 0.5 },
      ),
      Plot.line(front, {
        ...line,
        z: (slice: Slice) => slice.trial,
        stroke: of,
        strokeOpacity: 0.35,
        strokeWidth: 1,
      }),
      Plot.dot(front, { ...line, r: 2.6, fill: of }),
      Plot.dot([...lastPoints(front).values()], {
        ...line,
        r: 4.5,
        fill: of,
        stroke: colour.paper,
        href: (slice: Slice) => `#${slice.treatment}`,
      }),
      Plot.tip(
        front,
        Plot.pointer({
          ...line,
          className: "pointed",
          fill: colour.paper,
          stroke: colour.faint,
          maxRadius: 20,
          title: (slice: Slice) =>
            `${state.model.title(slice.treatment)}, block ${slice.block}\n${digits(slice.value!)} at ${digits(slice.at_s)} s`,
        }),
      ),
    ],
  }) as SVGSVGElement;
  const { model } = state;
  const { title: name, unit } = model.metric(metric);
  linkToAudit(
    svg,
    (treatment) => `${model.title(treatment)}: ${name} of its trials`,
    (treatment) => [
      h("strong", {}, model.title(treatment)),
      h("div", {}, name),
      trialsBehind(model, treatment, unit, (trial) => trial.metrics[metric]),
    ],
  );
  return svg;
}

function canary(state: State, end_s: number, all: Slice[]): HTMLElement | null {
  const slices = all.filter((slice) => slice.canary_ns !== null);
  if (slices.length === 0) return null;
  return figure(state, {
    title: "The machine's canary",
    file: "canary",
    caption: "Time of the same small job before every slice; lower is a faster machine.",
    draw: (width) => {
      const colour = colours();
      const { divisor, sign } = scaleFor(
        "ns",
        slices.map((slice) => slice.canary_ns!),
      );
      return Plot.plot({
        ...frame(width, 170, colour, end_s),
        y: { label: `canary, ${sign}`, labelArrow: "none", ticks: 4, tickSize: 0, zero: true },
        marks: [
          Plot.gridY({ stroke: colour.rule, strokeOpacity: 1, ticks: 4 }),
          Plot.dot(slices, {
            x: (slice: Slice) => slice.at_s / 60,
            y: (slice: Slice) => slice.canary_ns! / divisor,
            r: 1.8,
            fill: colour.soft,
            fillOpacity: 0.7,
          }),
        ],
      }) as SVGSVGElement;
    },
  });
}
