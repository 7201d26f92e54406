//! How often the gate says what about a difference that was planted, and how often its interval holds the truth:
//! the evidence behind its exit code, and the calibration of the method on a real machine.
//!
//! `cargo build --release --bins --examples -p bancada && target/release/examples/gate_tally [PLANTED] [RUNS] [BUDGET]`
//!
//! runs `bancada gate` so many times on the service `costly` and itself with PLANTED per cent more work (default 25,
//! ten runs of 20 s; 0 is a service against itself), and prints a line a run and the count of each outcome. The
//! service's work is some fifty times what a request costs besides, on a CPU that slept before it, so that its CPU time
//! per answer grows by what was planted less a fiftieth of that. Run it on a machine that does nothing else.
#![allow(clippy::print_stdout, reason = "the tally is what it is for")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::{env, io};

/// Rounds of work of one answer before: some five milliseconds in a release build.
const ROUNDS: u64 = 3_000_000;

fn main() -> io::Result<()> {
    let mut args = env::args().skip(1);
    let planted: f64 = args
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(25.0);
    let runs: usize = args.next().and_then(|text| text.parse().ok()).unwrap_or(10);
    let budget = args.next().unwrap_or_else(|| "20s".to_owned());
    let truth = 1.0 + planted / 100.0;
    let mut tally: BTreeMap<String, usize> = BTreeMap::new();
    let mut held = 0;
    for run in 1..=runs {
        let verdict = gate(truth, &budget)?;
        let holds = verdict.low_ratio <= truth && truth <= verdict.high_ratio;
        held += usize::from(holds);
        println!(
            "{run:>3}  exit {}  {}  {:.3} ({:.3} – {:.3}) {}, {} blocks, {}",
            verdict.exit,
            verdict.outcome,
            verdict.ratio,
            verdict.low_ratio,
            verdict.high_ratio,
            if holds { "holds" } else { "does not hold" },
            verdict.blocks_count,
            verdict.sentence,
        );
        let equal = verdict.sentence.contains("equal");
        let outcome = verdict.outcome + if equal { ", equal" } else { "" };
        *tally.entry(outcome).or_default() += 1;
    }
    println!(
        "planted {planted} %, {runs} runs of {budget}: {tally:?}, {held} intervals hold {truth}"
    );
    Ok(())
}

/// What one run of the gate said.
struct Said {
    exit: i32,
    outcome: String,
    sentence: String,
    ratio: f64,
    low_ratio: f64,
    high_ratio: f64,
    blocks_count: u64,
}

/// Runs the gate on the service and itself with `truth` times the work.
fn gate(truth: f64, budget: &str) -> io::Result<Said> {
    let examples = env::current_exe()?;
    let examples = examples.parent().unwrap_or(Path::new("."));
    let service = examples.join("costly");
    let bancada = examples.parent().unwrap_or(examples).join("bancada");
    let command = |rounds: u64| format!("exec '{}' {rounds}", service.display());
    let more = (ROUNDS as f64 * truth).round() as u64;
    let output = Command::new(&bancada)
        .args([
            "gate", "--path", "/", "--format", "json", "--budget", budget,
        ])
        .args(["--before", &command(ROUNDS), "--after", &command(more)])
        .output()?;
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let judged = &found["judged"][0];
    let ratio = |name: &str| judged[name].as_f64().unwrap_or(f64::NAN);
    Ok(Said {
        exit: output.status.code().unwrap_or(-1),
        outcome: found["outcome"].as_str().unwrap_or("no result").to_owned(),
        sentence: found["sentence"].as_str().unwrap_or("").to_owned(),
        ratio: ratio("ratio"),
        low_ratio: ratio("low_ratio"),
        high_ratio: ratio("high_ratio"),
        blocks_count: judged["blocks_count"].as_u64().unwrap_or(0),
    })
}
