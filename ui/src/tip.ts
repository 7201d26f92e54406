// What is behind a figure, beside it while it is pointed at or has the focus.

import { append, h, type Child } from "./dom";
import type { Trial } from "./document";
import type { Model } from "./model";
import { digits, scaleFor } from "./units";

const tip = h("div", { class: "tip", role: "tooltip", id: "tip", hidden: true });
const GAP = 10;

/** Empties it too: its links stay described by it, and nothing is to be read out while it is hidden. */
function hide(): void {
  tip.hidden = true;
  tip.replaceChildren();
}

/** Shows `content` while `target` is pointed at or focused; Escape hides it. */
export function explain(target: Element, content: () => Child[]): void {
  const show = () => {
    tip.replaceChildren();
    append(tip, content());
    if (!tip.isConnected) document.body.appendChild(tip);
    tip.hidden = false;
    place(target.getBoundingClientRect());
  };
  target.setAttribute("aria-describedby", "tip");
  target.addEventListener("pointerenter", show);
  target.addEventListener("focus", show);
  target.addEventListener("pointerleave", hide);
  target.addEventListener("blur", hide);
}

/** Listens once for the page: a tip never outlives its place, and can be sent away. */
export function startTips(): void {
  document.body.appendChild(tip);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  // What has the focus keeps its tip: coming into sight is a scroll too.
  const scrolled = () => {
    const focused = document.activeElement;
    if (focused?.getAttribute("aria-describedby") !== "tip") hide();
    else if (!tip.hidden) place(focused.getBoundingClientRect());
  };
  document.addEventListener("scroll", scrolled, { passive: true, capture: true });
}

function place(target: DOMRect): void {
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(
    Math.max(GAP, target.left + target.width / 2 - width / 2),
    innerWidth - width - GAP,
  );
  const below = target.bottom + GAP + height < innerHeight;
  tip.style.left = `${Math.max(GAP, left)}px`;
  tip.style.top = `${below ? target.bottom + GAP : Math.max(GAP, target.top - GAP - height)}px`;
}

/** The figure of every trial of a treatment, block by block, with the marks of those that are not VALID. */
export function trialsBehind(
  model: Model,
  treatment: string,
  unit: string,
  figure: (trial: Trial) => number | undefined,
): Child[] {
  const trials = model.trials(treatment);
  const values = trials.map(figure).filter((value): value is number => value !== undefined);
  if (values.length === 0) return [];
  const { divisor, sign } = scaleFor(unit, values);
  const cell = (trial: Trial) => {
    const value = figure(trial);
    const mark = trial.status === "VALID" ? "" : trial.status === "DEGRADED" ? "*" : " ✕";
    return h(
      "span",
      {},
      h("em", {}, `b${trial.block}${mark}`),
      value === undefined ? "–" : digits(value / divisor),
    );
  };
  return [
    h("em", {}, `each trial${sign ? `, ${sign}` : ""}; * is DEGRADED, ✕ INVALID`),
    h("div", { class: "cells" }, trials.map(cell)),
  ];
}
