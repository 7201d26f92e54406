//! Each thing that can be wrong in a catalogue is one line that names file, line and key.

#![allow(
    clippy::unwrap_used,
    reason = "a test ends where its files cannot be written"
)]

mod support;

use std::fs;

use catalog::{Catalog, LookupError};
use support::{PLAIN, STACK, faults, in_experiment, in_stack, sound, write};

#[test]
fn a_sound_catalogue_has_no_faults_and_its_entries_carry_the_names_of_their_folders() {
    let root = sound();
    let catalog = Catalog::scan(root.path());
    assert_eq!(catalog.faults, []);
    assert_eq!(
        catalog.stack("one").unwrap().folder,
        root.path().join("stacks/one")
    );
    assert_eq!(catalog.workload("rows").unwrap().manifest.path, "/rows");
    assert_eq!(
        catalog.experiment("try").unwrap().manifest.treatment.len(),
        2
    );
}

#[test]
fn an_unknown_key_is_named_with_the_key_that_was_meant() {
    in_experiment(
        "connections = 10",
        "conections = 10",
        "7: conections: unknown key; did you mean `connections`?",
    );
    in_experiment(
        "db_pool_size = 10",
        "db_pool_sise = 10",
        "13: db_pool_sise: unknown key; did you mean `db_pool_size`?",
    );
    in_stack(
        "command = [\"one\"]",
        "comand = [\"one\"]",
        "12: comand: unknown key; did you mean `command`?",
    );
}

#[test]
fn a_wrong_type_is_named_with_what_belongs_there() {
    in_experiment(
        "budget_s = 60",
        "budget_s = \"60\"",
        "6: budget_s: it is string \"60\"; give a whole number, 0 or more",
    );
    in_experiment(
        "budget_s = 60",
        "budget_s = -1",
        "6: budget_s: it is integer `-1`; give a whole number, 0 or more",
    );
    in_experiment(
        "db_pool_size = 10",
        "db_pool_size = \"10\"",
        "13: db_pool_size: it is string \"10\"; give a whole number, 0 or more",
    );
    in_stack(
        "needs = [\"cargo\"]",
        "needs = \"cargo\"",
        "5: needs: it is string \"cargo\"; give a list in [ ]",
    );
    in_stack(
        "needs = [\"cargo\"]",
        "needs = [1]",
        "5: needs: it is integer `1`; give text in quotes",
    );
    in_stack(
        "\"threads\"",
        "\"thread\"",
        "8: workers: `thread` is not a value it can have; did you mean `threads`?",
    );
}

#[test]
fn a_missing_key_is_named() {
    in_experiment(
        "budget_s = 60\n",
        "",
        "1: budget_s: the key is missing; add it",
    );
    in_experiment(
        "stack = \"one\"\n",
        "",
        "9: stack: the key is missing; add it",
    );
}

#[test]
fn text_that_is_not_toml_is_named_with_its_line() {
    let faults = faults(
        "experiments/try/experiment.toml",
        "twin = \"b\"",
        "twin = b\"",
    );
    assert_eq!(faults.len(), 1);
    assert!(
        faults[0].starts_with("experiments/try/experiment.toml:5:"),
        "{}",
        faults[0]
    );
    assert!(!faults[0].contains('\n'));
}

#[test]
fn a_missing_file_is_named_where_it_is_mentioned() {
    in_stack(
        "\"main.rs\"",
        "\"mein.rs\"",
        "9: sources: there is no file `mein.rs` beside this manifest; add the file or correct the name",
    );
    in_stack(
        "\"main.rs\"",
        "\"../main.rs\"",
        "9: sources: `../main.rs` is not a path inside the folder; name a file below the folder of this manifest, without `..`",
    );
    let faults = faults(
        "workloads/rows/workload.toml",
        "\"schema.sql\"",
        "\"schema.sql\", \"data.sql\"",
    );
    assert_eq!(
        faults[0],
        "workloads/rows/workload.toml:6: database: there is no file `data.sql` beside this manifest; add the file or correct the name"
    );
}

