// CPU time per good answer: the service's own, and what it makes the database do.

import { absolute } from "./absolute";
import { section, type Section } from "./section";

export const costOfAnswers: Section = (state) => {
  const rate = state.model.page.findings.design.arrival_rate_per_s;
  const at = typeof rate === "number" ? ` (${Math.round(rate)} arrivals/s)` : "";
  const parts = [
    absolute(
      state,
      "service_cpu_per_good_answer_us",
      "CPU time of the service per good answer",
      "The whole process tree. Strokes are single blocks; the dot and its whisker their geometric mean and 95 % interval.",
    ),
    absolute(
      state,
      "database_cpu_per_good_answer_us",
      "CPU time of PostgreSQL per good answer",
      "The service's own backends: how it asks decides what the database pays.",
    ),
  ].filter((part) => part !== null);
  if (parts.length === 0) return null;
  return section(
    "cpu",
    "CPU per answer",
    `What one good answer costs, at the same arrival rate for all${at}.`,
    parts,
  );
};
