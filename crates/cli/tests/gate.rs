//! `bancada gate` and `bancada compare` from outside.
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use support::{Bench, bad_service, bancada, checkout};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn service(mode: &str) -> String {
    format!("exec '{}' {mode}", bad_service().display())
}

fn gate(bench: &Bench, before: &str, after: &str, more: &[&str]) -> Output {
    let args = [
        "gate",
        "--before",
        before,
        "--after",
        after,
        "--path",
        "/users",
        "--connections",
        "2",
    ];
    bench.run(&[&args, more].concat())
}

/// A committed run in a folder of its own, with every figure of one treatment's CPU time `factor` times as large.
fn run_like_the_committed(folder: &Path, name: &str, treatment: &str, factor: f64) -> PathBuf {
    let results = checkout().join("experiments/first-look/results");
    let runs = fs::read_dir(results).unwrap();
    let committed = runs.map(|run| run.unwrap().path()).max().unwrap();
    let copy = folder.join(name);
    fs::create_dir_all(&copy).unwrap();
    let mut run: serde_json::Value =
        serde_json::from_slice(&fs::read(committed.join("run.json")).unwrap()).unwrap();
    run["run"] = name.into();
    fs::write(copy.join("run.json"), run.to_string()).unwrap();
    let trials = fs::read_to_string(committed.join("trials.jsonl")).unwrap();
    let lines: Vec<String> = trials
        .lines()
        .map(|line| {
            let mut trial: serde_json::Value = serde_json::from_str(line).unwrap();
            let figure = &mut trial["metrics"]["service_cpu_per_good_answer_us"];
            let value = figure.as_f64().unwrap_or(1.0);
            // Its twin is the same program.
            let name = trial["treatment"].as_str().unwrap_or_default();
            if name.split('~').next() == Some(treatment) {
                trial["metrics"]["service_cpu_per_good_answer_us"] = (value * factor).into();
            }
            trial.to_string()
        })
        .collect();
    fs::write(copy.join("trials.jsonl"), lines.join("\n") + "\n").unwrap();
    copy
}

fn treatment_of_the_committed() -> String {
    let folder = tempfile::tempdir().unwrap();
    let copy = run_like_the_committed(folder.path(), "any", "", 1.0);
    let run: serde_json::Value =
        serde_json::from_slice(&fs::read(copy.join("run.json")).unwrap()).unwrap();
    let names: Vec<&str> = run["treatments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    let other = names
        .iter()
        .find(|name| **name != run["baseline"] && !name.contains('~'));
    (*other.unwrap()).to_owned()
}

fn of_runs(args: &[&str], runs: [&Path; 2]) -> Output {
    let mut command = Command::new(bancada());
    command
        .arg("--root")
        .arg(checkout())
        .args(args)
        .args(runs)
        .env("NO_COLOR", "1");
    command.output().unwrap()
}

#[test]
fn a_treatment_that_became_half_as_slow_again_between_two_runs_fails_the_gate_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let name = treatment_of_the_committed();
    let before = run_like_the_committed(folder.path(), "before", &name, 1.0);
    let after = run_like_the_committed(folder.path(), "after", &name, 1.5);
    let failed = of_runs(&["gate"], [&before, &after]);
    assert_eq!(failed.status.code(), Some(1), "{}", text(&failed.stdout));
    assert!(
        text(&failed.stdout).contains("became slower by at least"),
        "{}",
        text(&failed.stdout)
    );
    let turned = of_runs(&["gate"], [&after, &before]);
    assert_eq!(turned.status.code(), Some(0), "{}", text(&turned.stdout));
    let allowed = of_runs(&["gate", "--max-slower", "90%"], [&before, &after]);
    assert_eq!(allowed.status.code(), Some(0), "{}", text(&allowed.stdout));
}

