//! Our engine as a process of its own, the way `bancada load` runs it, but that idle CPUs poll.

use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use load::{Observations, Pacing, Plan, Requests, Slice, Target, request_bytes, run};

/// Address, connections and seconds of a run.
pub fn load_args(args: &[String]) -> (SocketAddr, u32, f64) {
    (
        args[0].parse().unwrap(),
        args[1].parse().unwrap(),
        args[2].parse().unwrap(),
    )
}

/// A target at `addr` that is asked for `/`.
pub fn target(addr: SocketAddr) -> Target {
    let request = request_bytes("GET", "/", &addr.to_string(), &[], None);
    Target::new(addr, addr.to_string(), Requests::same(request))
}

/// Carries out a plan on one thread.
pub fn run_plan(target: Target, slice: Slice, busy_poll: bool) -> (Plan, Observations) {
    let plan = Plan {
        target,
        slice,
        threads: 1,
        cpus: vec![],
        busy_poll,
    };
    let seen = run(&plan, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    (plan, seen)
}

/// Drives a closed loop and says how many requests it sent.
pub fn closed_loop(args: &[String]) {
    let (addr, connections, seconds) = load_args(args);
    let pacing = Pacing::Closed {
        concurrency: connections,
        think_time: Duration::ZERO,
    };
    let slice = Slice::new(pacing, Duration::from_secs_f64(seconds));
    let (_, seen) = run_plan(target(addr), slice, false);
    assert_eq!(seen.failed_count(), 0, "{:?}", seen.outcomes);
    println!("{}", seen.scheduled_count());
}
