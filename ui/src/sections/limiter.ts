// What each treatment would have needed more of, with the figures that say so.

import { auditLink } from "../charts/links";
import { h } from "../dom";
import type { State } from "../state";
import { table, type Column } from "../table";
import { digits, perCent, unitOf, withUnit } from "../units";
import { section, type Section } from "./section";

interface Limiter {
  kind: string;
  sentence: string;
  evidence?: { metric: string; value: number }[];
  suggestion?: string;
}

interface Row {
  name: string;
  title: string;
  limiter: Limiter;
}

export const limiters: Section = ({ model }: State) => {
  const rows = model.treatments.flatMap((one) => {
    const limiter = (one as unknown as { limiter?: Limiter }).limiter;
    return limiter ? [{ name: one.name, title: one.title, limiter }] : [];
  });
  if (rows.length === 0) return null;
  const columns: Column<Row>[] = [
    {
      heading: "Treatment",
      text: (row) => row.title,
      show: (row) => auditLink(model, row.name),
    },
    { heading: "Limited by", text: (row) => row.limiter.kind.replaceAll("_", " ") },
    {
      heading: "Because",
      text: (row) => row.limiter.sentence,
      show: (row) => evidence(model, row),
    },
  ];
  if (rows.some((row) => row.limiter.suggestion))
    columns.push({
      heading: "To try",
      text: (row) => row.limiter.suggestion ?? "",
      show: (row) => row.limiter.suggestion && h("code", {}, row.limiter.suggestion),
    });
  return section(
    "limits",
    "What limited each",
    "A stack that waits for its database is not slow by itself: what more would have helped, in the closed loop.",
    table(rows, columns, { caption: "What limited each treatment", wide: true }),
  );
};

function evidence(model: State["model"], row: Row) {
  const items = row.limiter.evidence ?? [];
  if (items.length === 0) return row.limiter.sentence;
  const shown = (metric: string, value: number) => {
    const unit = model.metric(metric).unit || unitOf(metric);
    if (unit === "ratio") return perCent(value);
    return unit ? withUnit(unit, value) : digits(value);
  };
  return h(
    "details",
    {},
    h("summary", {}, row.limiter.sentence),
    h(
      "ul",
      { class: "small soft" },
      items.map(({ metric, value }) =>
        h("li", {}, `${name(model, metric)}: ${shown(metric, value)}`),
      ),
    ),
  );
}

function name(model: State["model"], metric: string): string {
  const { title } = model.metric(metric);
  return title === metric ? metric.replaceAll("_", " ") : title;
}
