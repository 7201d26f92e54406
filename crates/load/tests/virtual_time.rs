//! The engine held against queueing theory, in virtual time: to the nanosecond where theory is
//! exact, and within what sampling leaves where it is not.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use load::simulated::Simulated;
use load::{
    Arrivals, Dispatch, Edge, Observations, Outcome, Pacing, Percentile, Rate, Requests, Session,
    Share, Slice, Stage, Target, request_bytes,
};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

const MS: u64 = 1_000_000;
const DISPATCHES: [Dispatch; 3] = [
    Dispatch::PerConnection,
    Dispatch::Shared,
    Dispatch::Unbounded,
];

fn target() -> Target {
    let request = request_bytes("GET", "/", "server", &[], None);
    let mut target = Target::new(
        ([127, 0, 0, 1], 80).into(),
        "server",
        Requests::same(request),
    );
    target.timeout = Duration::from_secs(1_000);
    target
}

fn drive_target(server: Simulated, target: Target, slice: &Slice) -> Observations {
    let mut session = Session::with_transport(server, Share::WHOLE, 1);
    let target = session.add_target(target);
    session
        .drive(target, slice, &mut |_| {}, &AtomicBool::new(false))
        .unwrap()
}

fn drive(server: Simulated, slice: &Slice) -> Observations {
    drive_target(server, target(), slice)
}

fn open(rate: Rate, connections: u32, dispatch: Dispatch, seconds: u64) -> Slice {
    let pacing = Pacing::Open {
        rate,
        connections,
        dispatch,
    };
    Slice {
        drain: Duration::from_secs(100),
        ..Slice::new(pacing, Duration::from_secs(seconds))
    }
}

fn near(found: f64, expected: f64, share: f64) {
    assert!(
        (found - expected).abs() <= share * expected,
        "{found} is not near {expected}"
    );
}

fn value(percentile: Percentile) -> f64 {
    percentile.value().expect("a value") as f64
}

#[test]
fn poisson_arrivals_at_a_fixed_service_time_wait_as_m_d_1_says() {
    let service = Duration::from_millis(1);
    for (load_factor, dispatch, connections) in [
        (0.5, Dispatch::Unbounded, 1),
        (0.8, Dispatch::Unbounded, 1),
        // One connection: the queue is in the generator, and response time must not care.
        (0.8, Dispatch::Shared, 1),
        (0.8, Dispatch::PerConnection, 1),
    ] {
        let rate = Rate::poisson(load_factor / service.as_secs_f64());
        let server = Simulated::single_worker(move |_, _| service.as_nanos() as u64);
        let seen = drive(server, &open(rate, connections, dispatch, 200));
        let ns = service.as_nanos() as f64;
        // Pollaczek-Khinchine: mean wait = ρ D / 2 (1 − ρ).
        let expected = ns + load_factor * ns / (2.0 * (1.0 - load_factor));
        near(
            seen.response_time().unwrap().mean_ns().unwrap(),
            expected,
            0.03,
        );
        if connections == 1 && dispatch != Dispatch::Unbounded {
            near(seen.service_time().mean_ns().unwrap(), ns, 0.001);
        }
    }
}

#[test]
fn poisson_arrivals_at_exponential_service_times_answer_as_m_m_1_says() {
    let (arrival, service) = (700.0, 1_000.0);
    for dispatch in [Dispatch::Unbounded, Dispatch::Shared] {
        let mut rng = Pcg64::seed_from_u64(3);
        let server = Simulated::single_worker(move |_, _| {
            (-(1.0 - rng.random::<f64>()).ln() / service * 1e9) as u64
        });
        let seen = drive(server, &open(Rate::poisson(arrival), 1, dispatch, 500));
        let response = seen.response_time().unwrap();
        let mean = 1e9 / (service - arrival);
        near(response.mean_ns().unwrap(), mean, 0.05);
        near(value(response.percentile(0.5)), 2_f64.ln() * mean, 0.05);
        near(value(response.percentile(0.9)), 10_f64.ln() * mean, 0.05);
        near(value(response.percentile(0.99)), 100_f64.ln() * mean, 0.08);
    }
}

