//! When a service is warm: its rate has stopped moving, apart from what the whole machine did.

use crate::regression;

/// Windows that the slope is taken over.
pub const WINDOWS: usize = 4;

/// How much the last [`WINDOWS`] figures moved, as a share of their mean: least-squares slope times their
/// number. Each figure is first multiplied by the canary's time in the same window, so that a machine that
/// slows both down shows no movement. `None` with fewer windows, or a figure that is not positive.
pub fn movement(rates: &[f64], canary: &[f64]) -> Option<f64> {
    let from = rates.len().checked_sub(WINDOWS)?;
    let relative: Vec<f64> = rates[from..]
        .iter()
        .zip(canary.get(from..)?)
        .map(|(rate, time)| rate * time)
        .collect();
    if relative.len() < WINDOWS
        || relative
            .iter()
            .any(|value| !(value.is_finite() && *value > 0.0))
    {
        return None;
    }
    let points: Vec<(f64, f64)> = relative
        .iter()
        .enumerate()
        .map(|(place, value)| (place as f64, *value))
        .collect();
    let line = regression::line(&points)?;
    Some(line.slope * WINDOWS as f64 / line.middle_y)
}

/// Whether the last windows moved by no more than `tolerance` (0.02 for two per cent).
pub fn is_steady(rates: &[f64], canary: &[f64], tolerance: f64) -> bool {
    movement(rates, canary).is_some_and(|moved| moved.abs() <= tolerance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rising_rate_is_not_steady_and_a_level_one_is() {
        let even = [1.0; 6];
        assert!(!is_steady(&[100.0, 200.0, 300.0, 400.0], &even[..4], 0.02));
        assert!(is_steady(
            &[10.0, 200.0, 401.0, 400.0, 399.0, 400.5],
            &even,
            0.02
        ));
        assert!(!is_steady(&[400.0; 3], &even[..3], 0.02));
    }

    #[test]
    fn what_slows_the_canary_too_is_not_movement() {
        let rates = [400.0, 300.0, 200.0, 100.0];
        let canary = [1.0, 4.0 / 3.0, 2.0, 4.0];
        assert!(is_steady(&rates, &canary, 0.02));
    }
}
