//! Each check of the generator on itself, on observations made by hand: it passes, warns and fails where it says.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use load::simulated::Simulated;
use load::{
    Check, CheckStatus, Dispatch, Observations, Outcome, Pacing, Rate, Requests, Session, Share,
    Slice, Target, audit, request_bytes, verdict,
};

use CheckStatus::{Fail, Pass, Warn};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;

fn closed(concurrency: u32) -> Pacing {
    Pacing::Closed {
        concurrency,
        think_time: Duration::ZERO,
    }
}

fn open(rate: f64, dispatch: Dispatch) -> Pacing {
    Pacing::Open {
        rate: Rate::constant(rate),
        connections: 10,
        dispatch,
    }
}

/// So many good answers in ten seconds, each after 10 ms, as a sound generator sees them.
fn seen(open_loop: bool, answers: u64) -> Observations {
    let mut seen = Observations::new(open_loop);
    seen.window_ns = 10 * SECOND;
    seen.schedule_ns = seen.window_ns;
    for _ in 0..answers {
        seen.outcomes.count(Outcome::Ok);
        seen.service.good.saturating_record(10 * MS);
        if open_loop {
            seen.response.good.saturating_record(10 * MS);
            seen.own_delay.saturating_record(1_000);
        }
    }
    seen.answers_in_window_count = answers;
    seen.good_answers_in_window_count = answers;
    seen.in_flight_ns = u128::from(answers * 10 * MS);
    let each = answers / 10;
    seen.connections.least_completed_count = each;
    seen.connections.most_completed_count = each;
    seen
}

fn status(pacing: &Pacing, seen: &Observations, check: Check) -> CheckStatus {
    let findings = audit(pacing, seen);
    let found = findings.iter().find(|finding| finding.check == check);
    found.unwrap_or_else(|| panic!("no {check:?}")).status
}

fn in_closed_loop(check: Check, change: impl Fn(&mut Observations)) -> CheckStatus {
    let mut seen = seen(false, 10_000);
    change(&mut seen);
    status(&closed(10), &seen, check)
}

fn in_open_loop(check: Check, change: impl Fn(&mut Observations)) -> CheckStatus {
    let mut seen = seen(true, 10_000);
    change(&mut seen);
    status(&open(1_000.0, Dispatch::Shared), &seen, check)
}

#[test]
fn a_sound_run_passes_every_check() {
    for (pacing, seen) in [
        (closed(10), seen(false, 10_000)),
        (open(1_000.0, Dispatch::Shared), seen(true, 10_000)),
    ] {
        let findings = audit(&pacing, &seen);
        assert_eq!(findings.len(), if seen.open_loop { 6 } else { 4 });
        assert!(
            findings.iter().all(|finding| finding.status == Pass),
            "{findings:?}"
        );
    }
}

#[test]
fn answers_that_came_only_after_the_window_were_not_offered_in_it() {
    let answered =
        |count| in_open_loop(Check::Offered, |seen| seen.answers_in_window_count = count);
    // Ten are in flight on average: they may come late.
    assert_eq!(answered(9_895), Pass);
    assert_eq!(answered(9_880), Fail);
}

#[test]
fn counted_arrivals_that_were_done_long_after_their_schedule_were_not_offered() {
    let after = |ns: u64| {
        in_open_loop(Check::Offered, |seen| {
            seen.window_ns = seen.schedule_ns + ns;
        })
    };
    // The last answer takes 10 ms by itself, and a hundredth of ten seconds is left free.
    assert_eq!(after(100 * MS), Pass);
    assert_eq!(after(120 * MS), Fail);
    // One that gets no answer keeps the window open until it is given up.
    let lost = in_open_loop(Check::Offered, |seen| {
        seen.outcomes.count(Outcome::Timeout);
        seen.service.lost.saturating_record(2 * SECOND);
        seen.lost_of_window_count = 1;
        seen.window_ns = seen.schedule_ns + 2 * SECOND;
    });
    assert_eq!(lost, Pass);
    // Under this rule arrivals queue behind a busy connection while others are free.
    let mut queued = seen(true, 10_000);
    queued.window_ns += 500 * MS;
    let per_connection = open(1_000.0, Dispatch::PerConnection);
    assert_eq!(status(&per_connection, &queued, Check::Offered), Pass);
    queued.window_ns += 20 * MS;
    assert_eq!(status(&per_connection, &queued, Check::Offered), Fail);
}

