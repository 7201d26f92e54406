//! Intervals of what can only be had from all blocks together, such as a p99 of merged histograms.

use crate::interval::{Interval, critical_t};

/// The delete-one jackknife (Quenouille 1949, Tukey 1958) over blocks: `whole` is the statistic of all
/// blocks, `without[i]` that of all but block i. An interval at `confidence` around `whole`; `None` below two
/// blocks. Use logarithms where the statistic is a positive figure whose ratio matters.
pub fn jackknife(whole: f64, without: &[f64], confidence: f64) -> Option<Interval> {
    if without.len() < 2 {
        return None;
    }
    let count = without.len() as f64;
    let centre = without.iter().sum::<f64>() / count;
    let squares: f64 = without.iter().map(|value| (value - centre).powi(2)).sum();
    let error = ((count - 1.0) / count * squares).sqrt();
    let half = critical_t(confidence, count - 1.0) * error;
    Some(Interval {
        low: whole - half,
        high: whole + half,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::interval;

    proptest! {
        #[test]
        fn of_a_mean_it_is_the_t_interval(values in prop::collection::vec(-10.0..10.0_f64, 2..30)) {
            let count = values.len() as f64;
            let sum: f64 = values.iter().sum();
            let without: Vec<f64> = values.iter().map(|value| (sum - value) / (count - 1.0)).collect();
            let found = jackknife(sum / count, &without, 0.95).unwrap();
            let wanted = interval::of_mean(&values, 0.95).unwrap();
            prop_assert!((found.low - wanted.low).abs() < 1e-9);
            prop_assert!((found.high - wanted.high).abs() < 1e-9);
        }
    }
}
