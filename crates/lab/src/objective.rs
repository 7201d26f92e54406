//! Capacity under an objective: short open loops at the rates that the search asks for.

use std::time::Duration;

use catalog::Objective;
use load::{Observations, Outcome};
use record::{Design, Level};
use stats::capacity::{Search, Step, Tried, next};

use crate::design::SliceKind;
use crate::error::LabError;
use crate::figures::{Metrics, counts};
use crate::level::{GENERATOR_CPU_MAX_RATIO, Window, pilot_capacity_per_s};
use crate::measure::{Bench, CountsFor, DISCARD_RATIO, DRAIN_WITHIN, pacing};
use crate::sut::Sut;

/// Share of the pilot's closed-loop capacity where the search begins.
const GUESS_RATIO: f64 = 0.75;
/// Drives at most.
const DRIVES_MAX: usize = 10;
/// Requests that should lie beyond the percentile, for its share to be known to a third.
const BEYOND_COUNT: f64 = 10.0;
/// Length of a drive, whatever the rate.
const DRIVE_S: std::ops::RangeInclusive<f64> = 1.0..=4.0;
/// Share of the arrivals that must be answered within the window.
const ACHIEVED_MIN_RATIO: f64 = 0.99;
/// The generator's own lateness may be this share of the limit.
const OWN_DELAY_MAX_RATIO: f64 = 0.10;

/// One drive of the search.
struct Driven {
    tried: Tried,
    /// Whether the generator rather than the service is why the objective was missed.
    generators_fault: bool,
    window: Window,
}

/// Searches the capacity of one service, if the design has an objective, and keeps it as the level `slo`.
///
/// # Errors
/// When the bench fails.
pub fn capacity(
    bench: &mut Bench,
    suts: &mut [Option<Sut>],
    index: usize,
    treatment: &str,
    design: &Design,
) -> Result<(), LabError> {
    let Some(text) = &design.objective else {
        return Ok(());
    };
    let objective: Objective = text
        .parse()
        .map_err(|remedy| LabError::Usage(format!("objective `{text}`: {remedy}")))?;
    let pilot = pilot_capacity_per_s(design, treatment).unwrap_or(100.0);
    let search = search(pilot);
    let mut driven: Vec<Driven> = Vec::new();
    let end = loop {
        let tried: Vec<Tried> = driven.iter().map(|one| one.tried).collect();
        let rate_per_s = match next(&search, &tried) {
            Step::Try(rate_per_s) => rate_per_s,
            end => break end,
        };
        if bench.is_stopped() || suts[index].as_mut().is_none_or(Sut::has_exited) {
            return Ok(());
        }
        driven.push(drive(bench, suts, index, design, &objective, rate_per_s)?);
    };
    let level = level(&objective, end, driven, design);
    if let Some(sut) = &mut suts[index] {
        sut.seen.levels.push(level);
    }
    Ok(())
}

fn search(pilot_capacity_per_s: f64) -> Search {
    Search {
        guess_per_s: pilot_capacity_per_s * GUESS_RATIO,
        floor_per_s: (pilot_capacity_per_s * 0.02).max(1.0),
        ceiling_per_s: pilot_capacity_per_s * 4.0,
        step_ratio: 1.3,
        resolution_ratio: 0.08,
        confirmations: 2,
        max_trials: DRIVES_MAX,
    }
}

