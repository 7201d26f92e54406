// Starting a run from an experiment; whoever has the token may.

import { h } from "../dom";
import { ask, hasToken, send, to } from "./api";
import type { Catalog } from "./catalogue";
import { askForToken, complaint, heading, span, type View } from "./frame";

export const start: View = async (place, asked) => {
  const { experiments } = await ask<Catalog>("/api/catalog");
  heading(
    place,
    "Start a run",
    "One at a time: a bench has one machine. Leave it alone meanwhile; this page costs it little.",
  );
  if (!hasToken()) {
    place.append(h("p", {}, "Starting a run needs the token."), askForToken());
    return;
  }
  const wanted = asked.get("experiment");
  const choice = h(
    "select",
    { required: true },
    experiments.map((one) =>
      h("option", { value: one.name, selected: one.name === wanted }, one.manifest.title),
    ),
  );
  const budget = h("input", { type: "number", min: 1, step: 1, size: 6, inputmode: "numeric" });
  const about = h("p", { class: "lead" });
  const describe = () => {
    const chosen = experiments.find((one) => one.name === choice.value);
    if (!chosen) return;
    const { question, budget_s: seconds, treatment } = chosen.manifest;
    about.textContent = `${question} ${treatment.length} treatments; measures at most ${span(seconds)}, after building what is not built yet.`;
    budget.placeholder = String(seconds);
  };
  choice.addEventListener("change", describe);
  describe();
  const said = h("div");
  const form = h(
    "form",
    {
      class: "controls",
      onsubmit: (event: Event) => {
        event.preventDefault();
        void order(choice.value, budget.value, said);
      },
    },
    h("label", {}, "Experiment", choice),
    h("label", {}, "Budget in seconds, the experiment's own unless given", budget),
    h("button", {}, "Start"),
  );
  place.append(about, form, said);
};

async function order(experiment: string, budget: string, said: HTMLElement): Promise<void> {
  const asked = budget ? { experiment, budget_s: Number(budget) } : { experiment };
  try {
    await send("/api/live", { method: "POST", body: JSON.stringify(asked) });
    location.assign(to("live"));
  } catch (error) {
    // A new token loads this view again: what was chosen stays.
    history.replaceState(null, "", to("start", { experiment }));
    said.replaceChildren(complaint(error));
  }
}
