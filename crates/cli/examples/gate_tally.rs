//! How often the gate says what about a difference that was planted: the evidence behind its exit code.
//!
//! `cargo build --release --bins --examples -p bancada && target/release/examples/gate_tally [PLANTED] [RUNS] [BUDGET]`
//!
//! runs `bancada gate` so many times on the service `costly` and itself with PLANTED per cent more work (default 25,
//! ten runs of 20 s), and prints a line a run and the count of each outcome. The service's work is far more than
//! what a request costs besides, so that its CPU time per answer grows by nearly what was planted. Run it on a
//! machine that does nothing else.
#![allow(clippy::print_stdout, reason = "the tally is what it is for")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::{env, io};

/// Rounds of work of one answer before: about a tenth of a millisecond in a release build.
const ROUNDS: u64 = 50_000;

fn main() -> io::Result<()> {
    let mut args = env::args().skip(1);
    let planted: f64 = args
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(25.0);
    let runs: usize = args.next().and_then(|text| text.parse().ok()).unwrap_or(10);
    let budget = args.next().unwrap_or_else(|| "20s".to_owned());
    let examples = env::current_exe()?;
    let examples = examples.parent().unwrap_or(Path::new("."));
    let service = examples.join("costly");
    let bancada = examples.parent().unwrap_or(examples).join("bancada");
    let rounds = (ROUNDS as f64 * (1.0 + planted / 100.0)).round() as u64;
    let mut tally: BTreeMap<String, usize> = BTreeMap::new();
    for run in 1..=runs {
        let command = |rounds: u64| format!("exec '{}' {rounds}", service.display());
        let output = Command::new(&bancada)
            .args([
                "gate", "--path", "/", "--format", "json", "--budget", &budget,
            ])
            .args(["--before", &command(ROUNDS), "--after", &command(rounds)])
            .output()?;
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let outcome = found["outcome"].as_str().unwrap_or("no result").to_owned();
        let equal = found["sentence"]
            .as_str()
            .is_some_and(|said| said.contains("equal"));
        let judged = &found["judged"][0];
        println!(
            "{run:>3}  exit {}  {outcome}  {}  {:.3} ({:.3} – {:.3}), {} blocks",
            output.status.code().unwrap_or(-1),
            found["sentence"].as_str().unwrap_or(""),
            judged["ratio"].as_f64().unwrap_or(f64::NAN),
            judged["low_ratio"].as_f64().unwrap_or(f64::NAN),
            judged["high_ratio"].as_f64().unwrap_or(f64::NAN),
            judged["blocks_count"].as_u64().unwrap_or(0),
        );
        *tally
            .entry(if equal {
                format!("{outcome}, equal")
            } else {
                outcome
            })
            .or_default() += 1;
    }
    println!("planted {planted} %, {runs} runs of {budget}: {tally:?}");
    Ok(())
}