#[test]
fn a_missing_manifest_is_named_without_a_line() {
    let root = sound();
    fs::remove_file(root.path().join("workloads/plain/contract.toml")).unwrap();
    let catalog = Catalog::scan(root.path());
    assert_eq!(
        catalog.faults[0].to_string(),
        "workloads/plain/contract.toml: there is no such file; add it, or remove the folder"
    );
    assert!(
        catalog.workload("rows").is_ok(),
        "a damaged entry leaves the others usable"
    );
}

#[test]
fn another_schema_is_refused() {
    in_experiment(
        "bancada.experiment/1",
        "bancada.experiment/9",
        "1: schema: `bancada.experiment/9` is not a schema this version reads; write `bancada.experiment/1`",
    );
}

#[test]
fn a_stack_can_be_started_in_its_default_mode() {
    in_stack(
        "[launch.default]",
        "[launch.other]",
        "11: launch: there is no launch mode `default`; add a table [launch.default] with a command",
    );
    in_stack(
        "command = [\"one\"]",
        "command = []",
        "12: command: the command is empty; give a program and its arguments",
    );
}

#[test]
fn a_variant_that_is_not_ranked_says_why() {
    in_stack(
        "workers = ",
        "ranked = false\nworkers = ",
        "1: differs: a variant that is not ranked must say what it does differently; add it",
    );
    let root = sound();
    write(root.path(), "stacks/one-tuned/stack.toml", STACK);
    write(root.path(), "stacks/one-tuned/main.rs", "");
    let faults = Catalog::scan(root.path()).faults;
    assert_eq!(
        faults[0].to_string(),
        "stacks/one-tuned/stack.toml:1: ranked: a folder whose name ends in `-tuned` is never ranked; write ranked = false"
    );
}

#[test]
fn a_case_of_a_contract_has_one_status_and_at_most_one_body() {
    let path = "workloads/rows/contract.toml";
    for (to, expected) in [
        (
            "",
            "2: status: the case `it answers` has no status; add `status` or `status_class`",
        ),
        (
            "status = 99",
            "5: status: 99 is not the status of an answer; give one from 200 to 599",
        ),
        (
            "status_class = \"4XX\"",
            "5: status_class: `4XX` is not a class of statuses; write 2xx, 3xx, 4xx, 5xx or <500",
        ),
        (
            "status = 200\nstatus_class = \"2xx\"",
            "6: status_class: the case has a `status` already; keep one of the two",
        ),
        (
            "status = 200\ntext = \"\"\njson = \"1\"",
            "6: text: the case has its body in `json` already; keep one of them",
        ),
        (
            "status = 200\njson = \"{\"",
            "6: json: it is not JSON: EOF while parsing an object at line 1 column 1; correct the JSON",
        ),
        (
            "status = 200\njson_file = \"x.json\"",
            "6: json_file: there is no file `x.json` beside this manifest; add the file or correct the name",
        ),
        (
            "status = 200\ntimes = 0",
            "6: times: the request would never be sent; give 1 or more",
        ),
        (
            "status = 200\nresponse_headers = { Content-Type = \"a\" }",
            "6: Content-Type: names of response headers are in lower case here; write `content-type`",
        ),
    ] {
        let faults = faults(path, "status = 200", to);
        assert_eq!(faults[0], format!("{path}:{expected}"));
    }
}

#[test]
fn a_feed_is_one_request_target_a_line() {
    let root = sound();
    let manifest = format!("{PLAIN}feed = \"feed.txt\"\n");
    write(root.path(), "workloads/plain/workload.toml", &manifest);
    write(root.path(), "workloads/plain/feed.txt", "/a\nb\n");
    let faults = Catalog::scan(root.path()).faults;
    assert_eq!(
        faults[0].to_string(),
        "workloads/plain/workload.toml:6: feed: line 2 of `feed.txt` is not a request target; start each line with / and percent-encode blanks"
    );
}

