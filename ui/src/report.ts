// A report: draws section after section of a run's document and keeps what the reader chose.

import { h } from "./dom";
import type { PageDocument } from "./document";
import { followLinks } from "./jump";
import { Model } from "./model";
import { answer } from "./sections/answer";
import { audit } from "./sections/audit";
import { claims } from "./sections/claims";
import { tools, whatIf } from "./sections/beside";
import { costOfAnswers } from "./sections/cost_of_answers";
import { everyLevel } from "./sections/every_level";
import { fairness } from "./sections/fairness";
import { overConcurrency, overLoad } from "./sections/levels";
import { ladder } from "./sections/ladder";
import { limiters } from "./sections/limiter";
import { method } from "./sections/method";
import { percentiles } from "./sections/percentiles";
import { planner } from "./sections/planner";
import { memory, startUp } from "./sections/resources";
import type { Section } from "./sections/section";
import { series } from "./sections/series";
import { tiers } from "./sections/tiers";
import { trust } from "./sections/trust";
import { State } from "./state";
import { themeSwitch } from "./theme";
import { startTips } from "./tip";

/** From top to bottom. */
const SECTIONS: Section[] = [
  trust,
  tiers,
  costOfAnswers,
  percentiles,
  overLoad,
  overConcurrency,
  everyLevel,
  memory,
  startUp,
  series,
  limiters,
  whatIf,
  tools,
  ladder,
  planner,
  fairness,
  claims,
  audit,
  method,
];

function bar(state: State): HTMLElement {
  const choice = h(
    "select",
    {
      id: "baseline",
      onchange: (event: Event) => state.choose((event.target as HTMLSelectElement).value),
    },
    state.model.ranked.map((one) =>
      h("option", { value: one.name, selected: one.name === state.baseline }, one.title),
    ),
  );
  return h(
    "div",
    { class: "bar", role: "region", "aria-label": "Choices" },
    h(
      "div",
      {},
      h("span", { class: "name" }, state.model.page.findings.title),
      state.model.ranked.length > 0 && h("label", {}, "Baseline", choice),
      themeSwitch(state),
    ),
  );
}

/** Draws the report of a run into `root`. `source` says where it came from. Once a page: its parts share ids. */
export function drawReport(root: HTMLElement, page: PageDocument, source: string): void {
  const state = new State(new Model(page));
  const sections = SECTIONS.map((draw) => draw(state)).filter((section) => section !== null);
  const contents = sections.map((section) =>
    h("a", { href: `#${section.id}` }, section.querySelector("h2")!.textContent),
  );
  const top = answer(state);
  top.append(h("nav", { class: "contents", "aria-label": "Sections" }, contents));
  root.append(
    h("a", { class: "skip", href: "#trust" }, "Skip to the report"),
    bar(state),
    top,
    h("main", {}, sections),
    h("footer", {}, source),
  );
  startTips();
  followLinks();
}