/// 5 ms each, and nothing moves in the first second of every five.
fn stalling() -> Simulated {
    let mut start = None;
    Simulated::unlimited_workers(move |_, at| {
        let since = at - *start.get_or_insert(at);
        let into = since % 5_000_000_000;
        5 * MS + 1_000_000_000_u64.saturating_sub(into)
    })
}

#[test]
fn a_stall_is_charged_to_every_arrival_it_delays() {
    // 500 arrivals/s: without a limit on connections, a fifth waits evenly from 0 to 1 s.
    let seen = drive(
        stalling(),
        &open(Rate::constant(500.0), 10, Dispatch::Unbounded, 50),
    );
    let response = seen.response_time().unwrap();
    near(value(response.percentile(0.5)), 5e6, 0.01);
    near(value(response.percentile(0.9)), 505e6, 0.01);
    near(value(response.percentile(0.95)), 755e6, 0.01);
    near(value(response.percentile(0.99)), 955e6, 0.01);
    near(response.max_ns().unwrap() as f64, 1_005e6, 0.001);
    assert_eq!(response.count(), 25_000);
    assert!(seen.send_delay().unwrap().max_ns().unwrap() <= 1);
}

#[test]
fn a_stall_behind_few_connections_shows_in_response_time_and_not_in_service_time() {
    for dispatch in [Dispatch::PerConnection, Dispatch::Shared] {
        let seen = drive(stalling(), &open(Rate::constant(500.0), 10, dispatch, 50));
        let (response, service) = (seen.response_time().unwrap(), seen.service_time());
        // Ten connections meet each stall; everyone else waits in the queue.
        near(value(response.percentile(0.5)), 5e6, 0.01);
        assert!(value(response.percentile(0.95)) > 600e6, "{dispatch:?}");
        assert!(value(response.percentile(0.99)) > 900e6, "{dispatch:?}");
        near(response.max_ns().unwrap() as f64, 1_005e6, 0.01);
        near(value(service.percentile(0.99)), 5e6, 0.01);
        near(service.max_ns().unwrap() as f64, 1_005e6, 0.01);
        assert_eq!(seen.good_count(), 25_000);
    }
}

#[test]
fn a_late_generator_shows_in_send_delay_and_never_moves_the_schedule() {
    for dispatch in DISPATCHES {
        let server = Simulated::unlimited_workers(|_, _| MS).with_lateness(300_000);
        let seen = drive(server, &open(Rate::constant(100.0), 4, dispatch, 50));
        assert_eq!(seen.good_count(), 5_000);
        near(seen.service_time().max_ns().unwrap() as f64, 1e6, 0.31);
        let (delay, response) = (seen.send_delay().unwrap(), seen.response_time().unwrap());
        // What was sent late was answered late, by as much.
        let service = seen.service_time().mean_ns().unwrap();
        near(
            response.mean_ns().unwrap(),
            service + delay.mean_ns().unwrap(),
            0.001,
        );
        // Arrival 4,999 was due at 49.99 s; the window is 50 s whatever happened.
        assert_eq!(seen.window_ns, 50_000_000_000);
    }
}

#[test]
fn response_time_is_service_time_plus_send_delay() {
    let mut rng = Pcg64::seed_from_u64(5);
    let server = Simulated::single_worker(move |_, _| rng.random_range(0..2 * MS));
    let seen = drive(
        server,
        &open(Rate::poisson(900.0), 3, Dispatch::Shared, 100),
    );
    let mean = |times: &load::Distribution| times.mean_ns().unwrap();
    let sum = mean(&seen.service_time()) + mean(&seen.send_delay().unwrap());
    near(mean(&seen.response_time().unwrap()), sum, 0.001);
}

