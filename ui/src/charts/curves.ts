// Lines over a scale, one a treatment, those that were picked in colour.

import * as Plot from "@observablehq/plot";
import { colours, seriesColour } from "../colours";
import { apart } from "./apart";

export interface Point {
  treatment: string;
  x: number;
  y: number;
  low?: number | null;
  high?: number | null;
  /** The level it was measured at, where there are levels. */
  level?: string;
}

interface Axis {
  type: "log" | "linear" | "point";
  label: string;
  format: (value: number) => string;
  ticks?: number[];
  domain?: [number, number];
}

interface Options {
  width: number;
  height?: number;
  x: Axis;
  y: Axis;
  picked: string[];
  title: (treatment: string) => string;
  /** Whether each point has a dot and a whisker, as a few levels do; else a band. */
  dots?: boolean;
}

/** The chart; the end of every line is a link to the audit of its treatment. */
export function curves(points: Point[], options: Options): SVGSVGElement {
  const colour = colours();
  const isPicked = (point: Point) => options.picked.includes(point.treatment);
  const picked = points.filter(isPicked);
  const others = points.filter((point) => !isPicked(point));
  const of = (point: Point) => seriesColour(options.picked, point.treatment, colour);
  const spread = picked.filter((point) => point.low != null && point.high != null);
  const narrow = options.width < 620;
  const labels = endLabels(picked, points, options, narrow);
  const ends = [...lastPoints(points).values()];
  const endDots = (at: Point[], style: Plot.DotOptions) =>
    Plot.dot(at, { x: "x", y: "y", href: (point: Point) => `#${point.treatment}`, ...style });
  const yTicks = options.y.ticks ?? (options.y.type === "log" ? logTicks(points) : 6);
  return Plot.plot({
    width: options.width,
    height: options.height ?? (narrow ? 300 : 380),
    marginLeft: 58,
    marginRight: narrow ? 12 : 150,
    marginTop: 26,
    marginBottom: 40,
    style: {
      background: "transparent",
      color: colour.soft,
      fontSize: "12px",
      fontFamily: "inherit",
    },
    x: {
      type: options.x.type === "point" ? "linear" : options.x.type,
      domain: options.x.domain,
      label: options.x.label,
      labelAnchor: "center",
      labelArrow: "none",
      tickFormat: options.x.format,
      ticks: options.x.ticks,
      tickSize: 0,
      labelOffset: 36,
    },
    y: {
      type: options.y.type === "log" ? "log" : "linear",
      domain: options.y.domain,
      zero: options.y.type === "linear",
      label: options.y.label,
      labelArrow: "none",
      tickFormat: options.y.format,
      ticks: yTicks,
      tickSize: 0,
    },
    marks: [
      Plot.gridY({ stroke: colour.rule, strokeOpacity: 1, ticks: yTicks }),
      Plot.line(others, {
        x: "x",
        y: "y",
        z: "treatment",
        stroke: colour.faint,
        strokeOpacity: 0.55,
        strokeWidth: 1,
      }),
      options.dots
        ? Plot.ruleX(spread, { x: "x", y1: "low", y2: "high", stroke: of, strokeWidth: 1.5 })
        : Plot.areaY(spread, {
            x: "x",
            y1: "low",
            y2: "high",
            z: "treatment",
            fill: of,
            fillOpacity: 0.13,
          }),
      Plot.line(picked, { x: "x", y: "y", z: "treatment", stroke: of, strokeWidth: 2 }),
      options.dots ? Plot.dot(picked, { x: "x", y: "y", r: 3.5, fill: of }) : null,
      options.dots
        ? Plot.dot(others, { x: "x", y: "y", r: 2, fill: colour.faint, fillOpacity: 0.6 })
        : null,
      narrow
        ? null
        : Plot.text(labels, {
            frameAnchor: "right",
            y: "y",
            dx: 8,
            textAnchor: "start",
            text: "text",
            fill: of,
            fontSize: 12,
          }),
      endDots(
        ends.filter((point) => !isPicked(point)),
        { r: 2.5, fill: colour.faint },
      ),
      endDots(ends.filter(isPicked), { r: 4.5, fill: of, stroke: colour.paper }),
      Plot.tip(
        picked,
        Plot.pointer({
          className: "pointed",
          x: "x",
          y: "y",
          maxRadius: 30,
          fill: colour.paper,
          stroke: colour.faint,
          title: (point: Point) =>
            `${options.title(point.treatment)}\n${options.x.label}: ${options.x.format(point.x)}\n${options.y.label}: ${options.y.format(point.y)}${
              point.low != null && point.high != null
                ? ` (${options.y.format(point.low)} – ${options.y.format(point.high)})`
                : ""
            }`,
        }),
      ),
    ],
  }) as SVGSVGElement;
}

/** 1, 2 and 5 of every power of ten between the least and the most; fewer of them over many powers. */
export function logTicks(
  points: { y: number; low?: number | null; high?: number | null }[],
): number[] {
  const all = points.flatMap((point) => [point.y, point.low ?? point.y, point.high ?? point.y]);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const decades = Math.log10(high / low);
  const steps = decades > 4 ? [1] : decades > 2 ? [1, 3] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1)
    for (const step of steps) ticks.push(step * 10 ** power);
  return ticks.filter((tick) => tick >= low * 0.97 && tick <= high * 1.03);
}

/** The last point of each line, by treatment: points come in the order of their lines. */
export function lastPoints<P extends { treatment: string }>(points: P[]): Map<string, P> {
  return new Map(points.map((point) => [point.treatment, point]));
}

/** The last point of each line, moved apart so that no name covers another. */
function endLabels(points: Point[], everything: Point[], options: Options, narrow: boolean) {
  const height = (options.height ?? (narrow ? 300 : 380)) - 66;
  const log = options.y.type === "log";
  const all = everything.flatMap((point) => [point.y, point.low ?? point.y, point.high ?? point.y]);
  const place = (y: number) => (log ? Math.log(y) : y);
  const [low, high] = options.y.domain?.map(place) ?? [
    log ? Math.min(...all.map(place)) : 0,
    Math.max(...all.map(place)),
  ];
  const gap = ((high! - low!) * 15) / Math.max(1, height);
  const shown = [...lastPoints(points).values()];
  const places = apart(
    shown.map((point) => place(point.y)),
    gap,
    low!,
  );
  return shown.map((point, index) => {
    const name = options.title(point.treatment);
    const text = name.length > 21 ? `${name.slice(0, 20)}…` : name;
    const at = places[index]!;
    return { ...point, y: log ? Math.exp(at) : at, text };
  });
}
