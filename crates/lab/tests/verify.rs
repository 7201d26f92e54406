//! A service that is wrong on purpose, in one way after the other, is found out by its contract.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use catalog::{Catalog, Stack};
use lab::prepare::{Preparer, Settings};
use lab::verify::{CellResult, verify_cell};
use support::example;

/// What the service answers when nothing is wrong.
fn users() -> String {
    let user = |id| {
        format!(r#"{{"user_id": {id}, "username": "user{id}", "email": "user{id}@example.com"}}"#)
    };
    let users: Vec<String> = (1..=5).map(user).collect();
    format!("[{}]", users.join(", "))
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, text).expect("a file");
}

/// A catalogue with the service in one of its modes, and a contract that asks `times` times.
fn catalogue(root: &Path, mode: &[&str], times: u32) {
    let service = example("badservice");
    let command = [&[service.to_str().expect("UTF-8")], mode].concat();
    write(
        root,
        "stacks/one/stack.toml",
        &format!(
            "schema = \"bancada.stack/1\"\ntitle = \"One\"\nlanguage = \"rust\"\nframework = \"none\"\nneeds = []\n\
             prepare = []\nworkloads = [\"list\"]\nworkers = \"threads\"\nsources = [\"stack.toml\"]\n\
             ranked = false\ndiffers = \"Made for a test; of HTTP it knows the least.\"\n\
             [launch.default]\ncommand = {command:?}\n"
        ),
    );
    write(
        root,
        "workloads/list/workload.toml",
        "schema = \"bancada.workload/1\"\ntitle = \"List\"\nasks = \"Users.\"\nmethod = \"GET\"\npath = \"/users\"\n",
    );
    write(
        root,
        "workloads/list/contract.toml",
        &format!(
            "schema = \"bancada.contract/1\"\n[[case]]\nname = \"the users\"\npath = \"/users\"\nstatus = 200\n\
             response_headers = {{ content-type = \"application/json\" }}\njson_file = \"users.json\"\ntimes = {times}\n"
        ),
    );
    write(root, "workloads/list/users.json", &users());
}

fn verify(mode: &[&str], times: u32) -> CellResult {
    let folder = tempfile::tempdir().expect("a folder");
    catalogue(folder.path(), mode, times);
    let catalog = Catalog::scan(folder.path());
    let stack: &Stack = catalog.stack("one").expect("a sound stack");
    let workload = catalog.workload("list").expect("a sound workload");
    let supervisor = support::supervisor(&folder);
    let stop = AtomicBool::new(false);
    let settings = Settings {
        cache: folder.path().join("cache"),
        environment: BTreeMap::new(),
        ..Settings::default()
    };
    let mut preparer = Preparer::new(&supervisor, settings, &stop).expect("a cache");
    let prepared = preparer.prepare(stack, &mut |_| {}).expect("prepared");
    let logs = folder.path().join("cache/logs");
    verify_cell(&supervisor, None, &prepared, workload, "default", &logs)
        .expect("a bench that works")
}

/// What was wrong with the only case.
fn detail(mode: &str, times: u32) -> String {
    let result = verify(&[mode], times);
    assert!(!result.passed(), "{mode} passed");
    assert!(result.broken.is_empty(), "{:?}", result.broken);
    result.cases[0].detail.clone()
}

#[test]
fn a_service_that_is_right_passes() {
    let result = verify(&["ok"], 20);
    assert!(result.passed(), "{result:?}");
}

#[test]
fn a_wrong_field_name_is_refused() {
    assert_eq!(
        detail("wrong-field", 1),
        "body: at [0]: the key `username` is missing"
    );
}

#[test]
fn a_missing_row_is_refused() {
    assert_eq!(detail("missing-row", 1), "body: expected 5 items, got 4");
}

#[test]
fn rows_in_another_order_are_refused() {
    assert_eq!(
        detail("other-order", 1),
        "body: at [0].user_id: expected 1, got 5"
    );
}

#[test]
fn a_number_as_a_string_is_refused() {
    assert_eq!(
        detail("number-as-string", 1),
        r#"body: at [0].user_id: expected 1, got "1""#
    );
}

#[test]
fn status_200_with_an_error_body_is_refused() {
    let detail = detail("error-body", 1);
    assert!(detail.starts_with("body: expected [{"), "{detail}");
    assert!(
        detail.ends_with(r#"got {"error":"no database"}"#),
        "{detail}"
    );
}

#[test]
fn one_500_in_a_hundred_is_refused_by_a_contract_that_asks_a_hundred_times() {
    assert_eq!(
        detail("sometimes-500", 100),
        r#"answer 100 of 100: status: expected 200, got 500 with {"error":"bad luck"}"#
    );
}

#[test]
fn a_service_that_exits_while_it_is_asked_is_refused_and_its_end_is_told() {
    let result = verify(&["exits-at", "10"], 20);
    assert!(
        result.cases[0].detail.starts_with("answer 10 of 20: "),
        "{result:?}"
    );
    assert!(
        result.broken[0].starts_with("it ended while it was asked (exit status 3)"),
        "{result:?}"
    );
}

#[test]
fn a_service_that_ignores_sigterm_is_refused_although_its_answers_are_right() {
    let result = verify(&["ignores-sigterm"], 1);
    assert!(result.cases[0].passed && !result.passed());
    assert_eq!(result.broken, ["it did not stop within 5 s of SIGTERM"]);
}

#[test]
fn a_child_that_outlives_its_service_is_found() {
    let result = verify(&["leaves-a-child"], 1);
    assert!(result.cases[0].passed && !result.passed(), "{result:?}");
    assert_eq!(
        result.broken,
        ["it left 1 process(es) behind that had left its group"]
    );
}
