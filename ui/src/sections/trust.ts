// Whether the run can be trusted, before any figure of it.

import { h, idOf, type Child } from "../dom";
import type { State } from "../state";
import { table } from "../table";
import { explain } from "../tip";
import { digits, perCent, range, withUnit } from "../units";
import { section } from "./section";

export function trust(state: State): HTMLElement {
  const { model } = state;
  const { findings } = model.page;
  return section(
    "trust",
    "Can you trust this run?",
    "Every trial is audited. INVALID trials are shown and never ranked; DEGRADED ones are ranked and marked.",
    h("div", { class: "facts" }, trials(state), twin(state), blocks(state), machine(state)),
    findings.audit.checks.length > 0 &&
      h(
        "details",
        { open: findings.audit.invalid_count > 0 },
        h("summary", {}, `What ${findings.audit.checks.length} checks found`),
        table(
          findings.audit.checks,
          [
            { heading: "Check", text: (row) => row.check.replaceAll("_", " ") },
            {
              heading: "Pass",
              number: true,
              text: (row) => `${row.pass_count}`,
              order: (row) => row.pass_count,
            },
            {
              heading: "Warn",
              number: true,
              text: (row) => `${row.warn_count}`,
              order: (row) => row.warn_count,
            },
            {
              heading: "Fail",
              number: true,
              text: (row) => `${row.fail_count}`,
              order: (row) => row.fail_count,
            },
          ],
          { caption: "Checks of the audit" },
        ),
      ),
    findings.audit.order && h("p", { class: "soft small" }, findings.audit.order.sentence),
    findings.skipped.length > 0 && skipped(state),
  );
}

function fact(figure: Child, ...text: Child[]): HTMLElement {
  return h("div", {}, h("span", { class: "figure" }, figure), h("p", {}, text));
}

function trials({ model }: State): HTMLElement {
  const { audit } = model.page.findings;
  const all = audit.valid_count + audit.degraded_count + audit.invalid_count;
  const marks = model.page.trials.map((trial) => {
    const why = trial.reasons?.length ? trial.reasons : ["every check passed"];
    const mark = h("a", {
      href: `#${idOf("audit", trial.treatment)}`,
      // Tab stops only at what is to be looked at; the audit has every trial.
      tabindex: trial.status === "VALID" ? -1 : undefined,
      "data-status": trial.status,
      "aria-label": `${trial.trial}: ${trial.status}, ${why.join("; ")}`,
    });
    explain(mark, () => [
      h("strong", {}, `${model.title(trial.treatment)}, block ${trial.block}`),
      h("span", { class: "status", "data-status": trial.status }, trial.status),
      why.map((reason) => h("div", {}, reason)),
    ]);
    return mark;
  });
  const words = [`${audit.degraded_count} DEGRADED`, `${audit.invalid_count} INVALID`].join(", ");
  return h(
    "div",
    {},
    h("span", { class: "figure" }, `${audit.valid_count} of ${all}`),
    h("p", {}, `trials passed every check; ${words}. A mark a trial:`),
    h("div", { class: "marks" }, marks),
  );
}

function twin({ model }: State): HTMLElement {
  const { control } = model.page.findings;
  if (!control)
    return fact("No twin", "Nothing was entered twice, so what this bench cannot see is unknown.");
  const { ratio } = control;
  const interval =
    ratio.low_ratio && ratio.high_ratio ? ` (${range(ratio.low_ratio, ratio.high_ratio)})` : "";
  return fact(
    perCent(control.bound_ratio),
    `is what this bench cannot see: ${model.title(control.treatment)}, entered twice, differs from itself by ${digits(ratio.ratio)}×${interval}. `,
    control.differs
      ? "The interval leaves out 1, as that of one sound run in twenty does: read small differences with care."
      : "No smaller difference is called faster by at least anything.",
  );
}

function blocks({ model }: State): HTMLElement {
  const { findings } = model.page;
  const voided = findings.audit.voided_blocks;
  const ended = findings.ended_by
    ? `The run ended by ${findings.ended_by}.`
    : "The run has not ended.";
  const text = voided.length
    ? `blocks count; ${voided.length} void: ${voided.map((one) => `block ${one.block}, ${one.reason}`).join("; ")}. ${ended}`
    : `blocks, ${aBlock(findings.design)}; none void. ${ended}`;
  return fact(String(findings.blocks_count), text);
}

/** What one block of a design is. */
export function aBlock({ kind, services_at_once_count: atOnce }: Record<string, unknown>): string {
  if (kind === "running_services")
    return "each every service once in random order, as it was already running";
  const groups =
    typeof atOnce === "number"
      ? `, in groups of at most ${atOnce} that share the baseline and its twin`
      : "";
  if (kind === "solo_trials")
    return `each a fresh start of every treatment, alone on the machine, in random order${groups}`;
  return `each a fresh start of every treatment in random order${groups}`;
}

function machine({ model }: State): HTMLElement {
  const it = model.page.findings.environment as {
    cpu_model?: string;
    cpus_count?: number;
    memory_bytes?: number;
    distribution?: string;
    kernel?: string;
    virtualization?: string;
    warnings?: string[];
  };
  const size = [
    it.cpus_count !== undefined && `${it.cpus_count} CPUs`,
    it.memory_bytes !== undefined && withUnit("bytes", it.memory_bytes),
  ].filter(Boolean);
  const rest = [
    it.cpu_model,
    it.virtualization,
    it.distribution,
    it.kernel && `Linux ${it.kernel}`,
  ];
  return h(
    "div",
    {},
    h("span", { class: "figure" }, size.join(", ") || "One machine"),
    h("p", {}, rest.filter(Boolean).join(" · ")),
    (it.warnings ?? []).map((warning) =>
      h(
        "p",
        { class: "small" },
        h("span", { class: "status", "data-status": "warn" }, "! "),
        warning,
      ),
    ),
  );
}

function skipped({ model }: State): Child {
  return [
    h("h3", {}, "Left out before the start"),
    h(
      "ul",
      { class: "small soft" },
      model.page.findings.skipped.map((one) => h("li", {}, `${one.treatment}: ${one.reason}`)),
    ),
  ];
}
