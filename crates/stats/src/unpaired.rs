//! Two means that were not measured together: their difference (Welch 1947).
//!
//! Nothing divides out here: what made one whole run slower is part of the difference. Pairing is to be preferred
//! wherever there is a block to pair in.

use crate::interval::{Interval, critical_t, mean, standard_deviation};

/// The difference of two means, second minus first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Mean of the second minus mean of the first.
    pub estimate: f64,
    /// Its interval; `None` where either side has fewer than two values.
    pub interval: Option<Interval>,
}

/// Second minus first with Welch's interval at `confidence` (0 to 1): t with the degrees of freedom of Welch and
/// Satterthwaite, so that neither spread nor count need be alike. `None` where a side is empty.
pub fn difference(first: &[f64], second: &[f64], confidence: f64) -> Option<Difference> {
    let estimate = mean(second)? - mean(first)?;
    Some(Difference {
        estimate,
        interval: welch(first, second, confidence).map(|half| Interval {
            low: estimate - half,
            high: estimate + half,
        }),
    })
}

/// Half of the interval's length.
fn welch(first: &[f64], second: &[f64], confidence: f64) -> Option<f64> {
    let of_mean = |values: &[f64]| {
        let spread = standard_deviation(values)?;
        Some(spread.powi(2) / values.len() as f64)
    };
    let (one, other) = (of_mean(first)?, of_mean(second)?);
    let both = one + other;
    if both == 0.0 {
        return Some(0.0);
    }
    let freedom = |of: f64, values: &[f64]| of.powi(2) / (values.len() - 1) as f64;
    let degrees = both.powi(2) / (freedom(one, first) + freedom(other, second));
    Some(critical_t(confidence, degrees) * both.sqrt())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64;

    use super::*;

    #[test]
    fn the_interval_is_that_of_a_worked_example() {
        // Variances of the means 1/3 and 4/3, degrees (5/3)²/(1/18 + 16/18) = 50/17.
        let found = difference(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0], 0.95).unwrap();
        let half = critical_t(0.95, 50.0 / 17.0) * (5.0_f64 / 3.0).sqrt();
        let interval = found.interval.unwrap();
        assert!((found.estimate - 2.0).abs() < 1e-12);
        assert!(
            (interval.high - 2.0 - half).abs() < 1e-9 && (2.0 - interval.low - half).abs() < 1e-9
        );
    }

    #[test]
    fn one_value_on_a_side_has_an_estimate_and_no_interval() {
        let found = difference(&[1.0], &[2.0, 4.0], 0.95).unwrap();
        assert_eq!((found.estimate, found.interval), (2.0, None));
        assert_eq!(difference(&[], &[2.0], 0.95), None);
    }

    #[test]
    fn it_holds_the_truth_as_often_as_it_says_with_unlike_spreads_and_counts() {
        let mut random = Pcg64::seed_from_u64(7);
        let mut normal = |sd: f64| {
            let sum: f64 = (0..12).map(|_| random.random::<f64>()).sum();
            sd * (sum - 6.0)
        };
        let runs = 4_000;
        let held = (0..runs)
            .filter(|_| {
                let first: Vec<f64> = (0..6).map(|_| normal(3.0)).collect();
                let second: Vec<f64> = (0..14).map(|_| normal(1.0)).collect();
                let found = difference(&first, &second, 0.95).unwrap();
                found.interval.unwrap().contains(0.0)
            })
            .count();
        let share = held as f64 / f64::from(runs);
        assert!((0.935..0.965).contains(&share), "{share}");
    }

    proptest! {
        #[test]
        fn turning_the_sides_round_turns_the_difference_round(
            first in prop::collection::vec(-2.0..2.0, 2..12),
            second in prop::collection::vec(-2.0..2.0, 2..12),
        ) {
            let there = difference(&first, &second, 0.95).unwrap();
            let back = difference(&second, &first, 0.95).unwrap();
            prop_assert!((there.estimate + back.estimate).abs() < 1e-9);
            let (there, back) = (there.interval.unwrap(), back.interval.unwrap());
            prop_assert!((there.low + back.high).abs() < 1e-9);
        }
    }
}
