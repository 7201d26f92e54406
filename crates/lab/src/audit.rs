//! The audit of a trial: rules fixed beforehand, applied to what was recorded, with the numbers.

mod figures;
#[cfg(test)]
mod samples;

use load::{Connections, Observations, Outcome, Percentile};
use record::{AuditLine, AuditStatus, TrialStatus};

use crate::figures::fairness_of;

pub use figures::{Promise, audit_figures};

/// Share of the scheduled arrivals that must be answered within the window.
const ACHIEVED_MIN_RATIO: f64 = 0.99;
/// The generator's lateness may be this share of the response time it is part of.
const SEND_DELAY_MAX_RATIO: f64 = 0.10;
/// Where the tail of a distribution is looked at.
const TAIL: f64 = 0.99;
/// CPU the generator may use of its core before it is suspected of being the limit.
const GENERATOR_CPU_WARN_RATIO: f64 = 0.85;
/// Residual of Little's law, L = λW, that rounding and window edges explain.
const LITTLE_LAW_MAX_RATIO: f64 = 0.10;
/// Share of requests without an answer that leaves the figures usable.
const UNANSWERED_MAX_RATIO: f64 = 0.001;
/// CPU that an idle service may use while another is measured.
const IDLE_CPU_MAX_RATIO: f64 = 0.005;

/// Answers on one connection from which on another's few are a sign.
const ANSWERS_MIN_COUNT: u64 = 20;
/// Share of the best served connection's answers that every connection of a closed loop should get.
const FAIR_MIN_RATIO: f64 = 0.10;

/// What a trial showed, as far as the audit looks at it.
#[derive(Debug, Default)]
pub struct Evidence<'a> {
    /// All open slices together.
    pub open: Option<&'a Observations>,
    /// Connections of each open slice.
    pub open_slices: &'a [Connections],
    /// All closed slices together.
    pub closed: Option<&'a Observations>,
    /// Connections of each closed slice.
    pub closed_slices: &'a [Connections],
    /// CPU time of the generator over the time of the closed windows.
    pub generator_cpu_ratio: Option<f64>,
    /// CPU time of this service over wall time while others were measured.
    pub idle_cpu_ratio: Option<f64>,
    /// What went wrong outside the load: the service exited, or did not stop.
    pub broken: &'a [String],
}

/// Applies every rule that the evidence allows.
pub fn audit(evidence: &Evidence) -> Vec<AuditLine> {
    let mut lines = vec![answers(evidence)];
    if let Some(open) = evidence.open {
        lines.push(offered(open, evidence.open_slices.len()));
        lines.push(schedule(open));
        lines.push(connections(evidence.open_slices));
    }
    if let Some(closed) = evidence.closed {
        lines.push(little_law(closed));
        lines.push(fairness(evidence.closed_slices));
    }
    lines.extend(evidence.generator_cpu_ratio.map(generator));
    lines.extend(evidence.idle_cpu_ratio.map(idle));
    lines.extend(
        evidence
            .broken
            .iter()
            .map(|what| line("service", AuditStatus::Fail, what.clone())),
    );
    lines
}

/// The worst line decides; the reasons are the lines that did not pass.
pub fn judge(lines: &[AuditLine]) -> (TrialStatus, Vec<String>) {
    let worst = lines
        .iter()
        .map(|line| line.status)
        .max()
        .unwrap_or(AuditStatus::Pass);
    let status = match worst {
        AuditStatus::Pass => TrialStatus::Valid,
        AuditStatus::Warn => TrialStatus::Degraded,
        AuditStatus::Fail => TrialStatus::Invalid,
    };
    let reasons = lines
        .iter()
        .filter(|line| line.status != AuditStatus::Pass)
        .map(|line| format!("{}: {}", line.check, line.detail))
        .collect();
    (status, reasons)
}

/// An answer that breaks the contract makes the trial INVALID; one that never came, only when it is not alone.
fn answers(evidence: &Evidence) -> AuditLine {
    let seen = || evidence.open.into_iter().chain(evidence.closed);
    let count = |outcome: Outcome| seen().map(|seen| seen.outcome(outcome)).sum::<u64>();
    let scheduled: u64 = seen().map(Observations::scheduled_count).sum();
    let wrong = count(Outcome::UnexpectedStatus) + count(Outcome::UnexpectedBody);
    let good = count(Outcome::Ok);
    let unanswered = scheduled - good - wrong;
    let kinds: Vec<String> = Outcome::ALL
        .into_iter()
        .filter(|outcome| *outcome != Outcome::Ok && count(*outcome) > 0)
        .map(|outcome| format!("{} {}", count(outcome), outcome.name()))
        .collect();
    if scheduled == 0 {
        return line(
            "answers",
            AuditStatus::Fail,
            "no request was sent".to_owned(),
        );
    }
    let detail = match kinds.is_empty() {
        true => format!("all {scheduled} requests ended in a good answer"),
        false => format!("of {scheduled} requests: {}", kinds.join(", ")),
    };
    let status = if wrong > 0 || unanswered as f64 > scheduled as f64 * UNANSWERED_MAX_RATIO {
        AuditStatus::Fail
    } else if unanswered > 0 {
        AuditStatus::Warn
    } else {
        AuditStatus::Pass
    };
    line("answers", status, detail)
}

