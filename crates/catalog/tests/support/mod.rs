//! A small catalogue without a fault, to be spoilt in one place.

#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::fs;
use std::path::Path;

use catalog::Catalog;
use tempfile::TempDir;

pub const STACK: &str = r#"schema = "bancada.stack/1"
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

pub const WITH_DATABASE: &str = r#"schema = "bancada.workload/1"
title = "Rows"
asks = "Rows."
method = "GET"
path = "/rows"
database = ["schema.sql"]
"#;

pub const PLAIN: &str = r#"schema = "bancada.workload/1"
title = "Plain"
asks = "Nothing."
method = "GET"
path = "/plain"
"#;

pub const CONTRACT: &str = r#"schema = "bancada.contract/1"
[[case]]
name = "it answers"
path = "/rows"
status = 200
"#;

pub const EXPERIMENT: &str = r#"schema = "bancada.experiment/1"
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

pub fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub fn sound() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("stacks/one/stack.toml", STACK),
        ("stacks/one/main.rs", ""),
        ("workloads/rows/workload.toml", WITH_DATABASE),
        ("workloads/rows/contract.toml", CONTRACT),
        ("workloads/rows/schema.sql", ""),
        ("workloads/plain/workload.toml", PLAIN),
        (
            "workloads/plain/contract.toml",
            &CONTRACT.replace("/rows", "/plain"),
        ),
        ("experiments/try/experiment.toml", EXPERIMENT),
    ] {
        write(root.path(), path, text);
    }
    root
}

/// The faults after `from` became `to` in the file at `path`.
pub fn faults(path: &str, from: &str, to: &str) -> Vec<String> {
    let root = sound();
    let text = fs::read_to_string(root.path().join(path)).unwrap();
    assert!(text.contains(from), "{path} has no {from}");
    write(root.path(), path, &text.replacen(from, to, 1));
    let faults = Catalog::scan(root.path()).faults;
    faults.iter().map(ToString::to_string).collect()
}

#[track_caller]
pub fn one_fault(path: &str, from: &str, to: &str, expected: &str) {
    assert_eq!(faults(path, from, to), [format!("{path}:{expected}")]);
}

#[track_caller]
pub fn in_experiment(from: &str, to: &str, expected: &str) {
    one_fault("experiments/try/experiment.toml", from, to, expected);
}

#[track_caller]
pub fn in_stack(from: &str, to: &str, expected: &str) {
    // The experiment that uses the stack is at fault too, and says so after it.
    let faults = faults("stacks/one/stack.toml", from, to);
    assert_eq!(faults[0], format!("stacks/one/stack.toml:{expected}"));
    assert!(
        faults[1..]
            .iter()
            .all(|fault| fault.contains("correct stacks/one/stack.toml"))
    );
}
