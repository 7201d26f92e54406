//! A run directory after crashes, with damage, and from strangers.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::collections::BTreeMap;
use std::fs;

use hdrhistogram::Histogram;
use record::{
    Design, Environment, Histograms, Level, RecordError, Run, RunDir, Sample, Trial, TrialStatus,
    list_runs, trials_csv,
};

fn run() -> Run {
    Run {
        schema: Run::SCHEMA.to_owned(),
        run: "2026-03-24T101530-question".to_owned(),
        experiment: "question".to_owned(),
        title: "A question".to_owned(),
        question: "Which?".to_owned(),
        bancada_version: "0.1.0".to_owned(),
        started_at: "2026-03-24T10:15:30Z".to_owned(),
        ended_at: None,
        ended_by: None,
        replay_of: None,
        caveat: None,
        baseline: "one".to_owned(),
        primary_metric: "service_cpu_per_good_answer_us".to_owned(),
        relevant_difference_ratio: 0.05,
        design: Design {
            kind: "sliced_blocks".to_owned(),
            seed: 7,
            budget_s: 600,
            min_blocks_count: 8,
            max_blocks_count: 40,
            target_half_width_ratio: 0.03,
            slice_s: 1.0,
            discard_ratio: 0.1,
            open_slices_count: 4,
            closed_slices_count: 2,
            warm_up_cap_s: 3.0,
            connections_count: 32,
            keep_alive: true,
            concurrencies: Vec::new(),
            own_capacity_ratios: Vec::new(),
            objective: None,
            cold_requests_count: None,
            users_count: None,
            ramp_up_s: None,
            requests_per_user_count: None,
            services_at_once_count: None,
            arrival_rate_per_s: None,
            pilot_capacity_per_s: BTreeMap::new(),
            service_cpus: vec![0],
            bench_cpus: vec![1],
        },
        treatments: Vec::new(),
        skipped: Vec::new(),
        voided_blocks: Vec::new(),
        environment: Environment::default(),
        catalog: BTreeMap::new(),
    }
}

fn trial(block: u32, treatment: &str) -> Trial {
    Trial {
        schema: Trial::SCHEMA.to_owned(),
        trial: format!("b{block:02}-{treatment}"),
        block,
        treatment: treatment.to_owned(),
        position: 1,
        started_at: "2026-03-24T10:15:30Z".to_owned(),
        ended_at: "2026-03-24T10:15:40Z".to_owned(),
        status: TrialStatus::Degraded,
        reasons: vec!["steal 3 %, pressure".to_owned()],
        metrics: BTreeMap::from([("canary_ns".to_owned(), 2.5e6)]),
        outcomes: BTreeMap::from([("ok".to_owned(), 10), ("timeout".to_owned(), 1)]),
        audit: Vec::new(),
        levels: vec![Level {
            level: "c10".to_owned(),
            load: "closed".to_owned(),
            concurrency_count: Some(10),
            arrival_rate_per_s: None,
            capacity_ratio: None,
            metrics: BTreeMap::from([("completion_rate_per_s".to_owned(), 870.5)]),
            outcomes: BTreeMap::from([("ok".to_owned(), 871)]),
            notes: Vec::new(),
        }],
        slices: Vec::new(),
    }
}

fn new_run(root: &tempfile::TempDir) -> RunDir {
    let now = "2026-03-24T10:15:30.7Z".parse().unwrap();
    let directory = RunDir::create(root.path(), "question", now).unwrap();
    directory.write_run(&run()).unwrap();
    directory
}

#[test]
fn a_run_is_named_after_its_time_and_experiment_and_never_shares_a_folder() {
    let root = tempfile::tempdir().unwrap();
    let now = "2026-03-24T10:15:30.7Z".parse().unwrap();
    let names: Vec<String> = (0..3)
        .map(|_| RunDir::create(root.path(), "question", now).unwrap().name())
        .collect();
    assert_eq!(
        names,
        [
            "2026-03-24T101530-question",
            "2026-03-24T101530-question-2",
            "2026-03-24T101530-question-3"
        ]
    );
    assert!(matches!(
        RunDir::create(root.path(), "../out", now),
        Err(RecordError::BadName { .. })
    ));
}

