//! How often the method errs on a simulated bench, and how often its alternatives do.
//!
//! Every function repeats a simulated comparison and returns shares from 0 to 1. `cargo run --release -p stats
//! --example calibrate` prints the figures of METHOD; the tests repeat a small part of them.

use rand::Rng;

use crate::interval::{self, Interval};
use crate::precision::{self, StoppingRule};
use crate::quantile;
use crate::signed_rank::signed_rank;
use crate::simulate::{Bench, Order};

pub mod family;
pub mod planted;
pub mod tail;

/// Log ratios of the first two treatments of a run; their true value is the difference of the levels.
fn log_ratios(bench: &Bench, order: Order, blocks: usize, random: &mut impl Rng) -> Vec<f64> {
    let logs = bench.run(order, blocks, random);
    let pairs = logs[0].iter().zip(&logs[1]);
    pairs
        .filter_map(|(one, other)| Some((*one)? - (*other)?))
        .collect()
}

fn true_log_ratio(bench: &Bench) -> f64 {
    bench.treatments[0].log_level - bench.treatments[1].log_level
}

/// Share of `repeats` in which `happens`.
fn share(repeats: usize, mut happens: impl FnMut() -> bool) -> f64 {
    let count = (0..repeats).filter(|_| happens()).count();
    count as f64 / repeats.max(1) as f64
}

/// How often intervals at 95 % contain the true ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coverage {
    /// Student's t interval of the mean log ratio.
    pub student: f64,
    /// Signed-rank interval; 0 below six blocks, where there is none.
    pub signed_rank: f64,
    /// Mean half-width of the t interval, logarithmic.
    pub half_width: f64,
}

/// Coverage for the first two treatments of `bench`, which should be noisy alike for the signed-rank interval.
pub fn coverage(
    bench: &Bench,
    order: Order,
    blocks: usize,
    repeats: usize,
    random: &mut impl Rng,
) -> Coverage {
    let truth = true_log_ratio(bench);
    let (mut student, mut ranks, mut widths) = (0, 0, 0.0);
    for _ in 0..repeats {
        let logs = log_ratios(bench, order, blocks, random);
        if let Some(found) = interval::of_mean(&logs, 0.95) {
            student += usize::from(found.contains(truth));
            widths += found.half_width();
        }
        let found = signed_rank(&logs, 0.95);
        ranks += usize::from(found.is_some_and(|found| found.interval.contains(truth)));
    }
    let of_all = |count: f64| count / repeats.max(1) as f64;
    Coverage {
        student: of_all(student as f64),
        signed_rank: of_all(ranks as f64),
        half_width: of_all(widths),
    }
}

/// How often the first two treatments of `bench`, if they are alike, are called different at 95 %: by the
/// two-sample t test where each was measured on its own, by the paired one otherwise.
pub fn called_different(
    bench: &Bench,
    order: Order,
    blocks: usize,
    repeats: usize,
    random: &mut impl Rng,
) -> f64 {
    share(repeats, || {
        let logs = bench.run(order, blocks, random);
        let column = |index: usize| logs[index].iter().copied().flatten().collect::<Vec<f64>>();
        let (one, other) = (column(0), column(1));
        let found = if order == Order::InTurn {
            two_samples(&one, &other)
        } else {
            let pairs = one.iter().zip(&other).map(|(one, other)| one - other);
            interval::of_mean(&pairs.collect::<Vec<f64>>(), 0.95)
        };
        found.is_some_and(|found| !found.contains(0.0))
    })
}

/// The t interval at 95 % of the difference of two means, equal variances supposed, equal counts given.
fn two_samples(one: &[f64], other: &[f64]) -> Option<Interval> {
    let count = one.len() as f64;
    let centre = interval::mean(one)? - interval::mean(other)?;
    let spread = |values: &[f64]| Some(interval::standard_deviation(values)?.powi(2));
    let error = ((spread(one)? + spread(other)?) / count).sqrt();
    let half = interval::critical_t(0.95, 2.0 * count - 2.0) * error;
    Some(Interval {
        low: centre - half,
        high: centre + half,
    })
}

/// How often the percentile bootstrap of the mean log ratio contains the true one, at 95 %.
pub fn bootstrap_coverage(
    bench: &Bench,
    blocks: usize,
    resamples: usize,
    repeats: usize,
    random: &mut impl Rng,
) -> f64 {
    let truth = true_log_ratio(bench);
    share(repeats, || {
        let logs = log_ratios(bench, Order::SlicedBlocks, blocks, random);
        let means: Vec<f64> = (0..resamples)
            .map(|_| {
                let drawn = (0..blocks).map(|_| logs[random.random_range(0..blocks)]);
                drawn.sum::<f64>() / blocks as f64
            })
            .collect();
        let end = |q| quantile::quantile(&means, q);
        end(0.025)
            .zip(end(0.975))
            .is_some_and(|(low, high)| Interval { low, high }.contains(truth))
    })
}

/// What stopping by precision does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stopping {
    /// Share of runs whose last interval contains the true ratio.
    pub coverage: f64,
    /// Blocks on average.
    pub mean_blocks: f64,
}

/// Stops each run by precision for its first pair, from `min_blocks` on, at `max_blocks` at the latest.
pub fn stopping(
    bench: &Bench,
    (min_blocks, max_blocks): (usize, usize),
    target: f64,
    repeats: usize,
    random: &mut impl Rng,
) -> Stopping {
    let truth = true_log_ratio(bench);
    let mut blocks_used = 0;
    let coverage = share(repeats, || {
        let logs = log_ratios(bench, Order::SlicedBlocks, max_blocks, random);
        let mut rule = StoppingRule::new(min_blocks, target);
        let stopped = (2..=max_blocks).find(|blocks| {
            let spread = interval::standard_deviation(&logs[..*blocks]);
            let width = spread.map_or(f64::INFINITY, |sd| precision::half_width(sd, *blocks, 0.95));
            rule.after_block(*blocks, &[width])
        });
        let blocks = stopped.unwrap_or(max_blocks);
        blocks_used += blocks;
        interval::of_mean(&logs[..blocks], 0.95).is_some_and(|found| found.contains(truth))
    });
    Stopping {
        coverage,
        mean_blocks: blocks_used as f64 / repeats.max(1) as f64,
    }
}

/// How often two treatments, if they are alike, are called different by someone who looks after every block from
/// `first` to `last` and stops at the first significant difference.
pub fn peeking(
    bench: &Bench,
    (first, last): (usize, usize),
    repeats: usize,
    random: &mut impl Rng,
) -> f64 {
    share(repeats, || {
        let logs = log_ratios(bench, Order::SlicedBlocks, last, random);
        (first..=last).any(|blocks| {
            interval::of_mean(&logs[..blocks], 0.95).is_some_and(|found| !found.contains(0.0))
        })
    })
}

/// How often the best single run of `count` runs crowns the truly worse of two treatments.
pub fn best_of(bench: &Bench, count: usize, repeats: usize, random: &mut impl Rng) -> f64 {
    let truth = true_log_ratio(bench);
    share(repeats, || {
        let logs = bench.run(Order::RandomBlocks, count, random);
        let best = |index: usize| {
            logs[index]
                .iter()
                .flatten()
                .copied()
                .fold(f64::INFINITY, f64::min)
        };
        (best(0) - best(1)) * truth < 0.0
    })
}
