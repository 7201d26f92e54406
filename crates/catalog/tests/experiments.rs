//! What an experiment may ask for, and how it is told that it may not.

#![allow(
    clippy::unwrap_used,
    reason = "a test ends where its files cannot be written"
)]

mod support;

use catalog::Catalog;
use support::{EXPERIMENT, STACK, faults, in_experiment, in_stack, sound, write};

#[test]
fn references_to_what_is_not_there_name_the_nearest() {
    in_experiment(
        "stack = \"one\"",
        "stack = \"on\"",
        "11: stack: there is no stack `on`; did you mean `one`?",
    );
    in_experiment(
        "workload = \"rows\"",
        "workload = \"row\"",
        "12: workload: there is no workload `row`; did you mean `rows`?",
    );
    in_experiment(
        "workload = \"rows\"",
        "workload = \"rows\"\nlaunch = \"defautl\"",
        "13: launch: the stack `one` has no launch mode `defautl`; did you mean `default`?",
    );
    in_experiment(
        "twin = \"b\"",
        "twin = \"zzz\"",
        "5: twin: there is no treatment `zzz`; use one of `a`, `b`",
    );
    in_experiment(
        "baseline = \"a\"",
        "baseline = \"aa\"",
        "4: baseline: there is no treatment `aa`; did you mean `a`?",
    );
    in_stack(
        "\"plain\"]",
        "\"plian\"]",
        "7: workloads: there is no workload `plian`; did you mean `plain`?",
    );
    in_stack(
        "[\"cargo\"]",
        "[\"carg\"]",
        "5: needs: `carg` is not a tool that is known; did you mean `cargo`?",
    );
}

#[test]
fn a_treatment_needs_a_stack_that_serves_its_workload() {
    let root = sound();
    write(
        root.path(),
        "stacks/one/stack.toml",
        &STACK.replace(", \"plain\"]", "]"),
    );
    let faults = Catalog::scan(root.path()).faults;
    assert_eq!(faults.len(), 1);
    assert_eq!(
        faults[0].to_string(),
        "experiments/try/experiment.toml:18: workload: the stack `one` does not serve `plain`; use one of `rows`"
    );
}

#[test]
fn a_name_is_given_once() {
    let faults = faults(
        "experiments/try/experiment.toml",
        "name = \"b\"",
        "name = \"a\"",
    );
    assert_eq!(
        faults[0],
        "experiments/try/experiment.toml:16: name: `a` is there twice; give each another one"
    );
    in_stack(
        "[\"rows\", \"plain\"]",
        "[\"rows\", \"plain\", \"rows\"]",
        "7: workloads: `rows` is there twice; remove one",
    );
}

#[test]
fn figures_have_ranges() {
    in_experiment(
        "budget_s = 60",
        "budget_s = 0",
        "6: budget_s: nothing would be measured with 0; give 1 or more",
    );
    in_experiment(
        "budget_s = 60",
        "budget_s = 60\nrelevant_difference_ratio = 1.0",
        "7: relevant_difference_ratio: 1 is not a difference that can be looked for; give a ratio above 0 and below 1, for instance 0.05 for five per cent",
    );
    in_experiment(
        "budget_s = 60",
        "budget_s = 60\nrate_ratio_of_slowest = 1.5",
        "7: rate_ratio_of_slowest: 1.5 is not a share of a capacity; give a ratio above 0 and at most 1",
    );
    in_experiment(
        "budget_s = 60",
        "budget_s = 60\nslice_s = nan",
        "7: slice_s: NaN s is not the length of a slice; give seconds above 0",
    );
    in_experiment(
        "budget_s = 60",
        "budget_s = 60\nmax_blocks = 2",
        "7: max_blocks: 2 blocks at most are fewer than the 8 at least; raise max_blocks or lower min_blocks",
    );
    in_experiment(
        "workload = \"plain\"",
        "workload = \"plain\"\nworkers = 0",
        "19: workers: a service needs a worker; give 1 or more",
    );
}

