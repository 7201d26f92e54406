//! Each thing that can be wrong in a catalogue is one line that names file, line and key.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::fs;
use std::path::Path;

use catalog::{Catalog, LookupError};
use tempfile::TempDir;

const STACK: &str = r#"schema = "bancada.stack/1"
title = "One"
language = "rust"
framework = "one"
needs = ["cargo"]
prepare = [["true"]]
workloads = ["rows", "plain"]
workers = "threads"
sources = ["main.rs"]

[launch.default]
command = ["one"]
"#;

const WITH_DATABASE: &str = r#"schema = "bancada.workload/1"
title = "Rows"
asks = "Rows."
method = "GET"
path = "/rows"
database = ["schema.sql"]
"#;

const PLAIN: &str = r#"schema = "bancada.workload/1"
title = "Plain"
asks = "Nothing."
method = "GET"
path = "/plain"
"#;

const CONTRACT: &str = r#"schema = "bancada.contract/1"
[[case]]
name = "it answers"
path = "/"
status = 200
"#;

const EXPERIMENT: &str = r#"schema = "bancada.experiment/1"
title = "Try"
question = "Which?"
baseline = "a"
twin = "b"
budget_s = 60
connections = 10

[[treatment]]
name = "a"
stack = "one"
workload = "rows"
db_pool_size = 10

[[treatment]]
name = "b"
stack = "one"
workload = "plain"
"#;

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn sound() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("stacks/one/stack.toml", STACK),
        ("stacks/one/main.rs", ""),
        ("workloads/rows/workload.toml", WITH_DATABASE),
        ("workloads/rows/contract.toml", CONTRACT),
        ("workloads/rows/schema.sql", ""),
        ("workloads/plain/workload.toml", PLAIN),
        ("workloads/plain/contract.toml", CONTRACT),
        ("experiments/try/experiment.toml", EXPERIMENT),
    ] {
        write(root.path(), path, text);
    }
    root
}

/// The faults after `from` became `to` in the file at `path`.
fn faults(path: &str, from: &str, to: &str) -> Vec<String> {
    let root = sound();
    let text = fs::read_to_string(root.path().join(path)).unwrap();
    assert!(text.contains(from), "{path} has no {from}");
    write(root.path(), path, &text.replacen(from, to, 1));
    let faults = Catalog::scan(root.path()).faults;
    faults.iter().map(ToString::to_string).collect()
}

#[track_caller]
fn one_fault(path: &str, from: &str, to: &str, expected: &str) {
    assert_eq!(faults(path, from, to), [format!("{path}:{expected}")]);
}

#[track_caller]
fn in_experiment(from: &str, to: &str, expected: &str) {
    one_fault("experiments/try/experiment.toml", from, to, expected);
}

#[track_caller]
fn in_stack(from: &str, to: &str, expected: &str) {
    // The experiment that uses the stack is at fault too, and says so after it.
    let faults = faults("stacks/one/stack.toml", from, to);
    assert_eq!(faults[0], format!("stacks/one/stack.toml:{expected}"));
    assert!(
        faults[1..]
            .iter()
            .all(|fault| fault.contains("correct stacks/one/stack.toml"))
    );
}

#[test]
fn a_sound_catalogue_has_no_faults_and_its_entries_carry_the_names_of_their_folders() {
    let root = sound();
    let catalog = Catalog::scan(root.path());
    assert_eq!(catalog.faults, []);
    assert_eq!(
        catalog.stack("one").unwrap().folder,
        root.path().join("stacks/one")
    );
    assert_eq!(catalog.workload("rows").unwrap().manifest.path, "/rows");
    assert_eq!(
        catalog.experiment("try").unwrap().manifest.treatment.len(),
        2
    );
}

#[test]
fn an_unknown_key_is_named_with_the_key_that_was_meant() {
    in_experiment(
        "connections = 10",
        "conections = 10",
        "7: conections: unknown key; did you mean `connections`?",
    );
    in_experiment(
        "db_pool_size = 10",
        "db_pool_sise = 10",
        "13: db_pool_sise: unknown key; did you mean `db_pool_size`?",
    );
    in_stack(
        "command = [\"one\"]",
        "comand = [\"one\"]",
        "12: comand: unknown key; did you mean `command`?",
    );
}

