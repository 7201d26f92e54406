//! System calls per request, counted by perf without slowing them.

use std::process::{Command, Stdio};

use super::contenders::{besides_ours, itself};
use super::machine::{self, GENERATOR_CPU};
use super::rivals::on_path;
use super::server::Server;
use super::settings::Settings;

/// Columns: calls that do the same under several names.
const KINDS: [(&str, &[&str]); 6] = [
    ("send", &["sendto", "sendmsg", "write", "writev"]),
    ("receive", &["recvfrom", "recvmsg", "read", "readv"]),
    (
        "poll",
        &["epoll_wait", "epoll_pwait", "epoll_pwait2", "poll"],
    ),
    ("epoll_ctl", &["epoll_ctl"]),
    (
        "timer",
        &["timerfd_settime", "nanosleep", "clock_nanosleep"],
    ),
    ("futex", &["futex"]),
];

/// Prints one row for each generator.
pub fn count(settings: &Settings) {
    if !on_path("perf") {
        eprintln!("perf counts them, and it is not on the PATH");
        std::process::exit(1);
    }
    machine::stay_on(GENERATOR_CPU);
    let seconds = settings.seconds.unwrap_or(2.0);
    println!("System calls per request; {}\n", machine::line());
    let names: Vec<_> = KINDS.iter().map(|(name, _)| *name).collect();
    println!(
        "| generator | connections | body, bytes | {} |",
        names.join(" | ")
    );
    println!("| --- | ---: | ---: |{}", " ---: |".repeat(KINDS.len()));
    for &body in &settings.bodies {
        for &connections in &settings.connections {
            let mut server = Server::start(body);
            let addr = server.addr;
            let own = ("ours", itself("ours", addr, connections, seconds));
            let others = besides_ours(settings, addr, connections, seconds);
            for (name, command) in std::iter::once(own).chain(others) {
                match per_request(&mut server, &command) {
                    Some(counts) => {
                        let counts: Vec<_> =
                            counts.iter().map(|count| format!("{count:.3}")).collect();
                        println!(
                            "| {name} | {connections} | {body} | {} |",
                            counts.join(" | ")
                        );
                    }
                    None => eprintln!("{name} did not run under perf"),
                }
            }
        }
    }
}

fn per_request(server: &mut Server, command: &Command) -> Option<Vec<f64>> {
    let calls = KINDS.iter().flat_map(|(_, calls)| calls.iter());
    let events: Vec<_> = calls
        .map(|call| format!("syscalls:sys_enter_{call}"))
        .collect();
    let before = server.count();
    let output = Command::new("perf")
        .args(["stat", "-x", ",", "-e", &events.join(","), "--"])
        .arg(command.get_program())
        .args(command.get_args())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .ok()?;
    let requests = (server.count() - before) as f64;
    if requests == 0.0 {
        return None;
    }
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    let counted = |call: &&str| {
        let event = format!("syscalls:sys_enter_{call}");
        report.lines().find_map(|line| {
            let mut fields = line.split(',');
            let count = fields.next()?;
            let named = fields.any(|field| field == event);
            named.then(|| count.parse::<f64>().ok()).flatten()
        })
    };
    let kinds = KINDS.iter();
    kinds
        .map(|(_, calls)| Some(calls.iter().map(counted).sum::<Option<f64>>()? / requests))
        .collect()
}