#[test]
fn a_pool_is_divided_over_the_workers() {
    in_experiment(
        "db_pool_size = 10",
        "db_pool_size = 10\nworkers = 4",
        "13: db_pool_size: 10 connections cannot be divided over 4 workers (10 = 2×4 + 2); use 8 or 12",
    );
    in_experiment(
        "db_pool_size = 10",
        "db_pool_size = 8\ndb_pool_idle = 2\nworkers = 4",
        "14: db_pool_idle: 2 connections cannot be divided over 4 workers (2 = 0×4 + 2); use 4",
    );
    in_experiment(
        "db_pool_size = 10",
        "db_pool_size = 8\ndb_pool_idle = 9",
        "14: db_pool_idle: 9 idle connections do not fit into a pool of 8; give at most 8",
    );
    in_experiment(
        "db_pool_size = 10",
        "db_pool_size = 0",
        "13: db_pool_size: a pool of 0 connections can answer nothing; give 1 or more for each worker",
    );
}

#[test]
fn a_pool_belongs_to_a_workload_with_a_database_and_to_no_other() {
    in_experiment(
        "db_pool_size = 10\n",
        "",
        "9: db_pool_size: the workload `rows` has a database; add the connections of the whole service",
    );
    in_experiment(
        "workload = \"plain\"",
        "workload = \"plain\"\ndb_pool_size = 4",
        "19: db_pool_size: the workload `plain` has no database; remove it",
    );
}

#[test]
fn the_environment_that_the_bench_sets_cannot_be_set_besides() {
    in_experiment(
        "workload = \"plain\"",
        "workload = \"plain\"\nenv = { PORT = \"80\" }",
        "19: PORT: the bench sets it; remove it: the bench chooses the port",
    );
    in_stack(
        "command = [\"one\"]",
        "command = [\"one\"]\nenv = { WORKERS = \"4\" }",
        "13: WORKERS: the bench sets it; remove it: use `workers` of the treatment",
    );
}

#[test]
fn a_claim_says_how_it_is_tested_or_why_it_cannot_be() {
    let claim = "connections = 10\n\n[[claim]]\nid = \"1\"\nquote = \"It is faster.\"";
    in_experiment(
        "connections = 10",
        claim,
        "9: metric: the claim `1` says neither how it is tested nor why it cannot be; add `metric`, `treatment` and `against` or `against_level`, or else `untestable`",
    );
}

#[test]
fn a_claim_that_holds_something_against_itself_is_refused() {
    let claim = |keys: &str| {
        format!(
            "connections = 10\nconcurrencies = [50]\n\n[[claim]]\nid = \"1\"\nquote = \"It degrades.\"\n\
             metric = \"completion_rate_per_s\"\ntreatment = \"a\"\n{keys}"
        )
    };
    let fault = |keys: &str| {
        let found = faults(
            "experiments/try/experiment.toml",
            "connections = 10",
            &claim(keys),
        );
        found.first().cloned().unwrap_or_default()
    };
    for (keys, says) in [
        (
            "level = \"c50\"\nagainst_level = \"c50\"",
            "a figure against itself",
        ),
        (
            "against = \"b\"\nbeside_treatment = \"a\"",
            "a ratio against itself",
        ),
        (
            "against = \"b\"\nagainst_level = \"c50\"\nbeside_treatment = \"b\"",
            "takes both sides of each at one level",
        ),
        (
            "against = \"b\"\nbeside_treatment = \"b\"\nlike_for_like_treatment = \"b\"",
            "the second ratio has no like-for-like treatments",
        ),
        ("against_level = \"c9\"", "no level `c9`"),
        ("against_level = \"c50\"", ""),
        ("against = \"b\"\nbeside_level = \"c50\"", ""),
    ] {
        assert!(fault(keys).contains(says), "{keys}: {}", fault(keys));
        assert_eq!(
            fault(keys).is_empty(),
            says.is_empty(),
            "{keys}: {}",
            fault(keys)
        );
    }
}

#[test]
fn a_metric_ends_in_its_unit_and_is_known_to_whoever_measures() {
    in_experiment(
        "budget_s = 60",
        "budget_s = 60\nprimary_metric = \"speed\"",
        "7: primary_metric: `speed` is not the name of a metric; give one that ends in its unit: _us, _ns, _per_s, _bytes, _ratio, _count",
    );
    let root = sound();
    let catalog = Catalog::scan(root.path());
    let experiment = catalog.experiment("try").unwrap();
    let metric = experiment.manifest.primary_metric.as_str();
    assert_eq!(experiment.metric_faults(&["other_ns", metric]), []);
    assert_eq!(
        experiment.metric_faults(&["other_ns"])[0].to_string(),
        format!(
            "experiments/try/experiment.toml:1: primary_metric: there is no metric `{metric}`; use one of `other_ns`"
        )
    );
}

