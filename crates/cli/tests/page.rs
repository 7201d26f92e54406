//! The page in a real browser: on committed runs, one of them with INVALID trials and one with 25 treatments, and on two
//! synthetic ones that have every part a report can have.
//!
//! What is looked at there is in `ui/tests/page.test.mjs`; the screenshots stay below `target/tmp/page`.
#![expect(clippy::print_stderr, reason = "a skip says why")]

#[path = "support/browser.rs"]
mod browser;
mod support;
#[path = "support/synthetic.rs"]
mod synthetic;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use record::RunDir;
use support::{bancada, checkout, stderr};
use synthetic::Shape;

#[test]
fn every_page_is_drawn_whole_quiet_and_usable_in_a_browser() {
    let Some(chromium) = browser::chromium() else {
        return;
    };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("page");
    let _ = fs::remove_dir_all(&folder);
    let runs = folder.join("runs");
    let large = Shape {
        name: "large",
        treatments: 25,
        blocks: 10,
        with_invalid: false,
        with_all: true,
    };
    let invalid = Shape {
        name: "invalid",
        treatments: 4,
        blocks: 8,
        with_invalid: true,
        with_all: false,
    };
    let cases = [
        (
            "small",
            copied(&committed("first-look"), &runs.join("small")),
            ["gin", "fastapi"],
        ),
        (
            "overflow",
            copied(&committed("zejuniortdr-2025-pools"), &runs.join("overflow")),
            ["pool-5-each", "pool-20-each-200"],
        ),
        (
            "every",
            copied(&committed("every-stack"), &runs.join("every")),
            ["hyper", "fastapi"],
        ),
        ("large", large.write(&runs), ["t03", "t20"]),
        ("invalid", invalid.write(&runs), ["t01", "t02"]),
    ];
    for (name, run, baselines) in &cases {
        let case = folder.join("cases").join(name);
        fs::create_dir_all(&case).expect("a folder");
        let page = case.join("report.html");
        report(run.path(), "html", &page);
        let first = fs::read(&page).expect("the page");
        report(run.path(), "html", &page);
        assert!(
            first == fs::read(&page).expect("the page"),
            "{name}: two pages of one run differ"
        );
        assert!(first == fs::read(run.path().join("report.html")).expect("the page"));
        report(run.path(), "json", &case.join("report.json"));
        let plan = [
            "--plan-rate",
            "1000",
            "--plan-p99",
            "50ms",
            "--price-core-hour",
            "0.04",
        ];
        report_with(run.path(), "json", &case.join("planned.json"), &plan);
        for baseline in baselines {
            with_baseline(
                run,
                baseline,
                &folder,
                &case.join(format!("against-{baseline}.json")),
            );
        }
    }
    browser::install_packages();
    let ui = checkout().join("ui");
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=spec", "tests/page.test.mjs"])
        .current_dir(&ui)
        .env("BANCADA_CHROMIUM", &chromium)
        .env("BANCADA_PAGE_CASES", folder.join("cases"));
    let output = node.output().expect("node starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", stderr(&output));
    for line in said.lines().filter(|line| line.contains("drawn in")) {
        eprintln!("{}", line.trim());
    }
}

#[test]
fn without_a_way_to_build_the_page_everything_else_works_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = copied(&committed("first-look"), &folder.path().join("run"));
    let command = |format: &str| {
        let mut command = Command::new(bancada());
        command
            .arg("report")
            .arg(run.path())
            .args(["--format", format])
            // A folder that is no checkout.
            .current_dir(folder.path());
        command.output().expect("the binary runs")
    };
    assert!(command("json").status.success());
    let html = command("html");
    let is_embedded = html.status.success();
    assert!(
        is_embedded || html.status.code() == Some(2),
        "{}",
        stderr(&html)
    );
    assert!(
        is_embedded || stderr(&html).contains("there is no HTML report"),
        "{}",
        stderr(&html)
    );
}

fn report(run: &Path, format: &str, to: &Path) {
    report_with(run, format, to, &[]);
}

fn report_with(run: &Path, format: &str, to: &Path, more: &[&str]) {
    let mut command = Command::new(bancada());
    command
        .arg("--root")
        .arg(checkout())
        .arg("report")
        .arg(run)
        .args(["--format", format, "--output"])
        .arg(to)
        .args(more);
    let output = command.output().expect("the binary runs");
    assert!(output.status.success(), "{}", stderr(&output));
}

/// The findings as they would be if the run had named another baseline.
fn with_baseline(run: &RunDir, baseline: &str, folder: &Path, to: &Path) {
    let other = copied(run.path(), &folder.join("runs/against"));
    let mut changed = other.run().expect("run.json");
    changed.baseline = baseline.to_owned();
    other.write_run(&changed).expect("run.json");
    report(other.path(), "json", to);
    fs::remove_dir_all(other.path()).expect("it goes");
}

/// The newest run that is kept with an experiment.
fn committed(experiment: &str) -> PathBuf {
    let results = checkout()
        .join("experiments")
        .join(experiment)
        .join("results");
    let entries = fs::read_dir(results)
        .expect("results")
        .filter_map(Result::ok);
    let mut runs: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    runs.sort();
    runs.pop().expect("a committed run")
}

fn copied(from: &Path, to: &Path) -> RunDir {
    copy_folder(from, to);
    RunDir::open(to).expect("a run directory")
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").filter_map(Result::ok) {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).expect("a copy")),
        }
    }
}
