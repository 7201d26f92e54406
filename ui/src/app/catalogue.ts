// What can be run: experiments, workloads and stacks, with the way to their code.

import { h } from "../dom";
import { table } from "../table";
import { ask, to } from "./api";
import { heading, span, type View } from "./frame";

export interface Catalog {
  stacks: {
    name: string;
    manifest: {
      title: string;
      language: string;
      framework: string;
      driver?: string | null;
      needs: string[];
      workloads: string[];
      ranked: boolean;
      differs?: string | null;
    };
  }[];
  workloads: {
    name: string;
    manifest: { title: string; asks: string; method: string; path: string };
    contract: { case: unknown[] };
  }[];
  experiments: {
    name: string;
    manifest: { title: string; question: string; budget_s: number; treatment: { name: string }[] };
  }[];
  faults: string[];
}

export const catalogue: View = async (place) => {
  const catalog = await ask<Catalog>("/api/catalog");
  heading(place, "Catalogue", "Everything that can be put on the bench.");
  place.append(
    ...catalog.faults.map((fault) => h("p", { class: "note small" }, fault)),
    h("h2", {}, "Experiments"),
    table(
      catalog.experiments,
      [
        {
          heading: "Experiment",
          text: (row) => row.name,
          show: (row) =>
            h("a", { href: to("start", { experiment: row.name }) }, row.manifest.title),
        },
        { heading: "Question", text: (row) => row.manifest.question },
        {
          heading: "Treatments",
          number: true,
          text: (row) => String(row.manifest.treatment.length),
          order: (row) => row.manifest.treatment.length,
        },
        {
          heading: "Budget",
          number: true,
          text: (row) => span(row.manifest.budget_s),
          order: (row) => row.manifest.budget_s,
        },
      ],
      { caption: "Experiments", wide: true },
    ),
    h("h2", {}, "Stacks"),
    stacks(catalog),
    h("h2", {}, "Workloads"),
    table(
      catalog.workloads,
      [
        { heading: "Workload", text: (row) => row.name },
        {
          heading: "Request",
          text: (row) => `${row.manifest.method} ${row.manifest.path}`,
          show: (row) => h("code", {}, `${row.manifest.method} ${row.manifest.path}`),
        },
        { heading: "Asks", text: (row) => row.manifest.asks },
        {
          heading: "Cases",
          number: true,
          text: (row) => String(row.contract.case.length),
          order: (row) => row.contract.case.length,
        },
      ],
      { caption: "Workloads", wide: true },
    ),
  );
};

/** The stacks, with a choice of some whose code is shown side by side. */
function stacks(catalog: Catalog): HTMLElement {
  const rows = catalog.stacks.map(({ name, manifest }) =>
    h(
      "tr",
      { class: manifest.ranked ? undefined : "apart" },
      h(
        "td",
        {},
        h("input", {
          type: "checkbox",
          name: "stack",
          value: name,
          "aria-label": `Code of ${manifest.title}`,
        }),
      ),
      h(
        "td",
        {},
        h("a", { href: to("code", { stack: name }) }, manifest.title),
        !manifest.ranked &&
          h("p", { class: "soft small" }, `not ranked: ${manifest.differs ?? ""}`),
      ),
      h("td", {}, manifest.language),
      h("td", {}, [manifest.framework, manifest.driver].filter(Boolean).join(" + ")),
      h("td", { class: "soft" }, manifest.workloads.join(", ")),
    ),
  );
  const heads = ["", "Stack", "Language", "Built on", "Serves"];
  return h(
    "form",
    { method: "get", action: "/" },
    h("input", { type: "hidden", name: "view", value: "code" }),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Stacks" },
      h(
        "table",
        { class: "wide" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            heads.map((head) => h(head ? "th" : "td", head ? { scope: "col" } : {}, head)),
          ),
        ),
        h("tbody", {}, rows),
      ),
    ),
    h("button", {}, "Handlers side by side"),
  );
}
