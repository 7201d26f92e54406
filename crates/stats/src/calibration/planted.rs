//! What is said of a pair whose true difference is known.

use rand::Rng;

use crate::interval;
use crate::precision::{self, StoppingRule};
use crate::signed_rank::signed_rank;
use crate::simulate::{Bench, Drift, Order, Tail, Treatment};
use crate::simultaneous::{self, each_confidence, pairs_count};
use crate::twin;
use crate::verdict::{Evidence, Terms, Verdict, verdict};

/// Shares of runs by the word said of the planted pair, and what else came out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The truly faster one is called faster by at least some ratio.
    pub faster: f64,
    /// It is called faster, maybe by too little to matter.
    pub may_be_too_small: f64,
    /// The two are called practically equal.
    pub equal: f64,
    /// Undecided.
    pub undecided: f64,
    /// The truly slower one, or either of two that are alike, is called faster by at least some ratio.
    pub wrong: f64,
    /// The simultaneous interval contains the planted ratio.
    pub covered: f64,
    /// The least difference promised by *faster by at least* is larger than the planted one.
    pub promised_too_much: f64,
    /// Blocks on average.
    pub mean_blocks: f64,
    /// Mean of what the twin said the bench cannot see.
    pub mean_twin_bound_ratio: f64,
}

/// A design: four treatments and a twin in sliced blocks, stopped by precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Design {
    /// Blocks before precision may stop the run.
    pub min_blocks: usize,
    /// Blocks at most.
    pub max_blocks: usize,
    /// Half-width that all pairs must meet, logarithmic.
    pub target: f64,
    /// Smallest relevant difference.
    pub relevant_ratio: f64,
}

/// How many treatments are ranked; the twin comes after them.
const RANKED: usize = 4;

/// The bench of a planted difference: the second treatment takes `planted_ratio` more than the first (0.10 for
/// ten per cent), two others are far away, and the last one is the twin of the first.
pub fn bench(planted_ratio: f64, start_sd: f64, slice_sd: f64, drift: Drift, tail: Tail) -> Bench {
    let levels = [0.0, planted_ratio.ln_1p(), 0.4, 0.9, 0.0];
    let treatment = |log_level| Treatment {
        log_level,
        start_sd,
        slice_sd,
    };
    Bench {
        treatments: levels.map(treatment).to_vec(),
        drift,
        tail,
        slices: 6,
    }
}

/// What is said of the first two treatments of `bench` over `repeats` runs.
pub fn outcomes(bench: &Bench, design: &Design, repeats: usize, random: &mut impl Rng) -> Outcome {
    let truth = bench.treatments[1].log_level - bench.treatments[0].log_level;
    let each = 1.0 / repeats.max(1) as f64;
    let mut outcome = Outcome::default();
    for _ in 0..repeats {
        let (logs, blocks) = stopped_run(bench, design, random);
        let evidence = evidence(&logs);
        let twin_bound = interval::of_mean(&differences(&logs, RANKED, 0), 0.95)
            .map_or(f64::INFINITY, twin::bound_ratio);
        let terms = Terms {
            relevant_ratio: design.relevant_ratio,
            bound_ratio: twin_bound,
        };
        let word = match verdict(&evidence, &terms) {
            Verdict::FasterByAtLeast(ratio) if truth > 0.0 => {
                outcome.promised_too_much += if ratio.ln_1p() > truth { each } else { 0.0 };
                &mut outcome.faster
            }
            Verdict::FasterByAtLeast(_) | Verdict::SlowerByAtLeast(_) => &mut outcome.wrong,
            Verdict::FasterMayBeTooSmall | Verdict::SlowerMayBeTooSmall => {
                &mut outcome.may_be_too_small
            }
            Verdict::PracticallyEqual => &mut outcome.equal,
            Verdict::Undecided(_) => &mut outcome.undecided,
        };
        *word += each;
        if evidence
            .log_interval
            .is_some_and(|found| found.contains(truth))
        {
            outcome.covered += each;
        }
        outcome.mean_blocks += blocks as f64 * each;
        outcome.mean_twin_bound_ratio += twin_bound * each;
    }
    outcome
}

/// One run, cut where all pairs of the ranked treatments met the target twice in a row; its blocks.
fn stopped_run(
    bench: &Bench,
    design: &Design,
    random: &mut impl Rng,
) -> (Vec<Vec<Option<f64>>>, usize) {
    let whole = bench.run(Order::SlicedBlocks, design.max_blocks, random);
    let upto = |blocks: usize| -> Vec<Vec<Option<f64>>> {
        whole.iter().map(|row| row[..blocks].to_vec()).collect()
    };
    let confidence = each_confidence(0.95, pairs_count(RANKED));
    let mut rule = StoppingRule::new(design.min_blocks, design.target);
    // Meeting the target once before the least number of blocks is enough to count as the first of two.
    let blocks = (design.min_blocks.saturating_sub(1).max(2)..=design.max_blocks)
        .find(|blocks| {
            let pairs = simultaneous::all_pairs(&upto(*blocks)[..RANKED], 0.95);
            let widths: Vec<f64> = pairs
                .iter()
                .filter_map(|(_, _, pair)| pair.log_sd)
                .map(|sd| precision::half_width(sd, *blocks, confidence))
                .collect();
            rule.after_block(*blocks, &widths)
        })
        .unwrap_or(design.max_blocks);
    (upto(blocks), blocks)
}

/// ln(one / other) by block.
fn differences(logs: &[Vec<Option<f64>>], one: usize, other: usize) -> Vec<f64> {
    let pairs = logs[one].iter().zip(&logs[other]);
    pairs
        .filter_map(|(one, other)| Some((*one)? - (*other)?))
        .collect()
}

/// The evidence on the first two treatments, less being better.
fn evidence(logs: &[Vec<Option<f64>>]) -> Evidence {
    let differences = differences(logs, 1, 0);
    let confidence = each_confidence(0.95, pairs_count(RANKED));
    Evidence {
        log_estimate: interval::mean(&differences).unwrap_or(0.0),
        log_interval: interval::of_mean(&differences, confidence),
        log_signed_rank: signed_rank(&differences, 0.95).map(|found| found.interval),
        log_sd: interval::standard_deviation(&differences),
        blocks: differences.len(),
        confidence,
    }
}
