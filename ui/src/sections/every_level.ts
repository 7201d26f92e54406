// Every kind of load besides the main slices as the program judged it: figures, ratios, failures, notes, verdicts.

import { auditLink } from "../charts/links";
import { h, type Child } from "../dom";
import type { Figure, LevelFindings, LevelTreatment, Scaling } from "../document";
import type { State } from "../state";
import { table, type Column } from "../table";
import { digits, grouped, perCent, withReach } from "../units";
import { section, type Section } from "./section";
import { ratioText, sideOf } from "./tiers";

/** Figures shown beside the one that leads, where they were measured. */
const BESIDE: Record<string, string[]> = {
  open: ["response_p50_ns", "response_p99_ns"],
  users: ["closed_service_p50_ns", "response_p50_ns"],
};

export const everyLevel: Section = (state) => {
  const { findings } = state.model.page;
  const levels = findings.levels ?? [];
  if (levels.length === 0) return null;
  const kinds = [...new Set(levels.map((level) => level.load))];
  return section(
    "levels",
    "Under other loads",
    `Each trial was also put under these. Ratios are to ${state.model.title(findings.baseline)}, the run's own baseline; the intervals of one level hold together. * left out blocks whose answers broke the audit's rule here.`,
    kinds.map((kind) =>
      family(
        state,
        kind,
        levels.filter((level) => level.load === kind),
      ),
    ),
  );
};

function titleOf(kind: string, objective: unknown): string {
  const titles: Record<string, string> = {
    closed: "At more connections (closed loop)",
    open: "At shares of each one's own capacity (open loop)",
    capacity:
      `Capacity under the objective ${typeof objective === "string" ? objective : ""}`.trim(),
    cold: "The cold start",
    users: "Users that come and go (ramp)",
  };
  return titles[kind] ?? `Load ${kind}`;
}

function nameOf(level: LevelFindings): string {
  const count = level.treatments[0]?.concurrency_count;
  if (level.load === "closed" && count !== undefined) return `at ${count}`;
  const share = /\d+/.exec(level.level)?.[0];
  if (level.load === "open" && share && level.treatments[0]?.capacity_ratio) return `at ${share} %`;
  return level.level;
}

function family(state: State, kind: string, levels: LevelFindings[]): Child {
  const { model } = state;
  const { findings } = model.page;
  const names = [...new Set(levels.flatMap((level) => level.treatments.map((one) => one.name)))];
  const rows = names.filter((name) => model.treatments.some((one) => one.name === name));
  const title = titleOf(kind, findings.design.objective);
  const told = [...levels.flatMap(failures), ...levels.flatMap(notes)];
  const verdicts = levels.flatMap((level) =>
    level.pairs.map((pair) => `${nameOf(level)}: ${pair.sentence} (${ratioText(pair)})`),
  );
  return h(
    "div",
    { "data-load": kind },
    h("h3", {}, title),
    table(
      rows,
      [
        {
          heading: "Treatment",
          name: true,
          text: (name) => model.title(name),
          show: (name) => auditLink(model, name),
        },
        ...levels.flatMap((level) => columns(state, level)),
      ],
      { caption: title, wide: true },
    ),
    told.length > 0 && list(`What to know of it: ${told.length}`, told),
    verdicts.length > 0 && list(`Verdicts: ${verdicts.length}`, verdicts),
    kind === "closed" && scaling(state, findings.scaling ?? []),
  );
}

function list(summary: string, lines: string[]): HTMLElement {
  return h(
    "details",
    { open: lines.length <= 6 },
    h("summary", {}, summary),
    h(
      "ul",
      { class: "small" },
      lines.map((line) => h("li", {}, line)),
    ),
  );
}

