//! The estimator of the method, which lives in `stats`, in the terms of the findings.

use std::collections::{BTreeMap, BTreeSet};

use stats::verdict::Evidence;
use stats::{Interval, PairedRatio, interval, jackknife, paired, ranks, signed_rank, simultaneous};

use crate::findings::{Pair, RatioEstimate, SignedRank, Standing, Verdict};

/// Level of every interval.
pub(crate) const CONFIDENCE_LEVEL: f64 = 0.95;

/// Geometric mean of figures or ratios given as logarithms, at least one, with its unadjusted interval.
pub(crate) fn geometric(logs: &[f64]) -> Option<RatioEstimate> {
    geometric_at(logs, CONFIDENCE_LEVEL)
}

/// The same with an interval at `confidence`.
pub(crate) fn geometric_at(logs: &[f64], confidence: f64) -> Option<RatioEstimate> {
    paired::ratio(logs, confidence).map(found)
}

fn found(ratio: PairedRatio) -> RatioEstimate {
    RatioEstimate {
        ratio: ratio.ratio,
        low_ratio: ratio.interval.map(|interval| interval.low),
        high_ratio: ratio.interval.map(|interval| interval.high),
        blocks_count: ratio.blocks,
    }
}

/// Interval around the logarithm of a figure of all blocks, from those with one block left out.
pub(crate) fn leave_one_out(whole: f64, without: &[f64]) -> Option<(f64, f64)> {
    let interval = jackknife::jackknife(whole, without, CONFIDENCE_LEVEL)?;
    Some((interval.low, interval.high))
}

/// The ratio of every pair of treatments, by their places; together the intervals hold.
/// `figures` has each treatment's figure by block.
pub(crate) fn all_pairs(figures: &[BTreeMap<u32, f64>]) -> Vec<(usize, usize, RatioEstimate)> {
    let blocks: BTreeSet<u32> = figures.iter().flat_map(BTreeMap::keys).copied().collect();
    let logs: Vec<Vec<Option<f64>>> = figures
        .iter()
        .map(|figures| {
            blocks
                .iter()
                .map(|block| figures.get(block).map(|figure| figure.ln()))
                .collect()
        })
        .collect();
    simultaneous::all_pairs(&logs, CONFIDENCE_LEVEL)
        .into_iter()
        .map(|(one, other, ratio)| (one, other, found(ratio)))
        .collect()
}

/// The unadjusted signed-rank interval of log ratios; `None` with too few blocks.
pub(crate) fn hodges_lehmann(log_ratios: &[f64]) -> Option<SignedRank> {
    let ranks = signed_rank::signed_rank(log_ratios, CONFIDENCE_LEVEL)?;
    Some(SignedRank {
        ratio: ranks.estimate.exp(),
        low_ratio: ranks.interval.low.exp(),
        high_ratio: ranks.interval.high.exp(),
    })
}

/// What may be said of a ratio, one of `pairs_count`: the first is "faster" where it is above 1. `log_ratios` are
/// those of the blocks.
pub(crate) fn called(
    ratio: &RatioEstimate,
    log_ratios: &[f64],
    pairs_count: usize,
    terms: &stats::Terms,
) -> stats::Verdict {
    let evidence = Evidence {
        log_estimate: ratio.ratio.ln(),
        log_interval: ratio.interval().map(|(low, high)| Interval {
            low: low.ln(),
            high: high.ln(),
        }),
        log_signed_rank: signed_rank::signed_rank(log_ratios, CONFIDENCE_LEVEL)
            .map(|ranks| ranks.interval),
        log_sd: interval::standard_deviation(log_ratios),
        blocks: log_ratios.len(),
        confidence: simultaneous::each_confidence(CONFIDENCE_LEVEL, pairs_count),
    };
    stats::verdict::verdict(&evidence, terms)
}

/// The words of a pair that is told from the side of the one ahead: the interval holds the estimate, so the
/// one behind is never the faster one.
pub(crate) fn words(called: stats::Verdict) -> Verdict {
    match called {
        stats::Verdict::FasterByAtLeast(at_least_ratio)
        | stats::Verdict::SlowerByAtLeast(at_least_ratio) => Verdict::Faster { at_least_ratio },
        stats::Verdict::PracticallyEqual => Verdict::PracticallyEqual,
        stats::Verdict::FasterMayBeTooSmall | stats::Verdict::SlowerMayBeTooSmall => {
            Verdict::FasterMaybeTooSmall
        }
        stats::Verdict::Undecided(more_blocks_count) => Verdict::Undecided { more_blocks_count },
    }
}

/// Tier and rank interval of each of `names`, from the pairs that are decided.
pub(crate) fn standings(names: &[&str], pairs: &[Pair]) -> Vec<Standing> {
    let decided: BTreeSet<(&str, &str)> = pairs
        .iter()
        .filter(|pair| {
            matches!(
                pair.verdict,
                Verdict::Faster { .. } | Verdict::FasterMaybeTooSmall
            )
        })
        .map(|pair| (pair.treatment.as_str(), pair.against.as_str()))
        .collect();
    let intervals = ranks::rank_intervals(names.len(), |one, other| {
        decided.contains(&(names[one], names[other]))
    });
    let tiers = ranks::tiers(&intervals);
    let standing = |(interval, tier): (&ranks::RankInterval, usize)| Standing::Ranked {
        tier,
        rank_low: interval.best,
        rank_high: interval.worst,
    };
    intervals.iter().zip(tiers).map(standing).collect()
}