fn drive(
    bench: &mut Bench,
    suts: &mut [Option<Sut>],
    index: usize,
    design: &Design,
    objective: &Objective,
    rate_per_s: f64,
) -> Result<Driven, LabError> {
    let needed_s = BEYOND_COUNT / (1.0 - objective.quantile) / rate_per_s;
    let length_s = needed_s.clamp(*DRIVE_S.start(), *DRIVE_S.end());
    let length = Duration::from_secs_f64(length_s);
    let pacing = pacing(SliceKind::Open, design.connections_count, rate_per_s);
    let slice = load::Slice {
        discard: length.mul_f64(DISCARD_RATIO),
        drain: DRAIN_WITHIN,
        ..load::Slice::new(pacing, length)
    };
    let mut window = Window::default();
    let kind = SliceKind::Open;
    let (seen, record) = bench.window(
        suts,
        index,
        CountsFor::Level,
        kind,
        &slice,
        &mut window.around,
    )?;
    window.add(&record, &seen);
    let met = is_met(objective, &seen);
    let generators_fault = !met
        && (window.generator_cpu_ratio() > Some(GENERATOR_CPU_MAX_RATIO)
            || is_late(objective, &seen));
    Ok(Driven {
        tried: Tried { rate_per_s, met },
        generators_fault,
        window,
    })
}

/// Whether every request ended well, the rate was kept, and few enough took longer than the limit. The share above
/// the limit is counted, so that it needs fewer requests than a percentile that may be reported.
fn is_met(objective: &Objective, seen: &Observations) -> bool {
    let all = seen.scheduled_count();
    if all == 0 || seen.good_count() < all {
        return false;
    }
    let in_flight = seen.in_flight_ns as f64 / seen.window_ns.max(1) as f64;
    let kept = seen.answers_in_window_count as f64
        >= (all as f64 - in_flight.max(1.0)) * ACHIEVED_MIN_RATIO;
    let late = seen.response.good.len()
        - seen
            .response
            .good
            .count_between(0, objective.limit_ns.saturating_sub(1));
    kept && late as f64 <= (1.0 - objective.quantile) * all as f64
}

/// Whether the generator itself sent too late to tell. Only of requests that found a free connection.
fn is_late(objective: &Objective, seen: &Observations) -> bool {
    !seen.own_delay.is_empty()
        && seen.own_delay.value_at_quantile(objective.quantile) as f64
            > objective.limit_ns as f64 * OWN_DELAY_MAX_RATIO
}

fn level(objective: &Objective, end: Step, driven: Vec<Driven>, design: &Design) -> Level {
    let mut notes = Vec::new();
    let drives = driven.len();
    let (found_per_s, broken_per_s) = match end {
        Step::Found(found) => {
            if found.inconsistent {
                notes.push(
                    "a higher rate kept the objective although this one's neighbour broke it"
                        .to_owned(),
                );
            }
            if found.broken_per_s.is_none() {
                notes.push("a lower bound: no rate that was tried broke the objective".to_owned());
            }
            (Some(found.rate_per_s), found.broken_per_s)
        }
        Step::OutOfTrials {
            met_per_s,
            broken_per_s,
        } => {
            notes.push(match met_per_s {
                Some(_) => format!("not narrowed down within {drives} drives: a lower bound"),
                None => format!("no rate that was tried in {drives} drives kept {objective}"),
            });
            (met_per_s, broken_per_s)
        }
        Step::BelowFloor | Step::Try(_) => {
            notes.push(format!("{objective} is broken at every rate worth trying"));
            (None, None)
        }
    };
    let same = |a: f64, b: Option<f64>| b.is_some_and(|b| (a / b - 1.0).abs() < 1e-6);
    let at_fault = driven
        .iter()
        .any(|one| one.generators_fault && same(one.tried.rate_per_s, broken_per_s));
    if at_fault {
        notes.push(
            "bounded by the generator, which was late or out of CPU where the objective broke: the service may do more"
                .to_owned(),
        );
    }
    let failed: Vec<String> = driven.iter().filter_map(lost).collect();
    notes.extend(failed);
    let mut metrics = Metrics::default();
    let at_found = driven
        .iter()
        .rfind(|one| one.tried.met && same(one.tried.rate_per_s, found_per_s));
    let window = at_found.map(|one| &one.window);
    if let Some(window) = window {
        metrics = window.metrics(SliceKind::Open);
    }
    metrics.put("capacity_under_objective_per_s", found_per_s);
    Level {
        level: "slo".to_owned(),
        load: "capacity".to_owned(),
        concurrency_count: Some(design.connections_count),
        arrival_rate_per_s: found_per_s,
        capacity_ratio: None,
        metrics: metrics.0,
        outcomes: counts(window.into_iter().filter_map(|window| window.seen.as_ref())),
        notes,
    }
}

