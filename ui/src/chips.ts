// Which treatments line charts draw in colour.

import { colours, seriesColour } from "./colours";
import { h } from "./dom";
import type { State } from "./state";

/** A button a treatment; its line is coloured while it is pressed. */
export function chips(state: State): HTMLElement {
  const buttons = state.model.treatments.map((treatment) => {
    const swatch = h("i", { "aria-hidden": true });
    const button = h(
      "button",
      { type: "button", onclick: () => state.toggle(treatment.name) },
      swatch,
      treatment.title,
    );
    return { name: treatment.name, swatch, button };
  });
  state.watch(() => {
    const colour = colours();
    for (const { name, swatch, button } of buttons) {
      button.setAttribute("aria-pressed", String(state.picked.has(name)));
      swatch.style.setProperty("--swatch", seriesColour([...state.picked], name, colour));
    }
  });
  return h(
    "div",
    { class: "chips", role: "group", "aria-label": "Treatments in colour" },
    buttons.map(({ button }) => button),
  );
}
