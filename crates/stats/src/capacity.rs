//! The search for capacity under an objective: the highest arrival rate at which the objective is met.
//!
//! Trials are dear, so the search steps out from a guess by a fixed ratio until it holds one rate that meets the
//! objective and one that does not, halves the interval between them on the logarithmic scale, and at the end
//! tries the rate it found once more: one lucky trial must not become a capacity. It keeps no state; the next
//! step follows from the results so far.

/// What is searched, and how finely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// Where to begin, requests per second: a pilot's guess.
    pub guess_per_s: f64,
    /// Lowest rate worth trying.
    pub floor_per_s: f64,
    /// Highest rate worth trying: what the generator can offer.
    pub ceiling_per_s: f64,
    /// Ratio of the steps outwards, above 1: 1.5.
    pub step_ratio: f64,
    /// Gap between met and broken at which the search ends: 0.05 for five per cent.
    pub resolution_ratio: f64,
    /// Times by which trials that met the objective must outnumber those that broke it at the rate found: 2.
    pub confirmations: usize,
    /// Trials at most.
    pub max_trials: usize,
}

/// One trial's result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// Arrival rate offered.
    pub rate_per_s: f64,
    /// Whether the objective was met: percentile below its limit, no errors, offered equal to completed.
    pub met: bool,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Measure at this arrival rate.
    Try(f64),
    /// Capacity found.
    Found(Capacity),
    /// The objective is broken even at the lowest rate.
    BelowFloor,
    /// The trials are used up; the highest rate that met the objective and the lowest that broke it, so far.
    OutOfTrials {
        /// Highest rate that met it below `broken_per_s`.
        met_per_s: Option<f64>,
        /// Lowest rate that broke it.
        broken_per_s: Option<f64>,
    },
}

/// The highest arrival rate under the objective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capacity {
    /// Highest rate that met the objective.
    pub rate_per_s: f64,
    /// Lowest rate that broke it; `None` where the ceiling itself met it, so that capacity is at least that.
    pub broken_per_s: Option<f64>,
    /// Whether some higher rate met the objective although a lower one broke it.
    pub inconsistent: bool,
}

/// The next step after the trials `tried`, in any order.
pub fn next(search: &Search, tried: &[Tried]) -> Step {
    let rates = tally(tried);
    let broken = rates.iter().find(|rate| rate.balance < 0);
    let broken_per_s = broken.map(|rate| rate.rate_per_s);
    let below = |rate: &&Tally| broken_per_s.is_none_or(|broken| rate.rate_per_s < broken);
    let met = rates.iter().filter(below).rfind(|rate| rate.balance > 0);
    let met_per_s = met.map(|rate| rate.rate_per_s);
    let step = match (
        rates.iter().find(|rate| rate.balance == 0),
        met,
        broken_per_s,
    ) {
        (Some(split), _, _) => Step::Try(split.rate_per_s),
        (None, None, None) => Step::Try(within(search, search.guess_per_s)),
        (None, None, Some(broken)) if broken <= search.floor_per_s => Step::BelowFloor,
        (None, None, Some(broken)) => Step::Try(within(search, broken / search.step_ratio)),
        (None, Some(met), _) => between(search, &rates, met, broken_per_s),
    };
    match step {
        Step::Try(_) if tried.len() >= search.max_trials => Step::OutOfTrials {
            met_per_s,
            broken_per_s,
        },
        step => step,
    }
}

/// The step once some rate has met the objective.
fn between(search: &Search, rates: &[Tally], met: &Tally, broken_per_s: Option<f64>) -> Step {
    let near = match broken_per_s {
        Some(broken) => broken / met.rate_per_s <= 1.0 + search.resolution_ratio,
        None => met.rate_per_s >= search.ceiling_per_s,
    };
    match broken_per_s {
        _ if near && met.balance < search.confirmations as i64 => Step::Try(met.rate_per_s),
        _ if near => Step::Found(Capacity {
            rate_per_s: met.rate_per_s,
            broken_per_s,
            inconsistent: rates.iter().any(|rate| {
                rate.balance > 0 && broken_per_s.is_some_and(|broken| rate.rate_per_s > broken)
            }),
        }),
        Some(broken) => Step::Try((met.rate_per_s * broken).sqrt()),
        None => Step::Try(within(search, met.rate_per_s * search.step_ratio)),
    }
}

fn within(search: &Search, rate_per_s: f64) -> f64 {
    rate_per_s.max(search.floor_per_s).min(search.ceiling_per_s)
}

/// All trials at one rate.
struct Tally {
    rate_per_s: f64,
    /// Trials that met the objective less those that broke it.
    balance: i64,
}