function columns(state: State, level: LevelFindings): Column<string>[] {
  const { model } = state;
  const at = (name: string) => level.treatments.find((one) => one.name === name);
  const beside = (BESIDE[level.load] ?? []).filter(
    (metric) =>
      metric !== level.leading_metric && level.treatments.some((one) => one.figures[metric]),
  );
  const figure = (metric: string): Column<string> => {
    const { title, unit, description } = model.metric(metric);
    return {
      heading: `${nameOf(level)}: ${title}`,
      title: description,
      number: true,
      text: (name) => figureText(unit, at(name)?.figures[metric]) + mark(at(name)),
      order: (name) => at(name)?.figures[metric]?.estimate ?? null,
    };
  };
  const better = model.metric(level.leading_metric).better;
  const { baseline } = model.page.findings;
  const ratio: Column<string> = {
    heading: "ratio",
    number: true,
    text: (name) => (name === baseline ? "baseline" : ratioText(at(name)?.to_baseline ?? null)),
    order: (name) => (name === baseline ? 1 : (at(name)?.to_baseline?.ratio ?? null)),
    side: (name) => sideOf(at(name)?.to_baseline ?? null, better),
  };
  const compared = level.treatments.some((one) => one.to_baseline);
  return [figure(level.leading_metric), ...(compared ? [ratio] : []), ...beside.map(figure)];
}

/** What tells that answers were not good enough here. */
function mark(at: LevelTreatment | undefined): string {
  if (!at?.invalid_count) return "";
  return at.usable_count === 0 ? " INVALID" : " *";
}

function figureText(unit: string, found: Figure | undefined): string {
  return found ? withReach(unit, found) : "–";
}

/** Requests that did not end in a good answer, with how they ended. */
function failures(level: LevelFindings): string[] {
  const line = ({ title, outcomes }: LevelTreatment) => {
    const all = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
    const bad = Object.entries(outcomes).filter(([name, count]) => name !== "ok" && count > 0);
    const failed = bad.reduce((sum, [, count]) => sum + count, 0);
    if (failed === 0) return null;
    const how = bad.map(([name, count]) => `${grouped(count)} ${name.replaceAll("_", " ")}`);
    return `${title}, ${nameOf(level)}: ${grouped(failed)} of ${grouped(all)} requests did not end in a good answer (${perCent(failed / all)}): ${how.join(", ")}`;
  };
  return level.treatments.map(line).filter((found) => found !== null);
}

function notes(level: LevelFindings): string[] {
  return level.treatments.flatMap(({ title, notes: told = [] }) =>
    told.map((note) => `${title}, ${nameOf(level)}: ${note}`),
  );
}

function scaling({ model }: State, rows: Scaling[]): Child {
  const whole = (value: number | undefined) => (value === undefined ? "–" : grouped(value));
  return (
    rows.length > 0 && [
      h("h4", {}, "How it scales"),
      h(
        "p",
        { class: "soft small" },
        "The universal scalability law fitted to each curve: what one connection would do, what only one can do at a time (contention), what each pair of connections costs the others (coherency).",
      ),
      table(
        rows,
        [
          {
            heading: "Treatment",
            name: true,
            text: (row) => row.title,
            show: (row) => auditLink(model, row.treatment),
          },
          number("One connection, answers/s", (row) => row.rate_of_one_per_s, digits),
          number("Contention", (row) => row.contention_ratio, perCent),
          number("Coherency", (row) => row.coherency_ratio, perCent),
          number("Bends at", (row) => row.knee_concurrency_count, whole),
          number("Highest near", (row) => row.peak_concurrency_count, whole),
          number("The law is off by", (row) => row.error_ratio, perCent),
        ],
        { caption: "How the rate scales with connections" },
      ),
    ]
  );
}

function number(
  heading: string,
  of: (row: Scaling) => number | undefined,
  show: (value: number) => string,
): Column<Scaling> {
  return {
    heading,
    number: true,
    text: (row) => (of(row) === undefined ? "–" : show(of(row)!)),
    order: (row) => of(row) ?? null,
  };
}
