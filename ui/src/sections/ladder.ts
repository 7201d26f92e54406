// What each layer adds: the cost of one answer, from the bare protocol up to the framework.

import { linkToAudit } from "../charts/links";
import { waterfall, type Step } from "../charts/waterfall";
import { h } from "../dom";
import type { Figure } from "../document";
import { figure } from "../figure";
import type { State } from "../state";
import { trialsBehind } from "../tip";
import { digits, scaleFor, withUnit } from "../units";
import { section, type Section } from "./section";

interface Rung {
  treatment: string;
  title: string;
  after?: string;
  depth_count: number;
  total?: Figure;
  added?: { estimate: number; low?: number; high?: number; blocks_count: number };
}

interface Ladder {
  metric: string;
  rungs: Rung[];
}

export const ladder: Section = (state: State) => {
  const { model } = state;
  const found = model.page.findings.ladder as Ladder | undefined;
  const rungs = (found?.rungs ?? []).filter((rung) => rung.total);
  if (!found || rungs.length === 0) return null;
  const { unit, title } = model.metric(found.metric);
  const totals = new Map(rungs.map((rung) => [rung.treatment, rung.total!.estimate]));
  const { divisor, sign } = scaleFor(unit, [...totals.values()]);
  const steps: Step[] = rungs.map((rung) =>
    step(rung, totals, divisor, (value) => withUnit(unit, value)),
  );
  return section(
    "ladder",
    "What each layer adds",
    "Each rung is a service with one layer more than the rung it stands on; the difference is taken block by block.",
    figure(state, {
      title: `${title}, layer by layer`,
      file: "ladder",
      caption:
        "A bar is what the layer adds, or saves where it points back; the whisker is the 95 % interval of that difference.",
      draw: (width) => {
        const svg = waterfall(steps, width, sign ? `${title}, ${sign}` : title, (value) =>
          digits(value).replace(/\.0+$/, ""),
        );
        const byName = new Map(steps.map((one) => [one.name, one]));
        linkToAudit(
          svg,
          (name) => `${model.title(name)}: ${byName.get(name)!.label}`,
          (name) => [
            h("strong", {}, model.title(name)),
            h("div", {}, byName.get(name)!.label),
            trialsBehind(model, name, unit, (trial) => trial.metrics[found.metric]),
          ],
        );
        return svg;
      },
    }),
  );
};

function step(
  { treatment, title, after, depth_count: depth, total, added }: Rung,
  totals: Map<string, number>,
  divisor: number,
  text: (value: number) => string,
): Step {
  const below = after === undefined ? 0 : (totals.get(after) ?? 0);
  const shift = (value: number | undefined) =>
    value === undefined ? undefined : (below + value) / divisor;
  const sign = added && added.estimate < 0 ? "−" : "+";
  return {
    name: treatment,
    title,
    depth,
    from: below / divisor,
    to: (below + (added?.estimate ?? total!.estimate - below)) / divisor,
    low: shift(added?.low),
    high: shift(added?.high),
    label: added
      ? `${sign}${text(Math.abs(added.estimate))} → ${text(total!.estimate)}`
      : text(total!.estimate),
    first: after === undefined,
  };
}
