// What it would cost, at the reader's own prices, and which stacks would do for a given load.

import { h } from "../dom";
import type { Ratio, TreatmentFindings, Trial } from "../document";
import type { Model } from "../model";
import { ratioOf } from "../stats";
import { table, type Column } from "../table";
import { digits, withUnit } from "../units";
import { section, type Section } from "./section";

const SERVICE = "service_cpu_per_good_answer_us";
const DATABASE = "database_cpu_per_good_answer_us";

export const planner: Section = (state) => {
  const { model } = state;
  const having = model.treatments.filter((one) => one.figures[SERVICE]);
  if (having.length === 0) return null;
  const field = (label: string, value: string, step: string) => {
    const input = h("input", {
      type: "number",
      min: 0,
      step,
      value,
      inputmode: "decimal",
      style: "width: 8rem",
    });
    input.addEventListener("input", () => draw());
    return { input, label: h("label", {}, label, input) };
  };
  const rate = field("Requests per second", "1000", "1");
  const limit = field("p99 below, ms", "50", "1");
  const busy = field("Cores at most busy, %", "60", "5");
  const coreHour = field("Price of a core-hour", "", "0.001");
  const gibHour = field("Price of a GiB-hour", "", "0.001");
  const given = ({ input }: { input: HTMLInputElement }) =>
    input.value === "" ? null : Number(input.value);
  const body = h("div", { "aria-live": "polite" });
  const draw = () => {
    const plan = {
      rate: Number(rate.input.value) || 0,
      limit_ns: Number(limit.input.value) * 1e6 || Infinity,
      busy: Math.min(1, (Number(busy.input.value) || 100) / 100),
      core_hour: given(coreHour),
      gib_hour: given(gibHour),
    };
    body.replaceChildren(plans(model, having, plan));
  };
  draw();
  return section(
    "cost",
    "What would it cost?",
    [
      "Cores = requests per second × CPU time per answer, for the service and for its share of PostgreSQL, kept below the busy share you give. ",
      "It says nothing of what was not measured: another machine, another mix of requests, more load than was tried here.",
    ],
    h(
      "div",
      { class: "controls" },
      rate.label,
      limit.label,
      busy.label,
      coreHour.label,
      gibHour.label,
    ),
    body,
  );
};

interface Plan {
  rate: number;
  limit_ns: number;
  busy: number;
  core_hour: number | null;
  gib_hour: number | null;
}

/** The highest measured load at which a treatment kept the limit, with the p99 found there. */
function keeps(
  model: Model,
  one: TreatmentFindings,
  limit_ns: number,
): { text: string; met: boolean | null } {
  const found: { rate: number; p99: number }[] = [];
  const equal = model.page.findings.design.arrival_rate_per_s;
  const p99 = one.figures.response_p99_ns;
  if (typeof equal === "number" && p99) found.push({ rate: equal, p99: p99.high ?? p99.estimate });
  for (const { level } of model.levels("open", "response_p99_ns")) {
    const at = model.atLevel(one.name, level, "response_p99_ns");
    const rate = at?.level.arrival_rate_per_s;
    if (at && rate) found.push({ rate, p99: at.high ?? at.estimate });
  }
  if (found.length === 0) return { text: "not measured", met: null };
  const met = found.filter((at) => at.p99 <= limit_ns).sort((a, b) => b.rate - a.rate)[0];
  if (met) return { text: `kept at ${digits(met.rate)}/s (${withUnit("ns", met.p99)})`, met: true };
  const least = found.sort((a, b) => a.p99 - b.p99)[0]!;
  return { text: `broken at ${digits(least.rate)}/s (${withUnit("ns", least.p99)})`, met: false };
}

interface Row {
  one: TreatmentFindings;
  service: Ratio;
  database: number | null;
  cores: Ratio;
  services: number;
  limit: { text: string; met: boolean | null };
  money_per_hour: number | null;
}

