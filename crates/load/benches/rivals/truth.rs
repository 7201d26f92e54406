//! Our times on servers whose times are known: response times beside the same drive in virtual
//! time, service times beside the server's own histogram.

use load::{Dispatch, Distribution, Outcome, Percentile, Target};

use super::machine::{self, GENERATOR_CPU};
use super::ours::{run_plan, target};
use super::scenario::{Drive, Scenario, TIMEOUT, in_virtual_time, scenario};
use super::settings::Settings;
use super::truth_server::TruthServer;

/// The percentiles that tables show, before the longest time.
pub const QUANTILES: [f64; 4] = [0.5, 0.9, 0.95, 0.99];

/// Four percentiles and the longest time.
pub type Row = [Percentile; 5];

/// Prints one table for each server.
pub fn compare(settings: &Settings) {
    let seconds = settings.seconds.unwrap_or(50.0);
    machine::stay_on(GENERATOR_CPU);
    println!("{}", machine::line());
    if settings.busy_poll {
        println!("The generator polls and never sleeps (--busy-poll).");
    }
    for name in &settings.servers {
        let scenario = scenario(name);
        println!(
            "\n{}: {}. {} arrivals/s, {} connections, {seconds} s; ms\n",
            scenario.name, scenario.what, scenario.rate_per_s, scenario.connections
        );
        println!("| | p50 | p90 | p95 | p99 | longest | timeouts |");
        println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
        for dispatch in [
            Dispatch::PerConnection,
            Dispatch::Shared,
            Dispatch::Unbounded,
        ] {
            under(dispatch, &scenario, seconds, settings.busy_poll);
        }
    }
}

/// A target at `addr` that is given the truth servers' timeout.
pub fn patient(addr: std::net::SocketAddr) -> Target {
    Target {
        timeout: TIMEOUT,
        ..target(addr)
    }
}

fn under(dispatch: Dispatch, scenario: &Scenario, seconds: f64, busy_poll: bool) {
    let server = TruthServer::start(scenario);
    let addr = server.addr;
    let slice = Drive::Open(dispatch).slice(scenario, seconds);
    let (_, seen) = run_plan(patient(addr), slice.clone(), busy_poll);
    let truth = in_virtual_time(scenario, patient(addr), &slice);
    let name = dispatch.name();
    let timeouts = |seen: &load::Observations| seen.outcome(Outcome::Timeout).to_string();
    let pair = |kind: &str, whose: &str, ours: Row, others: Row, counts: [String; 2]| {
        println!(
            "| `{name}` {kind}, seen | {} | {} |",
            cells(&ours),
            counts[0]
        );
        println!("| {kind}, {whose} | {} | {} |", cells(&others), counts[1]);
        println!("| off by | {} | |", deviations(&ours, &others));
    };
    let (ours, true_) = (
        seen.response_time().unwrap(),
        truth.response_time().unwrap(),
    );
    pair(
        "response time",
        "true",
        row(&ours),
        row(&true_),
        [timeouts(&seen), timeouts(&truth)],
    );
    let kept = server.service_time();
    let mut of_server = QUANTILES
        .map(|q| Percentile::Value(kept.value_at_quantile(q)))
        .to_vec();
    of_server.push(Percentile::Value(kept.max()));
    pair(
        "service time of good answers",
        "by the server",
        row(&seen.good_service_time()),
        of_server.try_into().unwrap(),
        [String::new(), String::new()],
    );
}

/// What a distribution says.
pub fn row(times: &Distribution) -> Row {
    let [p50, p90, p95, p99] = QUANTILES.map(|q| times.percentile(q));
    let max = times.max_ns().map_or(Percentile::Absent, Percentile::Value);
    [p50, p90, p95, p99, max]
}

/// Milliseconds for a table.
pub fn cells(row: &Row) -> String {
    let cell = |time: &Percentile| match time {
        Percentile::Value(ns) => format!("{:.2}", *ns as f64 / 1e6),
        Percentile::AtLeast(ns) => format!("at least {:.0}", *ns as f64 / 1e6),
        Percentile::Absent => "–".to_owned(),
    };
    row.iter().map(cell).collect::<Vec<_>>().join(" | ")
}

fn deviations(seen: &Row, truth: &Row) -> String {
    let deviation = |(seen, truth): (&Percentile, &Percentile)| match (seen, truth) {
        (Percentile::Value(seen), Percentile::Value(truth)) => {
            let off_ns = *seen as f64 - *truth as f64;
            let off_ms = format!("{:+.2}", off_ns / 1e6);
            if *truth < 100_000 {
                off_ms
            } else {
                format!("{off_ms} ({:+.1} %)", 100.0 * off_ns / *truth as f64)
            }
        }
        (seen, truth) if seen == truth => "same".to_owned(),
        _ => "–".to_owned(),
    };
    let all: Vec<_> = seen.iter().zip(truth).map(deviation).collect();
    all.join(" | ")
}
