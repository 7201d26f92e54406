//! Whether the intervals of all pairs hold together, and what that costs in width.

use rand::Rng;

use super::share;
use crate::simulate::{Bench, Order, standard_normal};
use crate::{quantile, simultaneous};

/// How an interval is widened so that all pairs hold together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Together {
    /// Not at all.
    Unadjusted,
    /// Each pair's own t interval at 1 − α/m: [`simultaneous`].
    Bonferroni,
    /// Tukey's honest significant difference: one pooled variance, the studentised range given.
    Tukey(f64),
}

/// How often the intervals of all pairs hold together at 95 %, and their mean half-width.
pub fn together(
    bench: &Bench,
    blocks: usize,
    adjustment: Together,
    repeats: usize,
    random: &mut impl Rng,
) -> (f64, f64) {
    let levels: Vec<f64> = bench.treatments.iter().map(|one| one.log_level).collect();
    let pairs = simultaneous::pairs_count(levels.len());
    // `all_pairs` divides α by the number of pairs.
    let confidence = match adjustment {
        Together::Unadjusted => 1.0 - 0.05 * pairs as f64,
        Together::Bonferroni | Together::Tukey(_) => 0.95,
    };
    let mut widths = 0.0;
    let held = share(repeats, || {
        let logs = bench.run(Order::SlicedBlocks, blocks, random);
        let pooled = pooled_sd(&logs);
        let mut all = true;
        for (i, j, pair) in simultaneous::all_pairs(&logs, confidence) {
            let half = match (adjustment, pair.interval) {
                (Together::Tukey(range), _) => range * pooled / (blocks as f64).sqrt(),
                (_, Some(own)) => (own.high / own.low).ln() / 2.0,
                (_, None) => f64::INFINITY,
            };
            widths += half / pairs as f64;
            all &= (pair.ratio.ln() - (levels[i] - levels[j])).abs() <= half;
        }
        all
    });
    (held, widths / repeats.max(1) as f64)
}

/// Residual standard deviation of the two-way layout, treatments by blocks.
fn pooled_sd(logs: &[Vec<Option<f64>>]) -> f64 {
    let value = |treatment: usize, block: usize| logs[treatment][block].unwrap_or(0.0);
    let (treatments, blocks) = (logs.len(), logs[0].len());
    let over_blocks = |treatment| {
        (0..blocks)
            .map(|block| value(treatment, block))
            .sum::<f64>()
            / blocks as f64
    };
    let over_treatments =
        |block| (0..treatments).map(|of| value(of, block)).sum::<f64>() / treatments as f64;
    let rows: Vec<f64> = (0..treatments).map(over_blocks).collect();
    let columns: Vec<f64> = (0..blocks).map(over_treatments).collect();
    let all = rows.iter().sum::<f64>() / treatments as f64;
    let squares: f64 = (0..treatments)
        .flat_map(|treatment| (0..blocks).map(move |block| (treatment, block)))
        .map(|(of, block)| (value(of, block) - rows[of] - columns[block] + all).powi(2))
        .sum();
    (squares / ((treatments - 1) * (blocks - 1)) as f64).sqrt()
}

/// The studentised range of `treatments` means with `degrees` of freedom that is exceeded with chance 0.05, by
/// simulation with `draws` draws.
pub fn studentised_range(
    treatments: usize,
    degrees: usize,
    draws: usize,
    random: &mut impl Rng,
) -> f64 {
    let ranges: Vec<f64> = (0..draws)
        .map(|_| {
            let means: Vec<f64> = (0..treatments).map(|_| standard_normal(random)).collect();
            let range = means.iter().copied().fold(f64::NEG_INFINITY, f64::max)
                - means.iter().copied().fold(f64::INFINITY, f64::min);
            let squares: f64 = (0..degrees).map(|_| standard_normal(random).powi(2)).sum();
            range / (squares / degrees as f64).sqrt()
        })
        .collect();
    quantile::quantile(&ranges, 0.95).unwrap_or(f64::INFINITY)
}
