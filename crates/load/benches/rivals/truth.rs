//! Servers whose times are known: what we measure on them beside what is true, and an address to
//! try other generators on.
//!
//! The truth of an open loop is the same plan in virtual time.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use load::simulated::Simulated;
use load::{
    Dispatch, Distribution, Observations, Outcome, Pacing, Percentile, Plan, Rate, Requests,
    Session, Share, Slice, Target, request_bytes, run,
};

/// Nanoseconds that request `number` takes when it arrives `since_start_ns` after the first.
type Behaviour = fn(number: u64, since_start_ns: u64) -> u64;

const MS: u64 = 1_000_000;

/// The servers by name.
fn behaviour(name: &str) -> Option<Behaviour> {
    match name {
        // 5 ms, and nothing moves in the first second of every five.
        "stall" => Some(|_, since| 5 * MS + (1_000 * MS).saturating_sub(since % (5_000 * MS))),
        // One in twenty takes 200 ms instead of 5.
        "mixture" => Some(|number, _| if number % 20 == 19 { 200 * MS } else { 5 * MS }),
        // One in ten takes 3 s instead of 5 ms.
        "slow" => Some(|number, _| if number % 10 == 9 { 3_000 * MS } else { 5 * MS }),
        _ => None,
    }
}

/// Serves for ever, for other generators to be tried on.
pub fn serve(name: &str) {
    let Some(behaviour) = behaviour(name) else {
        eprintln!("there are: stall, mixture, slow");
        std::process::exit(2);
    };
    let (addr, _) = start(behaviour);
    println!("http://{addr}/");
    loop {
        std::thread::park();
    }
}

/// Drives a server under each dispatch rule, and prints what was seen beside what was true.
pub fn compare(name: &str, rate: f64, seconds: u64) {
    let Some(behaviour) = behaviour(name) else {
        eprintln!("there are: stall, mixture, slow");
        std::process::exit(2);
    };
    println!("{name}: {rate} arrivals/s, 10 connections, {seconds} s; times in ms");
    println!(
        "{:<34}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}",
        "", "p50", "p90", "p95", "p99", "max", "timeout"
    );
    for dispatch in [
        Dispatch::PerConnection,
        Dispatch::Shared,
        Dispatch::Unbounded,
    ] {
        let (addr, kept) = start(behaviour);
        let plan = plan(addr, rate, seconds, dispatch);
        let seen = run(&plan, &mut |_| {}, &AtomicBool::new(false)).unwrap();
        let name = dispatch.name();
        row(
            &format!("{name} response, seen"),
            &seen,
            &seen.response_time().unwrap(),
        );
        let truth = in_virtual_time(&plan, behaviour);
        row(
            &format!("{name} response, true"),
            &truth,
            &truth.response_time().unwrap(),
        );
        row(
            &format!("{name} service, seen"),
            &seen,
            &seen.good_service_time(),
        );
        kept_row(&format!("{name} service, kept"), &kept.lock().unwrap());
    }
}

fn plan(addr: SocketAddr, rate: f64, seconds: u64, dispatch: Dispatch) -> Plan {
    let request = request_bytes("GET", "/", &addr.to_string(), &[], None);
    let target = Target {
        timeout: TIMEOUT,
        ..Target::new(addr, addr.to_string(), Requests::same(request))
    };
    let pacing = Pacing::Open {
        rate: Rate::constant(rate),
        connections: 10,
        dispatch,
    };
    let slice = Slice::new(pacing, Duration::from_secs(seconds));
    Plan {
        target,
        slice,
        threads: 1,
        cpus: vec![],
    }
}

fn in_virtual_time(plan: &Plan, behaviour: Behaviour) -> Observations {
    let mut first = None;
    let server = Simulated::unlimited_workers(move |number, at| {
        behaviour(number, at - *first.get_or_insert(at))
    });
    let mut session = Session::with_transport(server, Share::WHOLE, 1);
    let target = session.add_target(plan.target.clone());
    session
        .drive(target, &plan.slice, &mut |_| {}, &AtomicBool::new(false))
        .unwrap()
}

fn row(name: &str, seen: &Observations, times: &Distribution) {
    print!("{name:<34}");
    for q in QUANTILES {
        match times.percentile(q) {
            Percentile::Value(ns) => print!("{:>10.2}", ns as f64 / 1e6),
            Percentile::AtLeast(ns) => print!("{:>10}", format!("≥{:.1}", ns as f64 / 1e6)),
            Percentile::Absent => print!("{:>10}", "–"),
        }
    }
    let max = times.max_ns().unwrap_or(0) as f64 / 1e6;
    println!("{max:>10.2}{:>10}", seen.outcome(Outcome::Timeout));
}

/// What the server kept itself of the answers it gave within the timeout.
fn kept_row(name: &str, kept: &Histogram<u64>) {
    print!("{name:<34}");
    for q in QUANTILES {
        print!("{:>10.2}", kept.value_at_quantile(q) as f64 / 1e6);
    }
    println!("{:>10.2}", kept.max() as f64 / 1e6);
}

const QUANTILES: [f64; 4] = [0.5, 0.9, 0.95, 0.99];
const TIMEOUT: Duration = Duration::from_secs(2);

type Kept = Arc<Mutex<Histogram<u64>>>;

/// A server on a free port, one thread a connection.
fn start(behaviour: Behaviour) -> (SocketAddr, Kept) {
    let kept: Kept = Arc::new(Mutex::new(
        Histogram::new_with_bounds(1, 3_600_000_000_000, 3).unwrap(),
    ));
    let keeping = kept.clone();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (number, first): &'static _ = Box::leak(Box::new((AtomicU64::new(0), OnceLock::new())));
        for stream in listener.incoming().flatten() {
            let kept = keeping.clone();
            std::thread::spawn(move || answer(stream, behaviour, number, first, &kept));
        }
    });
    (addr, kept)
}

fn answer(
    mut stream: TcpStream,
    behaviour: Behaviour,
    number: &AtomicU64,
    first: &OnceLock<Instant>,
    kept: &Mutex<Histogram<u64>>,
) {
    let _ = stream.set_nodelay(true);
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
    let mut buffer = [0; 4096];
    while let Ok(1..) = stream.read(&mut buffer) {
        let now = Instant::now();
        let since = now.duration_since(*first.get_or_init(|| now)).as_nanos() as u64;
        let takes = behaviour(number.fetch_add(1, Ordering::Relaxed), since);
        std::thread::sleep(Duration::from_nanos(takes).saturating_sub(now.elapsed()));
        if stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            .is_err()
        {
            return;
        }
        if now.elapsed() < TIMEOUT {
            kept.lock()
                .unwrap()
                .saturating_record(now.elapsed().as_nanos() as u64);
        }
    }
}
