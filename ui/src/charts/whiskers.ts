// Dots with whiskers: an estimate, its interval, and the trials behind it, a row a treatment.

import * as Plot from "@observablehq/plot";
import { colours } from "../colours";

export interface WhiskerRow {
  name: string;
  title: string;
  estimate: number | null;
  low?: number;
  high?: number;
  /** Each trial's own value, drawn faintly. */
  points: number[];
  /** What stands at the end of the row. */
  label: string;
  tone: "accent" | "better" | "worse" | "ink" | "soft";
  /** Not ranked: an open dot. */
  open?: boolean;
  /** Rows of a group stand together. */
  group?: string;
}

interface Options {
  width: number;
  log?: boolean;
  /** Where an upright stands. */
  origin?: number;
  format: (value: number) => string;
  /** Label of the scale. */
  scale: string;
  /** A range that does not matter, shaded. */
  band?: [number, number];
}

const NARROW_PX = 620;
const LETTER_PX = 7.1;

/** The chart, every dot a link to the audit of its treatment. */
export function whiskers(rows: WhiskerRow[], options: Options): SVGSVGElement {
  const colour = colours();
  const narrow = options.width < NARROW_PX;
  const font = narrow ? 12 : 13;
  const longest = (of: (row: WhiskerRow) => string) =>
    Math.max(0, ...rows.map((row) => of(row).length)) * LETTER_PX * (font / 13);
  const left = narrow ? 8 : Math.min(longest((row) => row.title) + 18, options.width * 0.3);
  const right = narrow ? 18 : Math.min(longest((row) => row.label) + 18, options.width * 0.4);
  const step = narrow ? 46 : rows.length > 12 ? 25 : 31;
  const names = new Map(rows.map((row) => [row.name, row]));
  const shown = rows.filter((row) => row.estimate !== null);
  const ends = shown.flatMap((row) => [
    row.low ?? row.estimate!,
    row.high ?? row.estimate!,
    ...row.points,
  ]);
  if (options.origin !== undefined) ends.push(options.origin);
  const dots = [...shown.map((row) => row.estimate!), options.origin ?? shown[0]?.estimate ?? 1];
  const tone = (row: WhiskerRow) => (row.tone === "soft" ? colour.soft : colour[row.tone]);
  const clip = (text: string, room: number) => {
    const letters = Math.max(8, Math.floor(room / (LETTER_PX * (font / 13))));
    return text.length > letters ? `${text.slice(0, letters - 1)}…` : text;
  };
  const groups = groupStarts(rows);
  const dy = narrow ? -15 : 0;
  const text = (side: "left" | "right") =>
    Plot.text(rows, {
      y: "name",
      frameAnchor: side,
      dx: narrow ? (side === "left" ? -4 : 16) : side === "left" ? -left + 4 : right - 4,
      dy,
      textAnchor: side === "left" ? "start" : "end",
      text: (row: WhiskerRow) =>
        side === "left" ? clip(row.title, narrow ? options.width * 0.55 : left) : row.label,
      fill: (row: WhiskerRow) => (side === "left" && !row.open ? colour.ink : colour.soft),
      fontSize: font,
      stroke: colour.paper,
      strokeWidth: narrow ? 4 : 0,
    });
  return Plot.plot({
    width: options.width,
    height: rows.length * step + 46,
    marginLeft: left,
    marginRight: right,
    marginTop: 34,
    marginBottom: 8,
    style: {
      background: "transparent",
      color: colour.soft,
      fontSize: "12px",
      fontFamily: "inherit",
    },
    x: {
      type: options.log ? "log" : "linear",
      domain: options.log ? padded(ends, dots) : [0, Math.max(...ends) * 1.04],
      clamp: true,
      label: null,
      tickFormat: options.format,
      ticks: Math.max(3, Math.floor((options.width - left - right) / 90)),
      axis: null,
    },
    y: { type: "band", domain: rows.map((row) => row.name), axis: null, padding: 0 },
    marks: [
      options.band
        ? Plot.rectX([options.band], { x1: "0", x2: "1", fill: colour.rule, fillOpacity: 0.5 })
        : null,
      Plot.gridX({
        stroke: colour.rule,
        strokeOpacity: 1,
        ticks: Math.max(3, Math.floor((options.width - left - right) / 90)),
      }),
      Plot.axisX({
        anchor: "top",
        tickSize: 0,
        tickFormat: options.format,
        label: options.scale,
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 32,
        ticks: Math.max(3, Math.floor((options.width - left - right) / 90)),
        color: colour.soft,
        fontSize: 11,
      }),
      options.origin !== undefined
        ? Plot.ruleX([options.origin], { stroke: colour.soft, strokeWidth: 1 })
        : null,
      Plot.ruleY(groups, {
        y: "name",
        dy: -step / 2,
        stroke: colour.rule,
        insetLeft: -left,
        insetRight: -right,
      }),
      Plot.tickX(
        shown.flatMap((row) => row.points.map((point) => ({ name: row.name, point }))),
        {
          x: "point",
          y: "name",
          stroke: (of: { name: string }) => tone(names.get(of.name)!),
          strokeOpacity: 0.28,
          insetTop: step / 2 - 4 + (narrow ? 6 : 0),
          insetBottom: step / 2 - 4 - (narrow ? 6 : 0),
        },
      ),
      Plot.ruleY(
        shown.filter((row) => row.low !== undefined),
        {
          y: "name",
          x1: "low",
          x2: "high",
          dy: narrow ? 6 : 0,
          stroke: tone,
          strokeWidth: 2,
          strokeLinecap: "round",
        },
      ),
      text("left"),
      text("right"),
      Plot.dot(shown, {
        x: "estimate",
        y: "name",
        dy: narrow ? 6 : 0,
        r: 4.5,
        fill: (row: WhiskerRow) => (row.open ? colour.paper : tone(row)),
        stroke: tone,
        strokeWidth: 1.6,
        href: (row: WhiskerRow) => `#${row.name}`,
      }),
    ],
  }) as SVGSVGElement;
}

/** The first row of each group but the first. */
function groupStarts(rows: WhiskerRow[]): WhiskerRow[] {
  return rows.filter((row, index) => index > 0 && row.group !== rows[index - 1]!.group);
}

/** How many times beyond the outermost dots the scale goes for the end of an interval; the rest is drawn to its edge. */
const FARTHEST = 10;

function padded(values: number[], dots: number[]): [number, number] {
  const span = (of: number[]) => {
    const logs = of.filter((value) => value > 0).map(Math.log);
    return [Math.min(...logs), Math.max(...logs)] as const;
  };
  const [[least, most], [first, last]] = [span(values), span(dots)];
  const low = Math.max(least, first - Math.log(FARTHEST));
  const high = Math.min(most, last + Math.log(FARTHEST));
  const room = Math.max(0.02, (high - low) * 0.04);
  return [Math.exp(low - room), Math.exp(high + room)];
}
