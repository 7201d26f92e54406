// The latest trials of a run as it goes on, the last one first.

import { h } from "../dom";
import { unitOf, withUnit } from "../units";
import { metricWords } from "./frame";
import type { LiveState } from "./live_state";

/** Trials that are listed. */
const LISTED = 12;

/** The list, drawn again where it stands, so that it keeps its focus and how far it was scrolled. */
export class TrialList {
  readonly place = h("div", { hidden: true });
  private readonly metric = h("th", { scope: "col", class: "number" });
  private readonly body = h("tbody");

  constructor() {
    const head = (text: string) => h("th", { scope: "col" }, text);
    const heads = [head("Block"), head("Treatment"), head("Status"), this.metric, head("Why")];
    this.place.append(
      h("h2", {}, "The latest trials"),
      h(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": "The latest trials" },
        h("table", { class: "wide" }, h("thead", {}, h("tr", {}, heads)), this.body),
      ),
    );
  }

  draw({ about, trials }: LiveState): void {
    if (!about || trials.length === 0) return;
    const { primary_metric: metric, treatments } = about;
    const title = (name: string) => treatments.find((one) => one.name === name)?.title ?? name;
    const rows = trials
      .slice(-LISTED)
      .reverse()
      .map((trial) => {
        const value = trial.metrics[metric];
        return h(
          "tr",
          { "data-listed": trial.trial },
          h("td", {}, String(trial.block)),
          h("td", {}, title(trial.treatment)),
          h("td", { class: "status", "data-status": trial.status }, trial.status),
          h("td", { class: "number" }, value === undefined ? "–" : withUnit(unitOf(metric), value)),
          h("td", { class: "soft" }, (trial.reasons ?? []).join("; ")),
        );
      });
    this.metric.textContent = metricWords(metric);
    this.body.replaceChildren(...rows);
    this.place.hidden = false;
  }
}
