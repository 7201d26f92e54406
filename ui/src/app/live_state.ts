// A run as it stands, bancada.live/1, and what each event does to it.

export interface LiveTrial {
  trial: string;
  block: number;
  treatment: string;
  status: "VALID" | "DEGRADED" | "INVALID";
  reasons?: string[];
  metrics: Record<string, number>;
}

export interface LiveState {
  experiment: string;
  run?: string;
  about?: {
    title: string;
    question: string;
    started_at: string;
    baseline: string;
    primary_metric: string;
    blocks_at_most_count: number;
    budget_s: number;
    treatments: { name: string; title: string; twin_of?: string }[];
  };
  step?: { step: string; detail: string };
  notices: string[];
  block?: {
    block: number;
    blocks_at_most_count: number;
    order: string[];
    slices_done_count: number;
    slices_in_block_count: number;
  };
  current?: { treatment: string; phase: string };
  completion_rates_per_s: Record<string, number>;
  remaining_s?: number;
  trials: LiveTrial[];
  over?: { ended_by?: string; failed?: string };
}

export type LiveEvent =
  | { event: "step_began"; step: string; detail: string }
  | { event: "noticed"; message: string }
  | { event: "block_began"; block: number; blocks_at_most: number; order: string[] }
  | { event: "treatment_began"; block: number; treatment: string; phase: string }
  | {
      event: "slice_ended";
      block: number;
      treatment: string;
      completion_rate_per_s: number;
      slices_done: number;
      slices_in_block: number;
    }
  | { event: "trial_ended"; trial: LiveTrial }
  | { event: "block_ended"; block: number; remaining_s: number }
  | { event: "run_ended"; ended_by: string };

export function apply(state: LiveState, event: LiveEvent): void {
  switch (event.event) {
    case "step_began":
      state.step = { step: event.step, detail: event.detail };
      break;
    case "noticed":
      state.notices.push(event.message);
      break;
    case "block_began":
      delete state.step;
      state.block = {
        block: event.block,
        blocks_at_most_count: event.blocks_at_most,
        order: event.order,
        slices_done_count: 0,
        slices_in_block_count: 0,
      };
      break;
    case "treatment_began":
      state.current = { treatment: event.treatment, phase: event.phase };
      break;
    case "slice_ended":
      state.completion_rates_per_s[event.treatment] = event.completion_rate_per_s;
      state.current = { treatment: event.treatment, phase: "measured" };
      if (state.block) {
        state.block.slices_done_count = event.slices_done;
        state.block.slices_in_block_count = event.slices_in_block;
      }
      break;
    case "trial_ended":
      state.trials.push(event.trial);
      break;
    case "block_ended":
      delete state.current;
      state.remaining_s = event.remaining_s;
      break;
    case "run_ended":
      delete state.current;
      break;
  }
}

/** The highest block of which a trial has ended: a new one says that the blocks before it are as whole as they will be. */
export function latestBlock(state: LiveState): number {
  return state.trials.reduce((latest, { block }) => Math.max(latest, block), 0);
}

/** Blocks in which every treatment has a trial. */
export function wholeBlocks(state: LiveState): number {
  const needed = state.about?.treatments.length ?? Infinity;
  const counts = new Map<number, number>();
  for (const { block } of state.trials) counts.set(block, (counts.get(block) ?? 0) + 1);
  return [...counts.values()].filter((count) => count >= needed).length;
}