#[test]
fn a_pool_above_what_the_server_admits_is_named_with_the_arithmetic_unless_it_is_allowed() {
    let root = sound();
    let catalog = Catalog::scan(root.path());
    let experiment = catalog.experiment("try").unwrap();
    assert_eq!(experiment.pool_faults(13, 3), []);
    assert_eq!(
        experiment.pool_faults(12, 3)[0].to_string(),
        "experiments/try/experiment.toml:13: db_pool_size: 10 connections are more than the database admits \
         (12 max_connections − 3 reserved = 9); use 9 or fewer, or say allow_pool_overflow = true to see what happens"
    );
    let allowed = EXPERIMENT.replace("budget_s", "allow_pool_overflow = true\nbudget_s");
    write(root.path(), "experiments/try/experiment.toml", &allowed);
    let catalog = Catalog::scan(root.path());
    assert_eq!(catalog.experiment("try").unwrap().pool_faults(12, 3), []);
}

#[test]
fn a_treatment_can_name_files() {
    in_experiment(
        "workload = \"plain\"",
        "workload = \"plain\"\n\n[[treatment]]\nname = \"B/c\"\nstack = \"one\"\nworkload = \"plain\"",
        "21: name: `B/c` cannot name the files of a trial; give at most 40 of a to z, 0 to 9, -, _ and ., a letter or digit first",
    );
}

#[test]
fn an_experiment_carries_the_faults_of_the_entries_it_names() {
    let root = sound();
    write(
        root.path(),
        "stacks/one/stack.toml",
        &STACK.replace("title", "titel"),
    );
    let catalog = Catalog::scan(root.path());
    let error = catalog.experiment("try").unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines.len(), 3, "{error}");
    assert_eq!(
        lines[0],
        "experiments/try/experiment.toml:11: stack: something is wrong with it; correct stacks/one/stack.toml"
    );
    assert_eq!(
        lines[2],
        "stacks/one/stack.toml:2: titel: unknown key; did you mean `title`?"
    );
}

#[test]
fn loads_have_ranges_and_levels_have_one_name_each() {
    for (keys, expected) in [
        (
            "concurrencies = [1, 0]",
            "8: concurrencies: 0 is not a number of connections; give 1 to 28000",
        ),
        (
            "concurrencies = [1, 10, 1]",
            "8: concurrencies: it is there twice; remove one",
        ),
        (
            "own_capacity_ratios = [0.3, 0.3]",
            "8: own_capacity_ratios: it is there twice; remove one",
        ),
        (
            "own_capacity_ratios = [-0.5]",
            "8: own_capacity_ratios: -0.5 is not a share of a capacity; give ratios above 0, for instance 0.6; at most 2",
        ),
        (
            "objective = \"p99\"",
            "8: objective: `p99` is not an objective; write it like p99<50ms: a percentile, <, and a time in us, ms or s",
        ),
        (
            "cold_requests = 100",
            "8: cold_requests: it needs a service that is alone; add `design = \"solo_trials\"`",
        ),
        (
            "design = \"solo_trails\"",
            "8: design: `solo_trails` is not a value it can have; did you mean `solo_trials`?",
        ),
        (
            "design = \"solo_trials\"\nusers = 10",
            "9: users: it is not said over which time they begin; add `ramp_up_s`",
        ),
        (
            "ramp_up_s = 1",
            "8: ramp_up_s: there are no `users`; add them",
        ),
        (
            "design = \"solo_trials\"\nusers = 10\nramp_up_s = 1\nrequests_per_user = 0",
            "11: requests_per_user: a user who asks nothing measures nothing; give 1 or more",
        ),
    ] {
        let with = format!("connections = 10\n{keys}");
        in_experiment("connections = 10", &with, expected);
    }
}

#[test]
fn a_manifest_with_every_load_is_sound_and_names_its_levels() {
    let keys = "connections = 10\ndesign = \"solo_trials\"\nconcurrencies = [1, 50]\nown_capacity_ratios = [0.3, 0.6]\n\
        objective = \"p99<50ms\"\ncold_requests = 100\nusers = 10\nramp_up_s = 0.5\nkeep_alive = false";
    let root = sound();
    let text = EXPERIMENT.replace("connections = 10", keys);
    write(root.path(), "experiments/try/experiment.toml", &text);
    let catalog = Catalog::scan(root.path());
    assert_eq!(catalog.faults, []);
    let manifest = &catalog.experiment("try").unwrap().manifest;
    assert_eq!(
        manifest.levels(),
        ["c1", "c50", "own30", "own60", "slo", "cold", "ramp"]
    );
    assert!(!manifest.keep_alive);
}

