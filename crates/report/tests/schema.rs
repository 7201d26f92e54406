//! The committed JSON Schema is that of the types, and every report keeps it.

mod fixture;

use std::path::Path;
use std::{env, fs};

use fixture::article::article;
use fixture::{Fixture, first_block, whole, with_invalid};
use report::{Prices, json, plan, priced};

#[test]
fn the_committed_schema_is_that_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/report.schema.json");
    let text = report::schema();
    if env::var_os("UPDATE_SCHEMAS").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
        fs::write(&path, &text).expect("the schema is written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == text,
        "schemas/report.schema.json is not current: run `UPDATE_SCHEMAS=1 cargo test -p report --test schema` and \
         commit it"
    );
}

#[test]
fn every_report_keeps_the_schema() {
    let schema = serde_json::from_str(&report::schema()).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let prices = Prices {
        core_hour: 0.04,
        gib_hour: 0.005,
        currency: "USD".to_owned(),
        utilisation_ratio: 0.6,
    };
    for fixture in [
        Fixture::new(),
        first_block(),
        whole(),
        with_invalid(),
        article(),
    ] {
        let mut findings = fixture.findings();
        findings.priced = Some(priced(&findings, &prices));
        findings.plan = Some(plan(&findings, 2_000.0, 50e6, 0.6, Some(&prices)));
        let document = serde_json::from_str(&json(&findings)).expect("a report is JSON");
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}