/// Trials by rate, rising; rates within a millionth are one.
fn tally(tried: &[Tried]) -> Vec<Tally> {
    let mut sorted = tried.to_vec();
    sorted.sort_by(|a, b| a.rate_per_s.total_cmp(&b.rate_per_s));
    let mut rates: Vec<Tally> = Vec::new();
    for trial in sorted {
        let balance = if trial.met { 1 } else { -1 };
        match rates.last_mut() {
            Some(last) if trial.rate_per_s <= last.rate_per_s * (1.0 + 1e-6) => {
                last.balance += balance;
            }
            _ => rates.push(Tally {
                rate_per_s: trial.rate_per_s,
                balance,
            }),
        }
    }
    rates
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SEARCH: Search = Search {
        guess_per_s: 1_000.0,
        floor_per_s: 10.0,
        ceiling_per_s: 100_000.0,
        step_ratio: 1.5,
        resolution_ratio: 0.05,
        confirmations: 2,
        max_trials: 40,
    };

    /// Follows the search against `meets` until it ends; the end and the trials spent.
    fn follow(search: &Search, mut meets: impl FnMut(f64, usize) -> bool) -> (Step, usize) {
        let mut tried = Vec::new();
        loop {
            match next(search, &tried) {
                Step::Try(rate_per_s) => tried.push(Tried {
                    rate_per_s,
                    met: meets(rate_per_s, tried.len()),
                }),
                end => return (end, tried.len()),
            }
        }
    }

    #[test]
    fn a_good_guess_costs_few_trials() {
        for capacity in [800.0, 1_000.0, 1_300.0, 2_000.0] {
            let (end, trials) = follow(&SEARCH, |rate, _| rate <= capacity);
            assert!(matches!(end, Step::Found(_)), "{end:?}");
            assert!(trials <= 8, "{trials} trials for {capacity}");
        }
    }

    #[test]
    fn beyond_the_ceiling_capacity_is_at_least_the_ceiling_and_below_the_floor_there_is_none() {
        let (end, _) = follow(&SEARCH, |_, _| true);
        assert!(
            matches!(end, Step::Found(Capacity { rate_per_s, broken_per_s: None, .. }) if rate_per_s == 100_000.0)
        );
        assert_eq!(follow(&SEARCH, |_, _| false).0, Step::BelowFloor);
    }

    #[test]
    fn one_lucky_trial_does_not_become_a_capacity() {
        // The first trial at 1,000 meets an objective that holds only below 500.
        let (end, _) = follow(&SEARCH, |rate, trial| trial == 0 || rate < 500.0);
        assert!(
            matches!(end, Step::Found(found) if found.rate_per_s < 500.0 && found.rate_per_s > 450.0),
            "{end:?}"
        );
    }

    #[test]
    fn a_rate_that_meets_above_one_that_breaks_is_told() {
        let met = |rate_per_s| Tried {
            rate_per_s,
            met: true,
        };
        let broken = Tried {
            rate_per_s: 104.0,
            met: false,
        };
        let found = next(&SEARCH, &[met(100.0), met(100.0), broken, met(200.0)]);
        assert!(matches!(found, Step::Found(capacity) if capacity.inconsistent));
    }

    #[test]
    fn a_search_ends_with_its_trials_and_says_what_it_knows() {
        let short = Search {
            max_trials: 3,
            ..SEARCH
        };
        let (end, trials) = follow(&short, |rate, _| rate < 1_700.0);
        assert_eq!(trials, 3);
        assert_eq!(
            end,
            Step::OutOfTrials {
                met_per_s: Some(1_500.0),
                broken_per_s: Some(2_250.0)
            }
        );
    }

    proptest! {
        #[test]
        fn a_sharp_capacity_is_found_within_the_resolution(capacity in 10.0..100_000.0_f64) {
            let (end, _) = follow(&SEARCH, |rate, _| rate <= capacity);
            let Step::Found(found) = end else { panic!("{end:?}") };
            prop_assert!(found.rate_per_s <= capacity);
            prop_assert!(found.rate_per_s * 1.05 >= capacity * (1.0 - 1e-9));
            prop_assert!(!found.inconsistent);
        }

        #[test]
        fn whatever_the_trials_say_the_search_ends_within_them(
            answers in prop::collection::vec(any::<bool>(), 40), step_ratio in 0.5..3.0_f64, guess in -10.0..1e6_f64,
        ) {
            let search = Search { step_ratio, guess_per_s: guess, ..SEARCH };
            let (_, trials) = follow(&search, |_, trial| answers[trial]);
            prop_assert!(trials <= search.max_trials);
        }
    }
}