#[test]
fn a_baseline_that_became_slower_passes_nothing_until_another_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let other = treatment_of_the_committed();
    let before = run_like_the_committed(folder.path(), "before", "", 1.0);
    let run: serde_json::Value =
        serde_json::from_slice(&fs::read(before.join("run.json")).unwrap()).unwrap();
    let baseline = run["baseline"].as_str().unwrap();
    let after = run_like_the_committed(folder.path(), "after", baseline, 1.5);
    let undecided = of_runs(&["gate"], [&before, &after]);
    let said = text(&undecided.stdout);
    assert_eq!(undecided.status.code(), Some(0), "{said}");
    assert!(
        said.starts_with("gate undecided") && said.contains("--baseline"),
        "{said}"
    );
    let strict = of_runs(&["gate", "--strict"], [&before, &after]);
    assert_eq!(strict.status.code(), Some(1), "{}", text(&strict.stdout));
    let failed = of_runs(&["gate", "--baseline", &other], [&before, &after]);
    assert_eq!(failed.status.code(), Some(1), "{}", text(&failed.stdout));
    assert!(
        text(&failed.stdout).contains("became slower by at least"),
        "{}",
        text(&failed.stdout)
    );
    let unknown = of_runs(&["gate", "--baseline", "none"], [&before, &after]);
    assert_eq!(unknown.status.code(), Some(2), "{}", text(&unknown.stderr));
    assert!(
        text(&unknown.stderr).contains(&other),
        "{}",
        text(&unknown.stderr)
    );
}

/// Makes every trial of a treatment INVALID; of all, where none is named.
fn spoil(run: &Path, treatment: &str, reason: &str) {
    let path = run.join("trials.jsonl");
    let trials = fs::read_to_string(&path).unwrap();
    let spoilt = trials.lines().map(|line| {
        let mut trial: serde_json::Value = serde_json::from_str(line).unwrap();
        if treatment.is_empty() || trial["treatment"] == treatment {
            trial["status"] = "INVALID".into();
            trial["reasons"] = vec![reason].into();
        }
        trial.to_string() + "\n"
    });
    fs::write(&path, spoilt.collect::<String>()).unwrap();
}

#[test]
fn a_treatment_that_broke_between_two_runs_fails_and_one_that_the_machine_lost_is_undecided() {
    let folder = tempfile::tempdir().unwrap();
    let name = treatment_of_the_committed();
    let before = run_like_the_committed(folder.path(), "before", &name, 1.0);
    let broken = run_like_the_committed(folder.path(), "broken", &name, 1.0);
    spoil(&broken, &name, "answers: 20 of 2,000 had status 500");
    let failed = of_runs(&["gate"], [&before, &broken]);
    assert_eq!(failed.status.code(), Some(1), "{}", text(&failed.stdout));
    let said = text(&failed.stdout);
    assert!(said.contains(&format!("{name} broke")), "{said}");
    spoil(&broken, "", "service: it exited with 3");
    let failed = of_runs(&["gate", "--format", "json"], [&before, &broken]);
    assert_eq!(failed.status.code(), Some(1), "{}", text(&failed.stderr));
    let lost = run_like_the_committed(folder.path(), "lost", &name, 1.0);
    spoil(&lost, &name, "offered: 97 % were answered in time");
    let undecided = of_runs(&["gate", "--format", "json"], [&before, &lost]);
    assert_eq!(
        undecided.status.code(),
        Some(0),
        "{}",
        text(&undecided.stdout)
    );
    assert!(
        text(&undecided.stdout).contains("\"undecided\""),
        "{}",
        text(&undecided.stdout)
    );
    let strict = of_runs(&["gate", "--strict"], [&before, &lost]);
    assert_eq!(strict.status.code(), Some(1), "{}", text(&strict.stdout));
}

#[test]
fn a_comment_for_a_pull_request_says_what_decided_and_programs_get_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let name = treatment_of_the_committed();
    let before = run_like_the_committed(folder.path(), "before", &name, 1.0);
    let after = run_like_the_committed(folder.path(), "after", &name, 1.5);
    let comment = text(&of_runs(&["gate", "--format", "markdown"], [&before, &after]).stdout);
    assert!(
        comment.starts_with("### gate FAILED") && comment.contains("became slower"),
        "{comment}"
    );
    let document: serde_json::Value =
        serde_json::from_slice(&of_runs(&["gate", "--format", "json"], [&before, &after]).stdout)
            .unwrap();
    assert_eq!(
        (
            &document["schema"],
            &document["outcome"],
            &document["exit_code"]
        ),
        (&"bancada.gate/1".into(), &"failed".into(), &1.into())
    );
}

