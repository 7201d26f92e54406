// The question, and the answer in one sentence with its interval.

import { h } from "../dom";
import type { State } from "../state";

export function answer({ model }: State): HTMLElement {
  const { findings } = model.page;
  const day = findings.started_at.slice(0, 10);
  const blocks = `${findings.blocks_count} block${findings.blocks_count === 1 ? "" : "s"}`;
  return h(
    "header",
    { class: "top" },
    h("p", { class: "eyebrow" }, `${findings.title} · ${day} · ${blocks} · ${findings.run}`),
    h("h1", {}, findings.question),
    h("p", { class: "answer" }, findings.answer),
    findings.provisional &&
      h("p", { class: "note" }, h("strong", {}, "Provisional: "), findings.provisional),
    findings.caveat && h("p", { class: "note" }, findings.caveat),
    (findings.notices ?? []).map((notice) => h("p", { class: "note" }, notice)),
  );
}