#[test]
fn a_wrong_type_is_named_with_what_belongs_there() {
    in_experiment(
        "budget_s = 60",
        "budget_s = \"60\"",
        "6: budget_s: it is string \"60\"; give a whole number, 0 or more",
    );
    in_experiment(
        "budget_s = 60",
        "budget_s = -1",
        "6: budget_s: it is integer `-1`; give a whole number, 0 or more",
    );
    in_experiment(
        "db_pool_size = 10",
        "db_pool_size = \"10\"",
        "13: db_pool_size: it is string \"10\"; give a whole number, 0 or more",
    );
    in_stack(
        "needs = [\"cargo\"]",
        "needs = \"cargo\"",
        "5: needs: it is string \"cargo\"; give a list in [ ]",
    );
    in_stack(
        "needs = [\"cargo\"]",
        "needs = [1]",
        "5: needs: it is integer `1`; give text in quotes",
    );
    in_stack(
        "\"threads\"",
        "\"thread\"",
        "8: workers: `thread` is not a value it can have; did you mean `threads`?",
    );
}

#[test]
fn a_missing_key_is_named() {
    in_experiment(
        "budget_s = 60\n",
        "",
        "1: budget_s: the key is missing; add it",
    );
    in_experiment(
        "stack = \"one\"\n",
        "",
        "9: stack: the key is missing; add it",
    );
}

#[test]
fn text_that_is_not_toml_is_named_with_its_line() {
    let faults = faults(
        "experiments/try/experiment.toml",
        "twin = \"b\"",
        "twin = b\"",
    );
    assert_eq!(faults.len(), 1);
    assert!(
        faults[0].starts_with("experiments/try/experiment.toml:5:"),
        "{}",
        faults[0]
    );
    assert!(!faults[0].contains('\n'));
}

#[test]
fn a_missing_file_is_named_where_it_is_mentioned() {
    in_stack(
        "\"main.rs\"",
        "\"mein.rs\"",
        "9: sources: there is no file `mein.rs` beside this manifest; add the file or correct the name",
    );
    in_stack(
        "\"main.rs\"",
        "\"../main.rs\"",
        "9: sources: `../main.rs` is not a path inside the folder; name a file below the folder of this manifest, without `..`",
    );
    let faults = faults(
        "workloads/rows/workload.toml",
        "\"schema.sql\"",
        "\"schema.sql\", \"data.sql\"",
    );
    assert_eq!(
        faults[0],
        "workloads/rows/workload.toml:6: database: there is no file `data.sql` beside this manifest; add the file or correct the name"
    );
}

#[test]
fn a_missing_manifest_is_named_without_a_line() {
    let root = sound();
    fs::remove_file(root.path().join("workloads/plain/contract.toml")).unwrap();
    let catalog = Catalog::scan(root.path());
    assert_eq!(
        catalog.faults[0].to_string(),
        "workloads/plain/contract.toml: there is no such file; add it, or remove the folder"
    );
    assert!(
        catalog.workload("rows").is_ok(),
        "a damaged entry leaves the others usable"
    );
}

#[test]
fn another_schema_is_refused() {
    in_experiment(
        "bancada.experiment/1",
        "bancada.experiment/9",
        "1: schema: `bancada.experiment/9` is not a schema this version reads; write `bancada.experiment/1`",
    );
}

#[test]
fn references_to_what_is_not_there_name_the_nearest() {
    in_experiment(
        "stack = \"one\"",
        "stack = \"on\"",
        "11: stack: there is no stack `on`; did you mean `one`?",
    );
    in_experiment(
        "workload = \"rows\"",
        "workload = \"row\"",
        "12: workload: there is no workload `row`; did you mean `rows`?",
    );
    in_experiment(
        "workload = \"rows\"",
        "workload = \"rows\"\nlaunch = \"defautl\"",
        "13: launch: the stack `one` has no launch mode `defautl`; did you mean `default`?",
    );
    in_experiment(
        "twin = \"b\"",
        "twin = \"zzz\"",
        "5: twin: there is no treatment `zzz`; use one of `a`, `b`",
    );
    in_experiment(
        "baseline = \"a\"",
        "baseline = \"aa\"",
        "4: baseline: there is no treatment `aa`; did you mean `a`?",
    );
    in_stack(
        "\"plain\"]",
        "\"plian\"]",
        "7: workloads: there is no workload `plian`; did you mean `plain`?",
    );
    in_stack(
        "[\"cargo\"]",
        "[\"carg\"]",
        "5: needs: `carg` is not a tool that is known; did you mean `cargo`?",
    );
}

