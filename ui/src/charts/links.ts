// Marks that are links: where they lead, what they say, and what is shown beside them.

import { h, idOf, type Child } from "../dom";
import type { Model } from "../model";
import { explain } from "../tip";

/** The title of a treatment as a link to its audit; the bare title where it has none, as one that never started. */
export function auditLink(model: Model, name: string): Child {
  const title = model.title(name);
  return model.isAudited(name) ? h("a", { href: `#${idOf("audit", name)}` }, title) : title;
}

/** Turns links to `#<name>` into links to that treatment's audit, each with its label and its tip. */
export function linkToAudit(
  svg: SVGSVGElement,
  label: (name: string) => string,
  tip: (name: string) => Child[],
  data: (name: string) => string | null = () => null,
): void {
  const xlink = "http://www.w3.org/1999/xlink";
  for (const link of svg.querySelectorAll("a")) {
    const name = (link.getAttribute("href") ?? link.getAttributeNS(xlink, "href") ?? "#").slice(1);
    link.removeAttributeNS(xlink, "href");
    link.setAttribute("href", `#${idOf("audit", name)}`);
    link.setAttribute("aria-label", label(name));
    link.setAttribute("data-treatment", name);
    // At full length, where the label is rounded.
    const exact = data(name);
    if (exact !== null) link.setAttribute("data-ratio", exact);
    explain(link, () => tip(name));
  }
}
