// What a page asks of its document: which trials count, what they say, how treatments compare.

import type {
  LevelFindings,
  Metric,
  PageDocument,
  Pair,
  Ratio,
  TreatmentFindings,
  Trial,
} from "./document";
import { ratioOf } from "./stats";

export class Model {
  readonly treatments: TreatmentFindings[];
  readonly ranked: TreatmentFindings[];
  private readonly metrics: Map<string, Metric>;
  private readonly usable = new Map<string, Map<number, Trial>>();

  constructor(readonly page: PageDocument) {
    this.treatments = page.findings.treatments;
    this.ranked = this.treatments.filter((one) => one.standing.kind === "ranked");
    this.metrics = new Map(page.metrics.map((metric) => [metric.name, metric]));
    const void_ = new Set(page.findings.audit.voided_blocks.map((voided) => voided.block));
    for (const trial of page.trials) {
      if (void_.has(trial.block) || trial.status === "INVALID") continue;
      const blocks = this.usable.get(trial.treatment) ?? new Map<number, Trial>();
      // Where a block was measured again, the later trial stands.
      blocks.set(trial.block, trial);
      this.usable.set(trial.treatment, blocks);
    }
  }

  metric(name: string): Metric {
    const unknown: Metric = { name, title: name, unit: "", better: "neither", description: "" };
    return this.metrics.get(name) ?? unknown;
  }

  title(treatment: string): string {
    const known = this.page.treatments.find((one) => one.name === treatment);
    return known?.title ?? treatment;
  }

  /** Whether the page has an audit of a treatment: of the twin too. */
  isAudited(treatment: string): boolean {
    return (
      this.treatments.some((one) => one.name === treatment) ||
      this.page.treatments.some((one) => one.name === treatment && one.twin_of !== undefined)
    );
  }

  /** Trials of a treatment in the order of blocks, whatever their status. */
  trials(treatment: string): Trial[] {
    return this.page.trials.filter((trial) => trial.treatment === treatment);
  }

  /** Positive figures of usable trials, by block. */
  byBlock(treatment: string, figure: (trial: Trial) => number | undefined): Map<number, number> {
    const found = new Map<number, number>();
    for (const [block, trial] of this.usable.get(treatment) ?? []) {
      const value = figure(trial);
      if (value !== undefined && Number.isFinite(value) && value > 0) found.set(block, value);
    }
    return found;
  }

  /** Metrics that any treatment has a figure of, and that have a better direction. */
  comparable(): Metric[] {
    const has = (name: string) => this.treatments.some((one) => this.compares(one, name));
    return this.page.metrics.filter((one) => one.better !== "neither" && has(one.name));
  }

  private compares(treatment: TreatmentFindings, metric: string): boolean {
    const figure = treatment.figures[metric];
    const primary = metric === this.page.findings.primary_metric;
    const tail = /_p99_ns$/.test(metric);
    return figure !== undefined && (primary || (!tail && figure.basis === "geometric_mean"));
  }

  /**
   * One treatment over another, block by block. On the primary metric intervals of ranked treatments hold for all
   * pairs together (Bonferroni); on others each stands alone.
   */
  ratio(treatment: string, against: string, metric: string): Ratio | null {
    const figure = (trial: Trial) => trial.metrics[metric];
    const own = this.treatments.find((one) => one.name === treatment);
    if (treatment === against || !own || !this.compares(own, metric)) return null;
    // A tail is of all blocks together, which the page does not hold: only the program's own pairs are known.
    if (/_p99_ns$/.test(metric)) return this.judged(treatment, against);
    const base = this.byBlock(against, figure);
    const logs: number[] = [];
    for (const [block, value] of [...this.byBlock(treatment, figure)].sort((a, b) => a[0] - b[0])) {
      const other = base.get(block);
      if (other !== undefined) logs.push(Math.log(value / other));
    }
    const found = ratioOf(logs, this.confidence(treatment, against, metric));
    const primary = metric === this.page.findings.primary_metric;
    return primary || (found?.blocks_count ?? 0) >= 2 ? found : null;
  }

  /** The program's own ratio of a pair on the run's metric. */
  private judged(treatment: string, against: string): Ratio | null {
    const found = this.pair(treatment, against);
    if (!found || found.ahead) return found?.pair ?? null;
    const { ratio, low_ratio: low, high_ratio: high, blocks_count } = found.pair;
    const inverse = (value?: number) => (value === undefined ? undefined : 1 / value);
    return { ratio: 1 / ratio, low_ratio: inverse(high), high_ratio: inverse(low), blocks_count };
  }

  private confidence(treatment: string, against: string, metric: string): number {
    const { confidence_level_ratio: level, primary_metric: primary } = this.page.findings;
    const ranked = (name: string) => this.ranked.some((one) => one.name === name);
    if (metric !== primary || !ranked(treatment) || !ranked(against)) return level;
    const pairs = (this.ranked.length * (this.ranked.length - 1)) / 2;
    return 1 - (1 - level) / Math.max(1, pairs);
  }

  /** What the program says of a pair, and which of the two is ahead. */
  pair(one: string, other: string): { pair: Pair; ahead: boolean } | null {
    for (const pair of this.page.findings.pairs) {
      if (pair.treatment === one && pair.against === other) return { pair, ahead: true };
      if (pair.treatment === other && pair.against === one) return { pair, ahead: false };
    }
    return null;
  }

  /** Levels under one kind of load at which any treatment has a figure of a metric, in the order of the findings. */
  levels(load: string, metric: string): LevelFindings[] {
    const has = (level: LevelFindings) => level.treatments.some((one) => one.figures[metric]);
    return (this.page.findings.levels ?? []).filter((level) => level.load === load && has(level));
  }
}
