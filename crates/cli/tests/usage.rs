//! What is asked wrongly is refused in one line that names file, line and key, before anything is started.

mod support;

use support::{Bench, bancada, stderr};

/// Refused with exit code 2, words of the message, and no process started for it.
fn assert_refused(bench: &Bench, args: &[&str], words: &[&str]) {
    let output = bench.run(args);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    for word in words {
        assert!(message.contains(word), "no {word:?} in: {message}");
    }
    assert!(
        !bench
            .path()
            .join(".bancada/logs")
            .join("guardian.log")
            .exists()
    );
    assert!(bench.run_dir().is_none(), "a run was begun");
}

fn bench() -> Bench {
    let bench = Bench::new(true);
    bench.stack("sound", "ok");
    bench.experiment("plain", &["sound"], 1, Some(4));
    bench
}

fn edited(file: &str, from: &str, to: &str) -> Bench {
    let bench = bench();
    let text = std::fs::read_to_string(bench.path().join(file)).expect("a manifest");
    assert!(text.contains(from), "{text}");
    bench.write(file, &text.replacen(from, to, 1));
    bench
}

const EXPERIMENT: &str = "experiments/plain/experiment.toml";

#[test]
fn an_unknown_key_is_named_with_its_file_and_line() {
    let bench = edited(EXPERIMENT, "connections = 4", "conections = 4");
    assert_refused(
        &bench,
        &["run", "plain"],
        &["experiment.toml:", "conections", "connections"],
    );
}

#[test]
fn a_wrong_type_is_named_with_its_file_and_line() {
    let bench = edited(EXPERIMENT, "connections = 4", "connections = \"four\"");
    assert_refused(
        &bench,
        &["run", "plain"],
        &["experiment.toml:9: connections"],
    );
}

#[test]
fn a_missing_file_is_named_with_the_line_that_asks_for_it() {
    let bench = bench();
    std::fs::remove_file(bench.path().join("workloads/five/schema.sql")).expect("a file");
    assert_refused(&bench, &["run", "plain"], &["workload.toml:", "schema.sql"]);
}

#[test]
fn an_unknown_stack_is_named_with_its_line() {
    let bench = edited(EXPERIMENT, "stack = \"sound\"", "stack = \"sond\"");
    assert_refused(
        &bench,
        &["run", "plain"],
        &["experiment.toml:", "sond", "sound"],
    );
}

#[test]
fn a_pool_that_its_workers_do_not_divide_shows_the_arithmetic() {
    let bench = edited(
        EXPERIMENT,
        "db_pool_size = 4",
        "db_pool_size = 10\nworkers = 4",
    );
    assert_refused(
        &bench,
        &["run", "plain"],
        &["experiment.toml:", "db_pool_size", "10", "4 workers"],
    );
}

#[test]
fn a_pool_above_max_connections_shows_the_arithmetic() {
    let bench = edited(EXPERIMENT, "db_pool_size = 4", "db_pool_size = 98");
    assert_refused(
        &bench,
        &["run", "plain"],
        &["experiment.toml:", "db_pool_size", "98", "100", "97"],
    );
}

#[test]
fn an_unknown_experiment_and_an_unknown_flag_are_wrong_usage() {
    let bench = bench();
    assert_refused(&bench, &["run", "plian"], &["plian", "plain"]);
    assert_refused(&bench, &["run", "--bugdet", "1m"], &["--budget"]);
    assert_refused(
        &bench,
        &["run", "--url", "http://127.0.0.1:9/"],
        &["another"],
    );
}

#[test]
fn every_command_has_help_with_examples() {
    for command in [
        "run",
        "plan",
        "list",
        "prepare",
        "verify",
        "load",
        "report",
        "doctor",
        "completions",
    ] {
        let output = std::process::Command::new(bancada())
            .args([command, "--help"])
            .output()
            .expect("it runs");
        let help = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success() && help.contains("Examples:"),
            "{command}: {help}"
        );
    }
}
