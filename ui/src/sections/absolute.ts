// One metric of every treatment in its own unit, with the reader's baseline marked.

import { linkToAudit } from "../charts/links";
import { whiskers } from "../charts/whiskers";
import { h, type Child } from "../dom";
import { figure } from "../figure";
import type { State } from "../state";
import { trialsBehind } from "../tip";
import { digits, scaleFor, withReach } from "../units";

/** A figure of `metric`; null when no treatment has it. */
export function absolute(
  state: State,
  metric: string,
  title: string,
  caption: Child,
): HTMLElement | null {
  const { model } = state;
  const { unit, title: short } = model.metric(metric);
  const having = model.treatments.filter((one) => one.figures[metric]);
  if (having.length === 0) return null;
  return figure(state, {
    title,
    caption,
    file: metric,
    draw: (width) => {
      const values = having.map((one) => one.figures[metric]!.estimate);
      const { divisor, sign } = scaleFor(unit, values);
      const scaled = (value: number | undefined) =>
        value === undefined ? undefined : value / divisor;
      const label = (name: string) => {
        const found = model.treatments.find((one) => one.name === name)?.figures[metric];
        return found ? withReach(unit, found) : "–";
      };
      const rows = having.map((one) => {
        const found = one.figures[metric]!;
        return {
          name: one.name,
          title: one.title,
          estimate: found.estimate / divisor,
          low: scaled(found.low),
          high: scaled(found.high),
          points: [...model.byBlock(one.name, (trial) => trial.metrics[metric]).values()].map(
            (v) => v / divisor,
          ),
          label: label(one.name),
          tone: one.name === state.baseline ? ("accent" as const) : ("ink" as const),
          open: one.standing.kind !== "ranked",
        };
      });
      const scale = sign && sign !== "/s" ? `${short}, ${sign}` : short;
      const svg = whiskers(rows, {
        width,
        format: (value) => (value === 0 ? "0" : digits(value).replace(/\.0+$/, "")),
        scale,
      });
      linkToAudit(
        svg,
        (name) => `${model.title(name)}: ${label(name)}`,
        (name) => [
          h("strong", {}, model.title(name)),
          h("div", {}, `${short}: ${label(name)}`),
          trialsBehind(model, name, unit, (trial) => trial.metrics[metric]),
        ],
      );
      return svg;
    },
  });
}