#[test]
fn without_an_answer_there_is_nothing_to_hold_the_generators_delay_against() {
    let mut refused = Observations::new(true);
    for _ in 0..500 {
        refused.outcomes.count(Outcome::ConnectRefused);
        refused.response.lost.saturating_record(20_000);
        refused.own_delay.saturating_record(20_000);
    }
    let findings = audit(&open(100.0, Dispatch::Shared), &refused);
    assert!(
        findings
            .iter()
            .all(|finding| finding.check != Check::Schedule)
    );
}

#[test]
fn a_run_that_measured_nothing_is_not_trusted() {
    let nothing = Observations::new(false);
    let findings = audit(&closed(10), &nothing);
    assert_eq!(
        verdict(&findings),
        "do not trust it: nothing was measured: no request was scheduled in the window"
    );
}

#[test]
fn requests_that_left_and_were_lost_were_offered() {
    let offered = |sent_in_window: u64| {
        in_open_loop(Check::Offered, |seen| {
            for _ in 0..1_000 {
                seen.outcomes.count(Outcome::Timeout);
                seen.service.lost.saturating_record(10 * SECOND);
                seen.response.lost.saturating_record(10 * SECOND);
            }
            seen.lost_of_window_count = sent_in_window;
        })
    };
    assert_eq!(offered(1_000), Pass);
    assert_eq!(offered(800), Fail);
}

#[test]
fn requests_in_flight_that_rate_and_time_do_not_explain_fail_the_law_of_little() {
    let times = |factor: u128| {
        move |seen: &mut Observations| seen.in_flight_ns = seen.in_flight_ns * factor / 100
    };
    assert_eq!(in_closed_loop(Check::LittleLaw, times(108)), Pass);
    assert_eq!(in_closed_loop(Check::LittleLaw, times(115)), Fail);
    assert_eq!(in_closed_loop(Check::LittleLaw, times(85)), Fail);
    // With few requests the edges of the window weigh too much to be sure.
    let mut few = seen(false, 50);
    few.in_flight_ns *= 2;
    assert_eq!(status(&closed(10), &few, Check::LittleLaw), Warn);
    // So they do where requests last long.
    let mut long = seen(false, 1_000);
    for _ in 0..1_000 {
        long.service.good.saturating_record(2 * SECOND);
    }
    long.in_flight_ns *= 4;
    assert_eq!(status(&closed(10), &long, Check::LittleLaw), Warn);
}

#[test]
fn the_generators_own_delay_is_held_against_the_times_it_reports() {
    let own = |ns: u64| {
        in_open_loop(Check::Schedule, |seen| {
            for _ in 0..1_000 {
                seen.own_delay.saturating_record(ns);
            }
        })
    };
    assert_eq!(own(900_000), Pass);
    // More than a tenth of the 10 ms reported, and more than waking a thread takes.
    assert_eq!(own(2 * MS), Fail);
    let quick = |ns: u64| {
        in_open_loop(Check::Schedule, |seen| {
            seen.response.good.reset();
            for _ in 0..10_000 {
                seen.response.good.saturating_record(500_000);
                seen.own_delay.saturating_record(ns);
            }
        })
    };
    assert_eq!(quick(40_000), Pass);
    assert_eq!(quick(200_000), Warn);
    assert_eq!(quick(300_000), Fail);
}

#[test]
fn a_generator_without_cpu_to_spare_is_what_was_measured() {
    let used = |share: f64, threads: u32| {
        in_closed_loop(Check::GeneratorCpu, |seen| {
            seen.threads_count = threads;
            seen.generator_cpu_ns = (share * seen.window_ns as f64) as u64;
        })
    };
    assert_eq!(used(0.79, 1), Pass);
    assert_eq!(used(0.81, 1), Warn);
    assert_eq!(used(0.98, 1), Fail);
    assert_eq!(used(1.5, 2), Pass);
    assert_eq!(used(1.95, 2), Fail);
}

#[test]
fn polling_in_vain_is_no_work_of_the_generator() {
    let worked = |share: f64| {
        in_closed_loop(Check::GeneratorCpu, |seen| {
            seen.generator_cpu_ns = seen.window_ns;
            seen.polled_ns = ((1.0 - share) * seen.window_ns as f64) as u64;
        })
    };
    assert_eq!(worked(0.5), Pass);
    assert_eq!(worked(0.9), Warn);
    assert_eq!(worked(0.98), Fail);
}