#[test]
fn what_is_written_is_read_again() {
    let root = tempfile::tempdir().unwrap();
    let directory = new_run(&root);
    directory.append_trial(&trial(1, "one")).unwrap();
    directory.append_trial(&trial(1, "one~twin")).unwrap();
    let sample = Sample {
        at_s: 0.5,
        figures: BTreeMap::from([("memory_bytes".to_owned(), 1024.0)]),
    };
    directory
        .append_samples("b01-one", std::slice::from_ref(&sample))
        .unwrap();
    directory
        .append_samples("b01-one", std::slice::from_ref(&sample))
        .unwrap();

    let again = RunDir::open(directory.path()).unwrap();
    assert_eq!(again.run().unwrap(), run());
    assert_eq!(
        again.trials().unwrap().trials,
        [trial(1, "one"), trial(1, "one~twin")]
    );
    assert!(again.trials().unwrap().notices.is_empty());
    assert_eq!(again.samples("b01-one").unwrap(), [sample.clone(), sample]);
    assert!(again.samples("b09-none").unwrap().is_empty());
    assert!(again.read_histograms("b09-none").unwrap().is_empty());
}

#[test]
fn histograms_keep_their_tags_and_counts() {
    let root = tempfile::tempdir().unwrap();
    let directory = new_run(&root);
    let mut histograms = Histograms::new();
    for (tag, factor) in [("response", 1000), ("closed_service", 77)] {
        let mut histogram = Histogram::new(3).unwrap();
        (1..=500).for_each(|value| histogram.record(value * factor).unwrap());
        histograms.insert(tag.to_owned(), histogram);
    }
    histograms.insert("empty".to_owned(), Histogram::new(3).unwrap());
    directory.write_histogram("b01-one", &histograms).unwrap();
    assert_eq!(directory.read_histograms("b01-one").unwrap(), histograms);
    let size = fs::metadata(directory.path().join("histograms/b01-one.hlog"))
        .unwrap()
        .len();
    assert!(size < 4096, "{size} bytes");
}

#[test]
fn a_damaged_histogram_is_an_error_that_names_it() {
    let root = tempfile::tempdir().unwrap();
    let directory = new_run(&root);
    let mut histogram = Histogram::new(3).unwrap();
    histogram.record(5000).unwrap();
    let histograms = Histograms::from([("response".to_owned(), histogram)]);
    directory.write_histogram("b01-one", &histograms).unwrap();
    let path = directory.path().join("histograms/b01-one.hlog");
    let good = fs::read_to_string(&path).unwrap();
    for bad in [
        good.replace("HISTF", "NOISE"),
        good.trim_end().to_owned(),
        "nonsense\n".to_owned(),
        format!("{good}{}", good.lines().last().unwrap().to_owned() + "\n"),
        good.replace("Tag=response,", ""),
    ] {
        fs::write(&path, &bad).unwrap();
        let error = directory.read_histograms("b01-one").unwrap_err();
        assert!(matches!(error, RecordError::Damaged { .. }), "{bad}");
        assert!(error.to_string().contains("b01-one.hlog"), "{error}");
    }
}

#[test]
fn a_line_cut_short_by_a_crash_is_left_out_at_every_length_and_repaired_by_the_next() {
    let root = tempfile::tempdir().unwrap();
    let directory = new_run(&root);
    directory.append_trial(&trial(1, "one")).unwrap();
    let path = directory.path().join("trials.jsonl");
    let before = fs::read(&path).unwrap();
    directory.append_trial(&trial(1, "two")).unwrap();
    let after = fs::read(&path).unwrap();

    for length in before.len()..after.len() {
        fs::write(&path, &after[..length]).unwrap();
        let found = directory.trials().unwrap();
        // Without its line end the line is already whole.
        let whole = length == after.len() - 1;
        assert_eq!(found.trials.len(), if whole { 2 } else { 1 }, "{length}");
        let cut = length > before.len() && !whole;
        assert_eq!(found.notices.len(), usize::from(cut), "{length}");
        let next = if whole {
            trial(1, "three")
        } else {
            trial(1, "two")
        };
        directory.append_trial(&next).unwrap();
        let repaired = directory.trials().unwrap();
        assert!(repaired.notices.is_empty());
        assert_eq!(repaired.trials.last(), Some(&next));
        assert_eq!(repaired.trials.len(), found.trials.len() + 1);
    }
}

