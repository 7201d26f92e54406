// What it would cost, at the reader's own prices, and which stacks would do for a given load: the rules of the
// program's own plan (`bancada report --plan-rate`).

import { auditLink } from "../charts/links";
import { h } from "../dom";
import type { Cost, Ratio } from "../document";
import type { Model } from "../model";
import { ratioOf } from "../stats";
import { table, type Column } from "../table";
import { digits, withUnit } from "../units";
import { section, type Section } from "./section";

const SERVICE = "service_cpu_per_good_answer_us";
const CAPACITY = "capacity_under_objective_per_s";
const GIB_BYTES = 2 ** 30;

export const planner: Section = (state) => {
  const { model } = state;
  const costs = model.page.findings.cost ?? [];
  if (costs.length === 0) return null;
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
    body.replaceChildren(plans(model, costs, plan));
  };
  draw();
  return section(
    "cost",
    "What would it cost?",
    [
      "Services from the capacity under the objective where it was measured under a limit at least as strict, at the near end of its interval; else from the CPU time of an answer, at the far end, with cores as busy as you say. ",
      "Prices are of the services' cores and memory. ",
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

type Suffices = "measured" | "expected" | "unknown" | "no";

/** Whether the limit is kept; services where the capacity under the objective says how many, or that none is known. */
interface Limit {
  suffices: Suffices;
  text: string;
  services?: number | null;
}

/** From the capacity that was found under an objective at least as strict. */
function measured({ page }: Model, name: string, plan: Plan): Limit | null {
  const bound_ns = p99Bound(page.findings.design.objective ?? "");
  if (bound_ns === null || bound_ns > plan.limit_ns) return null;
  const level = (page.findings.levels ?? [])
    .filter(({ load }) => load === "capacity")
    .map(({ treatments }) => treatments.find((one) => one.name === name))
    .find((one) => one !== undefined);
  if (!level) return null;
  const found = level.figures[CAPACITY];
  if (!found) {
    const text = `not known: no capacity was found in some of ${level.usable_count} blocks`;
    return { suffices: "unknown", text, services: null };
  }
  const near = found.low ?? found.estimate;
  return {
    suffices: "measured",
    text: `kept at ${digits(near)}/s or more by one service (p99 below ${withUnit("ns", bound_ns)})`,
    services: Math.max(1, Math.ceil(plan.rate / near)),
  };
}

/** The limit of an objective on the p99 or beyond, written `p99<50ms`; null where it is of another percentile. */
function p99Bound(objective: string): number | null {
  const found = /^\s*p(\d+(?:\.\d+)?)\s*<\s*(\d+(?:\.\d+)?)\s*(ns|us|ms|s)\s*$/.exec(objective);
  if (!found || Number(found[1]) < 99) return null;
  return Number(found[2]) * { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[found[3] as "ns"];
}

/** What the interval of the p99 at the equal arrival rate says of the limit, where each service takes `each_per_s`. */
function expected(
  { page, treatments }: Model,
  name: string,
  plan: Plan,
  each_per_s: number,
): Limit {
  const rate = page.findings.design.arrival_rate_per_s;
  const figure = treatments.find((one) => one.name === name)?.figures.response_p99_ns;
  if (!figure) return { suffices: "unknown", text: "its p99 was not measured" };
  const { estimate, low = estimate, high = estimate } = figure;
  const found = `${rate === undefined ? "" : ` at ${digits(rate)}/s`} (${withUnit("ns", estimate)})`;
  if (low > plan.limit_ns) return { suffices: "no", text: `broken${found}` };
  if (high > plan.limit_ns) return { suffices: "unknown", text: `undecided${found}` };
  // A p99 rises with the load: that at a lower rate is no bound of it.
  if (rate !== undefined && each_per_s > rate) {
    const text = `kept${found}, not measured at the ${digits(each_per_s)}/s of each`;
    return { suffices: "unknown", text };
  }
  return { suffices: "expected", text: `kept${found}` };
}

interface Row {
  cost: Cost;
  service: Ratio;
  database: number | null;
  services: number | null;
  limit: Limit;
  money_per_hour: number | null;
}

/** What the load takes of a treatment, from every block, so that it has an interval. */
function row(model: Model, cost: Cost, plan: Plan): Row | null {
  const { confidence_level_ratio: confidence, design } = model.page.findings;
  const figures = model.treatments.find((one) => one.name === cost.treatment)?.figures;
  const cores = plan.rate / 1e6 / plan.busy;
  const logs = cost.blocks.map((block) => Math.log(block.service_cpu_us * cores));
  const service = ratioOf(logs, confidence);
  const cpu = figures?.[SERVICE];
  if (!service || !cpu) return null;
  const size = Math.max(1, design.service_cpus?.length ?? 0);
  const worked = Math.max(1, Math.ceil(((cpu.high ?? cpu.estimate) * cores) / size));
  const limit =
    measured(model, cost.treatment, plan) ??
    expected(model, cost.treatment, plan, plan.rate / worked);
  const services =
    limit.suffices === "no" ? null : limit.services === undefined ? worked : limit.services;
  const database = figures.database_cpu_per_good_answer_us?.estimate;
  return {
    cost,
    service,
    database: database === undefined ? null : database * cores,
    services,
    limit,
    money_per_hour: money(plan, services, size, figures.memory_peak_bytes?.estimate),
  };
}

/** Money an hour; null where no price was given, or one was for what was not measured. */
function money(
  plan: Plan,
  services: number | null,
  size: number,
  memory_bytes: number | undefined,
): number | null {
  if (services === null || (plan.core_hour === null && plan.gib_hour === null)) return null;
  if (plan.gib_hour && memory_bytes === undefined) return null;
  const memory = plan.gib_hour ? (memory_bytes! / GIB_BYTES) * plan.gib_hour : 0;
  return services * (size * (plan.core_hour ?? 0) + memory);
}

function plans(model: Model, costs: Cost[], plan: Plan): HTMLElement {
  const rows = costs.map((cost) => row(model, cost, plan)).filter((found) => found !== null);
  const broken = (of: Row) => Number(of.limit.suffices === "no");
  const least = (of: Row) => of.money_per_hour ?? of.services ?? Infinity;
  rows.sort(
    (a, b) => broken(a) - broken(b) || least(a) - least(b) || a.service.ratio - b.service.ratio,
  );
  const interval = ({ ratio, low_ratio: low, high_ratio: high }: Ratio) =>
    low === undefined || high === undefined
      ? digits(ratio)
      : `${digits(ratio)} (${digits(low)} – ${digits(high)})`;
  const price = (heading: string, by: number): Column<Row> => ({
    heading,
    number: true,
    text: (of) => (of.money_per_hour === null ? "–" : digits(of.money_per_hour * by)),
    order: (of) => of.money_per_hour,
  });
  return table(
    rows,
    [
      {
        heading: "Treatment",
        name: true,
        text: (of) => of.cost.title,
        show: (of) => auditLink(model, of.cost.treatment),
      },
      {
        heading: "Services as measured",
        number: true,
        text: (of) => (of.services === null ? "–" : String(of.services)),
        order: (of) => of.services,
      },
      {
        heading: "Cores' worth of work",
        number: true,
        text: (of) => interval(of.service),
        order: (of) => of.service.ratio,
      },
      {
        heading: "and of PostgreSQL",
        number: true,
        text: (of) => (of.database === null ? "–" : digits(of.database)),
        order: (of) => of.database,
      },
      {
        heading: "p99 limit",
        text: (of) => of.limit.text,
        order: (of) => ["measured", "expected", "unknown", "no"].indexOf(of.limit.suffices),
        side: (of) => (broken(of) ? "worse" : undefined),
        show: (of) => h("span", { "data-suffices": of.limit.suffices }, of.limit.text),
      },
      ...(plan.rate > 0 && rows.some((of) => of.money_per_hour !== null)
        ? [price("Price an hour", 1), price("Price a million answers", 1e6 / 3600 / plan.rate)]
        : []),
    ],
    {
      caption: "What a load would need",
      rowClass: (of) => (broken(of) ? "apart" : undefined),
    },
  );
}
