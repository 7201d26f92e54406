// The document a page draws, bancada.page/1, as far as the page reads it. Sections whose data is absent are absent.

export interface PageDocument {
  schema: string;
  findings: Findings;
  metrics: Metric[];
  treatments: Treatment[];
  catalog: Record<string, Record<string, unknown>>;
  trials: Trial[];
  curves: Curve[];
  samples: Record<string, Samples>;
  sources: Record<string, Record<string, string>>;
  left_out: string[];
}

export interface Metric {
  name: string;
  title: string;
  unit: string;
  better: "lower" | "higher" | "neither";
  description: string;
}

export interface Ratio {
  ratio: number;
  low_ratio?: number;
  high_ratio?: number;
  blocks_count: number;
}

export interface Figure {
  estimate: number;
  low?: number;
  high?: number;
  blocks_count: number;
  basis: string;
}

export interface TreatmentFindings {
  name: string;
  title: string;
  standing:
    | { kind: "ranked"; tier: number; rank_low: number; rank_high: number }
    | { kind: "unranked"; reason: string };
  valid_count: number;
  degraded_count: number;
  invalid_count: number;
  to_baseline?: Ratio;
  figures: Record<string, Figure>;
  skips?: string[];
}

export interface Pair extends Ratio {
  treatment: string;
  against: string;
  verdict: string;
  at_least_ratio?: number;
  more_blocks_count?: number;
  sentence: string;
}

/** One level of load, over every treatment that was put under it. */
export interface LevelFindings {
  level: string;
  load: string;
  leading_metric: string;
  treatments: LevelTreatment[];
  pairs: Pair[];
}

export interface LevelTreatment {
  name: string;
  title: string;
  concurrency_count?: number;
  arrival_rate_per_s?: number;
  capacity_ratio?: number;
  usable_count: number;
  invalid_count: number;
  figures: Record<string, Figure>;
  outcomes: Record<string, number>;
  notes?: string[];
  to_baseline?: Ratio;
}

export interface Scaling {
  treatment: string;
  title: string;
  rate_of_one_per_s: number;
  contention_ratio: number;
  coherency_ratio: number;
  error_ratio: number;
  peak_concurrency_count?: number;
  knee_concurrency_count?: number;
}

export interface ToolFindings {
  tool: string;
  version?: string;
  treatment: string;
  starts_count: number;
  arguments: string[];
  said: Record<string, number>;
  ours: Record<string, number>;
  ours_concurrency_count: number;
  failures?: string[];
}

export interface WhatIf {
  treatment: string;
  of: string;
  change: string;
  title: string;
  pair?: Pair;
}

/** What a treatment takes, block by block, so that prices can be put to it. */
export interface Cost {
  treatment: string;
  title: string;
  blocks: {
    block: number;
    service_cpu_us: number;
    database_cpu_us?: number;
    memory_bytes?: number;
    completion_rate_per_s?: number;
  }[];
}

export interface Findings {
  schema: string;
  run: string;
  experiment: string;
  title: string;
  question: string;
  answer: string;
  provisional?: string;
  caveat?: string;
  started_at: string;
  ended_at?: string;
  ended_by?: string;
  bancada_version: string;
  primary_metric: string;
  baseline: string;
  relevant_difference_ratio: number;
  confidence_level_ratio: number;
  blocks_count: number;
  audit: {
    valid_count: number;
    degraded_count: number;
    invalid_count: number;
    reasons: { trial: string; treatment: string; status: string; reasons: string[] }[];
    checks: { check: string; pass_count: number; warn_count: number; fail_count: number }[];
    voided_blocks: { block: number; reason: string }[];
    order?: { found: boolean; sentence: string };
  };
  control?: {
    treatment: string;
    twin: string;
    ratio: Ratio;
    bound_ratio: number;
    differs: boolean;
  };
  treatments: TreatmentFindings[];
  pairs: Pair[];
  exploratory: (Ratio & { metric: string; treatment: string; against: string })[];
  levels?: LevelFindings[];
  scaling?: Scaling[];
  tools?: ToolFindings[];
  what_if?: WhatIf[];
  cost?: Cost[];
  skipped: { treatment: string; reason: string }[];
  notices?: string[];
  design: Record<string, unknown> & {
    arrival_rate_per_s?: number;
    objective?: string;
    service_cpus?: number[];
  };
  environment: Record<string, unknown>;
  // Parts that not every run has, read where they are drawn.
  [other: string]: unknown;
}

export interface Treatment {
  name: string;
  twin_of?: string;
  title: string;
  stack?: string;
  workload?: string;
  url?: string;
  launch?: string;
  ranked: boolean;
  settings: Record<string, string>;
  facts: Record<string, string>;
}

export interface Trial {
  trial: string;
  block: number;
  treatment: string;
  position: number;
  started_at: string;
  ended_at: string;
  status: "VALID" | "DEGRADED" | "INVALID";
  reasons?: string[];
  metrics: Record<string, number>;
  outcomes: Record<string, number>;
  audit?: [check: string, status: string, detail: string][];
  /** Figures of its levels, as far as charts over load draw them: by level, then metric. */
  levels?: Record<string, Record<string, number>>;
  slices?: Record<string, (number | string | null)[]>;
}

export interface Curve {
  treatment: string;
  histogram: string;
  requests_count: number;
  is_invalid: boolean;
  quantiles_ratio: number[];
  times_ns: number[];
  low_ns: (number | null)[];
  high_ns: (number | null)[];
}

export interface Samples {
  at_s: number[];
  figures: Record<string, (number | null)[]>;
}

/** Reads the document inside the page; null when it holds none. */
export function readDocument(): PageDocument | null {
  const text = document.getElementById("page-document")?.textContent ?? "null";
  const read = JSON.parse(text) as PageDocument | null;
  return read?.schema === "bancada.page/1" ? read : null;
}
