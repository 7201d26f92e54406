use super::*;

fn promise() -> Promise {
    Promise {
        statements_per_request: Some(1.0),
        rows_per_request: Some(100.0),
        pool_size: Some(10),
        connection_limit: Some(97),
        bench_cpus_count: 1,
    }
}

fn found(figures: &[(&str, f64)], promise: &Promise) -> BTreeMap<String, AuditStatus> {
    let metrics = figures
        .iter()
        .map(|(name, value)| ((*name).to_owned(), *value))
        .collect();
    let lines = audit_figures(&metrics, &[], promise);
    lines
        .into_iter()
        .map(|line| (line.check, line.status))
        .collect()
}

fn status(check: &str, figures: &[(&str, f64)], promise: &Promise) -> AuditStatus {
    found(figures, promise)[check]
}

#[test]
fn a_service_that_reads_less_than_its_contract_fails_and_one_that_reads_more_is_marked() {
    let work = |statements, rows| {
        [
            ("statements_per_answer_count", statements),
            ("rows_per_answer_count", rows),
            ("good_answers_count", 10_000.0),
        ]
    };
    for (statements, rows, wanted) in [
        (1.0, 100.0, AuditStatus::Pass),
        (0.996, 99.6, AuditStatus::Pass),
        (0.99, 100.0, AuditStatus::Fail),
        (1.0, 10.0, AuditStatus::Fail),
        (0.0, 0.0, AuditStatus::Fail),
        (2.0, 100.0, AuditStatus::Warn),
        (1.0, 101.0, AuditStatus::Warn),
    ] {
        let found = status("database_work", &work(statements, rows), &promise());
        assert_eq!(found, wanted, "{statements} statements, {rows} rows");
    }
}

#[test]
fn requests_that_are_not_alike_may_differ_by_chance_and_no_more() {
    let promise = Promise {
        statements_per_request: Some(1.02),
        rows_per_request: None,
        ..promise()
    };
    let work = |statements, answers| {
        let figures = [
            ("statements_per_answer_count", statements),
            ("good_answers_count", answers),
        ];
        status("database_work", &figures, &promise)
    };
    assert_eq!(work(1.0, 100.0), AuditStatus::Pass);
    assert_eq!(work(1.0, 100_000.0), AuditStatus::Fail);
    assert_eq!(work(0.5, 100.0), AuditStatus::Fail);
}

#[test]
fn without_a_count_of_statements_the_check_says_that_it_was_not_made() {
    let lines = audit_figures(&BTreeMap::new(), &[], &promise());
    let work = lines.iter().find(|line| line.check == "database_work");
    assert!(work.unwrap().detail.starts_with("not checked"));
    assert!(audit_figures(&BTreeMap::new(), &[], &Promise::default()).is_empty());
}

#[test]
fn more_connections_than_were_allowed_and_all_that_there_are_are_marked() {
    let pool = |peak| status("pool", &[("backends_peak_count", peak)], &promise());
    assert_eq!(pool(10.0), AuditStatus::Pass);
    assert_eq!(pool(11.0), AuditStatus::Warn);
    assert_eq!(pool(97.0), AuditStatus::Warn);
}

#[test]
fn a_rate_above_seven_tenths_of_the_null_servers_may_be_the_generators() {
    let near = |rate| {
        let figures = [
            ("completion_rate_per_s", rate),
            ("null_server_rate_per_s", 1000.0),
        ];
        status("null_server", &figures, &promise())
    };
    assert_eq!(near(699.0), AuditStatus::Pass);
    assert_eq!(near(701.0), AuditStatus::Warn);
    // Whoever beats it was not held against it.
    assert_eq!(near(1300.0), AuditStatus::Pass);
}

#[test]
fn a_generator_that_waits_behind_the_database_is_not_starved_and_one_that_waits_behind_strangers_is()
 {
    let waits = |waited, busy, database| {
        let figures = [
            ("generator_run_queue_wait_ratio", waited),
            ("bench_cpus_busy_ratio", busy),
            ("generator_cpu_ratio", 0.3),
            ("database_cpu_ratio", database),
        ];
        status("generator_wait", &figures, &promise())
    };
    assert_eq!(waits(0.5, 1.0, 0.65), AuditStatus::Pass);
    assert_eq!(waits(0.5, 1.0, 0.1), AuditStatus::Warn);
    assert_eq!(waits(0.1, 1.0, 0.1), AuditStatus::Pass);
}

#[test]
fn mapped_files_are_not_memory_and_are_told_where_they_would_mislead() {
    const MIB: f64 = 1_048_576.0;
    let memory = |own: f64, mapped: f64| {
        let figures = [
            ("memory_peak_bytes", own * MIB),
            ("memory_mapped_bytes", mapped * MIB),
        ];
        status("memory", &figures, &promise())
    };
    assert_eq!(memory(5.0, 300.0), AuditStatus::Warn);
    assert_eq!(memory(5.0, 60.0), AuditStatus::Pass);
    assert_eq!(memory(400.0, 300.0), AuditStatus::Pass);
}

fn slice(index: usize, cpu_ns: u64, canary_ns: u64) -> Slice {
    Slice {
        load: "open".to_owned(),
        level: None,
        at_s: index as f64,
        window_s: 1.0,
        canary_ns: Some(canary_ns),
        good_answers_count: 100,
        failed_requests_count: 0,
        service_cpu_ns: Some(cpu_ns),
        database_cpu_ns: None,
        generator_cpu_ns: None,
    }
}

fn steadiness(slices: &[Slice]) -> Option<AuditStatus> {
    stationarity(slices).map(|line| line.status)
}

#[test]
fn a_service_that_grows_cheaper_while_it_is_measured_is_marked() {
    let warming = [160, 141, 119, 101, 80, 61].map(|us| us * 1000);
    let slices: Vec<Slice> = (0..)
        .zip(warming)
        .map(|(index, ns)| slice(index, ns, 5_000))
        .collect();
    assert_eq!(steadiness(&slices), Some(AuditStatus::Warn));
    // In whatever order they were stored.
    let backwards: Vec<Slice> = slices.into_iter().rev().collect();
    assert_eq!(steadiness(&backwards), Some(AuditStatus::Warn));
}

#[test]
fn a_machine_that_grows_faster_is_not_held_against_the_service() {
    let slices: Vec<Slice> = (0..6)
        .map(|index| {
            slice(
                index,
                1_000_000 - 100_000 * index as u64,
                10_000 - 1_000 * index as u64,
            )
        })
        .collect();
    assert_eq!(steadiness(&slices), Some(AuditStatus::Pass));
}

#[test]
fn noise_is_not_a_trend_and_few_slices_have_none() {
    let noisy = [100, 130, 90, 120, 95, 125].map(|us| us * 1000);
    let slices: Vec<Slice> = (0..)
        .zip(noisy)
        .map(|(index, ns)| slice(index, ns, 5_000))
        .collect();
    assert_eq!(steadiness(&slices), Some(AuditStatus::Pass));
    assert_eq!(steadiness(&slices[..3]), None);
}