#[test]
fn a_closed_loop_obeys_the_interactive_response_law() {
    // X = N / (Z + S).
    let pacing = Pacing::Closed {
        concurrency: 20,
        think_time: Duration::from_millis(90),
    };
    let slice = Slice {
        discard: Duration::from_secs(1),
        ..Slice::new(pacing, Duration::from_secs(101))
    };
    let seen = drive(Simulated::unlimited_workers(|_, _| 10 * MS), &slice);
    near(seen.completion_rate_per_s(), 200.0, 0.001);
    near(seen.service_time().mean_ns().unwrap(), 10e6, 0.001);
    // Little: N in flight = X · S.
    near(seen.in_flight_ns as f64 / seen.window_ns as f64, 2.0, 0.01);
}

#[test]
fn users_come_evenly_send_what_is_theirs_and_leave() {
    let pacing = Pacing::Users {
        users: 10,
        ramp_up: Duration::from_secs(1),
        requests_per_user: Some(7),
        think_time: Duration::from_millis(20),
    };
    let seen = drive(
        Simulated::unlimited_workers(|_, _| 10 * MS),
        &Slice::new(pacing, Duration::from_secs(1_000)),
    );
    assert_eq!(seen.good_count(), 70);
    assert_eq!(seen.connections.opened_count, 10);
    assert_eq!(seen.connections.open_at_end_count, 0);
    let connections = seen.connections;
    assert_eq!(
        (
            connections.least_completed_count,
            connections.most_completed_count
        ),
        (7, 7)
    );
    // The last begins at 0.9 s and needs 7 × 10 ms and 6 × 20 ms.
    near(seen.window_ns as f64, 1_090e6, 0.001);
}

#[test]
fn what_users_send_while_warming_up_is_not_of_what_is_theirs() {
    let pacing = Pacing::Users {
        users: 5,
        ramp_up: Duration::ZERO,
        requests_per_user: Some(3),
        think_time: Duration::from_millis(90),
    };
    let slice = Slice {
        discard: Duration::from_secs(5),
        ..Slice::new(pacing, Duration::from_secs(1_000))
    };
    let seen = drive(Simulated::unlimited_workers(|_, _| 10 * MS), &slice);
    assert_eq!(seen.good_count(), 15);
    assert!(seen.window_ns > 0);
}

#[test]
fn the_load_offered_by_counted_arrivals_is_their_rate_however_long_answers_take() {
    for dispatch in DISPATCHES {
        let slice = Slice {
            requests: Some(1_000),
            ..open(Rate::constant(1_000.0), 10, dispatch, 1_000)
        };
        // One at a time, 100 a second: the last is answered after ten seconds.
        let seen = drive(Simulated::single_worker(|_, _| 10 * MS), &slice);
        assert_eq!(seen.scheduled_count(), 1_000);
        near(seen.offered_load_per_s(), 1_000.0, 1e-6);
        near(seen.completion_rate_per_s(), 100.0, 0.01);
        // Done before the next would have been due.
        let seen = drive(Simulated::unlimited_workers(|_, _| MS / 10), &slice);
        near(seen.offered_load_per_s(), 1_000.0, 1e-6);
        // Over before the last could be sent.
        let cut = Slice {
            duration: Duration::from_secs(5),
            drain: Duration::ZERO,
            ..slice
        };
        let seen = drive(Simulated::single_worker(|_, _| 10 * MS), &cut);
        assert_eq!(seen.scheduled_count(), 1_000);
        near(seen.offered_load_per_s(), 1_000.0, 1e-6);
    }
}

#[test]
fn answers_that_lay_ready_during_a_pause_of_the_generator_did_not_time_out() {
    let mut target = target();
    target.timeout = Duration::from_millis(500);
    let pacing = Pacing::Closed {
        concurrency: 1_000,
        think_time: Duration::ZERO,
    };
    // Several waits' worth of answers is in when it goes on.
    let server = Simulated::unlimited_workers(|_, _| 10 * MS).with_freeze(1_000 * MS, 1_000 * MS);
    let seen = drive_target(server, target, &Slice::new(pacing, Duration::from_secs(3)));
    assert_eq!(seen.failed_count(), 0, "{:?}", seen.outcomes);
}