#[test]
fn a_treatment_needs_a_stack_that_serves_its_workload() {
    let root = sound();
    write(
        root.path(),
        "stacks/one/stack.toml",
        &STACK.replace(", \"plain\"]", "]"),
    );
    let faults = Catalog::scan(root.path()).faults;
    assert_eq!(faults.len(), 1);
    assert_eq!(
        faults[0].to_string(),
        "experiments/try/experiment.toml:18: workload: the stack `one` does not serve `plain`; use one of `rows`"
    );
}

#[test]
fn a_name_is_given_once() {
    let faults = faults(
        "experiments/try/experiment.toml",
        "name = \"b\"",
        "name = \"a\"",
    );
    assert_eq!(
        faults[0],
        "experiments/try/experiment.toml:16: name: `a` is there twice; give each another one"
    );
    in_stack(
        "[\"rows\", \"plain\"]",
        "[\"rows\", \"plain\", \"rows\"]",
        "7: workloads: `rows` is there twice; remove one",
    );
}

#[test]
fn figures_have_ranges() {
    in_experiment(
        "budget_s = 60",
        "budget_s = 0",
        "6: budget_s: nothing would be measured with 0; give 1 or more",
    );
    in_experiment(
        "budget_s = 60",
        "budget_s = 60\nrelevant_difference_ratio = 1.0",
        "7: relevant_difference_ratio: 1 is not a difference that can be looked for; give a ratio above 0 and below 1, for instance 0.05 for five per cent",
    );
    in_experiment(
        "budget_s = 60",
        "budget_s = 60\nrate_ratio_of_slowest = 1.5",
        "7: rate_ratio_of_slowest: 1.5 is not a share of a capacity; give a ratio above 0 and at most 1",
    );
    in_experiment(
        "budget_s = 60",
        "budget_s = 60\nslice_s = nan",
        "7: slice_s: NaN s is not the length of a slice; give seconds above 0",
    );
    in_experiment(
        "budget_s = 60",
        "budget_s = 60\nmax_blocks = 2",
        "7: max_blocks: 2 blocks at most are fewer than the 8 at least; raise max_blocks or lower min_blocks",
    );
    in_experiment(
        "workload = \"plain\"",
        "workload = \"plain\"\nworkers = 0",
        "19: workers: a service needs a worker; give 1 or more",
    );
}

#[test]
fn a_pool_is_divided_over_the_workers() {
    in_experiment(
        "db_pool_size = 10",
        "db_pool_size = 10\nworkers = 4",
        "13: db_pool_size: 10 connections cannot be divided over 4 workers (10 = 2×4 + 2); use 8 or 12",
    );
    in_experiment(
        "db_pool_size = 10",
        "db_pool_size = 8\ndb_pool_idle = 2\nworkers = 4",
        "14: db_pool_idle: 2 connections cannot be divided over 4 workers (2 = 0×4 + 2); use 4",
    );
    in_experiment(
        "db_pool_size = 10",
        "db_pool_size = 8\ndb_pool_idle = 9",
        "14: db_pool_idle: 9 idle connections do not fit into a pool of 8; give at most 8",
    );
    in_experiment(
        "db_pool_size = 10",
        "db_pool_size = 0",
        "13: db_pool_size: a pool of 0 connections can answer nothing; give 1 or more for each worker",
    );
}

#[test]
fn a_pool_belongs_to_a_workload_with_a_database_and_to_no_other() {
    in_experiment(
        "db_pool_size = 10\n",
        "",
        "9: db_pool_size: the workload `rows` has a database; add the connections of the whole service",
    );
    in_experiment(
        "workload = \"plain\"",
        "workload = \"plain\"\ndb_pool_size = 4",
        "19: db_pool_size: the workload `plain` has no database; remove it",
    );
}

#[test]
fn the_environment_that_the_bench_sets_cannot_be_set_besides() {
    in_experiment(
        "workload = \"plain\"",
        "workload = \"plain\"\nenv = { PORT = \"80\" }",
        "19: PORT: the bench sets it; remove it: the bench chooses the port",
    );
    in_stack(
        "command = [\"one\"]",
        "command = [\"one\"]\nenv = { WORKERS = \"4\" }",
        "13: WORKERS: the bench sets it; remove it: use `workers` of the treatment",
    );
}

