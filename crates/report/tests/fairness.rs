//! The fairness sheet comes from the record of a run alone.

mod fixture;

use fixture::{Fixture, cost};
use serde_json::json;

fn with_facts(facts: &[(&str, &str)]) -> Fixture {
    let mut fixture = Fixture::new()
        .treatment("one", "One")
        .treatment("other", "Other")
        .twin("one")
        .measured("one", cost(100.0), 3, 0.01)
        .measured("other", cost(120.0), 3, 0.01);
    let pairs = facts.iter();
    let facts = pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    fixture.run.treatments[0].facts = facts.collect();
    fixture.run.treatments[0].settings = [("DB_POOL_SIZE".to_owned(), "4".to_owned())].into();
    let manifest = json!({ "framework": "F", "serializer": "S", "skips": ["validation"] });
    fixture.run.catalog.insert("stack/one".to_owned(), manifest);
    fixture
}

#[test]
fn a_sheet_says_what_was_recorded_of_a_treatment_and_leaves_the_rest_out() {
    let findings = with_facts(&[
        ("body_bytes", "47"),
        ("header_bytes", "120"),
        ("headers", "content-type, date"),
        ("header date", "sent"),
        ("statements_per_request", "1.02"),
        ("prepared_statements", "yes"),
        ("handler_lines", "31"),
        ("cargo", "1.90.0"),
        ("status", "200"),
    ])
    .findings();
    let [sheet] = &findings.fairness[..] else {
        panic!("{:?}", findings.fairness);
    };
    let [row] = &sheet.treatments[..] else {
        panic!("the twin is the same, and of the other nothing is known: {sheet:?}");
    };
    assert_eq!(sheet.workload, "list");
    assert_eq!((row.body_bytes, row.header_bytes), (Some(47), Some(120)));
    assert_eq!(row.headers, ["content-type", "date"]);
    assert_eq!(row.statements_per_request, Some(1.02));
    assert_eq!(row.rows_per_request, None);
    assert_eq!(row.prepared_statements, Some(true));
    assert_eq!(row.db_pool_size_count, Some(4));
    assert_eq!(row.workers_count, None);
    assert_eq!(row.parts["serializer"], "S");
    assert_eq!(row.skips, ["validation"]);
    let versions: Vec<_> = row.versions.iter().collect();
    assert_eq!(versions.len(), 1, "{versions:?}");
    let terminal = report::terminal(&findings, 100, false);
    assert!(terminal.contains("Is it the same work? list"), "{terminal}");
    let markdown = report::markdown(&findings);
    assert!(markdown.contains("leaves out validation"), "{markdown}");
}

#[test]
fn a_run_of_which_nothing_was_found_out_has_no_sheet() {
    let findings = with_facts(&[]).findings();
    assert!(findings.fairness.is_empty());
    assert!(!report::terminal(&findings, 100, false).contains("same work"));
}
