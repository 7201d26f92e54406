//! Services that call an upstream: they call it once, in bounds, and its failures are never "not found".
//!
//! Each law is tried on every ranked stack that serves a workload with that upstream. A service is started once for
//! all laws: each has codes of its own, so that what one law stored is not in the way of the next.
#![allow(clippy::print_stderr, reason = "a skip says why")]

#[path = "../support/mod.rs"]
mod support;

mod service;

use std::time::Duration;

use catalog::{Catalog, Stack, WorkerKind};
use lab::standin::{Behaviour, Delay};
use load::{Answer, exchange, request_bytes};
use postgres::{Client, NoTls};
use serde_json::Value;
use service::{Bench, Service, root};

/// As many as ask at once.
const CROWD: usize = 50;
/// Calls of the upstream that one worker process may have under way.
const CALLS_AT_ONCE: u64 = 32;
/// Enough to see that a connection is left behind by each, or by each tenth.
const MANY: u32 = 1_000;
/// In every database.
const STORED: &str = "/api/v1/cep/01001-000";

#[test]
fn services_call_their_upstream_once_in_bounds_and_never_take_a_failure_for_an_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let supervisor = support::supervisor(&folder);
    let Some(mut bench) = Bench::new(&supervisor, folder.path()) else {
        return;
    };
    let catalog = Catalog::scan(&root());
    for (prepared, workload) in bench.prepared(&catalog, "viacep") {
        for mode in modes(&prepared.stack) {
            eprintln!("{} ({mode})", prepared.stack.name);
            let one = bench.start(&prepared, &workload, &mode, 1);
            the_database_and_the_upstream_say_the_same(&one);
            a_crowd_that_asks_for_one_missing_code_makes_one_call(&one, 1);
            a_crowd_that_asks_for_a_code_that_nobody_has_makes_one_call(&one, 1);
            what_was_answered_is_stored(&one);
            whoever_goes_away_does_not_stop_it_for_the_others(&one);
            a_hit_costs_one_statement_and_a_miss_one_more(&one, &mut bench);
            what_is_malformed_makes_no_call(&one);
            a_crowd_that_asks_for_many_missing_codes_has_few_calls_under_way(&one);
            a_failure_is_503_with_a_time_to_retry_and_is_not_remembered(&one);
            a_cut_connection_is_503_too(&one);
            a_stalled_upstream_is_503_in_bounded_time_and_holds_up_no_hit(&one);
            an_insert_that_fails_does_not_fail_the_answer(&one);
            requests_leave_no_connection_behind(&one, MANY);
            one.stop();
            let processes = match prepared.stack.manifest.workers {
                WorkerKind::Processes => 2,
                WorkerKind::Threads => 1,
            };
            let two = bench.start(&prepared, &workload, &mode, 2);
            a_crowd_that_asks_for_one_missing_code_makes_one_call(&two, processes);
            a_crowd_that_asks_for_a_code_that_nobody_has_makes_one_call(&two, processes);
            two.stop();
        }
    }
    bench.postgres.stop().expect("the server stops");
}

#[test]
#[ignore = "takes minutes: ten thousand requests to each service"]
fn ten_thousand_requests_leave_no_connection_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let supervisor = support::supervisor(&folder);
    let Some(mut bench) = Bench::new(&supervisor, folder.path()) else {
        return;
    };
    let catalog = Catalog::scan(&root());
    for (prepared, workload) in bench.prepared(&catalog, "viacep") {
        for mode in modes(&prepared.stack) {
            eprintln!("{} ({mode})", prepared.stack.name);
            let service = bench.start(&prepared, &workload, &mode, 1);
            requests_leave_no_connection_behind(&service, 10 * MANY);
            service.stop();
        }
    }
    bench.postgres.stop().expect("the server stops");
}

/// Launch modes, without those that are another by a second name.
fn modes(stack: &Stack) -> Vec<String> {
    let mut seen = Vec::new();
    let modes = stack.manifest.launch.iter().filter(|(_, launch)| {
        let is_new = !seen.contains(launch);
        seen.push(*launch);
        is_new
    });
    modes.map(|(mode, _)| mode.clone()).collect()
}

/// One rule in two languages: SQL fills the database, the stand-in works its answers out.
fn the_database_and_the_upstream_say_the_same(service: &Service) {
    let mut client = Client::connect(&service.database_url, NoTls).expect("its database");
    let counted = "SELECT count(*) FILTER (WHERE right(cep, 3) < '250'), count(*) FROM logradouro";
    let counted = client.query_one(counted, &[]).expect("its table");
    assert_eq!((counted.get(0), counted.get(1)), (100_000_i64, 100_000_i64));
    let rows = "SELECT l.cep, l.logradouro, l.complemento, b.nome, c.nome, e.uf, e.nome, c.ibge
        FROM logradouro AS l JOIN cidade AS c USING (ibge) JOIN estado AS e USING (uf)
        LEFT JOIN bairro AS b ON b.id = l.id_bairro
        WHERE l.logradouro IS NULL OR l.cep LIKE '01001%' OR hashtext(l.cep) % 200 = 0";
    let rows = client.query(rows, &[]).expect("its tables");
    assert!(rows.len() > 500, "{} rows", rows.len());
    for row in rows {
        let code: String = row.get(0);
        let request = format!("/ws/{code}/json/");
        let request = request_bytes("GET", &request, "localhost", &[], None);
        let answer = exchange(service.standin.addr(), &request, Duration::from_secs(60));
        let said = json(&answer.expect("an answer"));
        let fields = "logradouro complemento bairro localidade uf estado ibge";
        for (index, field) in fields.split(' ').enumerate() {
            let stored: Option<String> = row.get(index + 1);
            assert_eq!(said[field], stored.unwrap_or_default(), "{code}: {field}");
        }
    }
}

