//! A straight line through points, and how sure its slope is.

use crate::interval::{Interval, critical_t};

/// Ordinary least squares of one variable on another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Change of y for one unit of x.
    pub slope: f64,
    /// Mean of x, where the line passes through `middle_y`.
    pub middle_x: f64,
    /// Mean of y.
    pub middle_y: f64,
    /// Standard error of the slope; 0 for two points, which any line fits.
    pub slope_error: f64,
    /// Points it was fitted to.
    pub points: usize,
}

impl Line {
    /// Interval of the slope at `confidence` by Student's t with n − 2 degrees of freedom; `None` below three
    /// points. It supposes independent errors: neighbouring windows of one process are not, so that its
    /// interval is rather too short than too long.
    pub fn slope_interval(&self, confidence: f64) -> Option<Interval> {
        if self.points < 3 {
            return None;
        }
        let half = critical_t(confidence, (self.points - 2) as f64) * self.slope_error;
        Some(Interval {
            low: self.slope - half,
            high: self.slope + half,
        })
    }
}

/// The line through (x, y) points; `None` below two points, where x does not vary, or where a value is
/// not finite.
pub fn line(points: &[(f64, f64)]) -> Option<Line> {
    let count = points.len() as f64;
    if points.len() < 2 || points.iter().any(|(x, y)| !x.is_finite() || !y.is_finite()) {
        return None;
    }
    let middle_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let middle_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let spread: f64 = points.iter().map(|(x, _)| (x - middle_x).powi(2)).sum();
    if spread <= 0.0 {
        return None;
    }
    let together = points.iter().map(|(x, y)| (x - middle_x) * (y - middle_y));
    let slope = together.sum::<f64>() / spread;
    let residuals = points
        .iter()
        .map(|(x, y)| y - middle_y - slope * (x - middle_x));
    let squares: f64 = residuals.map(|residual| residual.powi(2)).sum();
    let slope_error = if points.len() > 2 {
        (squares / (count - 2.0) / spread).sqrt()
    } else {
        0.0
    };
    Some(Line {
        slope,
        middle_x,
        middle_y,
        slope_error,
        points: points.len(),
    })
}

/// How much a series changes from its first to its last value by the fitted line, as a ratio of its mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Fitted change over the series: 0.02 for a rise of two per cent of the mean.
    pub change_ratio: f64,
    /// Interval of that change; `None` below three values.
    pub interval: Option<Interval>,
}

/// The trend of evenly spaced values, such as the seconds of a window; `None` below two values or where
/// their mean is not positive.
pub fn trend(values: &[f64], confidence: f64) -> Option<Trend> {
    let points: Vec<(f64, f64)> = values
        .iter()
        .enumerate()
        .map(|(index, value)| (index as f64, *value))
        .collect();
    let fitted = line(&points)?;
    if fitted.middle_y <= 0.0 {
        return None;
    }
    let scale = (values.len() - 1) as f64 / fitted.middle_y;
    Some(Trend {
        change_ratio: fitted.slope * scale,
        interval: fitted.slope_interval(confidence).map(|slope| Interval {
            low: slope.low * scale,
            high: slope.high * scale,
        }),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_worked_example_gives_its_slope_and_error() {
        // y = 2, 4, 5, 4, 5 on 1 to 5: slope 0.6, residual squares 2.4, error √(2.4 / 3 / 10).
        let points = [(1.0, 2.0), (2.0, 4.0), (3.0, 5.0), (4.0, 4.0), (5.0, 5.0)];
        let fitted = line(&points).unwrap();
        assert!((fitted.slope - 0.6).abs() < 1e-12);
        assert!((fitted.slope_error - 0.08_f64.sqrt()).abs() < 1e-12);
        let interval = fitted.slope_interval(0.95).unwrap();
        assert!((interval.high - (0.6 + 3.1824 * 0.08_f64.sqrt())).abs() < 1e-4);
    }

    #[test]
    fn points_above_each_other_and_lone_points_have_no_line() {
        assert_eq!(line(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(line(&[(1.0, 2.0)]), None);
        assert_eq!(line(&[(1.0, 2.0), (2.0, f64::NAN)]), None);
        assert_eq!(trend(&[0.0, 0.0], 0.95), None);
    }

    proptest! {
        #[test]
        fn a_straight_rise_is_found_whatever_its_scale(start in 1.0..1e6, rise in -0.5..0.5_f64, count in 3_usize..50) {
            let last = (count - 1) as f64;
            let values: Vec<f64> = (0..count).map(|i| start * (1.0 + rise * i as f64 / last)).collect();
            let found = trend(&values, 0.95).unwrap();
            let mean = 1.0 + rise / 2.0;
            prop_assert!((found.change_ratio - rise / mean).abs() < 1e-9);
        }
    }
}
