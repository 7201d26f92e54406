//! What the README shows is made from the catalogue and from a committed run. `UPDATE_README=1` writes it anew.

mod support;

use std::collections::BTreeMap;
use std::fs;

use catalog::Catalog;
use record::RunDir;

/// Width of the report in the README: what a code block shows without scrolling.
const COLUMNS: usize = 100;

#[test]
fn the_catalogue_in_the_readme_is_the_catalogue() {
    assert_section("catalogue", &matrix(&Catalog::scan(&support::checkout())));
}

#[test]
fn the_report_in_the_readme_is_that_of_the_committed_run() {
    let results = support::checkout().join("experiments/first-look/results");
    let runs = record::list_runs(&results).expect("committed runs");
    let latest = runs.last().expect("a committed run");
    let dir = RunDir::open(&latest.path).expect("a whole run");
    let findings = report::read(&dir).expect("its findings");
    let text = report::terminal(&findings, COLUMNS, false);
    // The table and the verdicts; audit and setup are for those who run it.
    let shown: Vec<&str> = text
        .lines()
        .take_while(|line| !line.starts_with("Can this run be trusted?"))
        .collect();
    let shown = shown.join("\n");
    assert_section("report", &format!("```\n{}\n```", shown.trim_end()));
}

#[test]
fn the_claims_in_the_readme_are_those_of_the_findings() {
    let findings = support::checkout().join("FINDINGS.md");
    let findings = fs::read_to_string(findings).expect("the findings");
    // Their summary: what stands between the page's introduction and its first section.
    let (summary, _) = findings.split_once("\n## ").expect("a section");
    let from = summary.find("\nOf ").expect("a tally of claims");
    let summary = summary[from..].replace("](#", "](FINDINGS.md#");
    assert_section("claims", summary.trim());
}

/// A row a stack, a column a workload, and the count of cells.
fn matrix(catalog: &Catalog) -> String {
    assert!(catalog.faults.is_empty(), "{:?}", catalog.faults);
    let workloads: Vec<&str> = catalog
        .workloads
        .iter()
        .map(|workload| workload.name.as_str())
        .collect();
    let mut cells: BTreeMap<bool, usize> = BTreeMap::new();
    let mut rows = Vec::new();
    for stack in &catalog.stacks {
        let serves = |workload: &&str| stack.manifest.workloads.iter().any(|name| name == workload);
        *cells.entry(stack.manifest.ranked).or_default() +=
            workloads.iter().filter(|name| serves(name)).count();
        let marks: Vec<&str> = workloads
            .iter()
            .map(|name| if serves(name) { "●" } else { "" })
            .collect();
        rows.push(format!("| `{}` | {} |", stack.name, marks.join(" | ")));
    }
    let total: usize = cells.values().sum();
    format!(
        "{} stacks × {} workloads: {total} cells, every one held against its contract by `cargo test`.\n\n| stack | {} |\n| --- |{}\n{}",
        catalog.stacks.len(),
        workloads.len(),
        workloads.join(" | "),
        " :-: |".repeat(workloads.len()),
        rows.join("\n")
    )
}

/// Holds the text between two markers against `wanted`, or puts it there.
fn assert_section(name: &str, wanted: &str) {
    let path = support::checkout().join("README.md");
    let text = fs::read_to_string(&path).expect("the README");
    let (begin, end) = (
        format!("<!-- {name}:begin -->\n"),
        format!("<!-- {name}:end -->"),
    );
    let from = text.find(&begin).expect("the first marker") + begin.len();
    let to = text.find(&end).expect("the last marker");
    if std::env::var_os("UPDATE_README").is_some() {
        let updated = format!("{}{}\n{}", &text[..from], wanted, &text[to..]);
        fs::write(&path, updated).expect("the README is written");
        return;
    }
    assert_eq!(
        text[from..to].trim(),
        wanted.trim(),
        "the README is stale: UPDATE_README=1 cargo test -p bancada --test readme"
    );
}