#[test]
fn a_claim_and_a_published_figure_name_levels_and_treatments_that_are_there() {
    let claim = "connections = 10\nconcurrencies = [50]\n\n[[claim]]\nid = \"1\"\nquote = \"It is faster.\"\n\
        metric = \"goodput_per_s\"\ntreatment = \"a\"\nagainst = \"b\"\n";
    in_experiment(
        "connections = 10",
        &format!("{claim}level = \"c5\""),
        "16: level: the experiment measures no level `c5`; did you mean `c50`?",
    );
    in_experiment(
        "connections = 10",
        &format!("{claim}like_for_like_against = \"z\""),
        "16: like_for_like_against: there is no treatment `z`; did you mean `a`?",
    );
    in_experiment(
        "connections = 10",
        &format!(
            "{claim}\n[[published]]\ntreatment = \"a\"\nmetric = \"goodput_per_s\"\nvalue = -1"
        ),
        "20: value: -1 is not a figure; give a number, 0 or more",
    );
    let root = sound();
    let row = "\n[[published]]\ntreatment = \"a\"\nmetric = \"other_ns\"\nvalue = 1";
    let text = format!("{EXPERIMENT}{row}");
    write(root.path(), "experiments/try/experiment.toml", &text);
    let catalog = Catalog::scan(root.path());
    let experiment = catalog.experiment("try").unwrap();
    let known = experiment.manifest.primary_metric.as_str();
    let faults = experiment.metric_faults(&[known]);
    let fault = faults[0].to_string();
    assert!(
        fault.contains(": metric: there is no metric `other_ns`"),
        "{fault}"
    );
    assert_eq!(faults[0].line, Some(22));
}

#[test]
fn a_treatment_may_change_what_it_is_asked_and_what_its_database_is_set_to() {
    for (keys, expected) in [
        (
            "path = \"rows\"",
            "13: path: `rows` is not a request target; start it with / and percent-encode blanks and what is not ASCII",
        ),
        (
            "feed = \"other.txt\"",
            "13: feed: there is no feed `other.txt` in the workload `rows`; add the file there or correct the name",
        ),
        (
            "database_settings = { port = 1 }",
            "13: port: the bench sets it; remove it",
        ),
        (
            "database_settings = { max_connections = 0 }",
            "13: max_connections: 0 is not a number of connections; give a whole number from 1 to 10000",
        ),
        (
            "after = \"a\"",
            "13: after: `a` would stand on itself; name the rung below, or remove it from the lowest",
        ),
        (
            "after = \"c\"",
            "13: after: there is no treatment `c`; did you mean `a`?",
        ),
    ] {
        let with = format!("workload = \"rows\"\n{keys}");
        in_experiment("workload = \"rows\"", &with, expected);
    }
    in_experiment(
        "workload = \"plain\"",
        "workload = \"plain\"\ndatabase_settings = { max_connections = 100 }",
        "19: database_settings: the workload `plain` has no database; remove it",
    );
}

#[test]
fn a_pool_is_held_against_the_connections_of_its_own_server() {
    let root = sound();
    let text = EXPERIMENT.replace(
        "db_pool_size = 10",
        "db_pool_size = 110\ndatabase_settings = { max_connections = 200, work_mem = \"8MB\" }",
    );
    write(root.path(), "experiments/try/experiment.toml", &text);
    let catalog = Catalog::scan(root.path());
    assert_eq!(catalog.experiment("try").unwrap().pool_faults(100, 3), []);
}

#[test]
fn a_tool_is_a_program_of_the_path_with_a_limit() {
    let tool = |text: &str| format!("connections = 10\n\n[[tool]]\n{text}");
    in_experiment(
        "connections = 10",
        &tool("name = \"bin/wrk\"\nargs = [\"{url}\"]"),
        "10: name: `bin/wrk` is not the name of a program on the PATH; give a program without a folder",
    );
    in_experiment(
        "connections = 10",
        &tool("name = \"wrk\"\nargs = []\nwithin_s = 0"),
        "12: within_s: 0 s is not a limit; give seconds, 1 to 3600",
    );
}
