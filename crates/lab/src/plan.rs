//! What a run would do, before it is started: its blocks, how long they take, what they could show.

use catalog::ExperimentManifest;
use stats::precision::half_width;
use stats::simultaneous::{each_confidence, pairs_count};

use crate::design::{SliceTurn, block_order};

/// Seconds that starting a service, restoring its database and stopping it take, about.
const START_S: f64 = 1.5;
/// Seconds between two slices: the canary and the drain.
const BETWEEN_SLICES_S: f64 = 0.02;
/// Confidence at which all intervals hold together.
const CONFIDENCE: f64 = 0.95;

/// A run, as far as it is known before the pilot.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPlan {
    /// Names of the treatments, the twin last.
    pub treatments: Vec<String>,
    /// Seconds one block takes, about.
    pub block_s: f64,
    /// Blocks that the budget allows, about.
    pub blocks: u32,
    /// Seconds of verification and pilot before the first block.
    pub pilot_s: f64,
    /// Order of the first block: starts, then slices.
    pub first_starts: Vec<String>,
    /// Slices of the first block.
    pub first_slices: Vec<SliceTurn>,
}

/// Works a plan out from a manifest.
pub fn plan(manifest: &ExperimentManifest, seed: u64, budget_s: Option<u64>) -> RunPlan {
    let mut treatments: Vec<String> = manifest
        .treatment
        .iter()
        .map(|treatment| treatment.name.clone())
        .collect();
    treatments.push(format!("{}{}", manifest.twin, crate::design::TWIN_SUFFIX));
    let count = treatments.len() as f64;
    let slices = f64::from(manifest.open_slices + manifest.closed_slices);
    let start_s = START_S + manifest.warm_up_cap_s;
    let block_s = count * (start_s + slices * (manifest.slice_s + BETWEEN_SLICES_S));
    let budget_s = budget_s.unwrap_or(manifest.budget_s) as f64;
    let blocks = (budget_s / block_s)
        .ceil()
        .clamp(1.0, f64::from(manifest.max_blocks)) as u32;
    let order = block_order(
        seed,
        1,
        treatments.len(),
        manifest.open_slices,
        manifest.closed_slices,
    );
    RunPlan {
        block_s,
        blocks,
        pilot_s: (count - 1.0) * (start_s + 2.0),
        first_starts: order
            .starts
            .iter()
            .map(|&index| treatments[index].clone())
            .collect(),
        first_slices: order.slices,
        treatments,
    }
}

/// Smallest difference between two treatments that so many blocks could tell from none, as a ratio, when
/// log ratios vary by `log_sd` from block to block. All pairs of `treatments` together.
pub fn visible_ratio(log_sd: f64, blocks: u32, treatments: usize) -> f64 {
    let confidence = each_confidence(CONFIDENCE, pairs_count(treatments));
    half_width(log_sd, blocks as usize, confidence).exp_m1()
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
}
