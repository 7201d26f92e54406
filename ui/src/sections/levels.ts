// What happens as load grows: response time over offered load, completion rate over concurrency.

import { chips } from "../chips";
import { curves, lastPoints, type Point } from "../charts/curves";
import { linkToAudit } from "../charts/links";
import { h } from "../dom";
import type { LevelTreatment } from "../document";
import { figure } from "../figure";
import type { State } from "../state";
import { table, type Column } from "../table";
import { trialsBehind } from "../tip";
import { digits, scaleFor, withUnit } from "../units";
import { absolute } from "./absolute";
import { section, type Section } from "./section";

interface Plan {
  load: string;
  metric: string;
  title: string;
  file: string;
  caption: string;
  x: (at: LevelTreatment) => number | undefined;
  xLabel: string;
  logX: boolean;
  logY: boolean;
  yLabel: string;
}

export const overLoad: Section = (state) => {
  const plans = ["response_p50_ns", "response_p99_ns"].map((metric) => ({
    load: "open",
    metric,
    title: `${state.model.metric(metric).title} over offered load`,
    file: `over-load-${metric}`,
    caption:
      "Each stack at shares of its own capacity, on an open schedule; whiskers are 95 % intervals over blocks.",
    x: (at: LevelTreatment) => at.arrival_rate_per_s,
    xLabel: "arrivals per second",
    logX: false,
    logY: true,
    yLabel: `response time, ${state.model.metric(metric).title}`,
  }));
  const parts = plans.map((plan) => overLevels(state, plan)).filter((part) => part !== null);
  if (parts.length === 0) return null;
  return section(
    "load",
    "As load grows",
    "How response time bends on the way to capacity.",
    chips(state),
    parts,
  );
};

export const overConcurrency: Section = (state) => {
  const { findings } = state.model.page;
  const over = overLevels(state, {
    load: "closed",
    metric: "completion_rate_per_s",
    title: "Answers per second over concurrency",
    file: "over-concurrency",
    caption:
      "A closed loop at each number of connections; whiskers are 95 % intervals over blocks.",
    x: (at) => at.concurrency_count,
    xLabel: "connections in flight",
    logX: true,
    logY: false,
    yLabel: "answers/s",
  });
  const connections = findings.design.connections_count;
  const main = absolute(
    state,
    "completion_rate_per_s",
    `Answers per second at ${connections} connections`,
    "A closed loop as fast as it goes: what a stack can do, not what users would see.",
  );
  if (!over && !main) return null;
  return section(
    "rate",
    "How many answers per second?",
    "The closed loop sends the next request when the last one has ended, so a slow stack is asked less.",
    main,
    over && chips(state),
    over,
  );
};

function overLevels(state: State, plan: Plan): HTMLElement | null {
  const { model } = state;
  const points: Point[] = [];
  const unit = model.metric(plan.metric).unit;
  for (const { level, treatments } of model.levels(plan.load, plan.metric))
    for (const at of treatments) {
      const found = at.figures[plan.metric];
      const x = plan.x(at);
      if (found && x)
        points.push({
          treatment: at.name,
          x,
          y: found.estimate,
          low: found.low,
          high: found.high,
          level,
        });
    }
  if (new Set(points.map((point) => point.x)).size < 2) return null;
  points.sort((a, b) => a.x - b.x);
  const xs = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
  const last = lastPoints(points);
  const shortX = (x: number) => digits(x).replace(/\.0+$/, "");
  const end = (name: string) => {
    const { x, y } = last.get(name)!;
    return `${withUnit(unit, y)} at ${shortX(x)} ${plan.xLabel}`;
  };
  return figure(state, {
    title: plan.title,
    file: plan.file,
    caption: plan.caption,
    draw: (width) => {
      const svg = curves(points, {
        width,
        dots: true,
        picked: [...state.picked],
        title: (name) => model.title(name),
        x: {
          type: plan.logX ? "log" : "linear",
          label: plan.xLabel,
          format: shortX,
          ticks: plan.logX && xs.length <= 8 ? xs : undefined,
        },
        y: {
          type: plan.logY ? "log" : "linear",
          label: plan.yLabel,
          format: (y) =>
            y === 0
              ? "0"
              : withUnit(unit, y)
                  .replace(/\.0+( |$)/, "$1")
                  .replace("/s", ""),
        },
      });
      linkToAudit(
        svg,
        (name) => `${model.title(name)}: ${end(name)}`,
        (name) => [
          h("strong", {}, model.title(name)),
          h("div", {}, end(name)),
          trialsBehind(
            model,
            name,
            unit,
            (trial) => trial.levels?.[last.get(name)!.level!]?.[plan.metric],
          ),
        ],
      );
      return svg;
    },
    table: () => levelTable(state, points, xs, plan, unit),
  });
}

function levelTable(
  state: State,
  points: Point[],
  xs: number[],
  plan: Plan,
  unit: string,
): HTMLElement {
  const { divisor, sign } = scaleFor(
    unit,
    points.map((point) => point.y),
  );
  const at = (name: string, x: number) =>
    points.find((one) => one.treatment === name && one.x === x);
  const few = xs.length <= 12;
  const columns: Column<Point>[] = [
    { heading: "Treatment", text: (row) => state.model.title(row.treatment) },
    { heading: plan.xLabel, number: true, text: (row) => digits(row.x), order: (row) => row.x },
    {
      heading: `${plan.yLabel}${sign && sign !== "/s" ? `, ${sign}` : ""}`,
      number: true,
      text: (row) => digits(row.y / divisor),
      order: (row) => row.y,
    },
  ];
  if (!few) return table(points, columns, { caption: plan.title });
  const names = [...new Set(points.map((point) => point.treatment))];
  const wide: Column<string>[] = [
    { heading: "Treatment", text: (name) => state.model.title(name) },
    ...xs.map((x) => ({
      heading: digits(x).replace(/\.0+$/, ""),
      number: true,
      text: (name: string) => {
        const found = at(name, x);
        return found ? digits(found.y / divisor) : "–";
      },
      order: (name: string) => at(name, x)?.y ?? null,
    })),
  ];
  return table(names, wide, { caption: `${plan.title}, by ${plan.xLabel}` });
}
