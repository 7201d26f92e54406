//! How slow a stand-in is, how often it fails, and how much it takes.

use std::time::Duration;

use catalog::WorkloadManifest;
use rand::Rng;

/// 99th percentile of the standard normal distribution.
const Z_99: f64 = 2.326_347_874;

/// How a stand-in behaves. The default answers at once, never fails and takes everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Behaviour {
    /// Time from a request to its answer.
    pub delay: Delay,
    /// Share of calls, 0 to 1, that end in a 502.
    pub failure_ratio: f64,
    /// Calls it takes in any one second; one above it is cut off without an answer, as by a service that blocks an
    /// address. `None`: all.
    pub rate_limit_per_s: Option<u32>,
}

/// Time from a request to its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Delay {
    /// None.
    #[default]
    None,
    /// The same every time.
    Constant(Duration),
    /// Log-normal: most answers near the median, few much later.
    LogNormal {
        /// Half of the answers come before it.
        median: Duration,
        /// 99 of 100 come before it; at least the median.
        p99: Duration,
    },
    /// It never answers.
    Endless,
}

impl Behaviour {
    /// What a workload says of its upstream.
    pub fn of(manifest: &WorkloadManifest) -> Behaviour {
        let milliseconds = |value: f64| Duration::from_secs_f64(value.max(0.0) / 1000.0);
        let median = manifest.upstream_delay_ms.map(milliseconds);
        let p99 = manifest.upstream_delay_p99_ms.map(milliseconds);
        Behaviour {
            delay: match (median, p99) {
                (None, _) => Delay::None,
                (Some(median), None) => Delay::Constant(median),
                (Some(median), Some(p99)) => Delay::LogNormal { median, p99 },
            },
            failure_ratio: manifest.upstream_failure_ratio.unwrap_or(0.0),
            rate_limit_per_s: manifest.upstream_rate_limit_per_s,
        }
    }
}

impl Delay {
    /// The delay of one call; `None` where there is no end to it.
    pub(super) fn draw(self, rng: &mut impl Rng) -> Option<Duration> {
        match self {
            Delay::None => Some(Duration::ZERO),
            Delay::Constant(delay) => Some(delay),
            Delay::LogNormal { median, p99 } => {
                let spread = (p99.as_secs_f64() / median.as_secs_f64()).ln().max(0.0) / Z_99;
                let factor = (spread * normal(rng)).exp();
                Duration::try_from_secs_f64(median.as_secs_f64() * factor).ok()
            }
            Delay::Endless => None,
        }
    }
}

/// A standard normal number (Box and Muller, 1958).
fn normal(rng: &mut impl Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    use super::*;

    #[test]
    fn a_log_normal_delay_has_the_median_and_the_99th_percentile_it_was_given() {
        let mut rng = Pcg64::seed_from_u64(7);
        let delay = Delay::LogNormal {
            median: Duration::from_millis(20),
            p99: Duration::from_millis(100),
        };
        let mut drawn: Vec<f64> = (0..20_000)
            .filter_map(|_| delay.draw(&mut rng))
            .map(|delay| delay.as_secs_f64() * 1000.0)
            .collect();
        drawn.sort_by(f64::total_cmp);
        assert!((drawn[10_000] - 20.0).abs() < 1.0, "{}", drawn[10_000]);
        assert!((drawn[19_800] - 100.0).abs() < 10.0, "{}", drawn[19_800]);
    }

    #[test]
    fn a_median_of_nothing_is_no_delay_and_no_failure() {
        let mut rng = Pcg64::seed_from_u64(7);
        let delay = Delay::LogNormal {
            median: Duration::ZERO,
            p99: Duration::ZERO,
        };
        let drawn = delay.draw(&mut rng);
        assert!(drawn.is_none_or(|drawn| drawn.is_zero()), "{drawn:?}");
    }
}
