// How it was measured, and the raw data: last, because it is what everything above rests on.

import { h } from "../dom";
import { download } from "../figure";
import type { State } from "../state";
import { table } from "../table";
import { section } from "./section";
import { aBlock } from "./trust";

export function method({ model }: State): HTMLElement {
  const { findings, left_out: leftOut } = model.page;
  const save = (label: string, name: string, type: string, text: () => string) =>
    h(
      "button",
      { type: "button", onclick: () => download(new Blob([text()], { type }), name) },
      label,
    );
  return section(
    "method",
    "Method and raw data",
    [
      `Blocks, ${aBlock(findings.design)}${findings.design.kind === "solo_trials" ? "" : ", measured in interleaved slices"}. The estimate of a ratio is the `,
      "geometric mean of its blocks, the interval Student's t on their logarithms. Full text: METHOD.md of the project.",
    ],
    h("h3", {}, "Design"),
    facts("Design", findings.design),
    h("h3", {}, "Environment"),
    facts("Environment", findings.environment),
    leftOut.length > 0 && [
      h("h3", {}, "Left out of this page"),
      h(
        "ul",
        { class: "small soft" },
        leftOut.map((one) => h("li", {}, one)),
      ),
    ],
    h("h3", {}, "Raw data"),
    h(
      "div",
      { class: "controls" },
      save("All trials as CSV", `${findings.run}.csv`, "text/csv", () => csv(model.page.trials)),
      save("This page's document as JSON", `${findings.run}.json`, "application/json", () =>
        JSON.stringify(model.page),
      ),
    ),
  );
}

function facts(caption: string, values: Record<string, unknown>): HTMLElement {
  const rows = Object.entries(values).filter(([, value]) => value !== null && shown(value) !== "");
  return table(
    rows,
    [
      { heading: "What", text: ([name]) => name.replaceAll("_", " ") },
      { heading: "Value", text: ([, value]) => shown(value) },
    ],
    { caption },
  );
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(", ");
  if (typeof value === "object" && value !== null)
    return Object.entries(value)
      .map(([name, of]) => `${name} ${shown(of)}`)
      .join(", ");
  return String(value);
}

function csv(trials: State["model"]["page"]["trials"]): string {
  const metrics = [...new Set(trials.flatMap((trial) => Object.keys(trial.metrics)))];
  const quote = (text: string) =>
    /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const lines = trials.map((trial) => [
    trial.trial,
    `${trial.block}`,
    trial.treatment,
    trial.status,
    (trial.reasons ?? []).join("; "),
    ...metrics.map((name) => `${trial.metrics[name] ?? ""}`),
  ]);
  return [["trial", "block", "treatment", "status", "reasons", ...metrics], ...lines]
    .map((line) => line.map(quote).join(",") + "\n")
    .join("");
}
