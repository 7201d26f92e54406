//! What a request costs the generator: ours, a bare send/receive loop, and every rival found on
//! the PATH, against a server that does nothing.
//!
//! Server on one CPU, generator on the other, in alternating pairs. CPU time is what the kernel
//! charged to the generator's process, requests are those the server counted.
//!
//! `cargo bench -p load -- --rounds 10 --seconds 2 --connections 1,10,50,400 --bodies 2,16384 --only wrk,oha`
//! `cargo bench -p load -- truth stall 500 50` compares our times with the truth,
//! `cargo bench -p load -- truth-serve stall` leaves the server to others.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::exit,
    clippy::unwrap_used
)]

mod bare;
mod interval;
mod null_server;
mod rivals;
mod truth;

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use load::{Pacing, Plan, Requests, Slice, Target, request_bytes, run};
use rustix::thread::{CpuSet, sched_setaffinity};

struct Settings {
    rounds: usize,
    seconds: f64,
    connections: Vec<u32>,
    bodies: Vec<usize>,
    only: Option<Vec<String>>,
}

fn main() {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    match args.first().map(String::as_str) {
        Some("serve") => null_server::serve(args[1].parse().unwrap()),
        Some("truth-serve") => truth::serve(args.get(1).map_or("", String::as_str)),
        Some("truth") => {
            let number =
                |place: usize, usual: f64| args.get(place).map_or(usual, |n| n.parse().unwrap());
            let name = args.get(1).map_or("stall", String::as_str);
            truth::compare(name, number(2, 500.0), number(3, 50.0) as u64);
        }
        Some("ours") => ours(&args[1..]),
        Some("bare") => {
            let (addr, connections, seconds) = load_args(&args[1..]);
            bare::drive(addr, connections, seconds);
        }
        _ => compare(&settings(&args)),
    }
}

fn settings(args: &[String]) -> Settings {
    let mut settings = Settings {
        rounds: 10,
        seconds: 2.0,
        connections: vec![50],
        bodies: vec![2],
        only: None,
    };
    for pair in args.chunks(2) {
        let [name, value] = pair else { usage() };
        let list = || value.split(',').map(str::to_owned).collect::<Vec<_>>();
        match name.as_str() {
            "--rounds" => settings.rounds = value.parse().unwrap(),
            "--seconds" => settings.seconds = value.parse().unwrap(),
            "--connections" => {
                settings.connections = list().iter().map(|n| n.parse().unwrap()).collect();
            }
            "--bodies" => settings.bodies = list().iter().map(|n| n.parse().unwrap()).collect(),
            "--only" => settings.only = Some(list()),
            _ => usage(),
        }
    }
    settings
}

fn usage() -> ! {
    eprintln!("--rounds N --seconds S --connections N,N --bodies BYTES,BYTES --only NAME,NAME");
    std::process::exit(2);
}

fn load_args(args: &[String]) -> (SocketAddr, u32, f64) {
    (
        args[0].parse().unwrap(),
        args[1].parse().unwrap(),
        args[2].parse().unwrap(),
    )
}

