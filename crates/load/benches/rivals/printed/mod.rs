//! What every generator prints on the same truth server, beside what was true and what ours says.
//!
//! Each gets a fresh server and the closest it has to the drive: an open loop where it knows one.
//! The figures are taken from its own output.

mod commands;
mod reading;

use std::process::Stdio;

use load::{Dispatch, Observations, Outcome, Percentile};

use super::machine::{self, GENERATOR_CPU};
use super::ours::run_plan;
use super::scenario::{Drive, Scenario, in_virtual_time, scenario};
use super::settings::Settings;
use super::truth::{Row, cells, patient, row};
use super::truth_server::TruthServer;
use commands::Contender;

/// What a generator said of a run. What it does not say is absent.
#[derive(Clone)]
struct Printed {
    times: Row,
    answers: Option<u64>,
    failed: Option<u64>,
    /// Due and not sent.
    unsent: Option<u64>,
}

impl Default for Printed {
    fn default() -> Printed {
        Printed {
            times: [Percentile::Absent; 5],
            answers: None,
            failed: None,
            unsent: None,
        }
    }
}

const DRIVES: [Drive; 4] = [
    Drive::Open(Dispatch::PerConnection),
    Drive::Open(Dispatch::Shared),
    Drive::Open(Dispatch::Unbounded),
    Drive::Closed,
];

/// Prints one table for each server.
pub fn compare(settings: &Settings) {
    let seconds = settings.seconds.unwrap_or(20.0);
    machine::stay_on(GENERATOR_CPU);
    println!("{}", machine::line());
    for name in &settings.servers {
        let scenario = scenario(name);
        println!(
            "\n{}: {}. {} requests/s where the tool has an open loop, {} connections, {seconds} s; ms\n",
            scenario.name, scenario.what, scenario.rate_per_s, scenario.connections
        );
        println!("| | p50 | p90 | p95 | p99 | longest | answers | failed | never sent |");
        println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
        for drive in DRIVES {
            under(drive, &scenario, seconds, settings);
        }
    }
}

fn under(drive: Drive, scenario: &Scenario, seconds: f64, settings: &Settings) {
    let server = TruthServer::start(scenario);
    let addr = server.addr;
    let slice = drive.slice(scenario, seconds);
    let truth = in_virtual_time(scenario, patient(addr), &slice);
    println!(
        "| **{}: true** | {} |",
        drive.name(),
        line(&figures(&truth))
    );
    if settings.wants("ours") {
        let (_, seen) = run_plan(patient(addr), slice, false);
        println!("| ours | {} |", line(&figures(&seen)));
    }
    // It never sleeps, and the CPU is for the servers that follow.
    drop(server);
    let requests = truth.scheduled_count();
    for contender in commands::found(scenario, seconds, requests) {
        if contender.drive != drive || !settings.wants(contender.tool) {
            continue;
        }
        eprintln!("{}: {}", scenario.name, contender.name);
        match run(&contender, scenario) {
            Some(printed) => println!("| {} | {} |", contender.name, line(&printed)),
            None => println!("| {} | did not end well | | | | | | | |", contender.name),
        }
    }
}

fn run(contender: &Contender, scenario: &Scenario) -> Option<Printed> {
    // A server of its own: its stalls begin with the first request.
    let server = TruthServer::start(scenario);
    let output = (contender.command)(server.addr)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    Some((contender.read)(&String::from_utf8_lossy(&output.stdout)))
}

/// What the engine says: response times of an open loop, service times of a closed one.
fn figures(seen: &Observations) -> Printed {
    let times = seen.response_time().unwrap_or_else(|| seen.service_time());
    let unsent = seen.outcome(Outcome::Unsent);
    Printed {
        times: row(&times),
        answers: Some(seen.good_count()),
        failed: Some(seen.failed_count() - unsent),
        unsent: Some(unsent),
    }
}

fn line(printed: &Printed) -> String {
    let count = |count: Option<u64>| count.map_or("–".to_owned(), |count| count.to_string());
    format!(
        "{} | {} | {} | {}",
        cells(&printed.times),
        count(printed.answers),
        count(printed.failed),
        count(printed.unsent)
    )
}