/// What is in flight when a window closes is answered after it: that much, on average, is not held against it.
fn offered(open: &Observations, slices: usize) -> AuditLine {
    let scheduled = open.scheduled_count() as f64;
    let in_flight = open.in_flight_ns as f64 / open.window_ns.max(1) as f64;
    let due = scheduled - in_flight.max(1.0) * slices as f64;
    let answered = open.answers_in_window_count as f64;
    let status = if answered >= due * ACHIEVED_MIN_RATIO {
        AuditStatus::Pass
    } else {
        AuditStatus::Fail
    };
    let detail = format!(
        "{:.1} answers/s of {:.1} arrivals/s ({:.1} %)",
        open.completion_rate_per_s(),
        open.offered_load_per_s(),
        answered / scheduled.max(1.0) * 100.0
    );
    line("offered", status, detail)
}

/// The generator's own lateness: of requests whose connection was free when they were due. Waiting for a busy
/// service is the service's.
fn schedule(open: &Observations) -> AuditLine {
    let Some(response) = open.response_time().filter(|_| !open.own_delay.is_empty()) else {
        return line(
            "schedule",
            AuditStatus::Pass,
            "no arrival found a free connection".to_owned(),
        );
    };
    if response.answers().is_empty() {
        let detail = "no answer to hold the generator's delay against".to_owned();
        return line("schedule", AuditStatus::Pass, detail);
    }
    let own_ns = open.own_delay.value_at_quantile(TAIL);
    let reported_ns = match response.percentile(TAIL) {
        Percentile::Value(ns) | Percentile::AtLeast(ns) => ns,
        // Too few samples for a p99 to be reported: the answers' own is good enough to compare with.
        Percentile::Absent => response.answers().value_at_quantile(TAIL),
    };
    let ratio = own_ns as f64 / reported_ns.max(1) as f64;
    let status = if ratio < SEND_DELAY_MAX_RATIO {
        AuditStatus::Pass
    } else {
        AuditStatus::Warn
    };
    let detail = format!(
        "p99 of the generator's own delay {:.1} µs beside a p99 response time of {:.1} µs",
        us(own_ns),
        us(reported_ns)
    );
    line("schedule", status, detail)
}

fn connections(slices: &[Connections]) -> AuditLine {
    let is_starved = |slice: &Connections| has_enough(slice) && slice.least_completed_count == 0;
    line(
        "connections",
        warned(slices.iter().any(is_starved)),
        format!("{} on a connection", least_even(slices)),
    )
}

/// In a closed loop every connection asks as soon as it is answered, so that all get about as many answers.
fn fairness(slices: &[Connections]) -> AuditLine {
    let is_unfair = |slice: &Connections| has_enough(slice) && fairness_of(slice) < FAIR_MIN_RATIO;
    line(
        "fairness",
        warned(slices.iter().any(is_unfair)),
        format!("{} on a connection of the closed loop", least_even(slices)),
    )
}

fn warned(is_broken: bool) -> AuditStatus {
    match is_broken {
        true => AuditStatus::Warn,
        false => AuditStatus::Pass,
    }
}

fn has_enough(slice: &Connections) -> bool {
    slice.most_completed_count >= ANSWERS_MIN_COUNT
}

/// The slice in which connections differed most, of those with enough answers where there are such.
fn least_even(slices: &[Connections]) -> String {
    let order = |one: &&Connections, other: &&Connections| {
        let few = has_enough(other).cmp(&has_enough(one));
        few.then(fairness_of(one).total_cmp(&fairness_of(other)))
    };
    match slices.iter().min_by(order) {
        Some(slice) => format!(
            "in the least even of {} slices between {} and {} answers",
            slices.len(),
            slice.least_completed_count,
            slice.most_completed_count
        ),
        None => "no slice, so no answers".to_owned(),
    }
}

fn little_law(closed: &Observations) -> AuditLine {
    let in_flight = closed.in_flight_ns as f64 / closed.window_ns.max(1) as f64;
    let mean_ns = closed.service_time().mean_ns().unwrap_or(0.0);
    let product = closed.completion_rate_per_s() * mean_ns / 1e9;
    let residual = if in_flight > 0.0 {
        (product - in_flight).abs() / in_flight
    } else {
        0.0
    };
    let status = if residual <= LITTLE_LAW_MAX_RATIO {
        AuditStatus::Pass
    } else {
        AuditStatus::Warn
    };
    line(
        "little_law",
        status,
        format!("rate × mean time is {product:.2}, in flight were {in_flight:.2}"),
    )
}

fn generator(ratio: f64) -> AuditLine {
    let status = if ratio < GENERATOR_CPU_WARN_RATIO {
        AuditStatus::Pass
    } else {
        AuditStatus::Warn
    };
    line(
        "generator_cpu",
        status,
        format!(
            "the generator used {:.0} % of its core in the closed loop",
            ratio * 100.0
        ),
    )
}