fn target(code: u32) -> String {
    format!("/api/v1/cep/{code:08}")
}

fn json(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).expect("JSON")
}

fn statuses(answers: &[Answer]) -> Vec<u16> {
    answers.iter().map(|answer| answer.status).collect()
}

fn delayed(delay: Delay) -> Behaviour {
    Behaviour {
        delay,
        ..Behaviour::default()
    }
}

/// Late comers of a slow machine find it stored or remembered, so the count does not depend on the machine.
fn a_crowd_that_asks_for_one_missing_code_makes_one_call(service: &Service, workers: u64) {
    service
        .standin
        .behave(delayed(Delay::Constant(Duration::from_millis(200))));
    let crowd = vec![target(1_001_250); CROWD];
    let mut answers = Vec::new();
    let calls = service.calls_of(|| answers = service.get_all(&crowd));
    assert_eq!(statuses(&answers), [200; CROWD], "{}", service.name);
    assert!(
        (1..=workers).contains(&calls),
        "{}: {calls} calls",
        service.name
    );
    for answer in &answers {
        let mut body = json(answer);
        let provider = body["provider"].take();
        assert!(
            provider == "viacep" || provider == "database",
            "{}",
            service.name
        );
        let mut first = json(&answers[0]);
        first["provider"].take();
        assert_eq!(
            body, first,
            "{}: one shape whatever the source",
            service.name
        );
    }
}

fn a_crowd_that_asks_for_a_code_that_nobody_has_makes_one_call(service: &Service, workers: u64) {
    service
        .standin
        .behave(delayed(Delay::Constant(Duration::from_millis(200))));
    for code in [99_999_998, 99_999_999] {
        let crowd = vec![target(code); CROWD];
        let mut answers = Vec::new();
        let calls = service.calls_of(|| answers = service.get_all(&crowd));
        assert_eq!(statuses(&answers), [404; CROWD], "{}", service.name);
        assert!(
            (1..=workers).contains(&calls),
            "{}: {calls} calls",
            service.name
        );
    }
}

fn what_was_answered_is_stored(service: &Service) {
    service.standin.behave(Behaviour::default());
    let calls = service.calls_of(|| {
        let provider = |answer: &Answer| json(answer)["provider"].clone();
        assert_eq!(
            provider(&service.get(&target(1_001_251))),
            "viacep",
            "{}",
            service.name
        );
        for _ in 0..3 {
            assert_eq!(
                provider(&service.get(&target(1_001_251))),
                "database",
                "{}",
                service.name
            );
        }
    });
    assert_eq!(calls, 1, "{}", service.name);
}

fn whoever_goes_away_does_not_stop_it_for_the_others(service: &Service) {
    service
        .standin
        .behave(delayed(Delay::Constant(Duration::from_millis(200))));
    let before = service.standin.calls().total_count;
    let first = service.ask_and_wait_for_nothing(&target(1_001_256));
    support::eventually("the upstream is called", || {
        (service.standin.calls().total_count > before).then_some(())
    });
    drop(first);
    let answer = service.get(&target(1_001_256));
    assert_eq!(answer.status, 200, "{}", service.name);
    let calls = service.standin.calls().total_count - before;
    assert_eq!(calls, 1, "{}", service.name);
}

fn a_hit_costs_one_statement_and_a_miss_one_more(service: &Service, bench: &mut Bench) {
    service.standin.behave(Behaviour::default());
    let mut cost_of = |targets: Vec<String>| {
        let before = bench.postgres.statements(&service.database)?;
        for target in &targets {
            service.get(target);
        }
        let after = bench.postgres.statements(&service.database)?;
        Some((after.0 - before.0, after.1 - before.1, targets.len() as u64))
    };
    // Without pg_stat_statements there is nothing to compare.
    if let Some((statements, rows, asked)) = cost_of(vec![STORED.to_owned(); 40]) {
        assert_eq!((statements, rows), (asked, asked), "{}: hits", service.name);
    }
    if let Some((statements, rows, asked)) = cost_of((1_001_260..1_001_280).map(target).collect()) {
        assert_eq!(
            (statements, rows),
            (2 * asked, asked),
            "{}: misses",
            service.name
        );
    }
}

fn what_is_malformed_makes_no_call(service: &Service) {
    let calls = service.calls_of(|| {
        for asked in [
            "0100100",
            "010012520",
            "0100125a",
            "01001_252",
            "%D9%A01001252",
        ] {
            let status = service.get(&format!("/api/v1/cep/{asked}")).status;
            assert_eq!(status, 400, "{}: {asked}", service.name);
        }
    });
    assert_eq!(calls, 0, "{}", service.name);
}

