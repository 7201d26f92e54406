// What the audit found in every trial, a treatment at a time: where every figure's link leads.

import { h, idOf, type Child } from "../dom";
import type { TreatmentFindings, Trial } from "../document";
import type { State } from "../state";
import { table } from "../table";
import { digits, scaleFor } from "../units";
import { section, type Section } from "./section";

export const audit: Section = (state) => {
  const { model } = state;
  return section(
    "audit",
    "The audit, trial by trial",
    "Every figure above leads here.",
    model.treatments.map((one) => treatment(state, one)),
    twins(state),
  );
};

/** The control is not among the findings' treatments, and its trials are audited like any other's. */
function twins(state: State): HTMLElement[] {
  const { model } = state;
  // As the findings count the others: void blocks are listed, and counted apart.
  const voided = new Set(model.page.findings.audit.voided_blocks.map(({ block }) => block));
  return model.page.treatments.flatMap(({ name, title, twin_of: of }) => {
    if (of === undefined) return [];
    const trials = model.trials(name).filter((one) => !voided.has(one.block));
    const count = (status: Trial["status"]) => trials.filter((one) => one.status === status).length;
    return treatment(state, {
      name,
      title,
      valid_count: count("VALID"),
      degraded_count: count("DEGRADED"),
      invalid_count: count("INVALID"),
      standing: { kind: "unranked", reason: `the control, ${model.title(of)} entered twice` },
    });
  });
}

type Audited = Pick<
  TreatmentFindings,
  "name" | "title" | "standing" | "valid_count" | "degraded_count" | "invalid_count"
>;

function treatment(state: State, one: Audited): HTMLElement {
  const { model } = state;
  const trials = model.trials(one.name);
  const counts = `${one.valid_count} VALID, ${one.degraded_count} DEGRADED, ${one.invalid_count} INVALID`;
  const body = h("div");
  const block = h(
    "details",
    { id: idOf("audit", one.name) },
    h("summary", {}, h("strong", {}, one.title), ` · ${counts}`),
    one.standing.kind === "unranked" &&
      h("p", { class: "small" }, `Not ranked: ${one.standing.reason}`),
    body,
  );
  // Twenty-five tables of a run nobody has opened yet are not worth drawing.
  block.addEventListener("toggle", () => {
    if (block.open && !body.hasChildNodes())
      body.append(trialTable(state, trials), ...reasons(trials));
  });
  return block;
}

function trialTable({ model }: State, trials: Trial[]): HTMLElement {
  const primary = model.page.findings.primary_metric;
  const shown = [
    ...new Set([
      primary,
      "completion_rate_per_s",
      "response_p50_ns",
      "response_p99_ns",
      "memory_peak_bytes",
    ]),
  ];
  const metrics = shown.filter((name) => trials.some((trial) => trial.metrics[name] !== undefined));
  return table(
    trials,
    [
      { heading: "Trial", text: (trial) => trial.trial },
      {
        heading: "Block",
        number: true,
        text: (trial) => `${trial.block}`,
        order: (trial) => trial.block,
      },
      {
        heading: "Status",
        text: (trial) => trial.status,
        show: (trial) => h("span", { class: "status", "data-status": trial.status }, trial.status),
      },
      ...metrics.map((name) => {
        const metric = model.metric(name);
        const { divisor, sign } = scaleFor(
          metric.unit,
          trials.flatMap((trial) => trial.metrics[name] ?? []),
        );
        const of = (trial: Trial) => trial.metrics[name];
        return {
          heading: sign && sign !== "/s" ? `${metric.title}, ${sign}` : metric.title,
          number: true,
          text: (trial: Trial) => (of(trial) === undefined ? "–" : digits(of(trial)! / divisor)),
          order: (trial: Trial) => of(trial) ?? null,
        };
      }),
      { heading: "Failed", number: true, text: failed, order: (trial) => Number(failed(trial)) },
    ],
    { caption: "Trials" },
  );
}

function failed(trial: Trial): string {
  const count = trial.metrics.failed_requests_count;
  return count === undefined ? "–" : String(count);
}

function reasons(trials: Trial[]): HTMLElement[] {
  return trials.map((trial) => {
    const lines: Child[] = (trial.audit ?? []).map(([check, status, detail]) =>
      h(
        "li",
        {},
        h("span", { class: "status", "data-status": status }, status),
        ` ${check.replaceAll("_", " ")}: ${detail}`,
      ),
    );
    return h(
      "details",
      { open: trial.status === "INVALID" },
      h("summary", {}, `${trial.trial}: ${trial.reasons?.join("; ") ?? "every check passed"}`),
      h("ul", { class: "small" }, lines),
    );
  });
}
