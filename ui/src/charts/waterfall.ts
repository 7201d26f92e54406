// What each layer adds to the one below it, as steps of one sum.

import * as Plot from "@observablehq/plot";
import { colours } from "../colours";

export interface Step {
  name: string;
  title: string;
  /** Where the step begins and ends on the scale. */
  from: number;
  to: number;
  /** Interval of its end. */
  low?: number;
  high?: number;
  label: string;
  first: boolean;
  /** Rungs below it. */
  depth: number;
}

export function waterfall(
  steps: Step[],
  width: number,
  scale: string,
  format: (value: number) => string,
) {
  const colour = colours();
  const narrow = width < 620;
  const row = narrow ? 46 : 32;
  const left = narrow
    ? 8
    : Math.min(
        width * 0.34,
        30 + 7.2 * Math.max(...steps.map((one) => one.title.length + one.depth)),
      );
  const right = narrow ? 8 : 170;
  const dy = narrow ? -15 : 0;
  const tone = (one: Step) =>
    one.first ? colour.soft : one.to >= one.from ? colour.worse : colour.better;
  const spread = steps.filter((one) => one.low !== undefined);
  const ends = steps.flatMap((one) => [one.from, one.to, one.high ?? 0]);
  return Plot.plot({
    width,
    height: steps.length * row + 46,
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
    x: { domain: [0, Math.max(...ends) * 1.03], axis: null },
    y: {
      type: "band",
      domain: steps.map((one) => one.name),
      axis: null,
      padding: narrow ? 0.66 : 0.5,
    },
    marks: [
      Plot.gridX({ stroke: colour.rule, strokeOpacity: 1, ticks: 6 }),
      Plot.axisX({
        anchor: "top",
        tickSize: 0,
        label: scale,
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 32,
        tickFormat: format,
        ticks: 6,
        color: colour.soft,
        fontSize: 11,
      }),
      Plot.barX(steps, {
        y: "name",
        x1: "from",
        x2: "to",
        fill: tone,
        fillOpacity: 0.75,
        dy: narrow ? 7 : 0,
        rx: 1.5,
      }),
      Plot.ruleY(spread, {
        y: "name",
        x1: "low",
        x2: "high",
        stroke: colour.ink,
        strokeWidth: 1.5,
        dy: narrow ? 7 : 0,
      }),
      Plot.text(steps, {
        y: "name",
        frameAnchor: "left",
        dx: narrow ? 0 : -left + 4,
        dy,
        textAnchor: "start",
        text: (one: Step) => `${"  ".repeat(one.depth)}${one.title}`,
        fill: colour.ink,
        fontSize: narrow ? 12 : 13,
      }),
      Plot.text(steps, {
        y: "name",
        frameAnchor: "right",
        dx: narrow ? 0 : right - 4,
        dy,
        textAnchor: "end",
        text: "label",
        fill: colour.soft,
        fontSize: narrow ? 12 : 13,
      }),
      Plot.dot(steps, {
        x: "to",
        y: "name",
        r: 3,
        fill: tone,
        dy: narrow ? 7 : 0,
        href: (one: Step) => `#${one.name}`,
      }),
    ],
  }) as SVGSVGElement;
}
