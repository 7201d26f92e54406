//! The document `bancada.load/1` and what is said of it.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use load::simulated::Simulated;
use load::{
    Arrivals, CheckStatus, Dispatch, Observations, Pacing, Plan, Rate, Requests, Session, Share,
    Slice, Slo, Stage, Summary, Target, export, request_bytes, terminal,
};

fn plan(pacing: Pacing, seconds: u64) -> Plan {
    let request = request_bytes("GET", "/", "server", &[], None);
    let target = Target {
        timeout: Duration::from_secs(2),
        ..Target::new(
            ([127, 0, 0, 1], 80).into(),
            "server",
            Requests::same(request),
        )
    };
    let slice = Slice::new(pacing, Duration::from_secs(seconds));
    Plan {
        target,
        slice,
        threads: 1,
        cpus: vec![],
        busy_poll: false,
    }
}

fn open(rate: f64, dispatch: Dispatch) -> Plan {
    plan(
        Pacing::Open {
            rate: Rate::constant(rate),
            connections: 10,
            dispatch,
        },
        100,
    )
}

fn closed() -> Plan {
    plan(
        Pacing::Closed {
            concurrency: 10,
            think_time: Duration::ZERO,
        },
        10,
    )
}

fn drive(server: Simulated, plan: &Plan) -> Observations {
    let mut session = Session::with_transport(server, Share::WHOLE, 1);
    let target = session.add_target(plan.target.clone());
    session
        .drive(target, &plan.slice, &mut |_| {}, &AtomicBool::new(false))
        .unwrap()
}

fn steady() -> Simulated {
    Simulated::unlimited_workers(|_, _| 5_000_000)
}

/// One in ten never ends in time.
fn partly_slow() -> Simulated {
    Simulated::unlimited_workers(|number, _| {
        if number % 10 == 9 {
            3_000_000_000
        } else {
            5_000_000
        }
    })
}

fn summaries() -> Vec<Summary> {
    let slos: Vec<Slo> = vec!["errors<1%".parse().unwrap()];
    let shown = |server, plan: &Plan| {
        let seen = drive(server, plan);
        Summary::of(plan, &seen)
            .with_slos(&slos)
            .with_histograms(&seen)
    };
    let users = Pacing::Users {
        users: 5,
        ramp_up: Duration::from_secs(1),
        requests_per_user: Some(3),
        think_time: Duration::from_secs(1),
    };
    vec![
        shown(steady(), &closed()),
        shown(steady(), &open(100.0, Dispatch::Shared)),
        shown(partly_slow(), &open(100.0, Dispatch::Unbounded)),
        shown(steady(), &plan(users, 100)),
    ]
}

fn schema() -> serde_json::Value {
    schemars::schema_for!(Summary).to_value()
}

#[test]
fn the_committed_schema_is_that_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/load.schema.json");
    let current = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == current,
        "schema/load.schema.json is not current: run `UPDATE_SCHEMAS=1 cargo test -p load` and commit it"
    );
}

#[test]
fn what_is_printed_validates() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for summary in summaries() {
        let document = serde_json::to_value(&summary).unwrap();
        let errors: Vec<_> = validator
            .iter_errors(&document)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
        let back: Summary = serde_json::from_value(document).unwrap();
        assert_eq!(back, summary);
    }
}

