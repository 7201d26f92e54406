//! Sample quantiles.

/// The smallest value that at least a share `q` of the sample does not exceed: the inverse of the
/// empirical distribution function (definition 1 of Hyndman & Fan 1996). `None` of nothing.
/// Values that are not numbers sort last.
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (q * sorted.len() as f64 - 1e-9).ceil().max(1.0) as usize;
    sorted.get(rank.min(sorted.len()).checked_sub(1)?).copied()
}

/// The middle value, or the mean of the middle two. `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    Some(f64::midpoint(sorted[middle - 1], upper))
}

/// Median absolute deviation from the median, unscaled. `None` of nothing.
pub fn median_absolute_deviation(values: &[f64]) -> Option<f64> {
    let centre = median(values)?;
    let distances: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    median(&distances)
}

/// Samples that must lie beyond a quantile for it to be stated.
const TAIL_MIN: f64 = 100.0;

/// Whether `count` samples carry their quantile `q`: at least a hundred lie beyond it, n(1 − q) ≥ 100.
pub fn is_carried(count: u64, q: f64) -> bool {
    count as f64 * (1.0 - q) >= TAIL_MIN - 1e-6
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quantiles_are_values_of_the_sample() {
        let sample = [3.0, 1.0, 2.0, 4.0];
        let table = [
            (0.0, 1.0),
            (0.25, 1.0),
            (0.26, 2.0),
            (0.5, 2.0),
            (0.99, 4.0),
            (1.0, 4.0),
        ];
        for (q, wanted) in table {
            assert_eq!(quantile(&sample, q), Some(wanted), "q = {q}");
        }
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(median(&sample), Some(2.5));
    }

    #[test]
    fn a_quantile_needs_a_hundred_samples_beyond_it() {
        let table = [(0.5, 200), (0.9, 1_000), (0.99, 10_000), (0.999, 100_000)];
        for (q, fewest) in table {
            assert!(is_carried(fewest, q), "q = {q}");
            assert!(!is_carried(fewest - 1, q), "q = {q}");
        }
    }

    proptest! {
        #[test]
        fn at_least_a_share_q_does_not_exceed_the_quantile(
            sample in prop::collection::vec(-1e6..1e6, 1..60), q in 0.0..=1.0,
        ) {
            let found = quantile(&sample, q).unwrap();
            let at_most = sample.iter().filter(|value| **value <= found).count() as f64;
            let below = sample.iter().filter(|value| **value < found).count() as f64;
            let count = sample.len() as f64;
            prop_assert!(at_most >= q * count - 1e-6);
            prop_assert!(below <= q * count + 1e-6 || q == 0.0);
        }
    }
}