fn idle(ratio: f64) -> AuditLine {
    let status = if ratio < IDLE_CPU_MAX_RATIO {
        AuditStatus::Pass
    } else {
        AuditStatus::Warn
    };
    line(
        "idle",
        status,
        format!(
            "used {:.2} % of a core while others were measured",
            ratio * 100.0
        ),
    )
}

fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

fn line(check: &str, status: AuditStatus, detail: String) -> AuditLine {
    AuditLine {
        check: check.to_owned(),
        status,
        detail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(open: bool, outcomes: &[(Outcome, u64)]) -> Observations {
        let mut seen = Observations::new(open);
        seen.window_ns = 1_000_000_000;
        seen.schedule_ns = seen.window_ns;
        for &(outcome, count) in outcomes {
            for _ in 0..count {
                seen.outcomes.count(outcome);
            }
            if outcome.is_answer() {
                seen.answers_in_window_count += count;
            }
        }
        seen
    }

    fn status_of(lines: &[AuditLine], check: &str) -> AuditStatus {
        lines
            .iter()
            .find(|line| line.check == check)
            .unwrap()
            .status
    }

    #[test]
    fn one_answer_that_breaks_the_contract_makes_a_trial_invalid() {
        let open = seen(
            true,
            &[(Outcome::Ok, 9_999), (Outcome::UnexpectedStatus, 1)],
        );
        let lines = audit(&Evidence {
            open: Some(&open),
            ..Evidence::default()
        });
        let (status, reasons) = judge(&lines);
        assert_eq!(status, TrialStatus::Invalid);
        assert_eq!(reasons, ["answers: of 10000 requests: 1 unexpected_status"]);
    }

    #[test]
    fn one_lost_answer_in_many_degrades_and_one_in_a_hundred_invalidates() {
        for (lost, wanted) in [
            (0, AuditStatus::Pass),
            (1, AuditStatus::Warn),
            (50, AuditStatus::Fail),
        ] {
            let closed = seen(false, &[(Outcome::Ok, 5_000), (Outcome::Timeout, lost)]);
            let lines = audit(&Evidence {
                closed: Some(&closed),
                ..Evidence::default()
            });
            assert_eq!(status_of(&lines, "answers"), wanted);
        }
    }

    #[test]
    fn a_trial_that_sent_nothing_is_invalid() {
        let (status, _) = judge(&audit(&Evidence::default()));
        assert_eq!(status, TrialStatus::Invalid);
    }

    #[test]
    fn arrivals_not_answered_in_the_window_fail_the_offered_check_unless_they_were_in_flight() {
        let mut open = seen(true, &[(Outcome::Ok, 1_000)]);
        open.answers_in_window_count = 900;
        let lines = audit(&Evidence {
            open: Some(&open),
            open_slices: &[Connections::default()],
            ..Evidence::default()
        });
        assert_eq!(status_of(&lines, "offered"), AuditStatus::Fail);
        open.in_flight_ns = 100 * u128::from(open.window_ns);
        let lines = audit(&Evidence {
            open: Some(&open),
            open_slices: &[Connections::default()],
            ..Evidence::default()
        });
        assert_eq!(status_of(&lines, "offered"), AuditStatus::Pass);
    }

    fn slice(least: u64, most: u64) -> Connections {
        Connections {
            least_completed_count: least,
            most_completed_count: most,
            ..Connections::default()
        }
    }

    #[test]
    fn connections_that_are_hardly_served_are_told() {
        for (least, most, wanted) in [
            (90, 100, AuditStatus::Pass),
            (11, 100, AuditStatus::Pass),
            (9, 100, AuditStatus::Warn),
            (0, 19, AuditStatus::Pass),
        ] {
            assert_eq!(
                fairness(&[slice(least, most)]).status,
                wanted,
                "{least} {most}"
            );
        }
        assert_eq!(connections(&[slice(0, 20)]).status, AuditStatus::Warn);
        assert_eq!(connections(&[slice(1, 20)]).status, AuditStatus::Pass);
    }

    #[test]
    fn a_slow_slice_is_no_unfair_one_and_an_unfair_one_is_not_hidden_by_others() {
        let slow_and_fast = [slice(3, 5), slice(400, 420)];
        assert_eq!(fairness(&slow_and_fast).status, AuditStatus::Pass);
        let stalled = [slice(0, 0), slice(400, 420)];
        assert_eq!(connections(&stalled).status, AuditStatus::Pass);
        let line = fairness(&[slice(400, 420), slice(0, 5), slice(3, 420), slice(390, 410)]);
        assert_eq!(line.status, AuditStatus::Warn);
        assert!(line.detail.contains("between 3 and 420"), "{}", line.detail);
    }

    #[test]
    fn a_service_that_broke_is_named_as_the_reason() {
        let broken = ["exited during the block".to_owned()];
        let closed = seen(false, &[(Outcome::Ok, 10)]);
        let evidence = Evidence {
            closed: Some(&closed),
            broken: &broken,
            ..Evidence::default()
        };
        let (status, reasons) = judge(&audit(&evidence));
        assert_eq!(status, TrialStatus::Invalid);
        assert!(reasons.contains(&"service: exited during the block".to_owned()));
    }
}
