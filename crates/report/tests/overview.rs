//! The page of all committed findings.

mod fixture;

use fixture::article::article;
use fixture::{Fixture, whole};
use report::{CommittedRun, ExperimentResults, overview};

fn results(
    name: &str,
    title: &str,
    claims_count: usize,
    fixtures: &[Fixture],
) -> ExperimentResults {
    let run = |(index, fixture): (usize, &Fixture)| CommittedRun {
        path: format!("experiments/{name}/results/{index}"),
        findings: fixture.findings(),
    };
    ExperimentResults {
        name: name.to_owned(),
        title: title.to_owned(),
        question: "Which is it?".to_owned(),
        claims_count,
        runs: fixtures.iter().enumerate().map(run).collect(),
    }
}

#[test]
fn every_claim_is_told_once_in_the_group_of_its_fate() {
    let page = overview(&[
        results("plain", "A question of our own", 0, &[whole()]),
        results("article", "An article", 13, &[whole(), article()]),
        results("later", "Not measured", 3, &[]),
    ]);
    insta::assert_snapshot!(page);
    for id in 1..=12 {
        assert_eq!(page.matches(&format!("- **{id}** ")).count(), 1, "{id}");
    }
}

#[test]
fn claims_of_a_provisional_run_are_marked_and_counted() {
    let mut early = article();
    early.run.design.min_blocks_count = 9;
    let page = overview(&[
        results("early", "Too early", 13, &[early]),
        results("article", "An article", 13, &[article()]),
    ]);
    assert!(page.contains("| [Too early](#too-early), provisional | 12 |"));
    assert!(page.contains("| [An article](#an-article) | 12 |"));
    assert!(page.contains(". 12 of them rest on provisional runs, marked so.\n"));
}

#[test]
fn without_results_the_page_says_so() {
    let page = overview(&[results("later", "Not measured", 1, &[])]);
    assert!(page.contains("has a committed result yet"));
    assert!(
        page.contains("[Not measured](experiments/later/experiment.toml), 1 claim: Which is it?")
    );
    assert!(overview(&[]).contains("has a committed result yet"));
}