#[test]
fn an_entry_is_unknown_or_damaged_and_the_two_are_told_apart() {
    let root = sound();
    write(root.path(), "stacks/two/stack.toml", "title = 1");
    let catalog = Catalog::scan(root.path());
    assert!(matches!(catalog.stack("two"), Err(LookupError::Damaged(faults)) if faults.len() == 1));
    assert_eq!(
        catalog.stack("onne").unwrap_err().to_string(),
        "there is no stack `onne`; did you mean `one`?"
    );
}

#[test]
fn a_root_without_folders_is_an_empty_catalogue() {
    let root = tempfile::tempdir().unwrap();
    let catalog = Catalog::scan(root.path());
    assert_eq!((catalog.stacks.len(), catalog.faults.len()), (0, 0));
    assert!(catalog.experiment("try").is_err());
}

#[test]
fn an_entry_that_says_nothing_is_refused() {
    in_stack(
        "title = \"One\"",
        "title = \" \"",
        "2: title: it is blank; say it in words",
    );
    in_stack(
        "sources = [\"main.rs\"]",
        "sources = []",
        "9: sources: there is no handler for a run to keep; name the files that answer requests",
    );
    in_stack(
        "workloads = [\"rows\", \"plain\"]",
        "workloads = []",
        "7: workloads: the service would be asked nothing; name a folder below workloads/",
    );
    in_stack(
        "workers = ",
        "differs = \"all\"\nworkers = ",
        "8: differs: it is for a variant that is not ranked; write ranked = false, or remove it",
    );
}

#[test]
fn what_load_sends_is_among_what_the_contract_checks() {
    let path = "workloads/plain/workload.toml";
    for (from, to, line, sent) in [
        ("/plain", "/other", 5, "GET /other with this body for a 200"),
        ("GET", "POST", 5, "POST /plain with this body for a 200"),
        (
            "path =",
            "body = \"x\"\npath =",
            6,
            "GET /plain with this body for a 200",
        ),
        (
            "path =",
            "expect_status = 204\npath =",
            6,
            "GET /plain with this body for a 204",
        ),
    ] {
        assert_eq!(
            faults(path, from, to)[0],
            format!(
                "{path}:{line}: path: no case of contract.toml sends {sent}; add one: what load sends must be checked"
            )
        );
    }
}

#[test]
fn a_workload_says_only_what_can_be_sent_and_counted() {
    let path = "workloads/plain/workload.toml";
    for (to, expected) in [
        (
            "method = \"GET\"\nrows_per_request = 1",
            "5: rows_per_request: the workload has no database; remove it",
        ),
        (
            "method = \"GET\"\nexpect_status = 101",
            "5: expect_status: 101 is not the status of an answer; give one from 200 to 599",
        ),
        (
            "method = \"GET\"\nupstream = \"Via-CEP\"",
            "5: upstream: `Via-CEP` cannot become <NAME>_URL; give a name of a to z, 0 to 9 and _",
        ),
        (
            "method = \"GET\"\nupstream_rate_limit_per_s = 5",
            "5: upstream_rate_limit_per_s: there is no `upstream`; name it or remove this",
        ),
        (
            "method = \"GET\"\nupstream = \"a\"\nupstream_failure_ratio = 1.5",
            "6: upstream_failure_ratio: 1.5 is out of range; give a number from 0, and a ratio up to 1",
        ),
        (
            "method = \"GET\"\nupstream = \"a\"\nupstream_delay_p99_ms = 5",
            "6: upstream_delay_p99_ms: it is not above the median of `upstream_delay_ms`; give a median above 0 and a percentile no smaller",
        ),
        (
            "method = \"GET\"\nheaders = { Host = \"x\" }",
            "5: Host: the bench sends it; remove it",
        ),
        (
            "method = \"get\"",
            "4: method: `get` is not a request method; write one in capitals, for instance GET",
        ),
    ] {
        let found = faults(path, "method = \"GET\"", to);
        assert_eq!(found[0], format!("{path}:{expected}"));
    }
}
