//! The load generators with the closest arguments they have to a drive.

use std::net::SocketAddr;
use std::process::Command;

use load::Dispatch;

use super::super::rivals::{drill_plan, in_a_file, on_path};
use super::super::scenario::{Drive, Scenario, TIMEOUT};
use super::{Printed, reading};

/// A load generator, ready to be run against any address.
pub struct Contender {
    /// Its file name.
    pub tool: &'static str,
    /// With the options that matter.
    pub name: String,
    pub drive: Drive,
    pub command: Box<dyn Fn(SocketAddr) -> Command>,
    pub read: fn(&str) -> Printed,
}

const OWN_SCHEDULE: Drive = Drive::Open(Dispatch::PerConnection);
const ANY_FREE: Drive = Drive::Open(Dispatch::Shared);
const UNBOUNDED: Drive = Drive::Open(Dispatch::Unbounded);

/// Virtual users enough for every arrival of a stall.
const MANY_USERS: u32 = 1_000;

/// Those on the PATH. `requests` is what the drive sends, for tools that count instead of time.
pub fn found(scenario: &Scenario, seconds: f64, requests: u64) -> Vec<Contender> {
    let connections = scenario.connections;
    let (c, rate) = (connections.to_string(), scenario.rate_per_s.to_string());
    let each = (scenario.rate_per_s / f64::from(connections)).to_string();
    let (s, timeout) = (seconds.ceil().to_string(), TIMEOUT.as_secs().to_string());
    let (z, t) = (format!("{s}s"), format!("{timeout}s"));
    let mut all = vec![
        simple(
            "hey -q",
            OWN_SCHEDULE,
            reading::hey,
            &["-z", &z, "-c", &c, "-q", &each, "-t", &timeout],
        ),
        simple(
            "h2load --rps",
            OWN_SCHEDULE,
            reading::h2load,
            &["--h1", "-t1", "-c", &c, "--rps", &each, "-D", &s],
        ),
        simple(
            "autocannon -R",
            OWN_SCHEDULE,
            reading::autocannon,
            &["--json", "-c", &c, "-R", &rate, "-d", &s, "-t", &timeout],
        ),
        simple(
            "autocannon -R -C",
            OWN_SCHEDULE,
            reading::autocannon,
            &[
                "--json", "-C", "-c", &c, "-R", &rate, "-d", &s, "-t", &timeout,
            ],
        ),
        simple(
            "oha -q",
            ANY_FREE,
            reading::oha,
            &[
                "--no-tui",
                "--output-format",
                "json",
                "-z",
                &z,
                "-c",
                &c,
                "-q",
                &rate,
                "-t",
                &t,
            ],
        ),
        simple(
            "oha -q --latency-correction",
            ANY_FREE,
            reading::oha,
            &[
                "--no-tui",
                "--output-format",
                "json",
                "--latency-correction",
                "-z",
                &z,
                "-c",
                &c,
                "-q",
                &rate,
                "-t",
                &t,
            ],
        ),
        simple(
            "wrk --latency",
            Drive::Closed,
            reading::wrk,
            &["-t1", "-c", &c, "-d", &z, "--latency", "--timeout", &t],
        ),
        simple(
            "rewrk --pct",
            Drive::Closed,
            reading::rewrk,
            &["-t1", "-c", &c, "-d", &z, "--pct", "-h"],
        ),
        drill(connections, requests, timeout),
    ];
    for (drive, users) in [(ANY_FREE, connections), (UNBOUNDED, MANY_USERS)] {
        all.push(k6(drive, users, scenario.rate_per_s, seconds));
    }
    all.retain(|contender| on_path(contender.tool));
    all
}

/// A tool whose last argument is the URL.
fn simple(name: &str, drive: Drive, read: fn(&str) -> Printed, args: &[&str]) -> Contender {
    const TOOLS: [&str; 6] = ["hey", "h2load", "autocannon", "oha", "wrk", "rewrk"];
    let tool = TOOLS
        .into_iter()
        .find(|tool| name.starts_with(tool))
        .unwrap();
    let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
    Contender {
        tool,
        name: name.to_owned(),
        drive,
        command: Box::new(move |addr| {
            let mut command = Command::new(tool);
            command.args(&args).arg(format!("http://{addr}/"));
            command
        }),
        read,
    }
}

fn drill(connections: u32, requests: u64, timeout: String) -> Contender {
    Contender {
        tool: "drill",
        name: "drill --stats".to_owned(),
        drive: Drive::Closed,
        command: Box::new(move |addr| {
            let plan = drill_plan(addr, connections, requests);
            let mut command = Command::new("drill");
            command.args(["--quiet", "--stats", "-o", &timeout, "--benchmark", &plan]);
            command
        }),
        read: reading::drill,
    }
}

fn k6(drive: Drive, users: u32, rate: f64, seconds: f64) -> Contender {
    let timeout = TIMEOUT.as_secs();
    Contender {
        tool: "k6",
        name: format!("k6 constant-arrival-rate, {users} VUs"),
        drive,
        command: Box::new(move |addr| {
            let script = format!(
                "import http from 'k6/http';
export const options = {{
  scenarios: {{ open: {{ executor: 'constant-arrival-rate', rate: {rate}, timeUnit: '1s', \
duration: '{seconds}s', preAllocatedVUs: {users}, maxVUs: {users} }} }},
  summaryTrendStats: ['med', 'p(90)', 'p(95)', 'p(99)', 'max'],
}};
export default () => http.get('http://{addr}/', {{ timeout: '{timeout}s' }});
"
            );
            let mut command = Command::new("k6");
            command.args(["run", "--quiet", &in_a_file("k6.js", &script)]);
            command
        }),
        read: reading::k6,
    }
}
