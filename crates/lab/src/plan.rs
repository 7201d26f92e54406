//! What a run would do, before it is started: its blocks, how long they take, what they could show.

use catalog::{DesignKind, ExperimentManifest};
use record::{Design, Run, Trial};
use stats::precision::half_width;
use stats::quantile::median;
use stats::simultaneous::{each_confidence, pairs_count};

use crate::design::{SliceTurn, TWIN_SUFFIX, block_order, slices_per_trial};
use crate::groups::{SERVICES_AT_ONCE, groups_count};
use crate::place::Placement;
use crate::precision::logs;
use crate::resolve;

/// Seconds that starting a service, restoring its database and stopping it take, about.
const START_S: f64 = 1.5;
/// Seconds between two slices: the canary and the drain.
const BETWEEN_SLICES_S: f64 = 0.02;
/// Seconds that a search for capacity takes, about: eight drives.
const SEARCH_S: f64 = 12.0;
/// Requests per second that a cold service answers, for want of a better guess.
const COLD_RATE_PER_S: f64 = 2_000.0;
/// Confidence at which all intervals hold together.
const CONFIDENCE: f64 = 0.95;
/// Spread of log ratios from block to block, where no earlier run tells.
pub const USUAL_SPREAD: f64 = 0.02;

/// A run, as far as it is known before the pilot.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPlan {
    /// How it would be measured.
    pub design: Design,
    /// Names of the treatments, the twin last.
    pub treatments: Vec<String>,
    /// Treatments in one block.
    pub treatments_per_block: usize,
    /// Seconds one block takes, about.
    pub block_s: f64,
    /// Blocks that the budget allows, about.
    pub blocks: u32,
    /// Blocks in which any treatment is measured, about: fewer than `blocks` where a block holds a group.
    pub blocks_per_treatment: u32,
    /// Seconds of verification and pilot before the first block.
    pub pilot_s: f64,
    /// Order of the first block: starts, then slices. Starts are empty where groups are drawn.
    pub first_starts: Vec<String>,
    /// Slices of the first block.
    pub first_slices: Vec<SliceTurn>,
}

/// Works a plan out from a manifest.
pub fn plan(manifest: &ExperimentManifest, seed: u64, budget_s: Option<u64>) -> RunPlan {
    let nowhere = Placement {
        service_cpus: Vec::new(),
        bench_cpus: Vec::new(),
    };
    let design = resolve::design(manifest, &nowhere, seed, budget_s);
    let mut treatments: Vec<String> = manifest
        .treatment
        .iter()
        .map(|treatment| treatment.name.clone())
        .collect();
    treatments.push(format!("{}{TWIN_SUFFIX}", manifest.twin));
    let groups = match manifest.design {
        DesignKind::SlicedBlocks if treatments.len() > SERVICES_AT_ONCE => {
            groups_count(treatments.len(), SERVICES_AT_ONCE)
        }
        _ => 1,
    };
    let in_block = 1 + (treatments.len() - 1).div_ceil(groups);
    let start_s = START_S + manifest.warm_up_cap_s;
    let block_s = in_block as f64 * (start_s + measuring_s(&design));
    let most = manifest.max_blocks.saturating_mul(groups as u32);
    let blocks = (design.budget_s as f64 / block_s)
        .ceil()
        .clamp(1.0, f64::from(most)) as u32;
    let order = block_order(&design, 1, in_block);
    let starts = order.starts.iter().filter(|_| groups == 1);
    RunPlan {
        block_s,
        blocks,
        blocks_per_treatment: blocks.div_ceil(groups as u32),
        treatments_per_block: in_block,
        pilot_s: (treatments.len() as f64 - 1.0) * (start_s + 2.0),
        first_starts: starts.map(|&index| treatments[index].clone()).collect(),
        first_slices: order.slices,
        treatments,
        design,
    }
}

/// Seconds that one trial is measured, about.
fn measuring_s(design: &Design) -> f64 {
    let slices_s = f64::from(slices_per_trial(design)) * (design.slice_s + BETWEEN_SLICES_S);
    let cold_s = design
        .cold_requests_count
        .map_or(0.0, |requests| requests as f64 / COLD_RATE_PER_S);
    let search_s = design.objective.as_ref().map_or(0.0, |_| SEARCH_S);
    slices_s + cold_s + search_s + design.ramp_up_s.unwrap_or(0.0)
}

/// Smallest difference between two treatments that so many blocks could tell from none, as a ratio, when
/// log ratios vary by `log_sd` from block to block. All pairs of `treatments` together.
pub fn visible_ratio(log_sd: f64, blocks: u32, treatments: usize) -> f64 {
    let confidence = each_confidence(CONFIDENCE, pairs_count(treatments));
    half_width(log_sd, blocks as usize, confidence).exp_m1()
}

/// How much log ratios of the primary metric varied from block to block in a run: the median over its pairs. `None`
/// where no pair met in three blocks.
pub fn spread_of(run: &Run, trials: &[Trial]) -> Option<f64> {
    let logs = logs(run, trials);
    let mut spreads = Vec::new();
    for (index, one) in logs.iter().enumerate() {
        for other in &logs[index + 1..] {
            let pairs = one.iter().zip(other);
            let ratios: Vec<f64> = pairs.filter_map(|(a, b)| Some((*a)? - (*b)?)).collect();
            spreads.extend(deviation(&ratios));
        }
    }
    median(&spreads)
}

/// The sample standard deviation; `None` of fewer than three.
fn deviation(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    if count < 3.0 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (count - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_blocks_and_a_quieter_machine_show_smaller_differences() {
        let shown = |sd, blocks| visible_ratio(sd, blocks, 4);
        assert!(shown(0.02, 16) < shown(0.02, 8));
        assert!(shown(0.01, 8) < shown(0.02, 8));
        assert!(shown(0.02, 8) > 0.0);
    }

    #[test]
    fn what_is_asked_besides_takes_time() {
        let plain = crate::design::tests::design(1);
        let more = [
            Design {
                objective: Some("p99<50ms".to_owned()),
                ..plain.clone()
            },
            Design {
                cold_requests_count: Some(20_000),
                ..plain.clone()
            },
            Design {
                ramp_up_s: Some(10.0),
                ..plain.clone()
            },
            Design {
                concurrencies: vec![1, 10, 50, 100],
                ..plain.clone()
            },
        ];
        for design in more {
            assert!(measuring_s(&design) > measuring_s(&plain) + 1.0);
        }
    }

    #[test]
    fn the_spread_of_three_ratios_is_their_deviation_and_of_two_is_unknown() {
        assert_eq!(deviation(&[0.0, 0.1]), None);
        assert!((deviation(&[-0.1, 0.0, 0.1]).unwrap() - 0.1).abs() < 1e-12);
    }
}
