// The page: reads its document, draws section after section, keeps what the reader chose.

import "./theme.css";
import { h } from "./dom";
import { readDocument } from "./document";
import { Model } from "./model";
import { answer } from "./sections/answer";
import { audit } from "./sections/audit";
import { costOfAnswers } from "./sections/cost_of_answers";
import { fairness } from "./sections/fairness";
import { overConcurrency, overLoad } from "./sections/levels";
import { method } from "./sections/method";
import { percentiles } from "./sections/percentiles";
import { planner } from "./sections/planner";
import { memory, startUp } from "./sections/resources";
import type { Section } from "./sections/section";
import { series } from "./sections/series";
import { tiers } from "./sections/tiers";
import { trust } from "./sections/trust";
import { State } from "./state";
import { startTheme, themeSwitch } from "./theme";
import { startTips } from "./tip";

/** From top to bottom. */
const SECTIONS: Section[] = [
  trust,
  tiers,
  costOfAnswers,
  percentiles,
  overLoad,
  overConcurrency,
  memory,
  startUp,
  series,
  planner,
  fairness,
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

/** Opens whatever a link leads into, before the browser goes there. */
function openTargets(): void {
  const open = (hash: string) => {
    const target = hash.length > 1 ? document.getElementById(hash.slice(1)) : null;
    if (target instanceof HTMLDetailsElement) target.open = true;
    return target;
  };
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest("a[href^='#']");
    if (!link) return;
    const target = open(link.getAttribute("href")!);
    if (!target) return;
    event.preventDefault();
    target.scrollIntoView();
    const focus = target.querySelector<HTMLElement>("summary") ?? target;
    focus.focus({ preventScroll: true });
  });
  open(location.hash)?.scrollIntoView();
}

function start(): void {
  const root = document.getElementById("page")!;
  const page = readDocument();
  if (!page) {
    root.append(
      h(
        "main",
        {},
        h("p", {}, "This page holds no run: bancada report --format html makes one that does."),
      ),
    );
    return;
  }
  document.title = `${page.findings.title}: ${page.findings.run}`;
  startTheme();
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
    h(
      "footer",
      {},
      `Made by Bancada ${page.findings.bancada_version} from the run directory ${page.findings.run} alone. This page asks nothing of any network.`,
    ),
  );
  startTips();
  openTargets();
  performance.mark("drawn");
}

start();
