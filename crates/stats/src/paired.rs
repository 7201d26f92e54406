//! Two treatments measured in the same blocks: the ratio between them.
//!
//! Each block gives one log ratio, so that what made a whole block slow divides out. The estimate is
//! the exponential of their mean, a geometric mean of ratios (Kalibera & Jones 2013; Hoefler & Belli 2015).

use crate::interval::{self, Interval};

/// The ratio of one treatment's figure to another's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedRatio {
    /// Geometric mean over blocks.
    pub ratio: f64,
    /// Interval of the ratio; `None` below two blocks.
    pub interval: Option<Interval>,
    /// Standard deviation of the log ratios over blocks; `None` below two blocks.
    pub log_sd: Option<f64>,
    /// Blocks that gave both figures.
    pub blocks: usize,
}

/// ln(one / other) block by block. Blocks that lack a figure, or hold one that is not positive, give none.
pub fn log_ratios(one: &[Option<f64>], other: &[Option<f64>]) -> Vec<f64> {
    let positive = |value: &Option<f64>| value.filter(|value| value.is_finite() && *value > 0.0);
    let both = one
        .iter()
        .zip(other)
        .filter_map(|(one, other)| Some((positive(one)?, positive(other)?)));
    both.map(|(one, other)| (one / other).ln()).collect()
}

/// Estimate and t interval at `confidence` (0 to 1) from log ratios; `None` of no block.
pub fn ratio(log_ratios: &[f64], confidence: f64) -> Option<PairedRatio> {
    Some(PairedRatio {
        ratio: interval::mean(log_ratios)?.exp(),
        interval: interval::of_mean(log_ratios, confidence).map(Interval::exp),
        log_sd: interval::standard_deviation(log_ratios),
        blocks: log_ratios.len(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_block_that_lacks_a_figure_gives_no_ratio() {
        let one = [Some(2.0), None, Some(8.0), Some(0.0)];
        let other = [Some(1.0), Some(1.0), Some(2.0), Some(1.0)];
        let logs = log_ratios(&one, &other);
        assert_eq!(logs, [2.0_f64.ln(), 4.0_f64.ln()]);
        let found = ratio(&logs, 0.95).unwrap();
        assert!((found.ratio - 8.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(found.blocks, 2);
    }

    proptest! {
        #[test]
        fn what_slows_a_whole_block_divides_out(
            figures in prop::collection::vec((1.0..1e6, 1.0..1e6, 0.1..10.0), 2..20),
        ) {
            let column = |of: &dyn Fn(&(f64, f64, f64)) -> f64| -> Vec<Option<f64>> {
                figures.iter().map(|row| Some(of(row))).collect()
            };
            let plain = log_ratios(&column(&|row| row.0), &column(&|row| row.1));
            let slowed = log_ratios(&column(&|row| row.0 * row.2), &column(&|row| row.1 * row.2));
            for (plain, slowed) in plain.iter().zip(&slowed) {
                prop_assert!((plain - slowed).abs() < 1e-9);
            }
        }

        #[test]
        fn turning_a_pair_round_inverts_its_ratio(logs in prop::collection::vec(-2.0..2.0, 2..20)) {
            let turned: Vec<f64> = logs.iter().map(|log| -log).collect();
            let (one, other) = (ratio(&logs, 0.95).unwrap(), ratio(&turned, 0.95).unwrap());
            prop_assert!((one.ratio * other.ratio - 1.0).abs() < 1e-9);
            let (one, other) = (one.interval.unwrap(), other.interval.unwrap());
            prop_assert!((one.low * other.high - 1.0).abs() < 1e-9);
        }
    }
}
