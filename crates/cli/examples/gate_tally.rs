//! How often the gate says what about a difference that was planted, and how often its interval holds the truth:
//! the evidence behind its exit code, and the calibration of the method on a real machine.
//!
//! `cargo build --release --bins --examples -p bancada && target/release/examples/gate_tally [PLANTED] [RUNS] [BUDGET]`
//!
//! runs `bancada gate` so many times on the service `costly` and itself with PLANTED per cent more work (default 25,
//! ten runs of 20 s; 0 is a service against itself), and prints a line a run and the count of each outcome. What an
//! answer costs besides its work is timed first, and PLANTED per cent of that are added to the work: so the CPU time per
//! answer grows by what was planted as a whole. Run it on a machine that does nothing else.
#![allow(clippy::print_stdout, reason = "the tally is what it is for")]

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use std::{env, fs, io, thread};

use load::{Pacing, Plan, Requests, Slice, Target, request_bytes};

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
    let (working, besides) = (cpu_ns_per_answer(ROUNDS)?, cpu_ns_per_answer(0)?);
    let besides_rounds = ROUNDS as f64 * besides / (working - besides);
    let more = (ROUNDS as f64 * truth + besides_rounds * (truth - 1.0)).round() as u64;
    println!(
        "an answer takes {:.3} ms of CPU time, {:.0} µs of it besides its work; {ROUNDS} rounds and {more}",
        working / 1e6,
        besides / 1e3,
    );
    let mut tally: BTreeMap<String, usize> = BTreeMap::new();
    let mut held = 0;
    for run in 1..=runs {
        let verdict = gate(more, &budget)?;
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

/// The examples' directory: the service is in it, the binary above it.
fn examples() -> io::Result<PathBuf> {
    let itself = env::current_exe()?;
    Ok(itself.parent().unwrap_or(Path::new(".")).to_owned())
}

/// Runs the gate on the service, and on itself with `more` rounds.
fn gate(more: u64, budget: &str) -> io::Result<Said> {
    let examples = examples()?;
    let service = examples.join("costly");
    let bancada = examples.parent().unwrap_or(&examples).join("bancada");
    let command = |rounds: u64| format!("exec '{}' {rounds}", service.display());
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

/// A running service, killed when dropped.
struct Costly(Child);

impl Drop for Costly {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// CPU time that the service takes for an answer of so many rounds, from three seconds of one connection.
fn cpu_ns_per_answer(rounds: u64) -> io::Result<f64> {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
    let service = Command::new(examples()?.join("costly"))
        .arg(rounds.to_string())
        .env("PORT", free.port().to_string())
        .spawn()?;
    let service = Costly(service);
    for _ in 0..200 {
        if TcpStream::connect(free).is_ok() {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    let before = cpu_ticks(service.0.id())?;
    let answers = answers_within(free, Duration::from_secs(3))?;
    let ticks = cpu_ticks(service.0.id())? - before;
    Ok(ticks as f64 * 1e9 / rustix::param::clock_ticks_per_second() as f64 / answers as f64)
}

fn answers_within(addr: SocketAddr, duration: Duration) -> io::Result<u64> {
    let request = request_bytes("GET", "/", &addr.to_string(), &[], None);
    let pacing = Pacing::Closed {
        concurrency: 1,
        think_time: Duration::ZERO,
    };
    let plan = Plan {
        target: Target::new(addr, addr.to_string(), Requests::same(request)),
        slice: Slice::new(pacing, duration),
        threads: 1,
        cpus: vec![],
        busy_poll: false,
    };
    let seen = load::run(&plan, &mut |_| {}, &AtomicBool::new(false)).map_err(io::Error::other)?;
    Ok(seen.good_count())
}

/// Clock ticks of CPU time of all threads of a process, ended ones included.
fn cpu_ticks(pid: u32) -> io::Result<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name of the program, in brackets, may hold spaces: fields are counted from its end.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let times = fields.split_whitespace().skip(11).take(2);
    Ok(times.filter_map(|ticks| ticks.parse::<u64>().ok()).sum())
}