#[test]
fn a_damaged_line_inside_the_journal_is_an_error_that_names_file_and_line() {
    let root = tempfile::tempdir().unwrap();
    let directory = new_run(&root);
    for treatment in ["one", "two", "three"] {
        directory.append_trial(&trial(1, treatment)).unwrap();
    }
    let path = directory.path().join("trials.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let broken = text.replacen(
        "\"block\":1,\"treatment\":\"two\"",
        "\"block\":\"x\",\"treatment\":\"two\"",
        1,
    );
    fs::write(&path, &broken).unwrap();
    let error = directory.trials().unwrap_err().to_string();
    assert!(
        error.contains("trials.jsonl, line 2: invalid type"),
        "{error}"
    );
    // A damaged journal is not made longer.
    assert!(directory.append_trial(&trial(2, "one")).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), broken);
}

#[test]
fn a_trial_is_stored_once() {
    let root = tempfile::tempdir().unwrap();
    let directory = new_run(&root);
    directory.append_trial(&trial(1, "one")).unwrap();
    let error = directory.append_trial(&trial(1, "one")).unwrap_err();
    assert!(error.to_string().contains("already stored"), "{error}");
    let path = directory.path().join("trials.jsonl");
    let line = fs::read_to_string(&path).unwrap();
    fs::write(&path, line.repeat(2)).unwrap();
    let error = directory.trials().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("line 2: trial b01-one is there a second time"),
        "{error}"
    );
}

#[test]
fn a_figure_outside_the_table_or_not_a_number_is_never_stored() {
    let root = tempfile::tempdir().unwrap();
    let directory = new_run(&root);
    for (name, value) in [
        ("latency", 1.0),
        ("canary_ns", f64::NAN),
        ("canary_ns", f64::INFINITY),
    ] {
        let mut bad = trial(1, "one");
        bad.metrics.insert(name.to_owned(), value);
        assert!(directory.append_trial(&bad).is_err(), "{name} {value}");
    }
    assert!(!directory.path().join("trials.jsonl").exists());
}

#[test]
fn a_foreign_schema_is_refused_with_both_names() {
    let root = tempfile::tempdir().unwrap();
    let directory = new_run(&root);
    directory.append_trial(&trial(1, "one")).unwrap();
    let change = |file: &str, from: &str, to: &str| {
        let path = directory.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from));
        fs::write(&path, text.replace(from, to)).unwrap();
    };
    change("trials.jsonl", "bancada.trial/1", "bancada.trial/9");
    let error = directory.trials().unwrap_err().to_string();
    assert!(
        error.contains("\"bancada.trial/9\"") && error.contains("\"bancada.trial/1\""),
        "{error}"
    );
    change("run.json", "bancada.run/1", "other/1");
    let error = RunDir::open(directory.path()).unwrap_err();
    assert!(matches!(error, RecordError::ForeignSchema { ref found, .. } if found == "other/1"));
}

#[test]
fn a_journal_that_is_a_link_out_of_the_folder_is_neither_read_nor_written() {
    let root = tempfile::tempdir().unwrap();
    let directory = new_run(&root);
    let outside = root.path().join("outside");
    fs::write(&outside, "").unwrap();
    std::os::unix::fs::symlink(&outside, directory.path().join("trials.jsonl")).unwrap();
    assert!(matches!(
        directory.trials(),
        Err(RecordError::Outside { .. })
    ));
    assert!(directory.append_trial(&trial(1, "one")).is_err());
    assert_eq!(fs::read(&outside).unwrap(), b"");
}

