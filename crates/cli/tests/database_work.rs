//! What a request costs the database is a verdict: who reads less or more than the contract says is found out.

mod support;

use support::{Bench, stderr, stdout};

const WORKLOAD: &str = r#"schema = "bancada.workload/1"
title = "Five"
asks = "Five users."
method = "GET"
path = "/users"
database = ["schema.sql"]
statements_per_request = 1.0
rows_per_request = 5.0
"#;

#[test]
#[expect(clippy::print_stderr, reason = "a skip says why")]
fn a_service_that_keeps_what_it_should_read_fails_and_so_does_one_that_reads_a_hundredth_more() {
    let bench = Bench::new(true);
    bench.write("workloads/five/workload.toml", WORKLOAD);
    bench.write(
        "workloads/five/schema.sql",
        "CREATE TABLE five AS SELECT generate_series(1, 5) AS id;\n",
    );
    bench.stack("sound", "reads");
    bench.stack("caching", "caches");
    bench.stack("wasteful", "reads-twice 50");
    let output = bench.run(&["verify", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&stdout(&output))
        .unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)));
    let cell = |stack: &str| {
        let cells = document["cells"].as_array().expect("cells");
        let found = cells.iter().find(|cell| cell["stack"] == stack);
        found.expect("its cell").clone()
    };
    if cell("sound")["status"] == "skipped" || !cell("sound")["not_checked"][0].is_null() {
        eprintln!("skipped: {}", cell("sound"));
        return;
    }
    let verdict = |stack: &str| {
        let failed = cell(stack)["failed"].as_array().cloned().expect("cases");
        let found = failed.iter().find(|case| {
            let name = case["case"].as_str().unwrap_or_default();
            name.contains("costs the database")
        });
        found.map(|case| case["detail"].to_string())
    };
    assert_eq!(verdict("sound"), None, "{}", cell("sound"));
    assert_eq!(cell("sound")["work"]["prepared_statements"], "no");
    let caching = verdict("caching").expect("a verdict");
    assert!(
        caching.contains("0 statements a request instead of 1"),
        "{caching}"
    );
    assert!(
        caching.contains("0 rows a request instead of 5"),
        "{caching}"
    );
    let wasteful = verdict("wasteful").expect("a verdict");
    assert!(wasteful.contains("1.02 statements"), "{wasteful}");
}