#[test]
fn a_stack_can_be_started_in_its_default_mode() {
    in_stack(
        "[launch.default]",
        "[launch.other]",
        "11: launch: there is no launch mode `default`; add a table [launch.default] with a command",
    );
    in_stack(
        "command = [\"one\"]",
        "command = []",
        "12: command: the command is empty; give a program and its arguments",
    );
}

#[test]
fn a_variant_that_is_not_ranked_says_why() {
    in_stack(
        "workers = ",
        "ranked = false\nworkers = ",
        "1: differs: a variant that is not ranked must say what it does differently; add it",
    );
    let root = sound();
    write(root.path(), "stacks/one-tuned/stack.toml", STACK);
    write(root.path(), "stacks/one-tuned/main.rs", "");
    let faults = Catalog::scan(root.path()).faults;
    assert_eq!(
        faults[0].to_string(),
        "stacks/one-tuned/stack.toml:1: ranked: a folder whose name ends in `-tuned` is never ranked; write ranked = false"
    );
}

#[test]
fn a_case_of_a_contract_has_one_status_and_at_most_one_body() {
    let path = "workloads/rows/contract.toml";
    for (to, expected) in [
        (
            "",
            "2: status: the case `it answers` has no status; add `status` or `status_class`",
        ),
        (
            "status = 99",
            "5: status: 99 is not a status; give one from 100 to 599",
        ),
        (
            "status_class = \"4XX\"",
            "5: status_class: `4XX` is not a class of statuses; write 2xx, 3xx, 4xx or 5xx",
        ),
        (
            "status = 200\nstatus_class = \"2xx\"",
            "6: status_class: the case has a `status` already; keep one of the two",
        ),
        (
            "status = 200\ntext = \"\"\njson = \"1\"",
            "6: text: the case has its body in `json` already; keep one of them",
        ),
        (
            "status = 200\njson = \"{\"",
            "6: json: it is not JSON: EOF while parsing an object at line 1 column 1; correct the JSON",
        ),
        (
            "status = 200\njson_file = \"x.json\"",
            "6: json_file: there is no file `x.json` beside this manifest; add the file or correct the name",
        ),
        (
            "status = 200\ntimes = 0",
            "6: times: the request would never be sent; give 1 or more",
        ),
        (
            "status = 200\nresponse_headers = { Content-Type = \"a\" }",
            "6: Content-Type: names of response headers are in lower case here; write `content-type`",
        ),
    ] {
        let faults = faults(path, "status = 200", to);
        assert_eq!(faults[0], format!("{path}:{expected}"));
    }
}

#[test]
fn a_feed_is_one_request_target_a_line() {
    let root = sound();
    let manifest = format!("{PLAIN}feed = \"feed.txt\"\n");
    write(root.path(), "workloads/plain/workload.toml", &manifest);
    write(root.path(), "workloads/plain/feed.txt", "/a\nb\n");
    let faults = Catalog::scan(root.path()).faults;
    assert_eq!(
        faults[0].to_string(),
        "workloads/plain/workload.toml:6: feed: line 2 of `feed.txt` is not a request target; start each line with / and percent-encode blanks"
    );
}

#[test]
fn a_claim_says_how_it_is_tested_or_why_it_cannot_be() {
    let claim = "connections = 10\n\n[[claim]]\nid = \"1\"\nquote = \"It is faster.\"";
    in_experiment(
        "connections = 10",
        claim,
        "9: metric: the claim `1` says neither how it is tested nor why it cannot be; add `metric`, `treatment` and `against`, or `untestable`",
    );
}

#[test]
fn an_entry_is_unknown_or_damaged_and_the_two_are_told_apart() {
    let root = sound();
    write(root.path(), "stacks/two/stack.toml", "title = 1");
    let catalog = Catalog::scan(root.path());
    assert!(matches!(catalog.stack("two"), Err(LookupError::Damaged(faults)) if faults.len() == 1));
    assert_eq!(
        catalog.stack("onne").unwrap_err().to_string(),
        "there is no stack `onne`; did you mean `one`?"
    );
}

#[test]
fn a_root_without_folders_is_an_empty_catalogue() {
    let root = tempfile::tempdir().unwrap();
    let catalog = Catalog::scan(root.path());
    assert_eq!((catalog.stacks.len(), catalog.faults.len()), (0, 0));
    assert!(catalog.experiment("try").is_err());
}
