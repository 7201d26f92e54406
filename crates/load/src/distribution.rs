//! Percentiles that hide nothing: a request that did not end well is slower than every answer.

use hdrhistogram::Histogram;

use crate::observation::ByEnding;

/// Longest time told apart from longer ones: an hour.
const LONGEST_NS: u64 = 3_600_000_000_000;

/// An empty histogram of nanoseconds: three significant digits from 1 ns to an hour.
pub(crate) fn times() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LONGEST_NS, 3).expect("bounds and digits are in range")
}

/// Fewest samples that must lie in the tail beyond a percentile for it to be given.
pub const TAIL_SAMPLES_MIN: u64 = 100;

/// One kind of time over a set of requests.
#[derive(Clone, Debug)]
pub struct Distribution {
    /// Of the requests that ended well.
    well: Histogram<u64>,
    /// Age of the requests that did not, when they ended.
    ill: Histogram<u64>,
    /// Of whole answers, right or wrong: what mean, least and most are over.
    answers: Option<Histogram<u64>>,
}

/// A percentile, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Percentile {
    /// So many nanoseconds.
    Value(u64),
    /// It falls among requests that did not end well: at least so many nanoseconds.
    AtLeast(u64),
    /// Its tail holds too few samples.
    Absent,
}

impl Percentile {
    /// The nanoseconds of a value.
    pub fn value(self) -> Option<u64> {
        match self {
            Percentile::Value(ns) => Some(ns),
            Percentile::AtLeast(_) | Percentile::Absent => None,
        }
    }
}

impl Distribution {
    /// Every request counted; those that did not end well as slower than every answer.
    pub(crate) fn over_all(times: &ByEnding) -> Distribution {
        let (mut ill, mut answers) = (times.lost.clone(), times.good.clone());
        let same_bounds = ill
            .add(&times.wrong)
            .and_then(|()| answers.add(&times.wrong));
        debug_assert!(same_bounds.is_ok());
        Distribution {
            well: times.good.clone(),
            ill,
            answers: Some(answers),
        }
    }

    /// Only the samples of one histogram.
    pub(crate) fn of(well: Histogram<u64>) -> Distribution {
        Distribution {
            well,
            ill: times(),
            answers: None,
        }
    }

    /// Requests it is over.
    pub fn count(&self) -> u64 {
        self.well.len() + self.ill.len()
    }

    /// Whole answers among them, right or wrong: what mean, stdev, min and max are over.
    pub fn answered_count(&self) -> u64 {
        self.answers().len()
    }

    /// Times of the answers, right or wrong.
    pub fn answers(&self) -> &Histogram<u64> {
        self.answers.as_ref().unwrap_or(&self.well)
    }

    /// The smallest time that at least a share `q` of all requests did not exceed.
    ///
    /// Absent when fewer than [`TAIL_SAMPLES_MIN`] samples lie beyond it.
    pub fn percentile(&self, q: f64) -> Percentile {
        let count = self.count();
        // A little above the product, so that 1000 × (1 − 0.9) is 100 and not just below.
        let tail = (count as f64 * (1.0 - q) + 1e-6).floor();
        if tail < TAIL_SAMPLES_MIN as f64 {
            return Percentile::Absent;
        }
        let rank = ((q * count as f64 - 1e-6).ceil() as u64).clamp(1, count);
        if rank <= self.well.len() {
            return Percentile::Value(at_rank(&self.well, rank));
        }
        // Histograms round up; what is at least so long must not be.
        let age = at_rank(&self.ill, rank - self.well.len());
        let slowest_answer = if self.well.is_empty() {
            0
        } else {
            self.well.lowest_equivalent(self.well.max())
        };
        Percentile::AtLeast(self.ill.lowest_equivalent(age).max(slowest_answer))
    }

    /// Mean over answers, if there are any.
    pub fn mean_ns(&self) -> Option<f64> {
        self.over_answers(Histogram::mean)
    }

    /// Standard deviation over answers.
    pub fn stdev_ns(&self) -> Option<f64> {
        self.over_answers(Histogram::stdev)
    }

    /// Least over answers.
    pub fn min_ns(&self) -> Option<u64> {
        self.over_answers(Histogram::min)
    }

    /// Most over answers.
    pub fn max_ns(&self) -> Option<u64> {
        self.over_answers(Histogram::max)
    }

    fn over_answers<T>(&self, figure: impl Fn(&Histogram<u64>) -> T) -> Option<T> {
        let answers = self.answers();
        (!answers.is_empty()).then(|| figure(answers))
    }
}

fn at_rank(histogram: &Histogram<u64>, rank: u64) -> u64 {
    // A quantile strictly inside the rank's own share, so that rounding cannot move it.
    let quantile = (rank as f64 - 0.5) / histogram.len() as f64;
    histogram.value_at_quantile(quantile.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_at_least_so_long_is_never_said_to_be_longer_than_it_was() {
        for age_ns in [2_000_000_000_u64, 2_147_483_649, 999_999_999] {
            let mut times = ByEnding {
                good: times(),
                wrong: times(),
                lost: times(),
            };
            times.good.record_n(age_ns - 1, 100).unwrap();
            times.lost.record_n(age_ns, 900).unwrap();
            let Percentile::AtLeast(bound) = Distribution::over_all(&times).percentile(0.5) else {
                panic!("not a bound")
            };
            assert!(bound <= age_ns, "{bound}");
            assert!(bound as f64 > 0.999 * age_ns as f64, "{bound}");
        }
    }
}
