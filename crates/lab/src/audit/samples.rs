//! The rules held against trials of services with planted faults, as they were recorded (`crates/lab/constructed`,
//! experiment `faults`). The first three were recorded while processes outside the run used 1.8 of two CPUs.

use std::collections::BTreeMap;

use record::Trial;

use super::*;

const RECORDED: &str = include_str!("recorded.jsonl");

fn trial(treatment: &str) -> Trial {
    let mut trials = RECORDED
        .lines()
        .map(|line| serde_json::from_str::<Trial>(line).expect("a trial"));
    let trial = trials.find(|trial| trial.treatment == treatment);
    trial.expect("a recorded treatment")
}

fn recorded(treatment: &str, promise: &Promise) -> BTreeMap<String, AuditLine> {
    let trial = trial(treatment);
    let lines = audit_figures(&trial.metrics, &trial.slices, promise);
    lines
        .into_iter()
        .map(|line| (line.check.clone(), line))
        .collect()
}

/// A pool of four connections, and a database that takes 97.
fn promise() -> Promise {
    Promise {
        pool_size: Some(4),
        connection_limit: Some(97),
        bench_cpus_count: 1,
        ..Promise::default()
    }
}

/// What its requests led to.
fn answered(trial: &Trial) -> Observations {
    let mut seen = Observations::new(false);
    for outcome in Outcome::ALL {
        for _ in 0..trial.outcomes.get(outcome.name()).copied().unwrap_or(0) {
            seen.outcomes.count(outcome);
        }
    }
    seen
}

/// The two numbers of answers that a line about connections has.
fn connections_of(line: &AuditLine) -> Connections {
    let words = line.detail.split_whitespace();
    let counts: Vec<u64> = words.filter_map(|word| word.parse().ok()).collect();
    let [.., least, most] = counts[..] else {
        panic!("{}", line.detail);
    };
    Connections {
        least_completed_count: least,
        most_completed_count: most,
        ..Connections::default()
    }
}

#[test]
fn a_recorded_service_that_answers_one_request_in_a_hundred_wrongly_is_invalid() {
    let found = |treatment: &str| {
        let seen = answered(&trial(treatment));
        let lines = audit(&Evidence {
            closed: Some(&seen),
            ..Evidence::default()
        });
        let line = lines.into_iter().find(|line| line.check == "answers");
        line.expect("the rule")
    };
    assert_eq!(found("errors").status, AuditStatus::Fail);
    assert!(found("errors").detail.contains("unexpected_status"));
    assert_eq!(found("sound").status, AuditStatus::Pass);
}

#[test]
fn a_recorded_service_that_starves_half_of_its_connections_is_told() {
    let found = |treatment: &str| {
        let trial = trial(treatment);
        let line = trial.audit.iter().find(|line| line.check == "fairness");
        let seen = connections_of(line.expect("a line about connections"));
        fairness(&[seen]).status
    };
    assert_eq!(found("starves"), AuditStatus::Warn);
    assert_eq!(found("errors"), AuditStatus::Pass);
}

#[test]
fn a_recorded_pool_beyond_what_the_database_takes_is_told() {
    let promise = Promise {
        pool_size: Some(120),
        ..promise()
    };
    let line = &recorded("overflows", &promise)["pool"];
    assert_eq!(line.status, AuditStatus::Warn);
    assert!(
        line.detail.contains("all 97 that the database takes"),
        "{}",
        line.detail
    );
}

#[test]
fn a_recorded_service_that_caches_what_it_should_read_is_invalid_and_its_sound_twin_is_not() {
    let promise = Promise {
        statements_per_request: Some(1.0),
        rows_per_request: Some(1.0),
        pool_size: Some(4),
        ..promise()
    };
    assert_eq!(
        recorded("caches", &promise)["database_work"].status,
        AuditStatus::Fail
    );
    let sound = recorded("sound", &promise);
    assert_eq!(sound["database_work"].status, AuditStatus::Pass);
    assert_eq!(sound["pool"].status, AuditStatus::Pass);
}

#[test]
fn recorded_page_cache_is_told_from_memory() {
    let lines = recorded("maps", &Promise::default());
    assert_eq!(lines["memory"].status, AuditStatus::Warn);
    assert!(lines["memory"].detail.contains("415 MiB of mapped files"));
    let sound = recorded("sound", &Promise::default());
    assert_eq!(sound["memory"].status, AuditStatus::Pass);
}

#[test]
fn a_generator_that_strangers_kept_from_its_cpu_is_told_from_the_record() {
    let line = &recorded("maps", &promise())["generator_wait"];
    assert_eq!(line.status, AuditStatus::Warn);
    assert!(
        line.detail.contains("waited for a CPU 92 %"),
        "{}",
        line.detail
    );
}
