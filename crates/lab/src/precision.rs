//! Whether a run is precise enough to stop: half-widths alone, never where the intervals lie.

use std::collections::BTreeMap;

use record::{Run, Trial, TrialStatus};
use stats::precision::StoppingRule;
use stats::simultaneous::all_pairs;

/// Level at which all intervals hold together.
const CONFIDENCE: f64 = 0.95;

/// The stopping rule of one run.
pub struct Precision(StoppingRule);

impl Precision {
    /// The rule as the run's design states it.
    pub fn of(run: &Run) -> Precision {
        let target = run.design.target_half_width_ratio.ln_1p();
        Precision(StoppingRule::new(
            run.design.min_blocks_count as usize,
            target,
        ))
    }

    /// Takes all trials so far, once after each block; whether the run may stop.
    pub fn is_enough(&mut self, run: &Run, trials: &[Trial]) -> bool {
        let blocks = trials.iter().map(|trial| trial.block).max().unwrap_or(0);
        self.0
            .after_block(blocks as usize, &half_widths(run, trials))
    }
}

/// Half-widths of the primary metric's simultaneous intervals over all ranked pairs; infinite for a pair
/// that has none yet.
pub fn half_widths(run: &Run, trials: &[Trial]) -> Vec<f64> {
    let ranked = run
        .treatments
        .iter()
        .filter(|treatment| treatment.ranked && treatment.twin_of.is_none());
    let logs: Vec<Vec<Option<f64>>> = ranked
        .map(|treatment| figures(run, trials, &treatment.name))
        .collect();
    let pairs = stats::simultaneous::pairs_count(logs.len());
    let found = all_pairs(&logs, CONFIDENCE);
    let widths = found.iter().map(|(_, _, pair)| {
        pair.interval.map_or(f64::INFINITY, |interval| {
            (interval.high / interval.low).ln() / 2.0
        })
    });
    let missing = pairs - found.len();
    widths
        .chain(std::iter::repeat_n(f64::INFINITY, missing))
        .collect()
}

/// The logarithm of a treatment's primary metric in each block; none where its trial is INVALID or the block void.
fn figures(run: &Run, trials: &[Trial], treatment: &str) -> Vec<Option<f64>> {
    let last = trials.iter().map(|trial| trial.block).max().unwrap_or(0);
    let by_block: BTreeMap<u32, f64> = trials
        .iter()
        .filter(|trial| trial.treatment == treatment && trial.status != TrialStatus::Invalid)
        .filter(|trial| {
            run.voided_blocks
                .iter()
                .all(|void| void.block != trial.block)
        })
        .filter_map(|trial| Some((trial.block, trial.metrics.get(&run.primary_metric)?.ln())))
        .filter(|(_, log)| log.is_finite())
        .collect();
    (1..=last)
        .map(|block| by_block.get(&block).copied())
        .collect()
}
