//! Whether the interval of a p99, which only merged data have, holds.

use rand::Rng;

use super::share;
use crate::jackknife::jackknife;
use crate::simulate::standard_normal;

/// How often the leave-one-block-out interval at 95 % of the ratio of two p99s contains 1, for two treatments that
/// are alike: log-normal response times (sd 1 of the logarithm), `samples` a block, each start shifting its whole
/// block by a normal factor of standard deviation `start_sd`.
pub fn coverage(
    blocks: usize,
    samples: usize,
    start_sd: f64,
    repeats: usize,
    random: &mut impl Rng,
) -> f64 {
    share(repeats, || {
        let one = response_times(blocks, samples, start_sd, random);
        let other = response_times(blocks, samples, start_sd, random);
        let statistic =
            |left_out: Option<usize>| merged_p99(&one, left_out) - merged_p99(&other, left_out);
        let without: Vec<f64> = (0..blocks).map(|block| statistic(Some(block))).collect();
        jackknife(statistic(None), &without, 0.95).is_some_and(|found| found.contains(0.0))
    })
}

/// Logarithms of response times by block.
fn response_times(
    blocks: usize,
    samples: usize,
    start_sd: f64,
    random: &mut impl Rng,
) -> Vec<Vec<f64>> {
    (0..blocks)
        .map(|_| {
            let start = start_sd * standard_normal(random);
            (0..samples)
                .map(|_| start + standard_normal(random))
                .collect()
        })
        .collect()
}

/// p99 of all blocks but one.
fn merged_p99(blocks: &[Vec<f64>], left_out: Option<usize>) -> f64 {
    let kept = blocks
        .iter()
        .enumerate()
        .filter(|(block, _)| Some(*block) != left_out);
    let mut merged: Vec<f64> = kept
        .flat_map(|(_, values)| values.iter().copied())
        .collect();
    let rank = (merged.len() * 99).div_ceil(100).max(1) - 1;
    *merged.select_nth_unstable_by(rank, f64::total_cmp).1
}
