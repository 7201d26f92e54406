// What it would cost, at the reader's own prices, and which stacks would do for a given load.

import { h } from "../dom";
import type { TreatmentFindings } from "../document";
import type { Model } from "../model";
import { table } from "../table";
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
  const busy = field("CPUs at most busy, %", "60", "5");
  const price = field("Price of one CPU for a month", "", "0.01");
  const body = h("div", { "aria-live": "polite" });
  const draw = () => {
    const plan = {
      rate: Number(rate.input.value) || 0,
      limit_ns: Number(limit.input.value) * 1e6 || Infinity,
      busy: Math.min(1, (Number(busy.input.value) || 100) / 100),
      price: price.input.value === "" ? null : Number(price.input.value),
    };
    body.replaceChildren(plans(model, having, plan));
  };
  draw();
  return section(
    "cost",
    "What would it cost?",
    [
      "CPUs = requests per second × CPU time per answer, for the service and for its share of PostgreSQL, kept below the busy share you give. ",
      "It says nothing of what was not measured: another machine, another mix of requests, more load than was tried here.",
    ],
    h("div", { class: "controls" }, rate.label, limit.label, busy.label, price.label),
    body,
  );
};

interface Plan {
  rate: number;
  limit_ns: number;
  busy: number;
  price: number | null;
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

function plans(model: Model, treatments: TreatmentFindings[], plan: Plan): HTMLElement {
  const cpus = (us: number | undefined) =>
    us === undefined ? null : (us * plan.rate) / 1e6 / plan.busy;
  const rows = treatments.map((one) => {
    const service = one.figures[SERVICE]!;
    const database = one.figures[DATABASE];
    const low = cpus(service.low ?? service.estimate)!;
    const high = cpus(service.high ?? service.estimate)!;
    const db = cpus(database?.estimate);
    return {
      one,
      service: cpus(service.estimate)!,
      low,
      high,
      db,
      limit: keeps(model, one, plan.limit_ns),
    };
  });
  type Row = (typeof rows)[number];
  const total = (row: Row) => row.service + (row.db ?? 0);
  rows.sort(
    (a, b) => Number(a.limit.met === false) - Number(b.limit.met === false) || total(a) - total(b),
  );
  const money = (row: Row) => (plan.price === null ? null : total(row) * plan.price);
  return table(
    rows,
    [
      { heading: "Treatment", text: (row) => row.one.title },
      {
        heading: "CPUs, service",
        number: true,
        text: (row) => `${digits(row.service)} (${digits(row.low)} – ${digits(row.high)})`,
        order: (row) => row.service,
      },
      {
        heading: "CPUs, PostgreSQL",
        number: true,
        text: (row) => (row.db === null ? "–" : digits(row.db)),
        order: (row) => row.db,
      },
      {
        heading: "p99 limit",
        text: (row) => row.limit.text,
        order: (row) => row.limit.text,
        side: (row) => (row.limit.met === false ? "worse" : undefined),
      },
      ...(plan.price === null
        ? []
        : [
            {
              heading: "Price a month",
              number: true,
              text: (row: Row) => digits(money(row)!),
              order: money,
            },
            {
              heading: "Price a million answers",
              number: true,
              text: (row: Row) => perMillion(row.one, plan),
              order: (row: Row) => Number(perMillion(row.one, plan)),
            },
          ]),
    ],
    {
      caption: "What a load would need",
      rowClass: (row) => (row.limit.met === false ? "apart" : undefined),
    },
  );
}

const SECONDS_A_MONTH = 30.4375 * 86_400;

function perMillion(one: TreatmentFindings, plan: Plan): string {
  const us = one.figures[SERVICE]!.estimate + (one.figures[DATABASE]?.estimate ?? 0);
  // A million answers at `us` microseconds are as many seconds of CPU.
  return digits((us / plan.busy / SECONDS_A_MONTH) * (plan.price ?? 0));
}
