// One trial, sample by sample: a strip a unit.

import * as Plot from "@observablehq/plot";
import { apart } from "../charts/apart";
import { colours } from "../colours";
import { h } from "../dom";
import { figure } from "../figure";
import type { State } from "../state";
import { unitOf, withUnit } from "../units";
import { frame } from "./series";

/** The time series of one trial, a strip a unit. */
export function samples(state: State): HTMLElement | null {
  const { model } = state;
  const names = Object.keys(model.page.samples);
  if (names.length === 0) return null;
  let trial = names[0]!;
  const figures = () => Object.keys(model.page.samples[trial]!.figures);
  const units = [
    ...new Set(names.flatMap((name) => Object.keys(model.page.samples[name]!.figures)).map(unitOf)),
  ];
  const choice = h(
    "select",
    {
      onchange: (event: Event) => {
        trial = (event.target as HTMLSelectElement).value;
        state.changed();
      },
    },
    names.map((name) => h("option", { value: name }, name)),
  );
  const strips = units.map((unit) =>
    figure(state, {
      title:
        unit === "ratio"
          ? "Shares of CPU"
          : unit === "bytes"
            ? "Memory"
            : `Figures in ${unit || "their own unit"}`,
      file: `samples-${unit || "other"}`,
      caption: figuresText(
        names.map((name) => model.page.samples[name]!.figures),
        unit,
      ),
      draw: (width) => {
        const colour = colours();
        const { at_s, figures: read } = model.page.samples[trial]!;
        const mine = figures().filter((name) => unitOf(name) === unit);
        const rows = mine.flatMap((name) =>
          at_s
            .map((at, i) => ({ name, at, value: read[name]![i] ?? NaN }))
            .filter((row) => Number.isFinite(row.value)),
        );
        if (rows.length === 0) return null;
        const of = (row: { name: string }) =>
          colour.series[mine.indexOf(row.name) % colour.series.length]!;
        const last = mine
          .map((name) => rows.filter((row) => row.name === name).at(-1))
          .filter((row) => row !== undefined);
        return Plot.plot({
          ...frame(width, 210, colour, 0),
          marginRight: width < 620 ? 12 : 190,
          x: {
            label: "seconds since the run began",
            labelArrow: "none",
            labelAnchor: "center",
            tickSize: 0,
            labelOffset: 34,
          },
          y: {
            label: null,
            tickFormat: (v: number) => withUnit(unit, v),
            ticks: 4,
            tickSize: 0,
            zero: true,
          },
          marks: [
            Plot.gridY({ stroke: colour.rule, strokeOpacity: 1, ticks: 4 }),
            Plot.line(rows, { x: "at", y: "value", z: "name", stroke: of, strokeWidth: 1.4 }),
            width < 620
              ? null
              : Plot.text(ends(last), {
                  y: "at",
                  frameAnchor: "right",
                  dx: 8,
                  textAnchor: "start",
                  text: (row: Row) => bare(row.name),
                  fill: of,
                  fontSize: 11,
                }),
            Plot.tip(
              rows,
              Plot.pointer({
                x: "at",
                y: "value",
                fill: colour.paper,
                stroke: colour.faint,
                title: (row: { name: string; value: number }) =>
                  `${row.name}\n${withUnit(unit, row.value)}`,
              }),
            ),
          ],
        }) as SVGSVGElement;
      },
    }),
  );
  return h(
    "div",
    {},
    h("h3", {}, "One trial, sample by sample"),
    h("div", { class: "controls" }, h("label", {}, "Trial", choice)),
    strips,
  );
}

function figuresText(figures: Record<string, unknown>[], unit: string): string {
  const names = new Set(
    figures.flatMap((one) => Object.keys(one)).filter((name) => unitOf(name) === unit),
  );
  return [...names].map((name) => name.replaceAll("_", " ")).join(", ");
}

interface Row {
  name: string;
  at: number;
  value: number;
}

/** The last point of each line; `at` is where its name stands. */
function ends(last: Row[]): Row[] {
  const most = Math.max(...last.map((row) => row.value), 1e-9);
  const places = apart(
    last.map((row) => row.value),
    (most * 14) / 146,
    0,
  );
  return last.map((row, index) => ({ ...row, at: places[index]! }));
}

/** The name of a figure without its unit. */
function bare(name: string): string {
  return name.replace(/_(ratio|bytes|count|per_s|ns|us|s)$/, "").replaceAll("_", " ");
}