#[test]
fn stages_of_connections_raise_and_lower_the_load() {
    let second = Duration::from_secs(1);
    let stages = vec![
        Stage::constant(2.0, second),
        Stage::constant(8.0, second),
        Stage::constant(1.0, second),
    ];
    let pacing = Pacing::ClosedStages {
        stages,
        think_time: Duration::ZERO,
    };
    let seen = drive(
        Simulated::unlimited_workers(|_, _| 10 * MS),
        &Slice::new(pacing, Duration::from_secs(3)),
    );
    // 100 requests a second on each connection; those that stop finish what they are at.
    near(seen.good_count() as f64, 1_100.0, 0.02);
}

#[test]
fn stages_of_rates_offer_their_integral() {
    let stages = vec![
        Stage::constant(100.0, Duration::from_secs(1)),
        Stage {
            from: 100.0,
            to: 500.0,
            duration: Duration::from_secs(2),
        },
    ];
    for dispatch in DISPATCHES {
        let rate = Rate::staged(stages.clone(), Arrivals::Constant);
        let seen = drive(
            Simulated::unlimited_workers(|_, _| MS),
            &open(rate, 4, dispatch, 3),
        );
        assert_eq!(seen.scheduled_count(), 700);
        assert_eq!(seen.good_count(), 700);
    }
}

#[test]
fn a_request_that_times_out_is_slower_than_every_answer() {
    // One in ten takes 3 s; the timeout is 2 s.
    let server = Simulated::unlimited_workers(
        |number, _| if number % 10 == 9 { 3_000 * MS } else { 5 * MS },
    );
    let mut target = target();
    target.timeout = Duration::from_secs(2);
    let seen = drive_target(
        server,
        target,
        &open(Rate::constant(100.0), 10, Dispatch::Unbounded, 200),
    );
    assert_eq!(seen.outcome(Outcome::Timeout), 2_000);
    assert_eq!(seen.good_count(), 18_000);
    for times in [seen.service_time(), seen.response_time().unwrap()] {
        near(value(times.percentile(0.75)), 5e6, 0.001);
        let Percentile::AtLeast(ns) = times.percentile(0.99) else {
            panic!("not a bound")
        };
        near(ns as f64, 2e9, 0.001);
        assert_eq!(times.answered_count(), 18_000);
        near(times.max_ns().unwrap() as f64, 5e6, 0.001);
    }
    near(value(seen.good_service_time().percentile(0.99)), 5e6, 0.001);
    near(seen.failed_time().min_ns().unwrap() as f64, 2e9, 0.001);
}

#[test]
fn what_an_overloaded_server_never_got_is_counted_as_unsent() {
    for dispatch in [Dispatch::PerConnection, Dispatch::Shared] {
        let slice = Slice {
            drain: Duration::from_millis(100),
            ..open(Rate::constant(1_000.0), 5, dispatch, 10)
        };
        let seen = drive(Simulated::single_worker(|_, _| 2 * MS), &slice);
        assert_eq!(seen.scheduled_count(), 10_000);
        let sum =
            seen.good_count() + seen.outcome(Outcome::Unsent) + seen.outcome(Outcome::Unfinished);
        assert_eq!(sum, 10_000);
        near(seen.outcome(Outcome::Unsent) as f64, 4_950.0, 0.02);
        let response = seen.response_time().unwrap();
        assert_eq!(response.count(), 10_000);
        assert!(matches!(response.percentile(0.9), Percentile::AtLeast(_)));
        near(seen.completion_rate_per_s(), 500.0, 0.01);
    }
}

#[test]
fn the_start_is_sent_and_not_recorded() {
    let slice = Slice {
        discard: Duration::from_secs(2),
        ..open(Rate::constant(100.0), 4, Dispatch::Shared, 5)
    };
    let seen = drive(Simulated::unlimited_workers(|_, _| MS), &slice);
    assert_eq!(seen.scheduled_count(), 300);
    assert_eq!(seen.window_ns, 3_000_000_000);
}

