// The fairness sheet of each workload: what one request costs and gets, a row a treatment.

import { h } from "../dom";
import type { State } from "../state";
import { table, type Column } from "../table";
import { digits, grouped } from "../units";

interface Row {
  treatment: string;
  title: string;
  body_bytes?: number;
  header_bytes?: number;
  headers?: string[];
  statements_per_request?: number;
  rows_per_request?: number;
  prepared_statements?: boolean;
  workers_count?: number;
  db_pool_size_count?: number;
  handler_lines_count?: number;
  skips?: string[];
  versions?: Record<string, string>;
}

interface Sheet {
  workload: string;
  treatments: Row[];
}

/** A table a workload; none where the run was made before there were sheets. */
export function sheets({ model }: State): HTMLElement[] {
  const all = (model.page.findings.fairness ?? []) as Sheet[];
  return all.map(({ workload, treatments }) => {
    const columns = [
      name,
      ...NUMBERS.map(([key, heading]) => number(key, heading)),
      prepared,
      skips,
      headers,
      versions,
    ];
    const shown = columns.filter((column) => treatments.some((row) => column.text(row) !== "–"));
    return h(
      "div",
      {},
      h("h3", {}, workload),
      table(treatments, shown, { caption: `Fairness sheet of ${workload}`, wide: true }),
    );
  });
}

const NUMBERS = [
  ["body_bytes", "Body, B"],
  ["header_bytes", "Header, B"],
  ["statements_per_request", "Statements"],
  ["rows_per_request", "Rows"],
  ["workers_count", "Workers"],
  ["db_pool_size_count", "Pool"],
  ["handler_lines_count", "Handler lines"],
] as const;

const name: Column<Row> = { heading: "Treatment", name: true, text: (row) => row.title };
const prepared: Column<Row> = {
  heading: "Prepared",
  text: ({ prepared_statements: is }) => (is === undefined ? "–" : is ? "yes" : "no"),
};
const skips: Column<Row> = { heading: "Leaves out", text: (row) => row.skips?.join(", ") || "–" };
const headers: Column<Row> = { heading: "Headers", text: (row) => row.headers?.join(", ") || "–" };
const versions: Column<Row> = {
  heading: "Versions",
  text: (row) =>
    Object.entries(row.versions ?? {})
      .map(([tool, version]) => `${tool} ${version}`)
      .join("; ") || "–",
};

function number(key: (typeof NUMBERS)[number][0], heading: string): Column<Row> {
  const text = (value: number) => (Number.isInteger(value) ? grouped(value) : digits(value));
  return {
    heading,
    number: true,
    text: (row) => (row[key] === undefined ? "–" : text(row[key])),
    order: (row) => row[key] ?? null,
  };
}
