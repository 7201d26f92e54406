//! What the engine costs and how true it is, beside a bare send/receive loop and every load
//! generator found on the PATH. Tables are Markdown, for `docs/load-engine.md`.
//!
//! ```text
//! cargo bench -p load -- costs      CPU per request in alternating pairs
//! cargo bench -p load -- syscalls   system calls per request, counted by perf
//! cargo bench -p load -- truth      our times on servers whose times are known
//! cargo bench -p load -- printed    what every generator prints on those servers
//! cargo bench -p load -- pacing     the rate asked for and the rate answered
//! cargo bench -p load -- priority   send delay on a CPU that another process wants too
//! cargo bench -p load -- truth-serve stall   such a server alone
//! ```
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::exit,
    clippy::unwrap_used
)]

mod bare;
mod contenders;
mod costs;
mod interval;
mod machine;
mod null_server;
mod ours;
mod pacing;
mod printed;
mod priority;
mod rivals;
mod scenario;
mod server;
mod settings;
mod syscalls;
mod truth;
mod truth_server;

use settings::Settings;

fn main() {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let (mode, rest) = match args.split_first() {
        Some((mode, rest)) if !mode.starts_with("--") => (mode.as_str(), rest),
        _ => ("costs", args.as_slice()),
    };
    match mode {
        // Processes of the bench itself.
        "serve" => null_server::serve(rest[0].parse().unwrap()),
        "ours" => ours::closed_loop(rest),
        "bare" => bare::drive(rest, "reno"),
        "bare-default" => bare::drive(rest, ""),
        "hog" => priority::hog(),
        _ => show(mode, rest),
    }
}

fn show(mode: &str, rest: &[String]) {
    // Else it is the pauses of the one that wake the other late.
    let _awake = load::Awake::hold();
    match mode {
        "costs" => costs::compare(&Settings::read(rest)),
        "syscalls" => syscalls::count(&Settings::read(rest)),
        "truth" => truth::compare(&Settings::read(rest)),
        "printed" => printed::compare(&Settings::read(rest)),
        "pacing" => pacing::compare(&Settings::read(rest)),
        "priority" => priority::compare(&Settings::read(rest)),
        "truth-serve" => truth_server::serve(rest.first().map_or("", String::as_str)),
        _ => settings::usage(),
    }
}
