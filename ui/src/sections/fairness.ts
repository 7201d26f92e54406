// Is it a fair comparison: what was the same for all, what was not, and the handlers side by side.

import { h, type Child } from "../dom";
import type { Treatment } from "../document";
import type { State } from "../state";
import { table, type Column } from "../table";
import { section, type Section } from "./section";

export const fairness: Section = (state) => {
  const { model } = state;
  const treatments = model.page.treatments.filter((one) => !one.twin_of);
  return section(
    "fairness",
    "Is it a fair comparison?",
    "What each service was given and what it answered, as verified before the first block. Rows that differ are shaded.",
    sheet(state, treatments),
    sources(state, treatments),
  );
};

interface Row {
  name: string;
  values: string[];
}

function sheet(state: State, treatments: Treatment[]): HTMLElement {
  const { model } = state;
  const keys = (of: (one: Treatment) => Record<string, string>) =>
    [...new Set(treatments.flatMap((one) => Object.keys(of(one))))].sort();
  const row = (name: string, of: (one: Treatment) => string | undefined): Row => ({
    name,
    values: treatments.map((one) => of(one) ?? "–"),
  });
  const stack = (one: Treatment, key: string) => {
    const value = model.page.catalog[`stack/${one.stack}`]?.[key];
    return Array.isArray(value) ? value.join(", ") || undefined : (value as string | undefined);
  };
  const manifest = ["language", "framework", "server", "driver", "serializer", "skips", "differs"];
  const rows = [
    ...manifest.map((key) => row(key, (one) => stack(one, key))),
    row("workload", (one) => one.workload),
    row("launch", (one) => one.launch),
    row("address", (one) => one.url),
    ...keys((one) => one.settings).map((key) => row(key, (one) => one.settings[key])),
    ...keys((one) => one.facts).map((key) => row(key, (one) => one.facts[key])),
  ].filter(({ values }) => values.some((value) => value !== "–"));
  const differs = ({ values }: Row) => new Set(values).size > 1;
  const columns: Column<Row>[] = [
    { heading: "What", text: ({ name }) => name.replaceAll("_", " ") },
    ...treatments.map((one, index) => ({
      heading: one.title,
      text: ({ values }: Row) => values[index]!,
    })),
  ];
  const body = table(rows, columns, {
    caption: "Fairness sheet",
    wide: true,
    rowClass: (of) => (differs(of) ? "differs" : undefined),
  });
  return treatments.length > 8
    ? h("details", {}, h("summary", {}, "The sheet of all treatments"), body)
    : body;
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
