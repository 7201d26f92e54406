//! What each renderer draws of small runs. Look at the snapshots: they are the design.
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod fixture;

use report::{Verdicts, json, markdown, provisional, terminal};

#[test]
fn the_first_block_at_80_columns() {
    insta::assert_snapshot!(provisional(&fixture::first_block().findings(), 80, false));
}

#[test]
fn a_whole_run_at_80_columns() {
    insta::assert_snapshot!(terminal(&fixture::whole().findings(), 80, false));
}

#[test]
fn a_whole_run_at_160_columns() {
    insta::assert_snapshot!(terminal(&fixture::whole().findings(), 160, false));
}

#[test]
fn a_run_with_invalid_trials_at_100_columns() {
    insta::assert_snapshot!(terminal(&fixture::with_invalid().findings(), 100, false));
}

#[test]
fn a_whole_run_in_markdown() {
    insta::assert_snapshot!(markdown(&fixture::whole().findings()));
}

#[test]
fn a_first_block_in_json() {
    insta::assert_snapshot!(json(&fixture::first_block().findings()));
}

#[test]
fn the_verdicts_of_a_run_with_invalid_trials() {
    let verdicts = Verdicts::of(&fixture::with_invalid().findings());
    insta::assert_snapshot!(serde_json::to_string_pretty(&verdicts).unwrap());
}

#[test]
fn an_article_at_80_columns() {
    insta::assert_snapshot!(terminal(&fixture::article::article().findings(), 80, false));
}

#[test]
fn an_article_at_160_columns() {
    insta::assert_snapshot!(terminal(
        &fixture::article::article().findings(),
        160,
        false
    ));
}

#[test]
fn an_article_in_markdown() {
    insta::assert_snapshot!(markdown(&fixture::article::article().findings()));
}

#[test]
fn the_tiers_of_a_whole_run_as_a_static_chart() {
    insta::assert_snapshot!(chart("report-tiers.svg"));
}

#[test]
fn the_percentiles_of_a_whole_run_as_a_static_chart() {
    insta::assert_snapshot!(chart("report-percentiles.svg"));
}

fn chart(file: &str) -> String {
    let place = tempfile::tempdir().unwrap();
    let fixture = fixture::whole();
    let directory = fixture.stored(place.path());
    let charts = report::charts(&directory, &fixture.findings()).unwrap();
    charts
        .into_iter()
        .find(|chart| chart.file == file)
        .unwrap()
        .svg
}
