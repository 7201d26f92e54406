//! What the twin says: a treatment entered twice must not differ from itself, and where it seems to, the bench
//! cannot see smaller differences today.

use crate::interval::Interval;

/// The difference below which today's bench sees nothing, as a ratio above 0: the end of the twin's interval
/// farther from 1. `log_interval` is that of the log ratio of the treatment and its twin, unadjusted.
pub fn bound_ratio(log_interval: Interval) -> f64 {
    log_interval.low.abs().max(log_interval.high.abs()).exp_m1()
}

/// Whether the twin differs from itself, which at 95 % one run in twenty does; the run is then degraded.
pub fn alarm(log_interval: Interval) -> bool {
    !log_interval.contains(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_the_farther_end_and_the_same_from_either_side() {
        let interval = Interval {
            low: -0.031,
            high: 0.012,
        };
        assert!((bound_ratio(interval) - 0.031_f64.exp_m1()).abs() < 1e-12);
        assert_eq!(bound_ratio(interval), bound_ratio(interval.negated()));
        assert!(!alarm(interval));
        assert!(alarm(Interval {
            low: 0.001,
            high: 0.02
        }));
    }
}
