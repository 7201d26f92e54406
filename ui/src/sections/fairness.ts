// Is it a fair comparison: what was the same for all, what was not, and the handlers side by side.

import { h, type Child } from "../dom";
import type { Treatment } from "../document";
import type { State } from "../state";
import { table, type Column } from "../table";
import { sheets } from "./fairness_sheet";
import { section, type Section } from "./section";

export const fairness: Section = (state) => {
  const { model } = state;
  const treatments = model.page.treatments.filter((one) => !one.twin_of);
  return section(
    "fairness",
    "Is it a fair comparison?",
    "What each service was given and what it answered, as verified before the first block. Rows that should be alike and are not are shaded.",
    sheets(state),
    sheet(state, treatments),
    sources(state, treatments),
  );
};

interface Row {
  name: string;
  values: string[];
  /** Meant to be the same for all: shaded where it is not. */
  alike: boolean;
}

/** Facts that say what a service was built with. */
const TOOLS = ["cargo", "go", "node", "npm", "python", "uv"];

function sheet({ model }: State, treatments: Treatment[]): HTMLElement {
  const names = (of: (one: Treatment) => Record<string, string>) =>
    [...new Set(treatments.flatMap((one) => Object.keys(of(one))))].sort();
  const row = (alike: boolean, name: string, of: (one: Treatment) => string | undefined): Row => ({
    name: name.replaceAll("_", " "),
    values: treatments.map((one) => of(one) ?? "–"),
    alike,
  });
  const stack = (one: Treatment, key: string) => {
    const value = model.page.catalog[`stack/${one.stack}`]?.[key];
    return Array.isArray(value) ? value.join(", ") || undefined : (value as string | undefined);
  };
  const built = (one: Treatment) =>
    TOOLS.flatMap((tool) =>
      one.facts[tool] ? [`${tool} ${one.facts[tool].replace(`${tool} `, "")}`] : [],
    );
  const facts = names((one) => one.facts).filter((name) => !TOOLS.includes(name));
  const rows = [
    row(true, "workload", (one) => one.workload),
    ...names((one) => one.settings).map((name) => row(true, name, (one) => one.settings[name])),
    ...facts.map((name) => row(true, name, (one) => one.facts[name])),
    row(true, "leaves out", (one) => stack(one, "skips")),
    row(false, "language", (one) => stack(one, "language")),
    row(false, "framework", (one) => stack(one, "framework")),
    row(false, "server", (one) => stack(one, "server")),
    row(false, "driver", (one) => stack(one, "driver")),
    row(false, "serializer", (one) => stack(one, "serializer")),
    row(false, "launch", (one) => one.launch),
    row(false, "address", (one) => one.url),
    row(false, "differs", (one) => stack(one, "differs")),
    row(false, "built with", (one) => built(one).join("; ") || undefined),
  ].filter(({ values }) => values.some((value) => value !== "–"));
  const columns: Column<Row>[] = [
    { heading: "What", text: ({ name }) => name },
    ...treatments.map((one, index) => ({
      heading: one.title,
      text: ({ values }: Row) => values[index]!,
    })),
  ];
  const body = table(rows, columns, {
    caption: "Fairness sheet",
    wide: true,
    rowClass: (of) => (of.alike && new Set(of.values).size > 1 ? "differs" : undefined),
  });
  const hasSheets = model.page.findings.fairness !== undefined;
  if (treatments.length <= 8 && !hasSheets) return body;
  return h("details", {}, h("summary", {}, "All that was given and answered"), body);
}

function sources(state: State, treatments: Treatment[]): Child {
  const { model } = state;
  const having = treatments.filter((one) => one.stack && model.page.sources[one.stack]);
  if (having.length === 0) return null;
  const side = (start: number) => {
    const files = h("div");
    const choose = (name: string) =>
      files.replaceChildren(
        ...handlers(
          state,
          having.find((one) => one.name === name)!,
        ),
      );
    const choice = h(
      "select",
      {
        "aria-label": `Handlers ${start === 0 ? "on the left" : "on the right"}`,
        onchange: (event: Event) => choose((event.target as HTMLSelectElement).value),
      },
      having.map((one, index) =>
        h("option", { value: one.name, selected: index === start }, one.title),
      ),
    );
    choose(having[start]!.name);
    return h("div", {}, choice, files);
  };
  return [
    h("h3", {}, "The handlers, side by side"),
    h(
      "p",
      { class: "soft small" },
      "As they were when the run began; files that serve this workload come first.",
    ),
    h("div", { class: "pair" }, side(0), having.length > 1 && side(1)),
  ];
}

/** Files of a stack, the workload's own first and open. */
function handlers(state: State, of: Treatment): HTMLElement[] {
  const files = Object.entries(state.model.page.sources[of.stack!]!);
  const own = (file: string) => {
    const stem = file
      .split("/")
      .at(-1)!
      .replace(/\.[^.]+$/, "")
      .replaceAll("_", "-");
    return (
      of.workload !== undefined && (of.workload === stem || of.workload.startsWith(`${stem}-`))
    );
  };
  const sorted = [...files].sort(([a], [b]) => Number(own(b)) - Number(own(a)));
  const none = !sorted.some(([file]) => own(file));
  return sorted.map(([file, text], index) =>
    h(
      "details",
      { open: own(file) || (none && index === 0) },
      h("summary", {}, file),
      h("pre", { tabindex: 0, role: "region", "aria-label": `${of.title}, ${file}` }, text),
    ),
  );
}