#[test]
fn a_connection_that_is_served_less_is_named_and_one_that_is_starved_fails() {
    let least = |answers: u64, least: u64| {
        let mut seen = seen(false, answers);
        seen.connections.least_completed_count = least;
        status(&closed(10), &seen, Check::Connections)
    };
    assert_eq!(least(10_000, 101), Pass);
    assert_eq!(least(10_000, 99), Warn);
    assert_eq!(least(10_000, 0), Fail);
    // Too few answers for every connection to have had its turn.
    assert_eq!(least(100, 0), Pass);
}

#[test]
fn a_time_too_few_or_too_many_fails_the_count_of_samples() {
    let samples = |change: fn(&mut Observations)| in_open_loop(Check::Samples, change);
    assert_eq!(samples(|seen| seen.outcomes.count(Outcome::Ok)), Fail);
    assert_eq!(samples(|seen| seen.service.good.saturating_record(1)), Fail);
    assert_eq!(
        samples(|seen| seen.response.good.saturating_record(1)),
        Fail
    );
    // Never sent: a response time and no service time.
    let unsent = |seen: &mut Observations| {
        seen.outcomes.count(Outcome::Unsent);
        seen.response.lost.saturating_record(1);
    };
    assert_eq!(samples(unsent), Pass);
}

fn drive(server: Simulated, pacing: Pacing, timeout: Duration, seconds: u64) -> Observations {
    let mut session = Session::with_transport(server, Share::WHOLE, 1);
    let request = request_bytes("GET", "/", "server", &[], None);
    let addr = ([127, 0, 0, 1], 80).into();
    let target = session.add_target(Target {
        timeout,
        ..Target::new(addr, "server", Requests::same(request))
    });
    let slice = Slice::new(pacing, Duration::from_secs(seconds));
    let stop = std::sync::atomic::AtomicBool::new(false);
    session.drive(target, &slice, &mut |_| {}, &stop).unwrap()
}

const DISPATCHES: [Dispatch; 3] = [
    Dispatch::PerConnection,
    Dispatch::Shared,
    Dispatch::Unbounded,
];

#[test]
fn a_generator_that_stood_still_for_a_second_is_not_trusted() {
    for dispatch in DISPATCHES {
        let server = Simulated::unlimited_workers(|_, _| 5 * MS).with_freeze(3 * SECOND, SECOND);
        let pacing = open(1_000.0, dispatch);
        let seen = drive(server, pacing.clone(), Duration::from_secs(10), 10);
        assert_eq!(
            status(&pacing, &seen, Check::Schedule),
            Fail,
            "{dispatch:?}"
        );
    }
}

#[test]
fn a_server_that_stood_still_for_a_second_is_not_blamed_on_the_generator() {
    for dispatch in DISPATCHES {
        let server = Simulated::unlimited_workers(|_, at| {
            let stalls = 4 * SECOND..5 * SECOND;
            5 * MS
                + if stalls.contains(&at) {
                    stalls.end - at
                } else {
                    0
                }
        });
        let pacing = open(1_000.0, dispatch);
        let seen = drive(server, pacing.clone(), Duration::from_secs(10), 10);
        assert_eq!(
            status(&pacing, &seen, Check::Schedule),
            Pass,
            "{dispatch:?}"
        );
        assert_eq!(status(&pacing, &seen, Check::Offered), Pass, "{dispatch:?}");
    }
}

#[test]
fn timeouts_as_long_as_the_window_are_the_servers_doing() {
    let server = Simulated::unlimited_workers(|number, _| {
        if number % 20 == 9 {
            100 * SECOND
        } else {
            5 * MS
        }
    });
    let pacing = open(1_000.0, Dispatch::Unbounded);
    let seen = drive(server, pacing.clone(), Duration::from_secs(9), 10);
    assert_eq!(seen.outcome(Outcome::Timeout), 500);
    assert_eq!(status(&pacing, &seen, Check::Offered), Pass);
    assert_eq!(status(&pacing, &seen, Check::LittleLaw), Pass);
}

#[test]
fn a_server_that_falls_behind_did_not_get_what_was_asked_for() {
    for dispatch in DISPATCHES {
        let pacing = open(1_000.0, dispatch);
        let server = Simulated::single_worker(|_, _| 1_050_000);
        let seen = drive(server, pacing.clone(), Duration::from_secs(10), 10);
        // All were answered in the end, and one in twenty only after the window.
        assert_eq!(seen.good_count(), 10_000);
        assert_eq!(status(&pacing, &seen, Check::Offered), Fail, "{dispatch:?}");
    }
}
