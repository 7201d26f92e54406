// What every section has: a heading one can link to, and a sentence on how to read it.

import { h, type Child } from "../dom";
import type { State } from "../state";

/** A part of the page; null where the run has nothing for it. */
export type Section = (state: State) => HTMLElement | null;

export function section(id: string, title: string, lead: Child, ...children: Child[]): HTMLElement {
  return h(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title),
    lead && h("p", { class: "lead" }, lead),
    children,
  );
}