#[test]
fn a_stopped_drive_leaves_what_is_in_flight_unfinished() {
    let stop = Arc::new(AtomicBool::new(false));
    let stops = Arc::clone(&stop);
    let server = Simulated::unlimited_workers(move |number, _| {
        stops.store(number == 2, Ordering::Relaxed);
        1_000_000 * MS
    });
    let mut session = Session::with_transport(server, Share::WHOLE, 1);
    let target = session.add_target(target());
    let pacing = Pacing::Closed {
        concurrency: 3,
        think_time: Duration::ZERO,
    };
    let slice = Slice::new(pacing, Duration::from_secs(1_000));
    let seen = session.drive(target, &slice, &mut |_| {}, &stop).unwrap();
    assert!(seen.interrupted);
    assert_eq!(seen.scheduled_count(), 3);
    assert_eq!(seen.outcome(Outcome::Unfinished), 3);
}

#[test]
fn a_drive_stopped_while_it_awaits_answers_says_so() {
    let server = Simulated::unlimited_workers(|_, _| 1_000_000 * MS);
    let mut session = Session::with_transport(server, Share::WHOLE, 1);
    let target = session.add_target(target());
    let stop = AtomicBool::new(false);
    let pacing = Pacing::Closed {
        concurrency: 3,
        think_time: Duration::ZERO,
    };
    let slice = Slice::new(pacing, Duration::from_secs(1));
    let at_edge = &mut |edge| stop.store(edge == Edge::Closes, Ordering::Relaxed);
    let seen = session.drive(target, &slice, at_edge, &stop).unwrap();
    assert!(seen.interrupted);
    assert_eq!(seen.window_ns, 1_000_000_000);
    assert_eq!(seen.outcome(Outcome::Unfinished), 3);
}

#[test]
fn a_frozen_generator_shows_in_its_own_delay_under_every_dispatch_rule() {
    for dispatch in DISPATCHES {
        let server =
            Simulated::unlimited_workers(|_, _| 5 * MS).with_freeze(3_000 * MS, 1_000 * MS);
        let seen = drive(server, &open(Rate::constant(1_000.0), 20, dispatch, 10));
        assert_eq!(seen.good_count(), 10_000);
        // A tenth of the arrivals fell due in the freeze, evenly.
        let late = seen.own_delay.count_between(MS, u64::MAX);
        near(late as f64, 1_000.0, 0.05);
        let p95 = seen.own_delay.value_at_quantile(0.95);
        near(p95 as f64, 500e6, 0.1);
    }
}

#[test]
fn a_slow_server_never_shows_in_the_own_delay_of_a_generator_on_time() {
    for dispatch in DISPATCHES {
        for server in [stalling(), Simulated::single_worker(|_, _| 3 * MS)] {
            let seen = drive(server, &open(Rate::constant(500.0), 10, dispatch, 20));
            assert!(seen.own_delay.is_empty() || seen.own_delay.max() <= 1);
        }
    }
}

#[test]
fn a_timeout_shorter_than_any_answer_ends_every_request() {
    let mut target = target();
    target.timeout = Duration::from_nanos(1);
    let pacing = Pacing::Closed {
        concurrency: 3,
        think_time: Duration::ZERO,
    };
    let slice = Slice {
        requests: Some(100),
        ..Slice::new(pacing, Duration::from_secs(1))
    };
    let seen = drive_target(Simulated::unlimited_workers(|_, _| MS), target, &slice);
    assert_eq!(seen.outcome(Outcome::Timeout), 100);
}

#[test]
fn triangles_of_rates_offer_their_integral_in_order() {
    let second = Duration::from_secs(1);
    let side = |from, to| Stage {
        from,
        to,
        duration: second,
    };
    let wave = vec![
        Stage::constant(100.0, second),
        side(0.0, 500.0),
        side(500.0, 0.0),
        side(0.0, 500.0),
        side(500.0, 0.0),
    ];
    let rate = Rate::staged(wave, Arrivals::Constant);
    let seen = drive(
        Simulated::unlimited_workers(|_, _| MS),
        &open(rate, 4, Dispatch::Unbounded, 5),
    );
    assert_eq!(seen.good_count(), 1_100);
    assert!(seen.send_delay().unwrap().max_ns().unwrap() <= 1);
}
