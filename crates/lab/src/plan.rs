//! What a run would do, before it is started: its blocks, how long they take, what they could show.

use std::path::Path;

use catalog::{DesignKind, ExperimentManifest};
use record::{Design, Run, RunDir, Treatment, Trial};
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
/// A smallest visible difference beyond this, as a ratio, is no news to anybody: so few blocks tell nothing.
const VISIBLE_MAX_RATIO: f64 = 3.0;
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
    let most = manifest.max_blocks.saturating_mul(groups as u32);
    let Blocks { block_s, blocks } = blocks(&design, in_block, most);
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

/// What a run whose treatments are known would do: those that were skipped are not among them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Prospect {
    /// Seconds one block takes, about.
    pub block_s: f64,
    /// Blocks that the budget allows, about.
    pub blocks: u32,
    /// Blocks in which any treatment is measured, about.
    pub blocks_per_treatment: u32,
    /// Treatments that are ranked.
    pub ranked: usize,
}

impl Prospect {
    /// Of a run whose groups are formed; the twin is among its treatments.
    pub fn of(design: &Design, treatments: &[Treatment]) -> Prospect {
        let all = treatments.len();
        let groups = match design.services_at_once_count {
            Some(at_once) => groups_count(all, at_once as usize),
            None => 1,
        };
        let in_block = 1 + all.saturating_sub(1).div_ceil(groups);
        let Blocks { block_s, blocks } = blocks(design, in_block, design.max_blocks_count);
        let ranked = treatments
            .iter()
            .filter(|one| one.ranked && one.twin_of.is_none());
        Prospect {
            block_s,
            blocks,
            blocks_per_treatment: blocks.div_ceil(groups as u32),
            ranked: ranked.count(),
        }
    }

    /// What it can tell from no difference, in words. `measured`: what an earlier run of the experiment showed.
    pub fn visible(&self, measured: Option<&Measured>) -> String {
        let spread = measured.map_or(USUAL_SPREAD, |measured| measured.spread);
        let visible = visible_ratio(spread, self.blocks_per_treatment, self.ranked);
        if !visible.is_finite() || visible > VISIBLE_MAX_RATIO {
            return "too few to tell any difference".to_owned();
        }
        let per_cent = spread * 100.0;
        let grounds = match measured {
            Some(measured) => format!(
                "ratios varied by {per_cent:.1} % from block to block in {}",
                measured.run
            ),
            None => format!(
                "no earlier run tells how much ratios vary from block to block; assuming {per_cent:.0} %"
            ),
        };
        format!(
            "differences above about {:.1} % can be told from none ({grounds})",
            visible * 100.0
        )
    }
}

struct Blocks {
    block_s: f64,
    blocks: u32,
}

fn blocks(design: &Design, in_block: usize, most: u32) -> Blocks {
    let start_s = START_S + design.warm_up_cap_s;
    let block_s = in_block as f64 * (start_s + measuring_s(design));
    Blocks {
        block_s,
        blocks: (design.budget_s as f64 / block_s)
            .ceil()
            .clamp(1.0, f64::from(most.max(1))) as u32,
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

/// How much ratios varied from block to block in an earlier run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Name of the run.
    pub run: String,
    /// Standard deviation of a log ratio from block to block, as [`spread_of`] has it.
    pub spread: f64,
}

/// What the last run of an experiment under `runs` that can tell has shown; `None` where none can.
pub fn last_spread(runs: &Path, experiment: &str) -> Option<Measured> {
    let listed = record::list_runs(runs).ok()?;
    listed.into_iter().rev().find_map(|listed| {
        let run = listed.run.ok().filter(|run| run.experiment == experiment)?;
        let trials = RunDir::open(&listed.path).ok()?.trials().ok()?.trials;
        Some(Measured {
            spread: spread_of(&run, &trials)?,
            run: run.run,
        })
    })
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
    use crate::groups::tests::treatments;

    #[test]
    fn a_plan_of_two_blocks_promises_no_difference() {
        let plan = Prospect {
            block_s: 100.0,
            blocks: 2,
            blocks_per_treatment: 2,
            ranked: 5,
        };
        assert_eq!(plan.visible(None), "too few to tell any difference");
    }

    #[test]
    fn more_blocks_and_a_quieter_machine_show_smaller_differences() {
        let shown = |sd, blocks| visible_ratio(sd, blocks, 4);
        assert!(shown(0.02, 16) < shown(0.02, 8));
        assert!(shown(0.01, 8) < shown(0.02, 8));
        assert!(shown(0.02, 8) > 0.0);
    }

    #[test]
    fn a_run_of_fewer_treatments_has_more_blocks_and_shows_smaller_differences() {
        let design = Design {
            budget_s: 600,
            ..crate::design::tests::design(1)
        };
        let of = |count| Prospect::of(&design, &treatments(count, 0));
        let (few, many) = (of(2), of(8));
        assert_eq!((few.ranked, many.ranked), (2, 8));
        assert!(few.block_s < many.block_s && few.blocks >= many.blocks);
        let grouped = Design {
            services_at_once_count: Some(SERVICES_AT_ONCE as u32),
            ..design.clone()
        };
        let grouped = Prospect::of(&grouped, &treatments(16, 0));
        assert!(grouped.blocks_per_treatment < grouped.blocks);
    }

    #[test]
    fn how_much_ratios_vary_is_told_from_an_earlier_run_and_else_said_to_be_assumed() {
        let design = crate::design::tests::design(1);
        let prospect = Prospect {
            blocks_per_treatment: 8,
            ..Prospect::of(&design, &treatments(4, 0))
        };
        let earlier = Measured {
            run: "2026-01-31T1200-first-look".to_owned(),
            spread: 0.01,
        };
        let measured = prospect.visible(Some(&earlier));
        assert!(
            measured.contains("varied by 1.0 % from block to block in 2026-01-31T1200-first-look"),
            "{measured}"
        );
        assert!(prospect.visible(None).contains("assuming 2 %"));
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