fn ours(args: &[String]) {
    let (addr, connections, seconds) = load_args(args);
    let request = request_bytes("GET", "/", &addr.to_string(), &[], None);
    let target = Target::new(addr, addr.to_string(), Requests::same(request));
    let pacing = Pacing::Closed {
        concurrency: connections,
        think_time: Duration::ZERO,
    };
    let slice = Slice::new(pacing, Duration::from_secs_f64(seconds));
    let plan = Plan {
        target,
        slice,
        threads: 1,
        cpus: vec![],
    };
    let seen = run(&plan, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    assert_eq!(seen.failed_count(), 0, "{:?}", seen.outcomes);
    println!("{}", seen.scheduled_count());
}

/// The server as a process of its own.
struct Server {
    process: Child,
    addr: SocketAddr,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Server {
    fn start(body: usize) -> Server {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["serve", &body.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let addr = lines.next().unwrap().unwrap().parse().unwrap();
        Server {
            process,
            addr,
            lines,
        }
    }

    /// Requests answered so far.
    fn count(&mut self) -> u64 {
        self.process
            .stdin
            .as_mut()
            .unwrap()
            .write_all(b"\n")
            .unwrap();
        self.lines.next().unwrap().unwrap().parse().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What one run of one generator cost.
#[derive(Clone, Copy)]
struct Cost {
    cpu_us: f64,
    user_us: f64,
    per_s: f64,
}

fn measure(server: &mut Server, command: &mut Command) -> Option<Cost> {
    let before = server.count();
    let (cpu, user) = child_cpu();
    let started = Instant::now();
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let elapsed = started.elapsed().as_secs_f64();
    let (cpu_after, user_after) = child_cpu();
    let requests = (server.count() - before) as f64;
    if !status.is_ok_and(|status| status.success()) || requests == 0.0 {
        return None;
    }
    Some(Cost {
        cpu_us: (cpu_after - cpu) / requests,
        user_us: (user_after - user) / requests,
        per_s: requests / elapsed,
    })
}

/// CPU time of ended children in microseconds: all, and in user mode.
fn child_cpu() -> (f64, f64) {
    // SAFETY: getrusage fills the structure it is given, which outlives the call.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let us = |time: libc::timeval| time.tv_sec as f64 * 1e6 + time.tv_usec as f64;
    (us(usage.ru_utime) + us(usage.ru_stime), us(usage.ru_utime))
}

fn compare(settings: &Settings) {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    if cpus > 1 {
        let mut set = CpuSet::new();
        set.set(1);
        // Children inherit it; the server moves itself to CPU 0.
        sched_setaffinity(None, &set).unwrap();
    } else {
        println!("only one CPU: server and generator share it, and ratios say less");
    }
    let exe = std::env::current_exe().unwrap();
    for &body in &settings.bodies {
        for &connections in &settings.connections {
            let mut server = Server::start(body);
            println!(
                "\n{connections} connections, {body}-byte bodies, {} pairs of {} s",
                settings.rounds, settings.seconds
            );
            println!(
                "            {:>12}{:>12}{:>12}   ours / rival: CPU, user (95 % intervals)",
                "CPU us/req", "user us/req", "req/s"
            );
            let itself = |mode: &str| {
                let mut command = Command::new(&exe);
                let seconds = settings.seconds.to_string();
                command.args([
                    mode,
                    &server.addr.to_string(),
                    &connections.to_string(),
                    &seconds,
                ]);
                command
            };
            let rivals = rivals::found(server.addr, connections, settings.seconds);
            let all = std::iter::once(("bare loop", itself("bare"))).chain(rivals);
            let mut own = itself("ours");
            for (name, mut rival) in all {
                if settings
                    .only
                    .as_ref()
                    .is_some_and(|only| !only.iter().any(|wanted| wanted == name))
                {
                    continue;
                }
                pairs(name, settings.rounds, &mut server, &mut own, &mut rival);
            }
        }
    }
}

fn pairs(name: &str, rounds: usize, server: &mut Server, own: &mut Command, rival: &mut Command) {
    let mut costs = Vec::new();
    for round in 0..rounds {
        // Who goes first changes from pair to pair.
        let (ours, theirs) = if round % 2 == 0 {
            let ours = measure(server, own);
            (ours, measure(server, rival))
        } else {
            let theirs = measure(server, rival);
            (measure(server, own), theirs)
        };
        match ours.zip(theirs) {
            Some(pair) => costs.push(pair),
            None => {
                println!("{name:<12} did not run");
                return;
            }
        }
    }
    let row = |name: &str, of: fn(&(Cost, Cost)) -> Cost| {
        let median = |figure: fn(Cost) -> f64| {
            interval::median(costs.iter().map(|pair| figure(of(pair))).collect())
        };
        let figures = (
            median(|c| c.cpu_us),
            median(|c| c.user_us),
            median(|c| c.per_s),
        );
        print!(
            "{name:<12}{:>12.2}{:>12.2}{:>12.0}",
            figures.0, figures.1, figures.2
        );
    };
    row(name, |pair| pair.1);
    println!();
    row("  ours", |pair| pair.0);
    let ratio = |figure: fn(Cost) -> f64| {
        let ratios = costs
            .iter()
            .map(|(ours, theirs)| figure(*ours) / figure(*theirs))
            .collect();
        interval::of_ratios(ratios)
    };
    println!(
        "   {}, {}",
        ratio(|cost| cost.cpu_us),
        ratio(|cost| cost.user_us)
    );
}
