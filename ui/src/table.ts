// A table that sorts by any column and copies itself as Markdown.

import { append, h, type Child } from "./dom";

export interface Column<Row> {
  heading: string;
  number?: boolean;
  /** Names what the row is about: short ones are never broken. */
  name?: boolean;
  /** Text of a cell, as it is copied. */
  text: (row: Row) => string;
  /** What the cell shows, where that is more than its text. */
  show?: (row: Row) => Child;
  /** What the column is sorted by, its text unless given; null goes last. */
  order?: (row: Row) => number | string | null;
  side?: (row: Row) => "better" | "worse" | undefined;
  title?: string;
}

interface Options<Row> {
  caption: string;
  rowClass?: (row: Row) => string | undefined;
  rowId?: (row: Row) => string;
  wide?: boolean;
}

export function table<Row>(
  rows: Row[],
  columns: Column<Row>[],
  options: Options<Row>,
): HTMLElement {
  const body = h("tbody");
  let sorted = [...rows];
  let by = -1;
  let up = true;
  const draw = () => {
    body.replaceChildren(...sorted.map((row) => line(row, columns, options)));
  };
  const headings = columns.map((column, index) => {
    const sort = h("button", { type: "button", title: column.title }, column.heading);
    const cell = h("th", { scope: "col", class: column.number && "number" }, sort);
    sort.addEventListener("click", () => {
      up = by === index ? !up : true;
      by = index;
      sorted = [...rows].sort((a, b) => compare(orderOf(column, a), orderOf(column, b), up));
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      cell.setAttribute("aria-sort", up ? "ascending" : "descending");
      draw();
    });
    return cell;
  });
  draw();
  const copy = h("button", { type: "button", class: "quiet" }, "Copy as Markdown");
  copy.addEventListener("click", () => void copied(copy, markdown(sorted, columns)));
  return h(
    "div",
    { class: "table" },
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": options.caption },
      h(
        "table",
        { class: options.wide && "wide", "aria-label": options.caption },
        h("thead", {}, h("tr", {}, headings)),
        body,
      ),
    ),
    h("div", { class: "tools" }, copy),
  );
}

function line<Row>(row: Row, columns: Column<Row>[], options: Options<Row>): HTMLElement {
  const cells = columns.map((column) => {
    const shown = column.show?.(row) ?? column.text(row);
    const kind = column.number ? "number" : column.name ? "name" : undefined;
    const attributes = { class: kind, "data-side": column.side?.(row) };
    const cell = h("td", attributes);
    append(cell, [shown]);
    return cell;
  });
  return h("tr", { class: options.rowClass?.(row), id: options.rowId?.(row) }, cells);
}

function orderOf<Row>(column: Column<Row>, row: Row): number | string | null {
  return column.order ? column.order(row) : column.text(row);
}

function compare(a: number | string | null, b: number | string | null, up: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const less =
    typeof a === "number" && typeof b === "number" ? a - b : `${a}`.localeCompare(`${b}`);
  return up ? less : -less;
}

/** The table as Markdown; nothing in it becomes markup. */
export function markdown<Row>(rows: Row[], columns: Column<Row>[]): string {
  const safe = (text: string) =>
    text
      .replace(/\s+/g, " ")
      .replace(/[\\`*_[\]|#~]/g, "\\$&")
      .replace(/</g, "&lt;")
      .replace(/>/g, "&gt;");
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map((column) => safe(column.heading))),
    line(columns.map((column) => (column.number ? "--:" : ":--"))),
    ...rows.map((row) => line(columns.map((column) => safe(column.text(row))))),
  ].join("\n");
}

async function copied(button: HTMLButtonElement, text: string): Promise<void> {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    // Without the permission, as a file of its own: the reader still gets the text.
    const area = h("textarea", { "aria-label": "Markdown", rows: 6, readonly: true }, text);
    button.after(area);
    area.select();
  }
  setTimeout(() => (button.textContent = label), 1500);
}
