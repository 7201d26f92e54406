// The blocks of a run as a grid that fills: a row a treatment, a column a block.

import { h } from "../dom";
import { metricWords } from "./frame";
import type { LiveState, LiveTrial } from "./live_state";
import { unitOf, withUnit } from "../units";

type About = NonNullable<LiveState["about"]>;

/** What tells a status without its colour. */
const MARKS: Record<string, string> = { DEGRADED: "*", INVALID: "✕" };

/** The grid, drawn again where it stands, so that it keeps its focus and how far it was scrolled. */
export class BlockGrid {
  private readonly body = h("tbody");
  private readonly table = h("table", { class: "grid" }, this.body);
  readonly place = h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Blocks", hidden: true },
    this.table,
  );

  draw(state: LiveState): void {
    if (!state.about) return;
    const last = latestBegun(state);
    this.place.hidden = false;
    this.table.setAttribute("aria-label", `${state.trials.length} trials in ${last} blocks`);
    this.body.replaceChildren(...rows(state, state.about, last));
  }
}

function latestBegun(state: LiveState): number {
  return Math.max(state.block?.block ?? 0, ...state.trials.map((trial) => trial.block));
}

/** A row a treatment. Blocks that may still come are shown faintly, as far as there is room. */
function rows(state: LiveState, about: About, last: number): HTMLElement[] {
  const trials = new Map(state.trials.map((trial) => [`${trial.block} ${trial.treatment}`, trial]));
  const count = state.over ? last : about.blocks_at_most_count;
  const blocks = Array.from({ length: Math.min(count, 400) }, (_, index) => index + 1);
  return about.treatments.map((treatment) => {
    const { title } = treatment;
    const cells = blocks.map((block) => {
      const trial = trials.get(`${block} ${treatment.name}`);
      const going = !trial && !state.over && state.block?.block === block;
      const status = trial?.status ?? (going ? "going" : "to come");
      const now = going && state.current?.treatment === treatment.name;
      const attributes = {
        "data-status": status,
        "data-trial": trial?.trial,
        "data-now": now,
        title: described(block, title, trial, about.primary_metric, status),
      };
      return h("td", attributes, MARKS[status]);
    });
    return h("tr", {}, h("th", { scope: "row" }, title), cells);
  });
}

function described(
  block: number,
  title: string,
  trial: LiveTrial | undefined,
  metric: string,
  status: string,
): string {
  const value = trial?.metrics[metric];
  const figure =
    value === undefined ? "" : `, ${metricWords(metric)} ${withUnit(unitOf(metric), value)}`;
  const reasons = (trial?.reasons ?? []).join("; ");
  return `block ${block}, ${title}: ${status}${figure}${reasons && `; ${reasons}`}`;
}
