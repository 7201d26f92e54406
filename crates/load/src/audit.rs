//! Whether the figures may be believed: checks of the generator on itself.

use hdrhistogram::Histogram;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::distribution::Percentile;
use crate::observation::Observations;
use crate::outcome::Outcome;
use crate::plan::{Dispatch, Pacing};

/// What is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// Requests that ended against arrivals scheduled (open loop).
    Offered,
    /// Requests in flight = rate × mean time.
    LittleLaw,
    /// The generator's own lateness against the times it reports (open loop).
    Schedule,
    /// CPU time of the generator against what its threads could have used.
    GeneratorCpu,
    /// Whether every connection was served.
    Connections,
    /// Whether the numbers of samples and of requests are the same.
    Samples,
}

/// What a check found.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// Within its rule.
    Pass,
    /// Outside its rule, figures usable with care.
    Warn,
    /// Outside its rule, figures not usable.
    Fail,
}

/// One check and the numbers behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// What was checked.
    pub check: Check,
    /// What was found.
    pub status: CheckStatus,
    /// The numbers, in a sentence.
    pub detail: String,
}

fn finding(check: Check, status: CheckStatus, detail: String) -> Finding {
    Finding {
        check,
        status,
        detail,
    }
}

/// Every check that applies to this pacing.
pub fn audit(pacing: &Pacing, seen: &Observations) -> Vec<Finding> {
    let mut findings = Vec::new();
    if pacing.is_open() {
        findings.push(offered(pacing, seen));
        findings.extend(schedule(seen));
    }
    findings.extend(little_law(seen));
    findings.push(generator_cpu(seen));
    findings.extend(connections(pacing, seen));
    findings.push(samples(seen));
    findings
}

/// One line: whether to trust the figures, and if not, why.
pub fn verdict(findings: &[Finding]) -> String {
    let details = |status| {
        let of_status = findings.iter().filter(|finding| finding.status == status);
        of_status
            .map(|finding| finding.detail.as_str())
            .collect::<Vec<_>>()
            .join("; ")
    };
    match findings.iter().map(|finding| finding.status).max() {
        Some(CheckStatus::Fail) => format!("do not trust it: {}", details(CheckStatus::Fail)),
        Some(CheckStatus::Warn) => format!("trust it with care: {}", details(CheckStatus::Warn)),
        _ => "trust it: every check passed".to_owned(),
    }
}

fn offered(pacing: &Pacing, seen: &Observations) -> Finding {
    let scheduled = seen.scheduled_count() as f64;
    // A request that was sent in the window was offered, whatever the server made of it. One that was answered
    // only after the window may have been sent only then, and does not count.
    let (answered, lost) = (seen.answers_in_window_count, seen.lost_of_window_count);
    let ended = (answered + lost) as f64;
    // Without a warm-up the first answers come one service time late: as many as are in flight.
    let answers = [&seen.service.good, &seen.service.wrong];
    let in_flight = total_ns(&answers) / seen.window_ns.max(1) as f64;
    let achieved = ended + in_flight.min(0.05 * scheduled) >= 0.99 * scheduled;
    // Where arrivals are counted the window lasts until the last has ended: as long as that takes by itself. Behind
    // a busy connection arrivals may queue while others are free.
    let queued = match pacing {
        Pacing::Open {
            dispatch: Dispatch::PerConnection,
            ..
        } => 0.05,
        _ => 0.01,
    };
    let after_ns = seen.window_ns.saturating_sub(seen.schedule_ns) as f64;
    let longest_ns = longest_ns(&[&seen.service.good, &seen.service.wrong, &seen.service.lost]);
    let in_time = after_ns <= queued * seen.schedule_ns as f64 + longest_ns;
    let status = if achieved && in_time {
        CheckStatus::Pass
    } else {
        CheckStatus::Fail
    };
    let mut detail = format!("{answered} answers to {scheduled} arrivals in the window");
    if lost > 0 {
        detail += &format!(", {lost} sent and ended without one");
    }
    detail += &format!(" ({:.2} %)", 100.0 * ended / scheduled.max(1.0));
    if !in_time {
        let (s, after_s) = (seen.schedule_ns as f64 / 1e9, after_ns / 1e9);
        detail += &format!(
            "; they were scheduled over {s:.3} s, and the last was done {after_s:.3} s after that"
        );
    }
    finding(Check::Offered, status, detail)
}

fn longest_ns(kinds: &[&Histogram<u64>]) -> f64 {
    kinds.iter().map(|times| times.max()).max().unwrap_or(0) as f64
}

fn total_ns(kinds: &[&Histogram<u64>]) -> f64 {
    let with_samples = kinds.iter().filter(|times| !times.is_empty());
    with_samples
        .map(|times| times.mean() * times.len() as f64)
        .sum()
}

