// The list of runs: searched, paged, damaged ones among them.

import { h, type Child } from "../dom";
import { ask, to } from "./api";
import { heading, moment, span, type View } from "./frame";

export interface Run {
  run: string;
  name: string;
  state: "ended" | "not_ended" | "damaged";
  reason?: string;
  experiment?: string;
  title?: string;
  question?: string;
  started_at?: string;
  ended_by?: string;
  treatments_count?: number;
  treatments?: string[];
  unchanged_s?: number;
  statuses?: { valid_count: number; degraded_count: number; invalid_count: number };
  answer?: string;
}

export interface Runs {
  runs_count: number;
  damaged_count: number;
  page: number;
  pages_count: number;
  experiments: string[];
  runs: Run[];
}

export const runs: View = async (place, asked) => {
  const query = new URLSearchParams(asked);
  query.delete("view");
  const page = await ask<Runs>(`/api/runs?${query.toString()}`);
  heading(place, "Runs");
  place.append(search(asked, page.experiments));
  const damaged = page.damaged_count > 0 ? `, ${page.damaged_count} of them damaged` : "";
  const one = page.runs_count === 1;
  place.append(
    h(
      "p",
      { class: "soft small", role: "status" },
      `${page.runs_count} ${one ? "run" : "runs"}${damaged}`,
    ),
  );
  if (page.runs.length === 0)
    place.append(
      h(
        "p",
        {},
        "There is none. ",
        h("a", { href: to("start") }, "Start one"),
        " or change the search.",
      ),
    );
  const picked = compareForm(page.runs.map(row));
  place.append(picked, pager(page, asked));
};

function search(asked: URLSearchParams, experiments: string[]): HTMLElement {
  const chosen = asked.get("experiment") ?? "";
  const options = ["", ...experiments].map((name) =>
    h("option", { value: name, selected: name === chosen }, name || "all"),
  );
  return h(
    "form",
    { class: "controls", role: "search", method: "get", action: "/" },
    h(
      "label",
      {},
      "Search",
      h("input", { type: "search", name: "search", value: asked.get("search") ?? "", size: 28 }),
    ),
    h("label", {}, "Experiment", h("select", { name: "experiment" }, options)),
    h("button", {}, "Find"),
  );
}

/** The list, with a choice of two to compare. */
function compareForm(rows: HTMLElement[]): HTMLElement {
  const button = h("button", { type: "submit", disabled: true }, "Compare two");
  const form = h("form", { class: "runs" }, h("ul", {}, rows), rows.length > 1 && button);
  const chosen = () => [...form.querySelectorAll<HTMLInputElement>("input:checked")];
  form.addEventListener("change", () => (button.disabled = chosen().length !== 2));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    // The list has the newest first.
    const [after, before] = chosen().map((box) => box.value);
    if (before && after) location.assign(to("compare", { before, after }));
  });
  return form;
}

function row(run: Run): HTMLElement {
  if (run.state === "damaged")
    return h(
      "li",
      { "data-run": run.name, "data-state": "damaged" },
      h(
        "div",
        { class: "run-head" },
        h("span", { class: "status", "data-status": "INVALID" }, "DAMAGED"),
        h("span", {}, run.name),
      ),
      h("p", { class: "soft small" }, run.reason),
    );
  const view = run.state === "ended" ? "report" : "live";
  return h(
    "li",
    { "data-run": run.name, "data-state": run.state },
    h(
      "div",
      { class: "run-head" },
      h("input", { type: "checkbox", value: run.run, "aria-label": `Compare ${run.name}` }),
      h("a", { href: to(view, { run: run.run }) }, run.title),
      h("span", { class: "soft small" }, moment(run.started_at ?? "")),
      ended(run),
      statuses(run),
    ),
    h("p", { class: run.answer ? "said" : "said soft" }, run.answer ?? run.reason ?? run.question),
    h(
      "p",
      { class: "soft small" },
      [
        run.run,
        `${run.treatments_count} treatments: ${(run.treatments ?? []).slice(0, 6).join(", ")}`,
      ].join(" · "),
      (run.treatments_count ?? 0) > 6 && ", …",
    ),
  );
}

function ended(run: Run): Child {
  if (run.state === "ended")
    return h("span", { class: "soft small" }, `ended by ${run.ended_by ?? "?"}`);
  const since = run.unchanged_s === undefined ? "" : `, last change ${span(run.unchanged_s)} ago`;
  return h("span", { class: "small going" }, `not ended${since}`);
}

function statuses(run: Run): Child {
  if (!run.statuses) return null;
  const { valid_count, degraded_count, invalid_count } = run.statuses;
  const mark = (count: number, status: string) =>
    count > 0 && h("span", { class: "status", "data-status": status }, `${count} ${status}`);
  return [
    mark(valid_count, "VALID"),
    mark(degraded_count, "DEGRADED"),
    mark(invalid_count, "INVALID"),
  ];
}

function pager(page: Runs, asked: URLSearchParams): Child & Node {
  const at = (number: number) => {
    const query = new URLSearchParams(asked);
    query.set("page", String(number));
    return `/?${query.toString()}`;
  };
  return h(
    "nav",
    { class: "pager", "aria-label": "Pages", hidden: page.pages_count < 2 },
    page.page > 1 && h("a", { href: at(page.page - 1), rel: "prev" }, "Newer"),
    h("span", { class: "soft" }, `page ${page.page} of ${page.pages_count}`),
    page.page < page.pages_count && h("a", { href: at(page.page + 1), rel: "next" }, "Older"),
  );
}
