// The intervals of a run as they narrow: a small chart a treatment, each kept while the run goes on.

import { h } from "../dom";
import { digits, times } from "../units";
import { ask, ofRun } from "./api";
import { chart, metricWords } from "./frame";
import type { LiveState } from "./live_state";
import { narrowingChart, ratiosOf, type Narrowing } from "./narrowing_chart";

interface Small {
  figure: HTMLElement;
  chart: HTMLElement;
  caption: HTMLElement;
}

/** The charts below a heading; nothing while no block can be used. */
export class Intervals {
  readonly place = h("div");
  private readonly grid = h("div", { class: "smalls" });
  private readonly smalls = new Map<string, Small>();
  private narrowing: Narrowing | undefined;

  /** Asks how far the run has come, and draws that. */
  async refresh(run: string, state: LiveState): Promise<void> {
    this.narrowing = await ask<Narrowing>(ofRun(run, "narrowing"));
    const known = (state.about?.treatments ?? []).filter((one) => !one.twin_of);
    const there = known.filter((one) => ratiosOf(this.narrowing!, one.name).length > 0);
    if (there.length === 0) return;
    if (this.place.childElementCount === 0) this.head(state);
    for (const { name, title } of there) this.draw(name, title);
  }

  private head(state: LiveState): void {
    const { baseline, primary_metric: metric } = this.narrowing!;
    const named = state.about?.treatments.find((one) => one.name === baseline);
    this.place.append(
      h("h2", {}, "The intervals narrow"),
      h(
        "p",
        { class: "lead" },
        `Ratio of each treatment to ${named?.title ?? baseline} on ${metricWords(metric)} after so many blocks, with its 95 % interval, each on a scale of its own. What is seen before the run has ended may still change.`,
      ),
      this.grid,
    );
  }

  private draw(name: string, title: string): void {
    const last = ratiosOf(this.narrowing!, name).at(-1)!;
    const { low_ratio: low, high_ratio: high } = last;
    const text = low && high ? ` (${digits(low)} – ${digits(high)})` : "";
    const small = this.smalls.get(name) ?? this.added(name, title);
    small.caption.textContent = times(last.ratio) + text;
    small.chart.dispatchEvent(new Event("redraw"));
  }

  private added(name: string, title: string): Small {
    const drawn = chart(`Interval of ${title}, block by block`, (width) =>
      narrowingChart(ratiosOf(this.narrowing!, name), width),
    );
    const caption = h("span", { class: "soft small" });
    const figure = h("figure", {}, h("h3", {}, title), caption, drawn);
    const small = { figure, chart: drawn, caption };
    this.smalls.set(name, small);
    this.grid.append(figure);
    return small;
  }
}