#[test]
fn compare_shows_unpaired_figures_by_that_name_and_refuses_a_run_beside_itself() {
    let folder = tempfile::tempdir().unwrap();
    let name = treatment_of_the_committed();
    let before = run_like_the_committed(folder.path(), "before", &name, 1.0);
    let after = run_like_the_committed(folder.path(), "after", &name, 1.5);
    let shown = of_runs(&["compare"], [&before, &after]);
    assert_eq!(shown.status.code(), Some(0), "{}", text(&shown.stderr));
    assert!(
        text(&shown.stdout).contains("unpaired"),
        "{}",
        text(&shown.stdout)
    );
    let same = of_runs(&["compare"], [&before, &before]);
    assert_eq!(same.status.code(), Some(2));
    assert!(
        text(&same.stderr).contains("both sides"),
        "{}",
        text(&same.stderr)
    );
}

#[test]
fn a_build_that_does_not_start_fails_the_gate_and_is_named_with_what_it_printed() {
    let bench = Bench::new(false);
    let out = gate(
        &bench,
        &service("ok"),
        "echo no such flag; exit 3",
        &["--budget", "1s"],
    );
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stderr));
    let said = text(&out.stderr);
    assert!(
        said.contains("after") && said.contains("no such flag"),
        "{said}"
    );
}

#[test]
fn a_build_that_answers_with_an_error_fails_the_gate() {
    let bench = Bench::new(false);
    let out = gate(
        &bench,
        &service("ok"),
        &service("never-ready"),
        &["--budget", "1s", "--ready-within", "1s"],
    );
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("503"), "{}", text(&out.stderr));
}

#[test]
fn two_equal_builds_do_not_fail_and_the_run_is_kept_with_its_commands() {
    let bench = Bench::new(false);
    let out = gate(
        &bench,
        &service("ok"),
        &service("ok"),
        &["--budget", "1s", "--seed", "7", "--format", "json"],
    );
    assert_eq!(
        out.status.code(),
        Some(0),
        "{}{}",
        text(&out.stdout),
        text(&out.stderr)
    );
    let document: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_ne!(document["outcome"], "failed");
    let run = bench.run_json();
    assert_eq!(run["design"]["seed"], 7);
    assert_eq!(run["treatments"].as_array().unwrap().len(), 3);
    assert!(
        run["treatments"][0]["facts"]["command"]
            .as_str()
            .unwrap()
            .contains("badservice")
    );
}

#[test]
fn answers_that_differ_in_length_are_said() {
    let bench = Bench::new(false);
    let out = gate(
        &bench,
        &service("ok"),
        &service("missing-row"),
        &["--budget", "1s"],
    );
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(
        text(&out.stdout).contains("the answers differ in body_bytes"),
        "{}",
        text(&out.stdout)
    );
}

#[test]
fn wrong_usage_is_told_before_anything_is_started() {
    let bench = Bench::new(false);
    for (args, said) in [
        (&["gate"][..], "--before"),
        (&["gate", "one-run"], "AFTER_RUN"),
        (&["gate", "--before", "x"], "--after"),
        (
            &["gate", "--before", "x", "--after", "y", "--path", "users"],
            "begin with /",
        ),
        (
            &[
                "gate",
                "--before",
                "x",
                "--after",
                "y",
                "--path",
                "/",
                "--max-slower",
                "0",
            ],
            "share",
        ),
        (
            &[
                "gate",
                "--before",
                "x",
                "--after",
                "y",
                "--path",
                "/",
                "--baseline",
                "x",
            ],
            "BEFORE_RUN",
        ),
        (
            &[
                "gate", "--before", "x", "--after", "y", "--path", "/", "--metric", "speed",
            ],
            "service_cpu_per_good_answer_us",
        ),
        (&["gate", "none", "such"], "there is no run none"),
    ] {
        let out = bench.run(args);
        assert_eq!(out.status.code(), Some(2), "{args:?} {}", text(&out.stderr));
        assert!(
            text(&out.stderr).contains(said),
            "{args:?} {}",
            text(&out.stderr)
        );
    }
    assert!(bench.run_dir().is_none());
}
