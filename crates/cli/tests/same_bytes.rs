//! A run directory alone makes its report, and always the same one.

mod support;

use std::path::Path;
use std::process::{Command, Output};

use support::{bancada, checkout, stderr};

/// Copies a committed run of an experiment to `run` in a folder.
fn copied(experiment: &str, into: &Path) {
    let results = checkout()
        .join("experiments")
        .join(experiment)
        .join("results");
    let entries = std::fs::read_dir(results).expect("results");
    let runs = entries.filter_map(Result::ok).map(|entry| entry.path());
    let run = runs.min().expect("a committed run");
    let status = Command::new("cp")
        .arg("-r")
        .arg(run)
        .arg(into.join("run"))
        .status();
    assert!(status.expect("cp").success());
}

fn report(folder: &Path, format: &str) -> Output {
    let mut command = Command::new(bancada());
    command
        .args(["report", "run", "--format", format])
        .current_dir(folder);
    command.output().expect("the binary runs")
}

#[test]
fn away_from_any_checkout_two_reports_of_one_run_are_the_same_bytes() {
    for experiment in ["first-look", "zejuniortdr-2025-pools"] {
        let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        for folder in &folders {
            copied(experiment, folder.path());
        }
        for format in ["terminal", "markdown", "json", "html"] {
            let [one, other] = folders
                .each_ref()
                .map(|folder| report(folder.path(), format));
            // A binary without the page cannot make it here, and says so.
            if format == "html" && stderr(&one).contains("there is no HTML report") {
                continue;
            }
            assert!(one.status.success(), "{format}: {}", stderr(&one));
            assert!(!one.stdout.is_empty());
            assert!(one.stdout == other.stdout, "{experiment}: {format} differs");
        }
    }
}
