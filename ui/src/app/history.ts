// One experiment over its runs: each treatment's ratio to the baseline, with its interval, run after run.

import * as Plot from "@observablehq/plot";
import { colours } from "../colours";
import type { Figure, Ratio } from "../document";
import { h } from "../dom";
import { table } from "../table";
import { digits, times, unitOf, withUnit } from "../units";
import { ask, to } from "./api";
import { chart, heading, metricWords, moment, type View } from "./frame";
import type { Runs } from "./runs";

interface Then {
  run: string;
  started_at: string;
  ended_by?: string;
  primary_metric: string;
  baseline: string;
  blocks_count: number;
  machine: string;
  treatments: {
    name: string;
    title: string;
    tier?: number;
    to_baseline?: Ratio;
    figure?: Figure;
  }[];
}

interface History {
  experiment: string;
  runs: Then[];
  notices?: string[];
}

interface Row {
  then: Then;
  title: string;
  ratio: Ratio | undefined;
  figure: Figure | undefined;
}

const ROW_PX = 78;

export const history: View = async (place, asked) => {
  const experiment = asked.get("experiment") ?? "";
  const { experiments } = await ask<Runs>("/api/runs?per_page=1");
  heading(place, "An experiment over time");
  const options = ["", ...experiments].map((name) =>
    h("option", { value: name, selected: name === experiment }, name || "choose an experiment"),
  );
  place.append(
    h(
      "form",
      { class: "controls", method: "get", action: "/" },
      h("input", { type: "hidden", name: "view", value: "history" }),
      h("label", {}, "Experiment", h("select", { name: "experiment", required: true }, options)),
      h("button", {}, "Show"),
    ),
  );
  if (!experiment) return;
  const found = await ask<History>(
    `/api/history?${new URLSearchParams({ experiment }).toString()}`,
  );
  const rows = found.runs.flatMap((then) =>
    then.treatments.map(({ title, to_baseline: ratio, figure }) => ({
      then,
      title,
      ratio,
      figure,
    })),
  );
  place.append(
    ...(found.notices ?? []).map((notice) => h("p", { class: "note small" }, notice)),
    h(
      "p",
      { class: "lead" },
      "Ratios were paired within their own run, so they travel from run to run better than figures do. Runs on another machine, or of another version of a service, are other questions: see what differs with Compare.",
    ),
    chart(`Ratios of ${experiment} over its runs`, (width) => ratios(rows, found.runs, width)),
    list(rows),
  );
};

function ratios(rows: Row[], runs: Then[], width: number): SVGSVGElement {
  const colour = colours();
  const shown = rows.filter((row) => row.ratio);
  const titles = [...new Set(shown.map((row) => row.title))];
  const label = (then: Then) => then.started_at.slice(0, 16).replace("T", " ");
  const sparse = Math.max(1, Math.ceil(runs.length / Math.max(2, Math.floor(width / 150))));
  const ends = [
    1,
    ...shown.flatMap(({ ratio }) => [
      ratio!.low_ratio ?? ratio!.ratio,
      ratio!.high_ratio ?? ratio!.ratio,
    ]),
  ];
  return Plot.plot({
    width,
    height: titles.length * ROW_PX + 56,
    marginLeft: 44,
    marginRight: Math.min(210, width * 0.4),
    marginTop: 8,
    marginBottom: 44,
    style: {
      background: "transparent",
      color: colour.soft,
      fontSize: "12px",
      fontFamily: "inherit",
    },
    x: {
      type: "point",
      domain: runs.map((then) => then.run),
      label: null,
      tickFormat: (run: string, index: number) =>
        index % sparse === 0 ? label(runs.find((then) => then.run === run)!) : "",
      tickSize: 0,
    },
    y: {
      type: "log",
      domain: [Math.min(...ends) / 1.05, Math.max(...ends) * 1.05],
      label: null,
      ticks: 3,
      tickFormat: times,
    },
    fy: { domain: titles, label: null, axis: null },
    marks: [
      Plot.ruleY([1], { stroke: colour.soft }),
      Plot.ruleX(
        shown.filter((row) => row.ratio!.low_ratio !== undefined),
        {
          x: (row: Row) => row.then.run,
          y1: (row: Row) => row.ratio!.low_ratio,
          y2: (row: Row) => row.ratio!.high_ratio,
          fy: "title",
          stroke: colour.accent,
          strokeWidth: 2,
        },
      ),
      Plot.dot(shown, {
        x: (row: Row) => row.then.run,
        y: (row: Row) => row.ratio!.ratio,
        fy: "title",
        fill: colour.accent,
        r: 3.5,
      }),
      Plot.text(titles, {
        fy: (title: string) => title,
        frameAnchor: "right",
        textAnchor: "start",
        dx: 8,
        text: (title: string) => title,
        fill: colour.ink,
      }),
    ],
  }) as SVGSVGElement;
}

function list(rows: Row[]): HTMLElement {
  const ratioText = ({ ratio, then, title }: Row) => {
    if (!ratio)
      return then.treatments.find((one) => one.title === title)?.name === then.baseline
        ? "baseline"
        : "–";
    const { low_ratio: low, high_ratio: high } = ratio;
    return low && high
      ? `${times(ratio.ratio)} (${digits(low)} – ${digits(high)})`
      : times(ratio.ratio);
  };
  return table(
    rows,
    [
      {
        heading: "Run",
        text: ({ then }) => then.run,
        show: ({ then }) =>
          h("a", { href: to("report", { run: then.run }) }, moment(then.started_at)),
        order: ({ then }) => then.started_at,
      },
      { heading: "Treatment", text: ({ title }) => title },
      {
        heading: "vs baseline",
        number: true,
        text: ratioText,
        order: ({ ratio }) => ratio?.ratio ?? null,
      },
      {
        heading: "Figure",
        number: true,
        text: ({ figure, then }) =>
          figure ? withUnit(unitOf(then.primary_metric), figure.estimate) : "–",
        order: ({ figure }) => figure?.estimate ?? null,
      },
      { heading: "On", text: ({ then }) => metricWords(then.primary_metric) },
      {
        heading: "Blocks",
        number: true,
        text: ({ then }) => String(then.blocks_count),
        order: ({ then }) => then.blocks_count,
      },
      { heading: "Machine", text: ({ then }) => then.machine },
    ],
    { caption: "Every treatment in every run", wide: true },
  );
}
