//! What is asked wrongly is refused in one line that names file, line and key, before anything is started.

mod support;

use support::{Bench, stderr};

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
fn prices_and_a_plan_are_refused_for_the_page_that_has_fields_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_string_lossy().into_owned();
    for given in [["--price-core-hour", "0.04"], ["--currency", "EUR"]] {
        let args = ["report", &path, "--format", "html"];
        assert_refused(&bench(), &[&args[..], &given].concat(), &["html", given[0]]);
    }
}

#[test]
fn placeholders_in_an_address_are_refused_with_a_body_file_that_is_sent_as_it_is() {
    let bench = bench();
    bench.write("body.bin", "{seq}");
    let file = bench.path().join("body.bin").to_string_lossy().into_owned();
    let args = ["load", "http://127.0.0.1:9/{seq}", "--body-file", &file];
    assert_refused(&bench, &args, &["--body-file", "{seq}"]);
}

#[test]
fn a_result_that_could_not_be_written_is_refused_before_anything_is_measured() {
    let bench = bench();
    let file = bench.path().join("none/result.json");
    let file = file.to_string_lossy();
    let load = ["load", "http://127.0.0.1:9/", "--output", &file];
    assert_refused(&bench, &load, &["--output", "none"]);
    let gate = [
        "gate", "--before", "exit 1", "--after", "exit 1", "--path", "/", "--output", &file,
    ];
    assert_refused(&bench, &gate, &["--output", "none"]);
    let folder = bench.path().to_string_lossy().into_owned();
    let load = ["load", "http://127.0.0.1:9/", "--output", &folder];
    assert_refused(&bench, &load, &["--output", "folder"]);
}

#[test]
fn a_p99_is_refused_for_two_commands_with_the_arithmetic() {
    let args = [
        "gate", "--before", "exit 1", "--after", "exit 1", "--path", "/",
    ];
    let metric = ["--metric", "response_p99_ns"];
    assert_refused(
        &bench(),
        &[&args[..], &metric].concat(),
        &["10000", "0.72", "response_p90_ns"],
    );
}
