// What the run tried besides its question: one change at a time, and other load generators.

import { h } from "../dom";
import type { ToolFindings } from "../document";
import { table, type Column } from "../table";
import { digits, times, withUnit } from "../units";
import { section, type Section } from "./section";
import { ratioText } from "./tiers";

const RATE = "completion_rate_per_s";

export const whatIf: Section = (state) => {
  const rows = state.model.page.findings.what_if ?? [];
  if (rows.length === 0) return null;
  return section(
    "what-if",
    "What if?",
    "Treatments that were entered a second time with one change.",
    table(
      rows,
      [
        { heading: "Treatment", name: true, text: (row) => row.title },
        { heading: "Change", text: (row) => row.change },
        { heading: "Verdict", text: (row) => row.pair?.sentence ?? "one of the two is not ranked" },
        {
          heading: "Ratio",
          number: true,
          text: (row) => ratioText(row.pair ?? null),
          order: (row) => row.pair?.ratio ?? null,
        },
      ],
      { caption: "Changes that were tried", wide: true },
    ),
  );
};

export const tools: Section = (state) => {
  const { model } = state;
  const rows = model.page.findings.tools ?? [];
  if (rows.length === 0) return null;
  const ratio = (row: ToolFindings) => {
    const [said, ours] = [row.said[RATE], row.ours[RATE]];
    return said !== undefined && ours ? said / ours : null;
  };
  const metrics = [
    RATE,
    "closed_service_mean_ns",
    "closed_service_p50_ns",
    "closed_service_p99_ns",
  ];
  const figure = (who: "said" | "ours", metric: string): Column<ToolFindings> => ({
    heading: `${who}: ${model.metric(metric).title}`,
    number: true,
    text: (row) => {
      const value = row[who][metric];
      return value === undefined ? "–" : withUnit(model.metric(metric).unit, value);
    },
    order: (row) => row[who][metric] ?? null,
  });
  const having = metrics.filter((metric) => rows.some((row) => row.said[metric] !== undefined));
  return section(
    "tools",
    "What do other load generators say?",
    "Each loaded fresh starts with the arguments below, then our closed loop did. Medians; nothing here is ranked.",
    table(
      rows,
      [
        {
          heading: "Tool",
          text: (row) => row.tool,
          show: (row) => [
            row.version ?? row.tool,
            h("div", { class: "soft" }, row.arguments.join(" ")),
            (row.failures ?? []).map((failure) => h("div", { class: "soft" }, failure)),
          ],
        },
        { heading: "Treatment", name: true, text: (row) => model.title(row.treatment) },
        {
          heading: "Starts",
          number: true,
          text: (row) => String(row.starts_count),
          order: (row) => row.starts_count,
        },
        {
          heading: "said/ours",
          number: true,
          text: (row) => (ratio(row) === null ? "–" : times(ratio(row)!)),
          order: ratio,
        },
        ...having.flatMap((metric) => [figure("said", metric), figure("ours", metric)]),
        {
          heading: "Our connections",
          number: true,
          text: (row) => digits(row.ours_concurrency_count).replace(/\.0+$/, ""),
          order: (row) => row.ours_concurrency_count,
        },
      ],
      { caption: "Other load generators", wide: true },
    ),
  );
};