fn a_crowd_that_asks_for_many_missing_codes_has_few_calls_under_way(service: &Service) {
    service
        .standin
        .behave(delayed(Delay::Constant(Duration::from_millis(200))));
    let missing: Vec<String> = (1_003_250..).take(CROWD).map(target).collect();
    service.get_all(&missing);
    let most = service.standin.calls().most_at_once_count;
    assert!(most <= CALLS_AT_ONCE, "{}: {most} at once", service.name);
}

fn is_unavailable(answer: &Answer, service: &Service) {
    assert_eq!(answer.status, 503, "{}", service.name);
    let retry = answer
        .header("retry-after")
        .and_then(|value| value.parse().ok());
    assert!(
        retry.is_some_and(|seconds: u32| seconds > 0),
        "{}: {retry:?}",
        service.name
    );
}

fn a_failure_is_503_with_a_time_to_retry_and_is_not_remembered(service: &Service) {
    service.standin.behave(Behaviour {
        failure_ratio: 1.0,
        ..Behaviour::default()
    });
    for code in [1_001_253, 99_999_997] {
        is_unavailable(&service.get(&target(code)), service);
    }
    assert_eq!(service.get(STORED).status, 200, "{}", service.name);
    service.standin.behave(Behaviour::default());
    assert_eq!(
        service.get(&target(1_001_253)).status,
        200,
        "{}",
        service.name
    );
    assert_eq!(
        service.get(&target(99_999_997)).status,
        404,
        "{}",
        service.name
    );
}

fn a_cut_connection_is_503_too(service: &Service) {
    service.standin.behave(Behaviour {
        rate_limit_per_s: Some(0),
        ..Behaviour::default()
    });
    is_unavailable(&service.get(&target(1_001_254)), service);
    assert_eq!(service.get(STORED).status, 200, "{}", service.name);
    service.standin.behave(Behaviour::default());
    assert_eq!(
        service.get(&target(1_001_254)).status,
        200,
        "{}",
        service.name
    );
}

fn a_stalled_upstream_is_503_in_bounded_time_and_holds_up_no_hit(service: &Service) {
    service.standin.behave(delayed(Delay::Endless));
    let missing: Vec<String> = (1_002_250..).take(CROWD).map(target).collect();
    let before = service.standin.calls().total_count;
    std::thread::scope(|scope| {
        let stalled = scope.spawn(|| service.get_all(&missing));
        // Until they wait for the upstream, which is when hits could be held up.
        while service.standin.calls().total_count < before + 10 && !stalled.is_finished() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let hits = service.get_all(&vec![STORED.to_owned(); 20]);
        assert_eq!(statuses(&hits), [200; 20], "{}", service.name);
        for answer in stalled.join().expect("answers") {
            is_unavailable(&answer, service);
        }
    });
    service.standin.behave(Behaviour::default());
    for target in missing.iter().step_by(10) {
        assert_eq!(service.get(target).status, 200, "{}", service.name);
    }
}

fn an_insert_that_fails_does_not_fail_the_answer(service: &Service) {
    let mut client = Client::connect(&service.database_url, NoTls).expect("its database");
    let refuse = "ALTER TABLE logradouro ADD CONSTRAINT none CHECK (false) NOT VALID";
    client.batch_execute(refuse).expect("its own table");
    for _ in 0..2 {
        let answer = service.get(&target(1_001_255));
        assert_eq!(answer.status, 200, "{}", service.name);
        assert_eq!(json(&answer)["provider"], "viacep", "{}", service.name);
    }
    client
        .batch_execute("ALTER TABLE logradouro DROP CONSTRAINT none")
        .expect("it was there");
}

/// Half of them found in the database, a quarter upstream, a quarter nowhere.
fn requests_leave_no_connection_behind(service: &Service, count: u32) {
    let mut client = Client::connect(&service.database_url, NoTls).expect("its database");
    let before = service.sockets_count();
    let kind = |number: u32| match number % 4 {
        0 => target(1_004_250 + number / 4 % 250 + number / 1000 * 1000),
        1 => target(99_000_000 + number),
        _ => STORED.to_owned(),
    };
    for first in (0..count).step_by(CROWD) {
        let some: Vec<String> = (first..).map(kind).take(CROWD).collect();
        for answer in service.get_all(&some) {
            assert!(
                matches!(answer.status, 200 | 404),
                "{}: {}",
                service.name,
                answer.status
            );
        }
    }
    let of_upstream = service.standin.open_connections_count();
    assert!(
        of_upstream <= CALLS_AT_ONCE,
        "{}: {of_upstream} to the upstream",
        service.name
    );
    let of_database = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let of_database: i64 = client.query_one(of_database, &[]).expect("a count").get(0);
    assert!(
        of_database <= i64::from(service::POOL),
        "{}: {of_database} to the database",
        service.name
    );
    support::eventually("the service has closed what clients have closed", || {
        (service.sockets_count() <= before + CALLS_AT_ONCE as usize).then_some(())
    });
}
