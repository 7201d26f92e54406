//! Every request is accounted for, exactly once.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use std::net::TcpListener;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use load::{
    Dispatch, Edge, EngineOptions, GrantedPriority, Observations, Outcome, Pacing, Plan, Priority,
    Rate, Session, Slice, Target, run,
};
use support::{Reply, Server, ok};

fn closed(concurrency: u32) -> Pacing {
    Pacing::Closed {
        concurrency,
        think_time: Duration::ZERO,
    }
}

fn drive(target: Target, slice: &Slice) -> Observations {
    let mut session = Session::new(EngineOptions::default()).unwrap();
    let target = session.add_target(target);
    session
        .drive(target, slice, &mut |_| {}, &AtomicBool::new(false))
        .unwrap()
}

fn counted(pacing: Pacing, requests: u64) -> Slice {
    Slice {
        requests: Some(requests),
        ..Slice::new(pacing, Duration::from_secs(120))
    }
}

#[test]
fn a_counted_closed_loop_sends_exactly_that_many() {
    let server = Server::start(|_, _| Reply::Bytes(ok(b"ok")));
    let seen = drive(server.target(), &counted(closed(7), 10_003));
    assert_eq!(server.count(), 10_003);
    assert_eq!(seen.scheduled_count(), 10_003);
    assert_eq!(seen.good_count(), 10_003);
    assert_eq!(seen.status[&200], 10_003);
    assert_eq!(seen.service_time().count(), 10_003);
    assert_eq!(seen.connections.opened_count, 7);
    assert_eq!(seen.answers_in_window_count, 10_003);
}

#[test]
fn connections_of_an_earlier_drive_are_not_starved_by_one_that_has_no_use_for_them() {
    let server = Server::start(|_, _| Reply::Bytes(ok(b"ok")));
    let mut session = Session::new(EngineOptions::default()).unwrap();
    let target = session.add_target(server.target());
    let mut drive = |concurrency, requests| {
        let slice = counted(closed(concurrency), requests);
        let stop = AtomicBool::new(false);
        session
            .drive(target, &slice, &mut |_| {}, &stop)
            .unwrap()
            .connections
    };
    drive(7, 700);
    // The only one that it uses sends all.
    let connections = drive(1, 50);
    assert_eq!(connections.least_completed_count, 50);
    assert_eq!(connections.most_completed_count, 50);
}

#[test]
fn threads_share_a_count_without_a_remainder() {
    let server = Server::start(|_, _| Reply::Bytes(ok(b"ok")));
    for pacing in [
        closed(7),
        Pacing::Open {
            rate: Rate::constant(20_000.0),
            connections: 7,
            dispatch: Dispatch::Shared,
        },
    ] {
        let before = server.count();
        let plan = Plan {
            target: server.target(),
            slice: counted(pacing, 1_003),
            threads: 3,
            cpus: vec![],
            busy_poll: false,
        };
        let seen = run(&plan, &mut |_| {}, &AtomicBool::new(false)).unwrap();
        assert_eq!(server.count() - before, 1_003);
        assert_eq!(seen.scheduled_count(), 1_003);
        assert_eq!(seen.good_count(), 1_003);
    }
}

#[test]
fn threads_that_share_a_count_of_arrivals_offered_them_at_the_rate_asked_for() {
    let server = Server::start(|_, _| Reply::Bytes(ok(b"ok")));
    // The last arrivals of the threads lie far apart, and of seven one thread has none.
    for requests in [10, 7] {
        let pacing = Pacing::Open {
            rate: Rate::constant(50.0),
            connections: 8,
            dispatch: Dispatch::Shared,
        };
        let plan = Plan {
            target: server.target(),
            slice: counted(pacing, requests),
            threads: 8,
            cpus: vec![],
            busy_poll: false,
        };
        let seen = run(&plan, &mut |_| {}, &AtomicBool::new(false)).unwrap();
        assert_eq!(seen.good_count(), requests);
        let offered = seen.offered_load_per_s();
        assert!((offered - 50.0).abs() < 1e-6, "{offered}");
    }
}