fn schedule(seen: &Observations) -> Option<Finding> {
    if seen.own_delay.is_empty() {
        return None;
    }
    let own_ns = seen.own_delay.value_at_quantile(0.99);
    let response = seen.response_time()?;
    if response.answers().is_empty() {
        return None;
    }
    let reported_ns = match response.percentile(0.99) {
        Percentile::Value(ns) | Percentile::AtLeast(ns) => ns,
        // Too few samples for a p99: the answers' own is good enough to compare with.
        Percentile::Absent => response.answers().value_at_quantile(0.99),
    };
    let share = own_ns as f64 / reported_ns.max(1) as f64;
    let status = match share {
        _ if share < 0.1 => CheckStatus::Pass,
        // What a kernel needs to wake a thread: it is in the response time, and no more than that.
        _ if own_ns < 1_000_000 && share < 0.5 => CheckStatus::Warn,
        _ => CheckStatus::Fail,
    };
    let detail = format!(
        "the generator itself delayed 99 % of requests by at most {:.3} ms, {:.1} % of the p99 reported",
        own_ns as f64 / 1e6,
        100.0 * share
    );
    Some(finding(Check::Schedule, status, detail))
}

fn mean_in_flight(seen: &Observations) -> f64 {
    seen.in_flight_ns as f64 / seen.window_ns.max(1) as f64
}

fn little_law(seen: &Observations) -> Option<Finding> {
    let by_ending = [&seen.service.good, &seen.service.wrong, &seen.service.lost];
    let count: u64 = by_ending.iter().map(|times| times.len()).sum();
    if count == 0 || seen.window_ns == 0 {
        return None;
    }
    let total_ns = total_ns(&by_ending);
    // What ended in the window: requests that were sent only after it are not in the integral.
    let ended = seen.answers_in_window_count + seen.service.lost.len();
    let (rate, mean_s) = (seen.per_s(ended), total_ns / count as f64 / 1e9);
    let (in_flight, expected) = (mean_in_flight(seen), rate * mean_s);
    let apart = (in_flight - expected).abs();
    // Requests that begin in the window and end after it weigh much when a request lasts long.
    let long = mean_s * 1e9 > 0.05 * seen.window_ns as f64;
    let status = match apart {
        _ if apart <= 0.1 * expected + beyond_the_window(&by_ending, seen.window_ns) => {
            CheckStatus::Pass
        }
        _ if long || count < 100 => CheckStatus::Warn,
        _ => CheckStatus::Fail,
    };
    let detail = format!(
        "{in_flight:.2} requests in flight on average; rate × mean time gives {expected:.2}"
    );
    Some(finding(Check::LittleLaw, status, detail))
}

/// What part of requests begun evenly over the window lies after its end: L²/2W of one that lasts L, as a mean of
/// requests in flight. Timeouts as long as the window are half outside it.
fn beyond_the_window(kinds: &[&Histogram<u64>], window_ns: u64) -> f64 {
    let window = window_ns as f64;
    let beyond = |lasts: f64| {
        if lasts < window {
            lasts * lasts / (2.0 * window)
        } else {
            lasts - window / 2.0
        }
    };
    let recorded = kinds.iter().flat_map(|times| times.iter_recorded());
    let sum: f64 = recorded
        .map(|step| step.count_at_value() as f64 * beyond(step.value_iterated_to() as f64))
        .sum();
    sum / window
}

fn generator_cpu(seen: &Observations) -> Finding {
    let available = seen.window_ns as f64 * f64::from(seen.threads_count.max(1));
    let share = seen.worked_ns() as f64 / available.max(1.0);
    let status = match share {
        _ if share < 0.8 => CheckStatus::Pass,
        _ if share < 0.97 => CheckStatus::Warn,
        _ => CheckStatus::Fail,
    };
    let polling = match seen.polled_ns {
        0 => "",
        _ => ", polling in vain apart",
    };
    let detail = format!(
        "the generator used {:.0} % of its threads' CPU{polling}",
        100.0 * share
    );
    finding(Check::GeneratorCpu, status, detail)
}

fn connections(pacing: &Pacing, seen: &Observations) -> Option<Finding> {
    let places = match pacing {
        Pacing::Closed { concurrency, .. } => *concurrency,
        Pacing::Open {
            connections,
            dispatch,
            ..
        } if *dispatch != Dispatch::Unbounded => *connections,
        _ => return None,
    };
    let (least, most) = (
        seen.connections.least_completed_count,
        seen.connections.most_completed_count,
    );
    let mean = seen.answers_in_window_count as f64 / f64::from(places.max(1));
    let status = match least as f64 {
        _ if mean < 20.0 => CheckStatus::Pass,
        0.0 => CheckStatus::Fail,
        least if least < 0.1 * mean => CheckStatus::Warn,
        _ => CheckStatus::Pass,
    };
    let detail = format!("answers per connection from {least} to {most}");
    Some(finding(Check::Connections, status, detail))
}

fn samples(seen: &Observations) -> Finding {
    let scheduled = seen.scheduled_count();
    let sent = scheduled - seen.outcome(Outcome::Unsent);
    let expected_response = if seen.open_loop { scheduled } else { 0 };
    let service = seen.service_time().count();
    let response = seen.response_time().map_or(0, |response| response.count());
    if scheduled == 0 {
        let detail = "nothing was measured: no request was scheduled in the window".to_owned();
        return finding(Check::Samples, CheckStatus::Fail, detail);
    }
    let same = service == sent && response == expected_response;
    let status = if same {
        CheckStatus::Pass
    } else {
        CheckStatus::Fail
    };
    let detail = format!("{scheduled} requests scheduled, {sent} sent, {service} service times");
    finding(Check::Samples, status, detail)
}
