// Two runs held against each other, through a treatment that both share.

import type { Ratio } from "../document";
import { h, type Child } from "../dom";
import { whiskers, type WhiskerRow } from "../charts/whiskers";
import { table } from "../table";
import { digits, perCent, times, unitOf, withUnit } from "../units";
import { ask, to } from "./api";
import { chart, heading, metricWords, moment, type View } from "./frame";
import type { Runs } from "./runs";

interface Change extends Omit<Ratio, "blocks_count"> {
  before_blocks_count: number;
  after_blocks_count: number;
}

interface Side {
  run: string;
  title: string;
  started_at: string;
}

interface Treatment {
  name: string;
  title: string;
  before_figure: number;
  after_figure: number;
  through_baseline?: Change & { ahead: "before" | "after"; verdict: string; sentence: string };
  unpaired: Change;
}

interface Comparison {
  before: Side;
  after: Side;
  metric: string;
  baseline?: string;
  relevant_difference_ratio: number;
  bound_ratio?: number;
  summary: string;
  caveats: string[];
  treatments: Treatment[];
  not_compared: { treatment: string; reason: string }[];
  differences: { area: string; key: string; before?: string; after?: string }[];
}

export const comparison: View = async (place, asked) => {
  const [before, after] = [asked.get("before") ?? "", asked.get("after") ?? ""];
  heading(place, "Compare two runs");
  place.append(await choice(before, after));
  if (!before || !after) return;
  const query = new URLSearchParams({ before, after });
  const found = await ask<Comparison>(`/api/compare?${query.toString()}`);
  place.append(
    h("p", { class: "answer" }, found.summary),
    ...found.caveats.map((caveat) => h("p", { class: "note small" }, caveat)),
    ...changes(found),
    figures(found),
    h(
      "p",
      { class: "ways small" },
      link(before, "Report of the first"),
      link(after, "Report of the second"),
    ),
    ...apart(found),
  );
};

const link = (run: string, text: string) => h("a", { href: to("report", { run }) }, text);

async function choice(before: string, after: string): Promise<HTMLElement> {
  const page = await ask<Runs>("/api/runs?per_page=200");
  const runs = page.runs.filter((run) => run.state !== "damaged");
  const select = (name: string, chosen: string) =>
    h(
      "select",
      { name, required: true },
      h("option", { value: "" }, "choose a run"),
      // The list ends somewhere, and what was asked for may be older than its last.
      chosen !== "" &&
        !runs.some((run) => run.run === chosen) &&
        h("option", { value: chosen, selected: true }, chosen),
      runs.map((run) =>
        h(
          "option",
          { value: run.run, selected: run.run === chosen },
          `${moment(run.started_at ?? "")}: ${run.title} (${run.run})`,
        ),
      ),
    );
  return h(
    "form",
    { class: "controls", method: "get", action: "/" },
    h("input", { type: "hidden", name: "view", value: "compare" }),
    h("label", {}, "First run", select("before", before)),
    h("label", {}, "Second run", select("after", after)),
    h("button", {}, "Compare"),
  );
}

function changes(found: Comparison): Child[] & Node[] {
  const held = found.treatments.filter((one) => one.through_baseline);
  if (held.length === 0) return [];
  const baseline = found.treatments.find((one) => one.name === found.baseline)?.title ?? "";
  const rows: WhiskerRow[] = held.map((one) => {
    const change = one.through_baseline!;
    const decided = change.verdict === "faster" || change.verdict === "faster_maybe_too_small";
    return {
      name: one.name,
      title: one.title,
      estimate: change.ratio,
      low: change.low_ratio,
      high: change.high_ratio,
      points: [],
      label: ratioText(change),
      tone: !decided ? "soft" : change.ahead === "after" ? "better" : "worse",
    };
  });
  const band = found.relevant_difference_ratio;
  return [
    h("h2", {}, `Change through ${baseline}`),
    h(
      "p",
      { class: "lead" },
      `Each treatment's ratio to ${baseline} on ${metricWords(found.metric)}, second run over first, with the interval that holds for all at once. The band is ±${perCent(band)}`,
      found.bound_ratio !== undefined &&
        `; below ${perCent(found.bound_ratio)} the bench could not see`,
      ".",
    ),
    chart("Change of each treatment through the baseline", (width) => {
      const svg = whiskers(rows, {
        width,
        log: true,
        origin: 1,
        format: times,
        band: [1 / (1 + band), 1 + band],
        scale: `${metricWords(found.metric)}, second run ÷ first`,
      });
      // Here no dot leads anywhere.
      svg.querySelectorAll("a").forEach((dot) => dot.replaceWith(...dot.childNodes));
      return svg;
    }),
    h(
      "ul",
      { class: "small" },
      held.map((one) => h("li", {}, one.through_baseline!.sentence)),
    ),
  ];
}

function ratioText(change: Change): string {
  const { ratio, low_ratio: low, high_ratio: high } = change;
  return low && high ? `${times(ratio)} (${digits(low)} – ${digits(high)})` : times(ratio);
}

function figures(found: Comparison): HTMLElement {
  const unit = unitOf(found.metric);
  return h(
    "div",
    {},
    h("h2", {}, "The figures themselves"),
    h(
      "p",
      { class: "lead" },
      "Not measured together: the machine's own change is part of them, and they decide nothing.",
    ),
    table(
      found.treatments,
      [
        { heading: "Treatment", text: (row) => row.title },
        {
          heading: "First",
          number: true,
          text: (row) => withUnit(unit, row.before_figure),
          order: (row) => row.before_figure,
        },
        {
          heading: "Second",
          number: true,
          text: (row) => withUnit(unit, row.after_figure),
          order: (row) => row.after_figure,
        },
        {
          heading: "Unpaired",
          number: true,
          text: (row) => ratioText(row.unpaired),
          order: (row) => row.unpaired.ratio,
        },
      ],
      { caption: "Figures of both runs", wide: true },
    ),
  );
}

/** What is not in both runs, and what else differs. */
function apart(found: Comparison): HTMLElement[] {
  const parts: HTMLElement[] = [];
  if (found.not_compared.length > 0)
    parts.push(
      h("h2", {}, "Not compared"),
      h(
        "ul",
        { class: "small" },
        found.not_compared.map((one) => h("li", {}, `${one.treatment}: ${one.reason}`)),
      ),
    );
  if (found.differences.length > 0)
    parts.push(
      h("h2", {}, "What else differs"),
      table(
        found.differences,
        [
          { heading: "Of", text: (row) => row.area },
          { heading: "What", text: (row) => row.key },
          { heading: "First", text: (row) => row.before ?? "–" },
          { heading: "Second", text: (row) => row.after ?? "–" },
        ],
        { caption: "Differences of the runs", wide: true },
      ),
    );
  return parts;
}