#[test]
fn what_was_not_measured_is_absent() {
    let closed = serde_json::to_value(&summaries()[0]).unwrap();
    for key in [
        "offered_load_per_s",
        "response_time_ns",
        "send_delay_ns",
        "failed_time_ns",
        "interrupted",
    ] {
        assert!(closed.get(key).is_none(), "{key}");
    }
    assert_eq!(closed["outcomes"].as_object().unwrap().len(), 1);
    assert_eq!(
        closed["loop"],
        serde_json::json!({"kind": "closed", "concurrency_count": 10})
    );
    let open = serde_json::to_value(&summaries()[1]).unwrap();
    assert_eq!(open["loop"]["kind"], "open");
    assert_eq!(open["loop"]["arrivals"], "constant");
    assert_eq!(open["loop"]["dispatch"], "shared");
    assert_eq!(open["offered_load_per_s"], 100.0);
    // 10,000 requests: 100 lie beyond p99, 10 beyond p99.9.
    let times = open["response_time_ns"].as_object().unwrap();
    assert!(times.contains_key("p99"));
    assert!(!times.contains_key("p99_5") && !times.contains_key("p99_9"));
    let slow = serde_json::to_value(&summaries()[2]).unwrap();
    let times = slow["response_time_ns"].as_object().unwrap();
    assert!(times.contains_key("p75") && !times.contains_key("p95"));
    let bound = times["p95_at_least"].as_u64().unwrap();
    assert!((1_998_000_000..=2_000_000_000).contains(&bound), "{bound}");
    assert_eq!(times["count"], 10_000);
    assert_eq!(times["answered_count"], 9_000);
    assert_eq!(slow["failed_time_ns"]["count"], 1_000);
}

#[test]
fn histograms_come_back_as_they_were() {
    use base64::Engine as _;
    let plan = open(100.0, Dispatch::Shared);
    let seen = drive(steady(), &plan);
    let summary = Summary::of(&plan, &seen).with_histograms(&seen);
    for (name, times) in export::histograms(&seen) {
        let text = &summary.histograms.as_ref().unwrap()[name];
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(text)
            .unwrap();
        let back: Histogram<u64> = Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .unwrap();
        assert_eq!(back, times, "{name}");
    }
    let log = export::histogram_log(&seen, std::time::SystemTime::now());
    let lines = String::from_utf8(log).unwrap();
    assert!(lines.contains("Tag=response_time,"), "{lines}");
}

#[test]
fn objectives_are_held_against_every_request() {
    let judged = |text: &str, server, plan: &Plan| {
        let slo: Slo = text.parse().unwrap();
        slo.judge(&Summary::of(plan, &drive(server, plan))).met
    };
    let plan = open(100.0, Dispatch::Unbounded);
    assert!(judged("response_p99<6ms", steady(), &plan));
    assert!(!judged("response_p99<5ms", steady(), &plan));
    assert!(judged("errors<=0%", steady(), &plan));
    // Timeouts make the percentile unknown and the maximum more than any answer's.
    assert!(!judged("response_p99<1h", partly_slow(), &plan));
    assert!(!judged("service_max<1h", partly_slow(), &plan));
    assert!(!judged("service_mean<1h", partly_slow(), &plan));
    assert!(judged("service_min<1h", partly_slow(), &plan));
    assert!(judged("response_p75<6ms", partly_slow(), &plan));
    assert!(judged("errors<10.5%", partly_slow(), &plan));
    assert!(!judged("errors<10%", partly_slow(), &plan));
    // Too few samples to tell is not a promise kept.
    assert!(!judged("response_p99.99<1h", steady(), &plan));
}

#[test]
fn a_load_that_changes_says_its_stages_and_a_constant_one_does_not() {
    let shown = |pacing| {
        let plan = plan(pacing, 20);
        let summary = Summary::of(&plan, &drive(steady(), &plan));
        let document = serde_json::to_value(&summary).unwrap();
        let stages = document["loop"].get("stages").cloned();
        (stages, terminal("http://127.0.0.1:8000/users", &summary))
    };
    let stage = |from, to| Stage {
        from,
        to,
        duration: Duration::from_secs(10),
    };
    let rates = |stages| Pacing::Open {
        rate: Rate::staged(stages, Arrivals::Constant),
        connections: 10,
        dispatch: Dispatch::Shared,
    };
    let (flat, text) = shown(rates(vec![Stage::constant(50.0, Duration::from_secs(20))]));
    assert!(flat.is_none() && !text.contains("stage"), "{text}");
    let (ramp, text) = shown(rates(vec![stage(10.0, 50.0)]));
    let expected = serde_json::json!([{"from": 10.0, "to": 50.0, "duration_s": 10.0}]);
    assert_eq!(ramp.unwrap(), expected);
    assert!(text.contains(" on average,"), "{text}");
    assert!(text.contains("10 connections, 1 stage, "), "{text}");
    let (two, text) = shown(Pacing::ClosedStages {
        stages: vec![stage(1.0, 1.0), stage(1.0, 5.0)],
        think_time: Duration::from_secs(1),
    });
    assert_eq!(two.unwrap().as_array().unwrap().len(), 2);
    assert!(
        text.contains("5 connections, 2 stages, 1.00 s think time"),
        "{text}"
    );
    let users = Pacing::Users {
        users: 5,
        ramp_up: Duration::from_secs(1),
        requests_per_user: Some(3),
        think_time: Duration::from_secs(1),
    };
    let (_, text) = shown(users);
    let said = "5 users begun over 1 s, 3 requests each, 1.00 s think time,";
    assert!(text.contains(said), "{text}");
}

