//! The rate asked for beside the rate answered, how late requests left, and what the audit says.

use std::time::Duration;

use load::{Dispatch, Distribution, Pacing, Percentile, Rate, Slice, Summary};

use super::machine::{self, GENERATOR_CPU};
use super::ours::{run_plan, target};
use super::server::Server;
use super::settings::Settings;

/// Prints one row for each rate.
pub fn compare(settings: &Settings) {
    let seconds = settings.seconds.unwrap_or(10.0);
    let server = Server::start(2);
    machine::stay_on(GENERATOR_CPU);
    let connections = settings.connections[0];
    println!(
        "{seconds} s each, {connections} connections; {}\n",
        machine::line()
    );
    println!(
        "| asked for, per s | answered, per s | off by | send delay p50, µs | p99, µs | own CPU | verdict |\n\
         | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
    );
    for &rate in &settings.rates {
        let pacing = Pacing::Open {
            rate: Rate::constant(rate),
            connections,
            dispatch: Dispatch::Shared,
        };
        let slice = Slice::new(pacing, Duration::from_secs_f64(seconds));
        let (plan, seen) = run_plan(target(server.addr), slice, false);
        let summary = Summary::of(&plan, &seen);
        let delay = seen.send_delay().unwrap();
        println!(
            "| {rate} | {:.1} | {:+.3} % | {} | {} | {:.0} % | {} |",
            summary.completion_rate_per_s,
            (summary.completion_rate_per_s / rate - 1.0) * 100.0,
            us(&delay, 0.5),
            us(&delay, 0.99),
            100.0 * seen.generator_cpu_ns as f64 / seen.window_ns as f64,
            summary.verdict,
        );
    }
}

/// A percentile in microseconds.
fn us(times: &Distribution, q: f64) -> String {
    match times.percentile(q) {
        Percentile::Value(ns) => format!("{:.1}", ns as f64 / 1e3),
        Percentile::AtLeast(ns) => format!("≥ {:.1}", ns as f64 / 1e3),
        Percentile::Absent => "–".to_owned(),
    }
}
