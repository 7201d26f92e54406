//! Whether a run is precise enough to stop: half-widths alone, never where the intervals lie.

use std::collections::BTreeMap;

use record::{Run, Trial, TrialStatus};
use stats::precision::StoppingRule;
use stats::simultaneous::all_pairs;

/// Level at which all intervals hold together.
const CONFIDENCE: f64 = 0.95;

/// The stopping rule of one run.
pub struct Precision {
    rule: StoppingRule,
    usable: usize,
}

impl Precision {
    /// The rule as the run's design states it.
    pub fn of(run: &Run) -> Precision {
        let target = run.design.target_half_width_ratio.ln_1p();
        Precision {
            rule: StoppingRule::new(run.design.min_blocks_count as usize, target),
            usable: 0,
        }
    }

    /// Takes all trials so far, once after each block; whether the run may stop. A block counts when every
    /// ranked treatment has a figure in it; one that does not count changes nothing.
    pub fn is_enough(&mut self, run: &Run, trials: &[Trial]) -> bool {
        let logs = logs(run, trials);
        let usable = match run.design.services_at_once_count {
            // No block holds all: what counts is the pair that met least often.
            Some(_) => least_shared(&logs),
            None => shared(&logs.iter().collect::<Vec<_>>()),
        };
        if usable == self.usable {
            return false;
        }
        self.usable = usable;
        self.rule.after_block(usable, &half_widths(&logs))
    }
}

/// Blocks in which all of these have a figure.
fn shared(logs: &[&Vec<Option<f64>>]) -> usize {
    let blocks = logs.first().map_or(0, |log| log.len());
    (0..blocks)
        .filter(|block| logs.iter().all(|log| log[*block].is_some()))
        .count()
}

fn least_shared(logs: &[Vec<Option<f64>>]) -> usize {
    let pairs = logs
        .iter()
        .enumerate()
        .flat_map(|(index, one)| logs[index + 1..].iter().map(move |other| [one, other]));
    pairs.map(|pair| shared(&pair)).min().unwrap_or(0)
}

/// Half-widths of the simultaneous intervals over all pairs; infinite for a pair that has none yet.
fn half_widths(logs: &[Vec<Option<f64>>]) -> Vec<f64> {
    let pairs = stats::simultaneous::pairs_count(logs.len());
    let found = all_pairs(logs, CONFIDENCE);
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

/// The primary metric of every ranked treatment, block by block.
pub(crate) fn logs(run: &Run, trials: &[Trial]) -> Vec<Vec<Option<f64>>> {
    let ranked = run
        .treatments
        .iter()
        .filter(|treatment| treatment.ranked && treatment.twin_of.is_none());
    ranked
        .map(|treatment| figures(run, trials, &treatment.name))
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
