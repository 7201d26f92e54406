// How the interval of each treatment's ratio to the baseline narrowed, block after block.

import * as Plot from "@observablehq/plot";
import { colours } from "../colours";
import { times } from "../units";
import type { Ratio } from "../document";

export interface Narrowing {
  primary_metric: string;
  baseline: string;
  points: { block: number; ratios: Record<string, Ratio> }[];
}

interface Row {
  block: number;
  title: string;
  ratio: number;
  low: number | undefined;
  high: number | undefined;
}

const ROW_PX = 64;
const LETTERS = 26;

/** A band a treatment, on one scale so that they compare. */
export function narrowingChart(
  narrowing: Narrowing,
  titles: Map<string, string>,
  width: number,
): SVGSVGElement {
  const colour = colours();
  const short = (name: string) => {
    const title = titles.get(name) ?? name;
    return title.length > LETTERS ? `${title.slice(0, LETTERS - 1)}…` : title;
  };
  const rows: Row[] = narrowing.points.flatMap(({ block, ratios }) =>
    Object.entries(ratios).map(([name, ratio]) => ({
      block,
      title: short(name),
      ratio: ratio.ratio,
      low: ratio.low_ratio,
      high: ratio.high_ratio,
    })),
  );
  // The first intervals are so wide that they would hide all others.
  const last = narrowing.points.at(-1);
  const ends = [
    1,
    ...Object.values(last?.ratios ?? {}).flatMap((one) => [
      one.low_ratio ?? one.ratio,
      one.high_ratio ?? one.ratio,
    ]),
  ];
  const room = 1.5;
  const domain: [number, number] = [Math.min(...ends) / room, Math.max(...ends) * room];
  const within = (value: number) => Math.min(Math.max(value, domain[0]), domain[1]);
  const bands = rows.filter((row) => row.low !== undefined);
  const shown = [...new Set(rows.map((row) => row.title))];
  return Plot.plot({
    width,
    height: shown.length * ROW_PX + 44,
    marginLeft: 44,
    marginRight: Math.min(210, width * 0.4),
    marginTop: 8,
    marginBottom: 34,
    style: {
      background: "transparent",
      color: colour.soft,
      fontSize: "12px",
      fontFamily: "inherit",
    },
    x: {
      label: "blocks",
      tickFormat: (block: number) => String(block),
      ticks: Math.min(8, narrowing.points.length),
      labelArrow: "none",
    },
    y: { type: "log", domain, label: null, ticks: 3, tickFormat: times },
    fy: { domain: shown, label: null, axis: null },
    marks: [
      Plot.ruleY([1], { stroke: colour.soft, strokeWidth: 1 }),
      Plot.areaY(bands, {
        x: "block",
        y1: (row: Row) => within(row.low!),
        y2: (row: Row) => within(row.high!),
        fy: "title",
        fill: colour.accent,
        fillOpacity: 0.18,
      }),
      Plot.lineY(rows, {
        x: "block",
        y: (row: Row) => within(row.ratio),
        fy: "title",
        stroke: colour.accent,
        strokeWidth: 1.6,
      }),
      Plot.text(shown, {
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