#[test]
fn damaged_runs_are_listed_as_damaged_beside_good_ones() {
    let root = tempfile::tempdir().unwrap();
    let runs = root.path().join("runs");
    let now = "2026-03-24T10:15:30Z".parse().unwrap();
    let make = |name: &str| RunDir::create(&runs, name, now).unwrap();
    make("good").write_run(&run()).unwrap();
    fs::write(
        make("cut").path().join("run.json"),
        "{\"schema\":\"bancada.run/1\"",
    )
    .unwrap();
    fs::write(make("deep").path().join("run.json"), "[".repeat(100_000)).unwrap();
    fs::write(
        make("lacking").path().join("run.json"),
        "{\"schema\":\"bancada.run/1\"}",
    )
    .unwrap();
    make("empty");
    let huge = fs::File::create(make("huge").path().join("run.json")).unwrap();
    huge.set_len(1 << 30).unwrap();
    std::os::unix::fs::symlink(root.path(), runs.join("2026-link")).unwrap();
    fs::write(runs.join("notes.txt"), "").unwrap();

    let listed = list_runs(&runs).unwrap();
    let told: Vec<(String, String)> = listed
        .into_iter()
        .map(|listed| {
            let state = match listed.run {
                Ok(run) => run.title,
                Err(error) => error.to_string(),
            };
            (listed.name, state)
        })
        .collect();
    let state = |name: &str| {
        let found = told.iter().find(|(listed, _)| listed.ends_with(name));
        found.map(|(_, state)| state.as_str()).unwrap_or_default()
    };
    assert_eq!(told.len(), 7, "{told:?}");
    assert_eq!(state("-good"), "A question");
    assert!(
        state("-cut").contains("run.json, line 1: EOF while parsing"),
        "{told:?}"
    );
    assert!(state("-deep").contains("recursion limit"), "{told:?}");
    assert!(state("-lacking").contains("missing field"), "{told:?}");
    assert!(state("-empty").contains("no run.json"), "{told:?}");
    assert!(state("-huge").contains("more than the 8388608"), "{told:?}");
    assert!(state("link").contains("leads out"), "{told:?}");
    assert!(list_runs(&root.path().join("none")).unwrap().is_empty());
}

#[test]
fn sources_keep_their_paths_and_never_come_from_outside_the_stack() {
    let root = tempfile::tempdir().unwrap();
    let directory = new_run(&root);
    let stack = root.path().join("stack");
    fs::create_dir_all(stack.join("src/handlers")).unwrap();
    fs::write(stack.join("src/handlers/users.rs"), "fn users() {}").unwrap();
    directory
        .copy_sources("stack", &stack, &["src/handlers/users.rs".to_owned()])
        .unwrap();
    let copied = directory.path().join("sources/stack/src/handlers/users.rs");
    assert_eq!(fs::read_to_string(copied).unwrap(), "fn users() {}");
    for bad in ["../secret", "/etc/hostname", "src/none.rs"] {
        assert!(
            directory
                .copy_sources("stack", &stack, &[bad.to_owned()])
                .is_err(),
            "{bad}"
        );
    }
}

#[test]
fn the_table_has_a_row_a_trial_and_leaves_empty_what_was_not_measured() {
    let mut second = trial(2, "two");
    second.metrics = BTreeMap::from([("completion_rate_per_s".to_owned(), 1234.5)]);
    second.outcomes.remove("timeout");
    second.reasons.clear();
    second.status = TrialStatus::Valid;
    let csv = trials_csv(&[trial(1, "one"), second]);
    assert_eq!(
        csv,
        "trial,block,treatment,position,status,reasons,started_at,ended_at,completion_rate_per_s,canary_ns,outcome_ok_count,outcome_timeout_count\n\
         b01-one,1,one,1,DEGRADED,\"steal 3 %, pressure\",2026-03-24T10:15:30Z,2026-03-24T10:15:40Z,,2500000,10,1\n\
         b02-two,2,two,1,VALID,,2026-03-24T10:15:30Z,2026-03-24T10:15:40Z,1234.5,,10,\n"
    );
}