#[test]
fn a_server_that_lets_one_in_ten_time_out_leaves_the_run_to_be_trusted() {
    let plan = open(100.0, Dispatch::Unbounded);
    let summary = Summary::of(&plan, &drive(partly_slow(), &plan));
    let failed = |finding: &&load::Finding| finding.status == CheckStatus::Fail;
    assert_eq!(summary.audit.iter().find(failed), None);
}

#[test]
fn a_server_that_cannot_keep_up_fails_the_audit() {
    let plan = open(1_000.0, Dispatch::Shared);
    let seen = drive(Simulated::single_worker(|_, _| 2_000_000), &plan);
    let summary = Summary::of(&plan, &seen);
    let failed = summary
        .audit
        .iter()
        .filter(|finding| finding.status == CheckStatus::Fail);
    assert!(failed.count() >= 1);
    assert!(
        summary.verdict.starts_with("do not trust it"),
        "{}",
        summary.verdict
    );
}

#[test]
fn a_generator_that_is_late_fails_the_audit() {
    let plan = open(1_000.0, Dispatch::Shared);
    let seen = drive(steady().with_lateness(20_000_000), &plan);
    let summary = Summary::of(&plan, &seen);
    assert!(
        summary.verdict.starts_with("do not trust it"),
        "{}",
        summary.verdict
    );
}

#[test]
fn a_quiet_run_is_trusted() {
    for summary in [&summaries()[0], &summaries()[1]] {
        let doubted: Vec<_> = summary
            .audit
            .iter()
            // Virtual time passes in no time: the CPU check says nothing here.
            .filter(|finding| {
                finding.check != load::Check::GeneratorCpu && finding.status != CheckStatus::Pass
            })
            .collect();
        assert!(doubted.is_empty(), "{doubted:?}");
    }
}

#[test]
fn the_terminal_summary_fits_80_columns() {
    let mut large = summaries().remove(0);
    large.connections.opened_count = 1_000_000;
    large.connections.open_at_end_count = 1_000_000;
    large.connections.least_completed_count = 10_000_000;
    large.connections.most_completed_count = 10_000_000;
    large.generator.polled_s = Some(3_600.0);
    large.generator.cpu_s = 3_600.0;
    let outcomes = [
        "ok",
        "timeout",
        "reset",
        "malformed",
        "closed_early",
        "connect_refused",
    ];
    large.outcomes = outcomes.map(|name| (name.to_owned(), 10_000_000)).into();
    for summary in summaries().into_iter().chain([large]) {
        let text = terminal("http://127.0.0.1:8000/users", &summary);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        assert!(text.contains("service time"));
    }
}

#[test]
fn what_requests_without_an_answer_are_left_out_of_is_said() {
    let said = |summary| terminal("http://127.0.0.1:8000/users", &summary).replace("\n  ", " ");
    let all = said(summaries().remove(0));
    assert!(!all.contains("of answers alone"), "{all}");
    let most = said(summaries().remove(2));
    assert!(
        most.contains("of answers alone, which 9000 of 10000 requests had"),
        "{most}"
    );
}
