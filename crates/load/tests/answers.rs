//! What a server does, good or bad, ends up in the right outcome.
#![allow(clippy::unwrap_used)]

mod support;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use load::{
    Dispatch, EngineOptions, ExchangeError, Expectation, FeedOrder, JsonField, Observations,
    Outcome, Pacing, Percentile, Rate, Requests, Session, Slice, StatusRule, Target, exchange,
    request_bytes,
};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use support::{Reply, Server, ok};

fn closed(concurrency: u32) -> Pacing {
    Pacing::Closed {
        concurrency,
        think_time: Duration::ZERO,
    }
}

fn counted(pacing: Pacing, requests: u64) -> Slice {
    Slice {
        requests: Some(requests),
        ..Slice::new(pacing, Duration::from_secs(120))
    }
}

fn drive(target: Target, slice: &Slice) -> Observations {
    let mut session = Session::new(EngineOptions::default()).unwrap();
    let target = session.add_target(target);
    session
        .drive(target, slice, &mut |_| {}, &AtomicBool::new(false))
        .unwrap()
}

/// How requests end when every one is answered so.
fn outcome_of(reply: impl Fn(u64, &[u8]) -> Reply + Send + Sync + 'static) -> Outcome {
    outcome_within(Duration::from_secs(30), reply)
}

fn outcome_within(
    timeout: Duration,
    reply: impl Fn(u64, &[u8]) -> Reply + Send + Sync + 'static,
) -> Outcome {
    let server = Server::start(reply);
    let mut target = server.target();
    target.timeout = timeout;
    let seen = drive(target, &counted(closed(2), 6));
    assert_eq!(seen.scheduled_count(), 6);
    let only = seen.outcomes.iter().find(|(_, count)| *count == 6);
    only.unwrap_or_else(|| panic!("one outcome for all: {:?}", seen.outcomes))
        .0
}

