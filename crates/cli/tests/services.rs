//! Every stack keeps the contract of every workload it serves: the services in the other languages are tested here.
//! Bad input, the ways of HTTP, what a request costs the database and the comparison of services by drawn requests
//! are parts of the same start of each service.
//!
//! Stacks are built into the checkout's own cache, so that a second time costs little.

mod support;

use std::process::Command;

use support::{bancada, checkout, stderr, stdout};

#[test]
#[expect(clippy::print_stderr, reason = "a skip says why")]
fn every_stack_keeps_the_contract_of_every_workload_it_serves_and_all_answer_alike() {
    let mut command = Command::new(bancada());
    command
        .arg("--root")
        .arg(checkout())
        .args(["verify", "--format", "json"]);
    let output = command.output().expect("the binary runs");
    let document: serde_json::Value = serde_json::from_str(&stdout(&output))
        .unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)));
    let cells = document["cells"].as_array().expect("cells");
    assert!(!cells.is_empty());
    let failed: Vec<String> = cells
        .iter()
        .filter(|cell| cell["status"] != "passed" && cell["status"] != "skipped")
        .map(ToString::to_string)
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    let compared = document["differential"].as_array().expect("comparisons");
    let differ = compared
        .iter()
        .filter(|one| !one["disagreements"][0].is_null());
    let differ: Vec<String> = differ.map(ToString::to_string).collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    for cell in cells
        .iter()
        .filter(|cell| !cell["not_checked"][0].is_null())
    {
        eprintln!("not checked: {}: {}", cell["stack"], cell["not_checked"]);
    }
    for cell in cells.iter().filter(|cell| cell["status"] == "skipped") {
        eprintln!("skipped: {cell}");
    }
    assert!(output.status.success(), "{}", stderr(&output));
}