/** What the load takes of a treatment, from every block, so that it has an interval. */
function row(model: Model, one: TreatmentFindings, plan: Plan): Row | null {
  const { confidence_level_ratio: level, design } = model.page.findings;
  const cores = (us: number) => (us * plan.rate) / 1e6 / plan.busy;
  const over = (us: (trial: Trial) => number | undefined) => {
    const found = ratioOf([...model.byBlock(one.name, us).values()].map(Math.log), level);
    return found && scaled(found, cores(1));
  };
  const service = over((trial) => trial.metrics[SERVICE]);
  const all = over((trial) => {
    const own = trial.metrics[SERVICE];
    return own === undefined ? undefined : own + (trial.metrics[DATABASE] ?? 0);
  });
  if (!service || !all) return null;
  const database = one.figures[DATABASE]?.estimate;
  const size = Array.isArray(design.service_cpus) ? Math.max(1, design.service_cpus.length) : 1;
  const services = Math.max(1, Math.ceil((service.high_ratio ?? service.ratio) / size));
  const memory_gib = ((one.figures.memory_peak_bytes?.estimate ?? 0) / 2 ** 30) * services;
  const priced = plan.core_hour !== null || plan.gib_hour !== null;
  return {
    one,
    service,
    database: database === undefined ? null : cores(database),
    cores: all,
    services,
    limit: keeps(model, one, plan.limit_ns),
    money_per_hour: priced
      ? all.ratio * (plan.core_hour ?? 0) + memory_gib * (plan.gib_hour ?? 0)
      : null,
  };
}

function scaled(found: Ratio, by: number): Ratio {
  const times = (value: number | undefined) => (value === undefined ? undefined : value * by);
  return {
    ...found,
    ratio: found.ratio * by,
    low_ratio: times(found.low_ratio),
    high_ratio: times(found.high_ratio),
  };
}

function plans(model: Model, treatments: TreatmentFindings[], plan: Plan): HTMLElement {
  const rows = treatments.map((one) => row(model, one, plan)).filter((found) => found !== null);
  const broken = (of: Row) => Number(of.limit.met === false);
  rows.sort((a, b) => broken(a) - broken(b) || a.cores.ratio - b.cores.ratio);
  const interval = ({ ratio, low_ratio: low, high_ratio: high }: Ratio) =>
    low === undefined || high === undefined
      ? digits(ratio)
      : `${digits(ratio)} (${digits(low)} – ${digits(high)})`;
  const money: Column<Row>[] = [
    {
      heading: "Price an hour",
      number: true,
      text: (of) => digits(of.money_per_hour!),
      order: (of) => of.money_per_hour,
    },
    {
      heading: "Price a million answers",
      number: true,
      text: (of) => digits((of.money_per_hour! / 3600 / plan.rate) * 1e6),
      order: (of) => of.money_per_hour,
    },
  ];
  return table(
    rows,
    [
      { heading: "Treatment", text: (of) => of.one.title },
      {
        heading: "Cores in all",
        number: true,
        text: (of) => interval(of.cores),
        order: (of) => of.cores.ratio,
      },
      {
        heading: "of the service",
        number: true,
        text: (of) => digits(of.service.ratio),
        order: (of) => of.service.ratio,
      },
      {
        heading: "of PostgreSQL",
        number: true,
        text: (of) => (of.database === null ? "–" : digits(of.database)),
        order: (of) => of.database,
      },
      {
        heading: "Services as measured",
        number: true,
        text: (of) => String(of.services),
        order: (of) => of.services,
      },
      {
        heading: "p99 limit",
        text: (of) => of.limit.text,
        order: broken,
        side: (of) => (of.limit.met === false ? "worse" : undefined),
      },
      ...(plan.rate > 0 && rows.some((of) => of.money_per_hour !== null) ? money : []),
    ],
    {
      caption: "What a load would need",
      rowClass: (of) => (broken(of) ? "apart" : undefined),
    },
  );
}
