// A run as it goes on: the grid fills, the intervals narrow, every trial shows as it is stored.

import { h } from "../dom";
import { grouped, unitOf, withUnit } from "../units";
import { ask, hasToken, ofRun, Problem, send, to } from "./api";
import { blockGrid } from "./block_grid";
import { heading, metricWords, span, type View } from "./frame";
import { Intervals } from "./intervals";
import { apply, latestBlock, wholeBlocks, type LiveEvent, type LiveState } from "./live_state";
import type { Runs } from "./runs";
import { watch } from "./stream";

/** Trials that are listed below the grid. */
const LISTED = 12;

export const live: View = async (place, asked) => {
  const run = asked.get("run");
  if (run) return follow(place, ofRun(run, "events"), false);
  try {
    await ask("/api/live");
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return others(place);
    throw error;
  }
  return follow(place, "/api/live/events", true);
};

/** Nothing was started here: runs that have not ended may be going on elsewhere. */
async function others(place: HTMLElement): Promise<void> {
  heading(place, "Live");
  const page = await ask<Runs>("/api/runs?per_page=200");
  const open = page.runs.filter((run) => run.state === "not_ended");
  place.append(
    h("p", {}, "No run was started from here. ", h("a", { href: to("start") }, "Start one"), "."),
    h(
      "ul",
      {},
      open.map((run) =>
        h(
          "li",
          {},
          h("a", { href: to("live", { run: run.run }) }, run.title),
          ` has not ended; last change ${span(run.unchanged_s ?? 0)} ago`,
        ),
      ),
    ),
  );
}

function follow(place: HTMLElement, path: string, isOwn: boolean): Promise<void> {
  let state: LiveState | undefined;
  let drawn = "";
  const parts = new Parts(place, isOwn);
  const draw = () => {
    if (!state) return;
    parts.draw(state);
    // In a run of groups no block may have every treatment, so whole ones are not what is waited for.
    const reached = `${latestBlock(state)} ${wholeBlocks(state)} ${state.over !== undefined}`;
    if (reached !== drawn && state.run) {
      drawn = reached;
      void parts.intervals.refresh(state.run, state);
    }
  };
  return new Promise((first, failed) => {
    const told = watch(path, ({ name, data }) => {
      if (name === "state") state = data as LiveState;
      else if (state && name === "event") apply(state, data as LiveEvent);
      else if (state && name === "end") state.over = data as LiveState["over"];
      draw();
      first();
    });
    told.catch((error: unknown) => {
      failed(error);
      place.append(
        h(
          "p",
          { class: "note", role: "alert" },
          error instanceof Error ? error.message : String(error),
        ),
      );
    });
  });
}

/** The parts of the view, each drawn again where it stands. */
class Parts {
  private readonly title = h("h1", { class: "view" });
  private readonly question = h("p", { class: "lead" });
  private readonly status = h("p", { class: "now", role: "status" });
  private readonly bar = h("progress", { "aria-label": "Slices of this block", hidden: true });
  private readonly ways = h("p", { class: "ways small" });
  private readonly grid = h("div");
  private readonly notices = h("div");
  readonly intervals = new Intervals();
  private readonly trials = h("div");

  constructor(
    place: HTMLElement,
    private readonly isOwn: boolean,
  ) {
    place.append(this.title, this.question, this.status, this.bar, this.ways, this.notices);
    place.append(this.grid, this.intervals.place, this.trials);
  }

  draw(state: LiveState): void {
    const title = state.about?.title ?? state.experiment;
    document.title = `${state.over ? "" : "● "}${title} · Bancada`;
    this.title.textContent = title;
    this.question.textContent = state.about?.question ?? "";
    this.status.textContent = statusLine(state);
    const { slices_done_count: done, slices_in_block_count: all } = state.block ?? {};
    this.bar.hidden = !all || state.over !== undefined;
    this.bar.max = all || 1;
    this.bar.value = done ?? 0;
    this.ways.replaceChildren(...this.links(state));
    this.grid.replaceChildren(blockGrid(state));
    this.notices.replaceChildren(
      ...state.notices.slice(-4).map((notice) => h("p", { class: "note small" }, notice)),
    );
    this.trials.replaceChildren(...trialList(state));
  }

  private links(state: LiveState): HTMLElement[] {
    const found: HTMLElement[] = [];
    if (state.run && state.trials.length > 0)
      found.push(
        h(
          "a",
          { href: to("report", { run: state.run }) },
          state.over ? "The report" : "The report so far",
        ),
      );
    if (this.isOwn && !state.over && hasToken())
      found.push(h("button", { type: "button", class: "quiet", onclick: stop }, "Stop the run"));
    return found;
  }
}

async function stop(event: Event): Promise<void> {
  const button = event.target as HTMLButtonElement;
  button.disabled = true;
  await send("/api/live", { method: "DELETE" });
}

function statusLine(state: LiveState): string {
  if (state.over?.failed) return `Failed: ${state.over.failed}`;
  if (state.over)
    return `Ended by ${state.over.ended_by || "an early stop"}; ${state.trials.length} trials`;
  if (state.step) return `${state.step.step}: ${state.step.detail}`;
  const blocks = state.about?.blocks_at_most_count;
  const parts = [
    state.block
      ? `block ${state.block.block} of at most ${state.block.blocks_at_most_count}`
      : `${latestBlock(state)}${blocks ? ` of at most ${blocks}` : ""} blocks begun`,
  ];
  if (state.current) {
    const { treatment, phase } = state.current;
    const title = state.about?.treatments.find((one) => one.name === treatment)?.title ?? treatment;
    const rate = state.completion_rates_per_s[treatment];
    parts.push(
      `${title} ${phase}${rate === undefined || phase !== "measured" ? "" : `, ${grouped(rate)} answers/s`}`,
    );
  }
  if (state.remaining_s !== undefined) parts.push(`at most ${span(state.remaining_s)} left`);
  return parts.join(" · ");
}

function trialList(state: LiveState): HTMLElement[] {
  const metric = state.about?.primary_metric;
  if (!metric || state.trials.length === 0) return [];
  const title = (name: string) =>
    state.about!.treatments.find((one) => one.name === name)?.title ?? name;
  const rows = state.trials
    .slice(-LISTED)
    .reverse()
    .map((trial) => {
      const value = trial.metrics[metric];
      return h(
        "tr",
        { "data-listed": trial.trial },
        h("td", {}, String(trial.block)),
        h("td", {}, title(trial.treatment)),
        h("td", { class: "status", "data-status": trial.status }, trial.status),
        h("td", { class: "number" }, value === undefined ? "–" : withUnit(unitOf(metric), value)),
        h("td", { class: "soft" }, (trial.reasons ?? []).join("; ")),
      );
    });
  const heads = ["Block", "Treatment", "Status", metricWords(metric), "Why"];
  return [
    h("h2", {}, "The latest trials"),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "The latest trials" },
      h(
        "table",
        { class: "wide" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            heads.map((head, index) =>
              h("th", { scope: "col", class: index === 3 && "number" }, head),
            ),
          ),
        ),
        h("tbody", {}, rows),
      ),
    ),
  ];
}