#[test]
fn every_way_to_fail_has_its_outcome() {
    let raw = |text: &'static str| move |_: u64, _: &[u8]| Reply::Bytes(text.into());
    let raw_close = |text: &'static str| move |_: u64, _: &[u8]| Reply::BytesThenClose(text.into());
    assert_eq!(
        outcome_of(raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")),
        Outcome::Ok
    );
    assert_eq!(
        outcome_of(raw_close("HTTP/1.1 200 OK\r\n\r\nto the end")),
        Outcome::Ok
    );
    let says_so = raw_close("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx");
    assert_eq!(outcome_of(says_so), Outcome::Ok);
    let error = raw("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(outcome_of(error), Outcome::UnexpectedStatus);
    assert_eq!(
        outcome_of(raw_close("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab")),
        Outcome::Truncated
    );
    assert_eq!(
        outcome_of(raw_close("HTTP/1.1 200 OK\r\nContent-Le")),
        Outcome::ClosedEarly
    );
    assert_eq!(outcome_of(raw_close("")), Outcome::ClosedEarly);
    assert_eq!(
        outcome_of(raw_close("220 mail.example ESMTP\r\n")),
        Outcome::Malformed
    );
    assert_eq!(
        outcome_of(raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxyz")),
        Outcome::Malformed
    );
    assert_eq!(outcome_of(|_, _| Reply::Reset), Outcome::Reset);
    let silent = outcome_within(Duration::from_millis(300), |_, _| Reply::Nothing);
    assert_eq!(silent, Outcome::Timeout);
}

#[test]
fn outcomes_add_up_under_random_faults() {
    let rng = Mutex::new(Pcg64::seed_from_u64(11));
    let server = Server::start(move |_, _| match rng.lock().unwrap().random_range(0..12) {
        0 => Reply::Reset,
        1 => Reply::BytesThenClose(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc".to_vec()),
        2 => Reply::Bytes(b"\x16\x03\x01 garbage\r\n\r\n".to_vec()),
        3 => Reply::BytesThenClose(Vec::new()),
        4 => Reply::Bytes(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".to_vec()),
        5 => Reply::Nothing,
        6 => Reply::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok surplus".to_vec()),
        _ => Reply::Bytes(ok(b"ok")),
    });
    let dispatches = [
        Dispatch::PerConnection,
        Dispatch::Shared,
        Dispatch::Unbounded,
    ];
    let open = dispatches.map(|dispatch| Pacing::Open {
        rate: Rate::poisson(2_000.0),
        connections: 8,
        dispatch,
    });
    let users = Pacing::Users {
        users: 10,
        ramp_up: Duration::from_millis(50),
        requests_per_user: Some(40),
        think_time: Duration::from_millis(1),
    };
    for pacing in open.into_iter().chain([closed(8), users]) {
        let mut target = server.target();
        target.timeout = Duration::from_millis(60);
        let slice = counted(pacing, 400);
        let seen = drive(target, &slice);
        let sum: u64 = seen.outcomes.iter().map(|(_, count)| count).sum();
        assert_eq!(sum, 400, "{slice:?}");
        assert_eq!(seen.service_time().count(), 400);
        let answers = seen.outcomes.answers();
        assert_eq!(seen.status.values().sum::<u64>(), answers);
        assert_eq!(seen.service_time().answered_count(), answers);
        assert_eq!(seen.failed_time().count(), seen.failed_count());
    }
    // A request may be cut off before the server reads it, or read only after its drive, never invented.
    assert!(server.count() <= 5 * 400);
}

#[test]
fn wrong_bodies_are_found_however_they_are_wrong() {
    let right = br#"{"items":[{"id":7}]}"#;
    let digest = {
        use sha2::Digest;
        sha2::Sha256::digest(right).into()
    };
    let field = |value: i64| JsonField {
        pointer: "/items/0/id".to_owned(),
        value: Some(value.into()),
    };
    let any = Expectation::default;
    for (expectation, outcome) in [
        (
            Expectation {
                body_bytes: Some(20),
                ..any()
            },
            Outcome::Ok,
        ),
        (
            Expectation {
                body_bytes: Some(21),
                ..any()
            },
            Outcome::UnexpectedBody,
        ),
        (
            Expectation {
                body_sha256: Some(digest),
                ..any()
            },
            Outcome::Ok,
        ),
        (
            Expectation {
                body_sha256: Some([0; 32]),
                ..any()
            },
            Outcome::UnexpectedBody,
        ),
        (
            Expectation {
                json_field: Some(field(7)),
                ..any()
            },
            Outcome::Ok,
        ),
        (
            Expectation {
                json_field: Some(field(8)),
                ..any()
            },
            Outcome::UnexpectedBody,
        ),
        (
            Expectation {
                json_field: Some(JsonField {
                    pointer: "/no".to_owned(),
                    value: None,
                }),
                ..any()
            },
            Outcome::UnexpectedBody,
        ),
        (
            Expectation {
                status: StatusRule::Exact(201),
                ..any()
            },
            Outcome::UnexpectedStatus,
        ),
    ] {
        // In chunks of one byte, so that looking at bodies is seen to work across pieces.
        let server = Server::start(move |_, _| {
            let mut answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
            for byte in right {
                answer.extend_from_slice(&[b'1', b'\r', b'\n', *byte, b'\r', b'\n']);
            }
            answer.extend_from_slice(b"0\r\n\r\n");
            Reply::Bytes(answer)
        });
        let target = Target {
            expectation: expectation.clone(),
            ..server.target()
        };
        let seen = drive(target, &counted(closed(2), 20));
        assert_eq!(
            seen.outcome(outcome),
            20,
            "{expectation:?}: {:?}",
            seen.outcomes
        );
    }
}

#[test]
fn every_nth_body_is_looked_at() {
    let server = Server::start(|_, _| Reply::Bytes(ok(b"wrong")));
    let expectation = Expectation {
        body_sha256: Some([0; 32]),
        sample_every: 10,
        ..Expectation::default()
    };
    let seen = drive(
        Target {
            expectation,
            ..server.target()
        },
        &counted(closed(3), 200),
    );
    assert_eq!(seen.outcome(Outcome::UnexpectedBody), 20);
    assert_eq!(seen.good_count(), 180);
}

#[test]
fn large_bodies_are_counted_whole() {
    let body = vec![b'x'; 1_000_000];
    let answer = ok(&body);
    let length = answer.len() as u64;
    let server = Server::start(move |_, _| Reply::Bytes(answer.clone()));
    let expectation = Expectation {
        body_bytes: Some(1_000_000),
        ..Expectation::default()
    };
    let seen = drive(
        Target {
            expectation,
            ..server.target()
        },
        &counted(closed(3), 50),
    );
    assert_eq!(seen.good_count(), 50);
    assert_eq!(seen.bytes.received_count, 50 * length);
}

#[test]
fn large_requests_arrive_whole() {
    let server = Server::start(|_, request| Reply::Bytes(ok(request.len().to_string().as_bytes())));
    let request = request_bytes("POST", "/", "server", &[], Some(&vec![b'y'; 5_000_000]));
    let length = request.len().to_string().len() as u64;
    let expectation = Expectation {
        body_bytes: Some(length),
        ..Expectation::default()
    };
    let target = Target {
        requests: Requests::same(request),
        expectation,
        ..server.target()
    };
    let seen = drive(target, &counted(closed(2), 10));
    assert_eq!(seen.good_count(), 10);
}

#[test]
fn without_keep_alive_every_request_has_its_own_connection() {
    let server = Server::start(|_, _| Reply::Bytes(ok(b"ok")));
    for pacing in [
        closed(4),
        Pacing::Open {
            rate: Rate::constant(2_000.0),
            connections: 4,
            dispatch: Dispatch::Shared,
        },
    ] {
        let target = Target {
            keep_alive: false,
            ..server.target()
        };
        let seen = drive(target, &counted(pacing, 100));
        assert_eq!(seen.good_count(), 100);
        assert_eq!(seen.connections.opened_count, 100);
        assert_eq!(seen.connections.open_at_end_count, 0);
    }
}

#[test]
fn a_connection_that_the_server_closes_between_requests_is_opened_again() {
    let server = Server::start(|number, _| match number % 10 {
        9 => Reply::BytesThenClose(
            b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok".to_vec(),
        ),
        _ => Reply::Bytes(ok(b"ok")),
    });
    let seen = drive(server.target(), &counted(closed(2), 100));
    assert_eq!(seen.good_count(), 100);
    assert!(seen.connections.opened_count >= 10);
}

#[test]
fn head_requests_wait_for_no_body() {
    let server = Server::start(|_, _| {
        Reply::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n".to_vec())
    });
    let requests = Requests::same(request_bytes("HEAD", "/", "server", &[], None));
    let seen = drive(
        Target {
            requests,
            ..server.target()
        },
        &counted(closed(2), 20),
    );
    assert_eq!(seen.good_count(), 20);
}

#[test]
fn ipv6_is_spoken_where_the_machine_has_it() {
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        return;
    }
    let server = Server::start_on("[::1]:0", |_, _| Reply::Bytes(ok(b"ok")));
    assert_eq!(
        drive(server.target(), &counted(closed(2), 20)).good_count(),
        20
    );
}

#[test]
fn a_feed_is_sent_row_by_row_with_its_places_filled() {
    let rows: Vec<String> = (0..5)
        .map(|row| format!("/item/{row}?n={{seq}}&r={{rand:10..19}}"))
        .collect();
    for order in [FeedOrder::InOrder, FeedOrder::Random, FeedOrder::Zipf] {
        let seen = std::sync::Arc::new(Mutex::new(Vec::new()));
        let kept = seen.clone();
        let server = Server::start(move |_, request| {
            let line = String::from_utf8_lossy(request)
                .lines()
                .next()
                .unwrap()
                .to_owned();
            kept.lock().unwrap().push(line);
            Reply::Bytes(ok(b"ok"))
        });
        let rows = rows.iter().map(|row| (row.as_str(), None));
        let requests = Requests::feed("GET", "server", &[], rows, order).unwrap();
        drive(
            Target {
                requests,
                ..server.target()
            },
            &counted(closed(1), 500),
        );
        let lines = seen.lock().unwrap();
        let mut uses = [0; 5];
        for (line, sequence) in lines.iter().zip(0..) {
            let row: usize = line["GET /item/".len()..][..1].parse().unwrap();
            uses[row] += 1;
            assert!(line.contains(&format!("?n={sequence}&r=1")), "{line}");
            if order == FeedOrder::InOrder {
                assert_eq!(row, sequence % 5);
            }
        }
        match order {
            FeedOrder::InOrder | FeedOrder::Random => assert_eq!(uses, [100; 5]),
            FeedOrder::Zipf => assert!(uses.is_sorted_by(|a, b| a > b), "{uses:?}"),
        }
    }
}

#[test]
fn a_feed_of_bodies_says_their_lengths() {
    let server = Server::start(|number, request| {
        let text = String::from_utf8_lossy(request).into_owned();
        let body = text.split_once("\r\n\r\n").unwrap().1;
        Reply::Bytes(if body == format!("{{\"id\":{number}}}") {
            ok(b"ok")
        } else {
            ok(b"no")
        })
    });
    let rows: [(&str, Option<&[u8]>); 1] = [("/", Some(br#"{"id":{seq}}"#))];
    let requests = Requests::feed("POST", "server", &[], rows, FeedOrder::InOrder).unwrap();
    let field = Expectation {
        body_sha256: Some(sha256(b"ok")),
        ..Expectation::default()
    };
    let seen = drive(
        Target {
            requests,
            expectation: field,
            ..server.target()
        },
        &counted(closed(1), 200),
    );
    assert_eq!(seen.good_count(), 200);
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).into()
}

/// Sleeps and keeps a histogram of how long it really took, from request to answer.
fn timed_server(
    delay: impl Fn(u64) -> Duration + Send + Sync + 'static,
) -> (Server, std::sync::Arc<Mutex<Histogram<u64>>>) {
    let times = std::sync::Arc::new(Mutex::new(Histogram::new(3).unwrap()));
    let kept = times.clone();
    let server = Server::start(move |number, _| {
        let began = Instant::now();
        std::thread::sleep(delay(number));
        kept.lock()
            .unwrap()
            .record(began.elapsed().as_nanos() as u64)
            .unwrap();
        Reply::Bytes(ok(b"ok"))
    });
    (server, times)
}

const QUANTILES: [f64; 3] = [0.5, 0.75, 0.9];

/// What a closed loop sees of a server, and what the server saw of itself, at each quantile.
fn seen_and_kept(delay: impl Fn(u64) -> Duration + Send + Sync + 'static) -> [(u64, u64); 3] {
    let (server, kept) = timed_server(delay);
    let seen = drive(server.target(), &counted(closed(10), 1_000));
    let (service, kept) = (seen.service_time(), kept.lock().unwrap());
    assert_eq!(service.count(), kept.len());
    QUANTILES.map(|q| {
        let ours = service.percentile(q).value().unwrap();
        (ours, kept.value_at_quantile(q))
    })
}

#[test]
fn service_times_are_those_the_server_kept_itself_and_the_way_there_and_back() {
    let added = |pairs: [(u64, u64); 3]| pairs.map(|(ours, theirs)| ours.saturating_sub(theirs));
    let mut tried = Vec::new();
    // What the way takes depends on what else the machine does: it is measured just before, on a server that
    // answers at once, and a stretch in which something else ran is tried again.
    for _ in 0..20 {
        let way = added(seen_and_kept(|_| Duration::ZERO));
        let pairs =
            seen_and_kept(|number| Duration::from_millis(if number % 20 == 19 { 200 } else { 5 }));
        for (ours, theirs) in pairs {
            // What we see contains what the server did.
            assert!(ours as f64 >= 0.998 * theirs as f64, "{ours} < {theirs}");
        }
        // Beside sleeps a thread has to be woken for each request, which one that is kept busy has not.
        let limit = way[2] * 3 + 1_000_000;
        if added(pairs).iter().all(|&added| added <= limit) {
            return;
        }
        tried.push((way, pairs));
    }
    panic!("more than the way there and back, each time: {tried:?}");
}

#[test]
fn a_stalled_server_delays_the_answers_and_not_the_schedule() {
    let began = Instant::now();
    let stalls = move |_: u64| {
        let into = began.elapsed().as_millis() % 1_000;
        Duration::from_millis(if into < 300 { 305 - into as u64 } else { 5 })
    };
    for dispatch in [
        Dispatch::PerConnection,
        Dispatch::Shared,
        Dispatch::Unbounded,
    ] {
        let (server, _) = timed_server(stalls);
        let pacing = Pacing::Open {
            rate: Rate::constant(200.0),
            connections: 10,
            dispatch,
        };
        let seen = drive(server.target(), &Slice::new(pacing, Duration::from_secs(2)));
        assert_eq!(seen.scheduled_count(), 400);
        assert_eq!(seen.good_count(), 400);
        // 30 % of arrivals fall into a stall; evenly, so a tenth wait longer than 200 ms.
        let response = seen.response_time().unwrap();
        let p75 = response.percentile(0.75).value().unwrap();
        assert!(p75 > 30_000_000, "{dispatch:?}: {p75}");
        assert!(response.max_ns().unwrap() > 250_000_000);
    }
}

#[test]
fn slow_answers_beyond_the_timeout_bound_the_percentiles_they_would_have() {
    let server = Server::start(|number, _| {
        if number % 10 == 9 {
            Reply::Nothing
        } else {
            Reply::Bytes(ok(b"ok"))
        }
    });
    let mut target = server.target();
    target.timeout = Duration::from_millis(200);
    let seen = drive(target, &counted(closed(20), 2_000));
    assert!(seen.outcome(Outcome::Timeout) >= 200);
    let Percentile::AtLeast(ns) = seen.service_time().percentile(0.95) else {
        panic!("not a bound")
    };
    // A bound is what its bucket begins with: a thousandth below, at most.
    assert!(ns >= 199_800_000, "{ns}");
    assert!(seen.service_time().percentile(0.5).value().is_some());
}

#[test]
fn one_exchange_gives_one_whole_answer() {
    let server = Server::start(|number, _| {
        match number {
        0 => Reply::Bytes(
            b"HTTP/1.1 103 Early\r\nA: no\r\n\r\nHTTP/1.1 418 T\r\nA: yes\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n".to_vec(),
        ),
        1 => Reply::BytesThenClose(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab".to_vec()),
        2 => Reply::BytesThenClose(Vec::new()),
        3 => Reply::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc".to_vec()),
        4 => Reply::Bytes(b"hello there\r\n".to_vec()),
        _ => Reply::Nothing,
    }
    });
    let request = request_bytes("GET", "/", "server", &[], None);
    let ask = |timeout| exchange(server.addr, &request, Duration::from_millis(timeout));
    let answer = ask(20_000).unwrap();
    assert_eq!(
        (answer.status, answer.body.as_slice()),
        (418, b"ok".as_slice())
    );
    assert_eq!(answer.header("a"), Some("yes"));
    assert!(matches!(ask(20_000), Err(ExchangeError::Truncated(_))));
    assert!(matches!(ask(20_000), Err(ExchangeError::ClosedEarly(_))));
    assert!(matches!(
        ask(20_000),
        Err(ExchangeError::Surplus { count: 2, .. })
    ));
    assert!(matches!(ask(20_000), Err(ExchangeError::Malformed { .. })));
    assert!(matches!(ask(50), Err(ExchangeError::Timeout { .. })));
    assert_eq!(server.requests.load(Ordering::SeqCst), 6);
}
