//! When a service is warm: its rate has stopped moving, apart from what the whole machine did.

use crate::interval::Interval;
use crate::regression::{self, Line};

/// Windows that tell whether a rate has stopped moving.
pub const WINDOWS: usize = 4;

/// How a rate moved over a series of windows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// From the first window to the last, as a ratio: −0.5 where it fell to half, 1 where it doubled.
    pub change_ratio: f64,
    /// Interval of that change.
    pub interval: Interval,
    /// Windows it was taken over.
    pub windows: usize,
}

impl Drift {
    /// Whether the rate surely moved by more than `ratio`, up or down (0.1 for ten per cent).
    pub fn exceeds(&self, ratio: f64) -> bool {
        self.interval.low > ratio || self.interval.high < -ratio
    }
}

/// How much the last [`WINDOWS`] figures moved from the first to the last of them, by a straight line through their
/// logarithms: −0.5 where they fell to half. Each figure is first multiplied by the canary's time in the same window,
/// so that a machine that slows both down shows no movement. `None` with fewer windows, or a figure that is not
/// positive.
pub fn movement(rates: &[f64], canary: &[f64]) -> Option<f64> {
    let from = rates.len().checked_sub(WINDOWS)?;
    let fitted = line(&rates[from..], canary.get(from..)?)?;
    Some((fitted.slope * (WINDOWS - 1) as f64).exp_m1())
}

/// Whether the last windows moved by no more than `tolerance` (0.02 for two per cent).
pub fn is_steady(rates: &[f64], canary: &[f64], tolerance: f64) -> bool {
    movement(rates, canary).is_some_and(|moved| moved.abs() <= tolerance)
}

/// The same over all windows, with how sure it is. `None` with fewer than [`WINDOWS`], or a figure that is not
/// positive.
pub fn drift(rates: &[f64], canary: &[f64], confidence: f64) -> Option<Drift> {
    if rates.len() < WINDOWS {
        return None;
    }
    let fitted = line(rates, canary)?;
    let slope = fitted.slope_interval(confidence)?;
    let over_all = |slope: f64| (slope * (rates.len() - 1) as f64).exp_m1();
    Some(Drift {
        change_ratio: over_all(fitted.slope),
        interval: Interval {
            low: over_all(slope.low),
            high: over_all(slope.high),
        },
        windows: rates.len(),
    })
}

/// The line through the logarithms of rates relative to the canary.
fn line(rates: &[f64], canary: &[f64]) -> Option<Line> {
    if rates.len() != canary.len() {
        return None;
    }
    let relative = rates.iter().zip(canary).map(|(rate, time)| rate * time);
    let points: Vec<(f64, f64)> = (0_u32..)
        .map(f64::from)
        .zip(relative.map(f64::ln))
        .collect();
    // The logarithm of what is not positive is not finite, and through that there is no line.
    regression::line(&points)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    use super::*;
    use crate::simulate::Tail;

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
        assert!(!is_steady(&[400.0, 400.0, 400.0, 0.0], &even[..4], 0.02));
    }

    #[test]
    fn what_slows_the_canary_too_is_not_movement() {
        let rates = [400.0, 300.0, 200.0, 100.0];
        let canary = [1.0, 4.0 / 3.0, 2.0, 4.0];
        assert!(is_steady(&rates, &canary, 0.02));
    }

    #[test]
    fn movement_is_what_changed_from_the_first_window_to_the_last() {
        let halved = [800.0, 800.0 / 2_f64.cbrt(), 800.0 / 4_f64.cbrt(), 400.0];
        let moved = movement(&halved, &[1.0; 4]).unwrap();
        assert!((moved + 0.5).abs() < 1e-12, "{moved}");
    }

    /// Shares of 500 series of as many windows as a warm-up has whose drift is surely above ten per cent.
    fn warned_ratio(log_rise: f64, sd: f64, windows: usize) -> f64 {
        let mut random = Pcg64::seed_from_u64(1);
        let tail = Tail::Heavy {
            share: 0.1,
            times: 5.0,
        };
        let mut warned = 0;
        for _ in 0..500 {
            let level = |window: usize| log_rise * window as f64 / (windows - 1) as f64;
            let rates: Vec<f64> = (0..windows)
                .map(|window| (level(window) + sd * tail.draw(&mut random)).exp())
                .collect();
            let found = drift(&rates, &vec![1.0; windows], 0.99).unwrap();
            warned += u32::from(found.exceeds(0.10));
        }
        f64::from(warned) / 500.0
    }

    #[test]
    fn noise_without_a_trend_is_hardly_ever_called_movement_however_large_it_is() {
        for windows in [4, 8, 14] {
            for sd in [0.02, 0.05, 0.2] {
                let warned = warned_ratio(0.0, sd, windows);
                assert!(warned <= 0.02, "{windows} windows, {sd}: {warned}");
            }
        }
    }

    #[test]
    fn a_rate_that_rises_or_falls_by_half_is_called_moving_in_most_series() {
        for log_rise in [0.5, -0.5] {
            let warned = warned_ratio(log_rise, 0.05, 14);
            assert!(warned > 0.8, "{log_rise}: {warned}");
        }
    }

    proptest! {
        #[test]
        fn nothing_falls_by_all_or_more(rates in prop::collection::vec(1e-3..1e6_f64, 4..20)) {
            let even = vec![1.0; rates.len()];
            let found = drift(&rates, &even, 0.99).unwrap();
            for ratio in [movement(&rates, &even).unwrap(), found.change_ratio, found.interval.low] {
                prop_assert!(ratio >= -1.0, "{ratio}");
            }
        }
    }
}