#[test]
fn a_thread_without_a_request_of_its_own_is_still_one_of_the_threads() {
    let server = Server::start(|_, _| Reply::Bytes(ok(b"ok")));
    let plan = Plan {
        target: server.target(),
        slice: counted(closed(6), 1),
        threads: 3,
        cpus: vec![],
        busy_poll: false,
    };
    let seen = run(&plan, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    assert_eq!(seen.good_count(), 1);
    assert_eq!(seen.threads_count, 3);
    assert_eq!(seen.connections.opened_count, 6);
}

#[test]
fn resets_are_counted_and_the_count_is_still_exact() {
    sends_exactly(5_003, 7);
}

#[test]
#[ignore = "a hundred thousand requests: run it with -- --ignored"]
fn a_hundred_thousand_and_three_are_exactly_that() {
    sends_exactly(100_003, 7);
}

/// To a server that answers all, and to one that resets one connection in fifty requests.
fn sends_exactly(requests: u64, connections: u32) {
    for resets in [false, true] {
        let server = Server::start(move |number, _| {
            if resets && number % 50 == 49 {
                Reply::Reset
            } else {
                Reply::Bytes(ok(b"ok"))
            }
        });
        let seen = drive(server.target(), &counted(closed(connections), requests));
        let reset = if resets { requests / 50 } else { 0 };
        println!(
            "sent {}, server counted {}: {:?}",
            seen.scheduled_count(),
            server.count(),
            seen.outcomes
        );
        assert_eq!(server.count(), requests);
        assert_eq!(seen.scheduled_count(), requests);
        assert_eq!(seen.outcome(Outcome::Reset), reset);
        assert_eq!(seen.good_count(), requests - reset);
    }
}

#[test]
fn a_server_that_is_not_there_refuses_every_request() {
    let addr = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let server = Server::start(|_, _| Reply::Nothing);
    let target = Target {
        addr,
        ..server.target()
    };
    let seen = drive(target, &counted(closed(4), 20));
    assert_eq!(seen.outcome(Outcome::ConnectRefused), 20);
    assert_eq!(seen.scheduled_count(), 20);
    // Nothing was opened, so nothing was sent.
    assert_eq!(seen.connections.opened_count, 0);
    assert_eq!(seen.bytes.sent_count, 0);
}

#[test]
fn more_threads_than_connections_and_cpus_that_are_not_there_are_refused_at_once() {
    let server = Server::start(|_, _| Reply::Bytes(ok(b"ok")));
    let plan = |threads, cpus| Plan {
        target: server.target(),
        slice: Slice::new(closed(2), Duration::from_secs(3_600)),
        threads,
        cpus,
        busy_poll: false,
    };
    for plan in [plan(3, vec![]), plan(2, vec![0, 1_000_000])] {
        let refused = run(&plan, &mut |_| {}, &AtomicBool::new(false));
        assert!(refused.unwrap_err().is_usage());
    }
    assert_eq!(server.count(), 0);
}

#[test]
fn timeouts_too_short_for_any_answer_do_not_keep_a_drive_from_ending() {
    let server = Server::start(|_, _| Reply::Nothing);
    let target = Target {
        timeout: Duration::from_nanos(1),
        ..server.target()
    };
    let slice = Slice::new(closed(20), Duration::from_millis(20));
    let seen = drive(target, &slice);
    assert_eq!(
        seen.outcome(Outcome::Timeout) + seen.outcome(Outcome::Unfinished),
        seen.scheduled_count()
    );
}

#[test]
fn every_dispatch_rule_accounts_for_every_arrival() {
    let server = Server::start(|_, _| Reply::Bytes(ok(b"ok")));
    for dispatch in [
        Dispatch::PerConnection,
        Dispatch::Shared,
        Dispatch::Unbounded,
    ] {
        for rate in [Rate::constant(3_000.0), Rate::poisson(3_000.0)] {
            let pacing = Pacing::Open {
                rate,
                connections: 5,
                dispatch,
            };
            let before = server.count();
            let seen = drive(server.target(), &counted(pacing, 600));
            assert_eq!(seen.scheduled_count(), 600, "{dispatch:?}");
            assert_eq!(seen.good_count(), 600, "{dispatch:?}: {:?}", seen.outcomes);
            assert_eq!(server.count() - before, 600);
            assert_eq!(seen.response_time().unwrap().count(), 600);
        }
    }
}

#[test]
fn connections_stay_open_between_slices_and_targets_take_turns() {
    let servers = [0, 1].map(|_| Server::start(|_, _| Reply::Bytes(ok(b"ok"))));
    let mut session = Session::new(EngineOptions::default()).unwrap();
    let targets = servers
        .each_ref()
        .map(|server| session.add_target(server.target()));
    let slice = Slice {
        discard: Duration::from_millis(20),
        ..Slice::new(closed(3), Duration::from_millis(120))
    };
    let mut opened = [0; 2];
    for _ in 0..3 {
        for (target, opened) in targets.iter().zip(&mut opened) {
            let mut edges = Vec::new();
            let seen = session
                .drive(
                    *target,
                    &slice,
                    &mut |edge| edges.push(edge),
                    &AtomicBool::new(false),
                )
                .unwrap();
            assert_eq!(edges, [Edge::Opens, Edge::Closes]);
            assert_eq!(seen.window_ns, 100_000_000);
            assert_eq!(seen.good_count(), seen.scheduled_count());
            *opened += seen.connections.opened_count;
        }
    }
    assert_eq!(opened, [3, 3]);
}

#[test]
fn a_generator_that_never_sleeps_says_how_long_it_polled_in_vain() {
    let server = Server::start(|_, _| Reply::Bytes(ok(b"ok")));
    let rate = Rate::constant(200.0);
    let pacing = Pacing::Open {
        rate,
        connections: 4,
        dispatch: Dispatch::Shared,
    };
    let polled = |busy_poll| {
        let plan = Plan {
            target: server.target(),
            slice: Slice::new(pacing.clone(), Duration::from_millis(300)),
            threads: 2,
            cpus: vec![],
            busy_poll,
        };
        let seen = run(&plan, &mut |_| {}, &AtomicBool::new(false)).unwrap();
        assert_eq!(seen.good_count(), 60, "{:?}", seen.outcomes);
        seen.polled_ns
    };
    assert_eq!(polled(false), 0);
    let vain = polled(true);
    assert!(vain > 0 && vain < 2 * 300_000_000, "{vain}");
}

#[test]
fn a_drive_gives_its_priority_back() {
    let server = Server::start(|_, _| Reply::Bytes(ok(b"ok")));
    // SAFETY: no pointers; thread 0 is the calling one.
    let policy = || unsafe { libc::sched_getscheduler(0) };
    let before = policy();
    let mut session = Session::new(EngineOptions {
        priority: Priority::Raised,
        ..EngineOptions::default()
    })
    .unwrap();
    let target = session.add_target(server.target());
    let mut during = Vec::new();
    let mut drive = |pacing| {
        let slice = counted(pacing, 100);
        let at_edge = &mut |_| during.push(policy());
        let stop = AtomicBool::new(false);
        let seen = session.drive(target, &slice, at_edge, &stop).unwrap();
        assert_eq!((seen.good_count(), policy()), (100, before));
        session.granted_priority().clone()
    };
    // A closed loop has no instants to be late for.
    assert_eq!(drive(closed(2)), GrantedPriority::Usual);
    let granted = drive(Pacing::Open {
        rate: Rate::constant(10_000.0),
        connections: 2,
        dispatch: Dispatch::Shared,
    });
    assert_ne!(granted, GrantedPriority::Usual);
    assert_eq!(during[..2], [before, before]);
    if granted == GrantedPriority::RealTime {
        assert!(
            during[2..]
                .iter()
                .all(|policy| policy & libc::SCHED_RR != 0)
        );
    }
}
