// Memory under load, and the time from start to the first right answer.

import { absolute } from "./absolute";
import { section, type Section } from "./section";

export const memory: Section = (state) => {
  const peak = absolute(
    state,
    "memory_peak_bytes",
    "Largest resident memory under load",
    "Anonymous plus shared memory of the whole process tree, sampled at 5 Hz. Page cache is not counted.",
  );
  const pss = absolute(
    state,
    "memory_pss_bytes",
    "Proportional set size after the window",
    "What the processes would free if they all ended: shared pages are divided among those that map them.",
  );
  if (!peak && !pss) return null;
  return section("memory", "Memory", "For the whole process tree of a service.", peak, pss);
};

export const startUp: Section = (state) => {
  const first = absolute(
    state,
    "first_answer_ns",
    "From the start of the process to the first right answer",
    "A fresh start in every block, on a warm file cache.",
  );
  return first && section("start-up", "Start-up", null, first);
};
