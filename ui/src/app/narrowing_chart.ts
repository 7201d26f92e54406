// How the interval of a treatment's ratio to the baseline narrowed, block after block.

import * as Plot from "@observablehq/plot";
import { colours } from "../colours";
import type { Ratio } from "../document";
import { times } from "../units";

export interface Narrowing {
  primary_metric: string;
  baseline: string;
  points: { block: number; ratios: Record<string, Ratio> }[];
}

interface Row extends Ratio {
  block: number;
}

const HEIGHT_PX = 132;
/** How much more than the last interval is shown: the first ones are so wide that they would hide all others. */
const ROOM = 3;
/** Least half of what is shown, on the scale of logarithms. */
const LEAST_HALF = 0.06;

/** The ratios of one treatment, block after block. */
export function ratiosOf(narrowing: Narrowing, treatment: string): Row[] {
  return narrowing.points.flatMap(({ block, ratios }) => {
    const ratio = ratios[treatment];
    return ratio ? [{ ...ratio, block }] : [];
  });
}

/** A band around a line, on a scale of its own. */
export function narrowingChart(rows: Row[], width: number): SVGSVGElement {
  const colour = colours();
  const last = rows.at(-1)!;
  const half = Math.max(
    LEAST_HALF,
    (ROOM / 2) * Math.log((last.high_ratio ?? last.ratio) / (last.low_ratio ?? last.ratio)),
  );
  let [low, high] = [last.ratio * Math.exp(-half), last.ratio * Math.exp(half)];
  // Where 1 is near, it is what a reader looks for.
  if (1 < low && 1 > low * Math.exp(-2 * half)) low = Math.exp(-half / 6);
  if (1 > high && 1 < high * Math.exp(2 * half)) high = Math.exp(half / 6);
  const within = (value: number) => Math.min(Math.max(value, low), high);
  const bands = rows.filter((row) => row.low_ratio !== undefined);
  const [first, end] = [rows[0]!.block, last.block];
  return Plot.plot({
    width,
    height: HEIGHT_PX,
    marginLeft: 52,
    marginRight: 30,
    marginTop: 10,
    marginBottom: 24,
    style: {
      background: "transparent",
      color: colour.soft,
      fontSize: "11px",
      fontFamily: "inherit",
    },
    x: {
      domain: [first, Math.max(end, first + 1)],
      label: null,
      ticks: [...new Set([first, end])],
      tickFormat: (block: number) => `block ${block}`,
      tickSize: 0,
      insetLeft: 4,
    },
    y: {
      type: "log",
      domain: [low, high],
      label: null,
      ticks: [low, last.ratio, high],
      tickFormat: times,
      tickSize: 0,
    },
    marks: [
      low <= 1 && high >= 1 ? Plot.ruleY([1], { stroke: colour.soft }) : null,
      Plot.areaY(bands, {
        x: "block",
        y1: (row: Row) => within(row.low_ratio!),
        y2: (row: Row) => within(row.high_ratio!),
        fill: colour.accent,
        fillOpacity: 0.18,
      }),
      Plot.lineY(rows, {
        x: "block",
        y: (row: Row) => within(row.ratio),
        stroke: colour.accent,
        strokeWidth: 1.6,
      }),
      Plot.dot([last], { x: "block", y: "ratio", fill: colour.accent, r: 3 }),
    ],
  }) as SVGSVGElement;
}