/// Wrong answers of a drive: a rate is not only too high when answers are late.
fn lost(driven: &Driven) -> Option<String> {
    let seen = driven.window.seen.as_ref()?;
    let wrong = seen.outcome(Outcome::UnexpectedStatus) + seen.outcome(Outcome::UnexpectedBody);
    (wrong > 0).then(|| {
        format!(
            "{wrong} wrong answers at {:.0} arrivals/s",
            driven.tried.rate_per_s
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::tests::design;

    const OBJECTIVE: Objective = Objective {
        quantile: 0.99,
        limit_ns: 50_000_000,
    };

    /// So many requests in a second, of which `late` took a second and `failed` failed.
    fn seen(all: u64, late: u64, failed: u64) -> Observations {
        let mut seen = Observations::new(true);
        seen.window_ns = 1_000_000_000;
        seen.schedule_ns = seen.window_ns;
        for n in 0..all - failed {
            seen.outcomes.count(Outcome::Ok);
            let ns = if n < late { 1_000_000_000 } else { 1_000_000 };
            seen.response.good.saturating_record(ns);
        }
        for _ in 0..failed {
            seen.outcomes.count(Outcome::Timeout);
        }
        seen.answers_in_window_count = all - failed;
        seen
    }

    fn driven(rate_per_s: f64, met: bool, generators_fault: bool) -> Driven {
        let window = Window {
            seen: Some(seen(1_000, 0, 0)),
            ..Window::default()
        };
        Driven {
            tried: Tried { rate_per_s, met },
            generators_fault,
            window,
        }
    }

    #[test]
    fn an_objective_is_kept_with_one_in_a_hundred_late_and_not_with_more_or_with_an_error() {
        assert!(is_met(&OBJECTIVE, &seen(1_000, 10, 0)));
        assert!(!is_met(&OBJECTIVE, &seen(1_000, 11, 0)));
        assert!(!is_met(&OBJECTIVE, &seen(1_000, 0, 1)));
        assert!(!is_met(&OBJECTIVE, &seen(0, 0, 0)));
    }

    #[test]
    fn a_rate_that_was_not_kept_is_not_met_however_fast_its_answers() {
        let mut slow = seen(1_000, 0, 0);
        slow.answers_in_window_count = 900;
        assert!(!is_met(&OBJECTIVE, &slow));
    }

    #[test]
    fn a_capacity_that_the_generator_bounds_says_so_and_another_does_not() {
        let found = Step::Found(stats::capacity::Capacity {
            rate_per_s: 100.0,
            broken_per_s: Some(107.0),
            inconsistent: false,
        });
        for at_fault in [true, false] {
            let drives = vec![driven(100.0, true, false), driven(107.0, false, at_fault)];
            let level = level(&OBJECTIVE, found, drives, &design(1));
            assert_eq!(level.metrics["capacity_under_objective_per_s"], 100.0);
            let said = level
                .notes
                .iter()
                .any(|note| note.contains("bounded by the generator"));
            assert_eq!(said, at_fault, "{:?}", level.notes);
        }
    }

    #[test]
    fn where_no_rate_keeps_the_objective_there_is_no_capacity_and_the_reason_is_told() {
        let level = level(&OBJECTIVE, Step::BelowFloor, Vec::new(), &design(1));
        assert!(!level.metrics.contains_key("capacity_under_objective_per_s"));
        assert_eq!(
            level.notes,
            ["p99<50ms is broken at every rate worth trying"]
        );
    }
}
