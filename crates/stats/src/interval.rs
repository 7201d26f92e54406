//! Student's t interval of a mean.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A closed interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Half its length.
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Whether `value` lies in it, ends included.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The interval of the exponentials, for a mean of logarithms.
    pub fn exp(self) -> Interval {
        Interval {
            low: self.low.exp(),
            high: self.high.exp(),
        }
    }

    /// The interval of the values with the other sign.
    pub fn negated(self) -> Interval {
        Interval {
            low: -self.high,
            high: -self.low,
        }
    }
}

/// Arithmetic mean; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Sample standard deviation with n − 1; `None` below two values.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let centre = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Two-sided critical value of Student's t at `confidence` (0 to 1) with `degrees` of freedom.
pub fn critical_t(confidence: f64, degrees: f64) -> f64 {
    let upper = 1.0 - (1.0 - confidence) / 2.0;
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::INFINITY, |t| t.inverse_cdf(upper))
}

/// Mean ± t·s/√n (Student 1908) at `confidence`; `None` below two values.
pub fn of_mean(values: &[f64], confidence: f64) -> Option<Interval> {
    let (centre, spread) = (mean(values)?, standard_deviation(values)?);
    let count = values.len() as f64;
    let half = critical_t(confidence, count - 1.0) * spread / count.sqrt();
    Some(Interval {
        low: centre - half,
        high: centre + half,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critical_values_are_those_of_the_tables() {
        let table = [
            (0.95, 1.0, 12.706),
            (0.95, 4.0, 2.776),
            (0.95, 7.0, 2.365),
            (0.95, 30.0, 2.042),
            (0.99, 7.0, 3.499),
            // Ten pairs together at 95 %.
            (0.995, 7.0, 4.029),
            (0.999, 7.0, 5.408),
        ];
        for (confidence, degrees, wanted) in table {
            let found = critical_t(confidence, degrees);
            assert!(
                (found - wanted).abs() < 1e-3,
                "{confidence} {degrees}: {found}"
            );
        }
    }

    #[test]
    fn critical_values_leave_the_share_outside_that_they_promise() {
        for confidence in [0.5, 0.8, 0.95, 0.99, 0.995, 0.9987, 0.9999] {
            for degrees in (1..60).chain([100, 200, 500, 1_000, 2_000]) {
                let t = StudentsT::new(0.0, 1.0, f64::from(degrees)).unwrap();
                let outside = 2.0 * t.sf(critical_t(confidence, f64::from(degrees)));
                let wanted = 1.0 - confidence;
                assert!(
                    (outside / wanted - 1.0).abs() < 1e-3,
                    "{confidence} {degrees}: {outside}"
                );
            }
        }
    }

    #[test]
    fn one_value_has_no_interval_and_equal_values_have_one_of_no_length() {
        assert_eq!(of_mean(&[1.0], 0.95), None);
        assert_eq!(
            of_mean(&[2.0; 5], 0.95),
            Some(Interval {
                low: 2.0,
                high: 2.0
            })
        );
    }
}
