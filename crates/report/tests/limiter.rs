//! A limiter is named with the figures behind it, and with a command that tries whether more of it helps.

mod fixture;

use fixture::{Fixture, cost};
use report::{LimiterFinding, json, markdown, terminal};

/// A run of one treatment whose closed loop showed these figures.
fn run(metrics: &[(&str, f64)]) -> Fixture {
    let metrics: Vec<(String, f64)> = metrics
        .iter()
        .map(|(name, value)| ((*name).to_owned(), *value))
        .collect();
    let mut fixture = Fixture::new()
        .treatment("one", "One")
        .measured("one", cost(60.0), 2, 0.01)
        .with(
            |_| true,
            |trial| trial.metrics.extend(metrics.iter().cloned()),
        );
    fixture.run.design.service_cpus = vec![0, 1];
    fixture.run.design.bench_cpus = vec![2];
    fixture.run.design.connections_count = 10;
    let settings = &mut fixture.run.treatments[0].settings;
    settings.insert("WORKERS".to_owned(), "1".to_owned());
    settings.insert("DB_POOL_SIZE".to_owned(), "1".to_owned());
    fixture
}

fn limiter(metrics: &[(&str, f64)]) -> Option<LimiterFinding> {
    run(metrics).findings().treatments[0].limiter.clone()
}

const QUIET: [(&str, f64); 4] = [
    ("service_cpu_ratio", 0.1),
    ("database_cpu_ratio", 0.1),
    ("generator_cpu_ratio", 0.1),
    ("busiest_thread_cpu_ratio", 0.02),
];

#[test]
fn a_pool_of_one_is_named_and_a_larger_one_is_suggested() {
    let pool = [("backends_count", 1.0), ("backends_in_use_count", 0.95)];
    let found = limiter(&[&QUIET[..], &pool].concat()).unwrap();
    assert_eq!(found.kind, "pool_wait");
    assert_eq!(
        found.sentence,
        "its pool: 0.950 of 1.00 database connections in use, with 10 requests under way"
    );
    let suggestion = found.suggestion.unwrap();
    assert!(
        suggestion.starts_with("bancada run ") && suggestion.ends_with(" --what-if one:db_pool=10"),
        "{suggestion}"
    );
}

#[test]
fn one_hot_thread_on_two_cpus_is_told_to_try_two_workers() {
    let hot = [
        ("service_cpu_ratio", 1.02),
        ("busiest_thread_cpu_ratio", 0.97),
    ];
    let found = limiter(&[&QUIET[..], &hot].concat()).unwrap();
    assert_eq!(found.kind, "one_thread");
    assert!(
        found
            .suggestion
            .unwrap()
            .ends_with(" --what-if one:workers=2")
    );
}

#[test]
fn no_more_connections_are_suggested_than_the_database_takes() {
    let suggested = |workers: &str, pool: &str, limit: Option<&str>| {
        let in_use: f64 = pool.parse().unwrap();
        let waited_for = [
            ("backends_count", in_use),
            ("backends_in_use_count", in_use),
        ];
        let mut fixture = run(&[&QUIET[..], &waited_for].concat());
        fixture.run.design.connections_count = 500;
        let one = &mut fixture.run.treatments[0];
        let settings = [("WORKERS", workers), ("DB_POOL_SIZE", pool)];
        one.settings
            .extend(settings.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let limit = limit.map(|limit| ("max_connections".to_owned(), limit.to_owned()));
        one.database_settings.extend(limit);
        let limiter = fixture.findings().treatments[0].limiter.clone().unwrap();
        assert_eq!(limiter.kind, "pool_wait");
        let command = limiter.suggestion?;
        Some(command.rsplit(' ').next()?.to_owned())
    };
    let wanted = |what: &str| Some(what.to_owned());
    assert_eq!(suggested("1", "60", None), wanted("one:db_pool=97"));
    assert_eq!(suggested("8", "40", None), wanted("one:db_pool=96"));
    assert_eq!(suggested("8", "40", Some("200")), wanted("one:db_pool=192"));
    assert_eq!(suggested("1", "97", None), None);
}

#[test]
fn a_service_that_no_experiment_names_has_no_command_to_try() {
    let pool = [("backends_count", 1.0), ("backends_in_use_count", 0.95)];
    let mut fixture = run(&[&QUIET[..], &pool].concat());
    fixture.run.treatments[0].stack = None;
    let found = fixture.findings().treatments[0].limiter.clone().unwrap();
    assert_eq!((found.kind, found.suggestion), ("pool_wait", None));
}

#[test]
fn a_limit_that_no_setting_moves_has_no_suggestion() {
    let found = limiter(&[&QUIET[..], &[("database_cpu_ratio", 0.85)]].concat()).unwrap();
    assert_eq!((found.kind, found.suggestion), ("database_cpu", None));
}

#[test]
fn without_the_services_cpu_time_there_is_no_limiter_and_nothing_is_drawn() {
    let fixture = run(&[]).with(
        |_| true,
        |trial| {
            trial.metrics.remove("service_cpu_ratio");
        },
    );
    let findings = fixture.findings();
    assert_eq!(findings.treatments[0].limiter, None);
    assert!(!markdown(&findings).contains("What limits them"));
    assert!(!json(&findings).contains("limiter"));
}

#[test]
fn every_rendering_tells_the_limiter() {
    let findings = run(&QUIET).findings();
    let limiter = findings.treatments[0].limiter.clone().unwrap();
    assert_eq!(limiter.kind, "idle");
    assert!(markdown(&findings).contains("- One: waiting: with 10 requests under way"));
    assert!(terminal(&findings, 100, false).contains("  One: waiting: with 10 requests under way"));
    assert!(json(&findings).contains("\"kind\": \"idle\""));
    let metrics: Vec<&str> = limiter
        .evidence
        .iter()
        .map(|figure| figure.metric.as_str())
        .collect();
    assert!(metrics.contains(&"busiest_thread_cpu_ratio") && !metrics.contains(&"backends_count"));
}

/// Trials of eight constructed services (`crates/lab/constructed`), recorded on a machine that others used too, with
/// what each was made to be limited by.
const RECORDED: &str = include_str!("recorded/limits.jsonl");
const LIMITS: [(&str, &str); 8] = [
    ("cpu", "application_cpu"),
    ("one-thread", "one_thread"),
    ("pool", "pool_wait"),
    ("slow-query", "database_cpu"),
    ("row-lock", "lock"),
    ("upstream", "upstream"),
    ("fast", "generator"),
    ("sleep", "idle"),
];

#[test]
fn the_limit_of_each_of_eight_recorded_services_is_found() {
    let trials: Vec<record::Trial> = RECORDED
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut fixture = Fixture::new();
    for (name, _) in LIMITS {
        fixture = fixture.treatment(name, name);
    }
    fixture.run.design.connections_count = 10;
    fixture.run.design.service_cpus = vec![0];
    fixture.run.design.bench_cpus = vec![1];
    fixture.trials = trials;
    let findings = fixture.findings();
    for (name, wanted) in LIMITS {
        let limiter = findings.treatment(name).unwrap().limiter.clone().unwrap();
        assert_eq!(limiter.kind, wanted, "{name}: {limiter:?}");
    }
}
