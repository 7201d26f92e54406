// A run as it goes on: the grid fills, the intervals narrow, every trial shows as it is stored.

import { h } from "../dom";
import { grouped } from "../units";
import { ask, hasToken, ofRun, Problem, to } from "./api";
import { BlockGrid } from "./block_grid";
import { complaint, heading, span, type View } from "./frame";
import { Intervals } from "./intervals";
import { apply, latestBlock, wholeBlocks, type LiveEvent, type LiveState } from "./live_state";
import type { Runs } from "./runs";
import { StopButton } from "./stop_button";
import { watch } from "./stream";
import { TrialList } from "./trial_list";

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
      if (state) place.append(complaint(error));
      else failed(error);
    });
  });
}

/** The parts of the view, each made once: what has the focus keeps it while the run goes on. */
class Parts {
  private readonly title = h("h1", { class: "view" });
  private readonly question = h("p", { class: "lead" });
  private readonly status = h("p", { class: "now", role: "status" });
  private readonly bar = h("progress", { "aria-label": "Slices of this block", hidden: true });
  private readonly report = h("a", { hidden: true });
  private readonly stop = new StopButton();
  private readonly notices = h("div");
  private readonly grid = new BlockGrid();
  readonly intervals = new Intervals();
  private readonly trials = new TrialList();

  constructor(
    place: HTMLElement,
    private readonly isOwn: boolean,
  ) {
    const ways = h("p", { class: "ways small" }, this.report, this.stop.button);
    place.append(this.title, this.question, this.status, this.bar, ways, this.stop.said);
    place.append(this.notices, this.grid.place, this.intervals.place, this.trials.place);
  }

  draw(state: LiveState): void {
    const title = state.about?.title ?? state.experiment;
    document.title = `${state.over ? "" : "● "}${title} · Bancada`;
    this.title.textContent = title;
    this.question.textContent = state.about?.question ?? "";
    const status = statusLine(state);
    // Said anew it would be read out anew.
    if (this.status.textContent !== status) this.status.textContent = status;
    const { slices_done_count: done, slices_in_block_count: all } = state.block ?? {};
    this.bar.hidden = !all || state.over !== undefined;
    this.bar.max = all || 1;
    this.bar.value = done ?? 0;
    this.ways(state);
    this.grid.draw(state);
    this.notices.replaceChildren(
      ...state.notices.slice(-4).map((notice) => h("p", { class: "note small" }, notice)),
    );
    this.trials.draw(state);
  }

  private ways(state: LiveState): void {
    this.report.hidden = !state.run || state.trials.length === 0;
    if (state.run) this.report.href = to("report", { run: state.run });
    this.report.textContent = state.over ? "The report" : "The report so far";
    const focused = document.activeElement === this.stop.button;
    this.stop.button.hidden = !this.isOwn || state.over !== undefined || !hasToken();
    if (focused && this.stop.button.hidden) this.report.focus();
  }
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
