//! The signed-rank interval: the same question as the t interval, without its normality.
//!
//! The interval of Hodges & Lehmann (1963) from Wilcoxon's signed-rank test (1945): order statistics of the
//! Walsh averages, at ranks from the exact null distribution. It is shown beside the t interval; where
//! the two point in different directions a verdict is undecided.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::interval::Interval;

/// Pseudo-median with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRank {
    /// Median of the Walsh averages (Hodges–Lehmann).
    pub estimate: f64,
    /// Interval at no less than the confidence asked for.
    pub interval: Interval,
}

/// Blocks beyond which the exact distribution, whose size grows with their square, is not needed.
const EXACT_MAX: usize = 200;

/// Estimate and interval of the centre of `values` (log ratios) at `confidence`.
/// `None` where so few values have no such interval (at 0.95: below six).
pub fn signed_rank(values: &[f64], confidence: f64) -> Option<SignedRank> {
    let mut averages = walsh_averages(values);
    averages.sort_by(f64::total_cmp);
    // Both ends leave out `below` averages.
    let below = averages_below(values.len(), (1.0 - confidence) / 2.0)?;
    Some(SignedRank {
        estimate: crate::quantile::median(&averages)?,
        interval: Interval {
            low: averages[below],
            high: averages[averages.len() - 1 - below],
        },
    })
}

/// (xᵢ + xⱼ)/2 for all i ≤ j.
fn walsh_averages(values: &[f64]) -> Vec<f64> {
    let pairs = values.iter().enumerate();
    pairs
        .flat_map(|(i, one)| {
            values[i..]
                .iter()
                .map(move |other| f64::midpoint(*one, *other))
        })
        .collect()
}

/// The largest k with P(W < k + 1) ≤ `tail`, W the signed-rank sum of `count` values under the null hypothesis:
/// so many averages may be left out on each side. `None` when not even W = 0 is rare enough.
fn averages_below(count: usize, tail: f64) -> Option<usize> {
    if count > EXACT_MAX {
        return Some(normal_approximation(count, tail));
    }
    let most = count * (count + 1) / 2;
    // Each sign pattern is equally likely: how many give each sum, built up rank by rank.
    let mut shares = vec![0.0; most + 1];
    shares[0] = 1.0;
    for rank in 1..=count {
        for sum in (0..=most).rev() {
            let with = if sum >= rank { shares[sum - rank] } else { 0.0 };
            shares[sum] = f64::midpoint(shares[sum], with);
        }
    }
    let mut cumulated = 0.0;
    let mut below = None;
    for (sum, share) in shares.iter().enumerate() {
        cumulated += share;
        if cumulated > tail {
            break;
        }
        below = Some(sum);
    }
    below
}

fn normal_approximation(count: usize, tail: f64) -> usize {
    let n = count as f64;
    let z = -Normal::standard().inverse_cdf(tail);
    let spread = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt();
    (n * (n + 1.0) / 4.0 - z * spread - 1.0).max(0.0) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn five_blocks_have_no_interval_at_95_per_cent_and_six_have_their_range() {
        assert_eq!(signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.95), None);
        let six = signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.95).unwrap();
        assert_eq!(
            six.interval,
            Interval {
                low: 1.0,
                high: 6.0
            }
        );
        assert_eq!(six.estimate, 3.5);
    }

    #[test]
    fn ranks_are_those_of_the_tables() {
        // Critical values of W at two-sided 0.05: reject at or below.
        for (count, critical) in [(6, 0), (7, 2), (8, 3), (10, 8), (12, 13), (20, 52)] {
            assert_eq!(averages_below(count, 0.025), Some(critical), "n = {count}");
        }
    }

    #[test]
    fn beyond_the_exact_table_the_approximation_goes_on_where_it_ended() {
        for tail in [0.025, 0.005] {
            let exact = averages_below(EXACT_MAX, tail).unwrap();
            let near = normal_approximation(EXACT_MAX, tail);
            assert!(exact.abs_diff(near) <= 20, "{exact} {near}");
        }
    }

    proptest! {
        #[test]
        fn the_estimate_lies_in_its_interval_and_moves_with_the_values(
            values in prop::collection::vec(-1.0..1.0_f64, 6..40), shift in -5.0..5.0_f64,
        ) {
            let plain = signed_rank(&values, 0.95).unwrap();
            prop_assert!(plain.interval.contains(plain.estimate));
            let moved: Vec<f64> = values.iter().map(|value| value + shift).collect();
            let moved = signed_rank(&moved, 0.95).unwrap();
            prop_assert!((moved.estimate - plain.estimate - shift).abs() < 1e-9);
            prop_assert!((moved.interval.low - plain.interval.low - shift).abs() < 1e-9);
        }
    }
}
