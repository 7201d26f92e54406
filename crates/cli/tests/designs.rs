//! Solo trials, levels of load, groups and changes, each run on services that are known.

mod support;

use std::collections::BTreeSet;
use std::fs;

use support::{Bench, stderr};

/// Adds keys to an experiment, before its treatments.
fn add(bench: &Bench, experiment: &str, keys: &str) {
    let path = bench
        .path()
        .join(format!("experiments/{experiment}/experiment.toml"));
    let text = fs::read_to_string(&path).expect("the experiment");
    let text = text.replacen("\n[[treatment]]", &format!("{keys}\n\n[[treatment]]"), 1);
    fs::write(path, text).expect("the experiment");
}

fn level<'a>(trial: &'a serde_json::Value, name: &str) -> &'a serde_json::Value {
    let levels = trial["levels"].as_array().expect("levels");
    let found = levels.iter().find(|level| level["level"] == name);
    found.unwrap_or_else(|| panic!("no level {name} in {}", trial["trial"]))
}

#[test]
fn a_solo_trial_keeps_cold_levels_capacity_and_users_apart_from_its_main_figures() {
    let bench = Bench::new(false);
    bench.stack("sound", "ok");
    bench.experiment("solo", &["sound"], 1, None);
    add(
        &bench,
        "solo",
        "design = \"solo_trials\"\nconcurrencies = [1, 4]\nown_capacity_ratios = [0.2]\nobjective = \"p99<2s\"\n\
         cold_requests = 50\nusers = 20\nramp_up_s = 0.1\nrequests_per_user = 2",
    );
    let output = bench.run(&["run", "solo"]);
    let (run, trials) = (bench.run_json(), bench.trials());
    assert_eq!(run["design"]["kind"], "solo_trials", "{}", stderr(&output));
    let positions: BTreeSet<u64> = trials
        .iter()
        .filter_map(|one| one["position"].as_u64())
        .collect();
    assert_eq!(
        positions,
        BTreeSet::from([1, 2]),
        "the trial and its twin, one after the other"
    );
    for trial in &trials {
        assert_eq!(level(trial, "cold")["outcomes"]["ok"], 50);
        assert_eq!(level(trial, "cold")["load"], "cold");
        assert_eq!(level(trial, "ramp")["outcomes"]["ok"], 40);
        assert_eq!(level(trial, "ramp")["concurrency_count"], 20);
        assert!(level(trial, "c1")["metrics"]["completion_rate_per_s"].as_f64() > Some(0.0));
        let main = level(trial, "c4")["metrics"]["completion_rate_per_s"].as_f64();
        assert_eq!(main, trial["metrics"]["completion_rate_per_s"].as_f64());
        assert_eq!(level(trial, "own20")["load"], "open");
        let slo = level(trial, "slo");
        let told = slo["notes"]
            .as_array()
            .is_some_and(|notes| !notes.is_empty());
        let found = slo["metrics"]["capacity_under_objective_per_s"].as_f64() > Some(0.0);
        assert!(found || told, "a capacity or why there is none: {slo}");
        let slices = trial["slices"].as_array().expect("slices");
        let mains = slices.iter().filter(|slice| slice["level"].is_null());
        assert_eq!(
            mains.count(),
            2,
            "one open and one closed, as without levels"
        );
        assert_eq!(slices.len(), 4);
    }
}

#[test]
fn a_change_is_entered_as_a_second_treatment_of_the_same_stack() {
    let bench = Bench::new(false);
    bench.stack("sound", "ok");
    bench.stack("other", "ok");
    bench.experiment("change", &["sound", "other"], 1, None);
    let output = bench.run(&["run", "change", "--what-if", "sound:COLOUR=red"]);
    let (run, trials) = (bench.run_json(), bench.trials());
    let treatments = run["treatments"].as_array().expect("treatments");
    let changed = treatments
        .iter()
        .find(|one| one["name"] == "sound+COLOUR=red");
    let changed = changed.unwrap_or_else(|| panic!("{}", stderr(&output)));
    assert_eq!(changed["what_if_of"], "sound");
    assert_eq!(changed["settings"]["COLOUR"], "red");
    assert!(
        trials
            .iter()
            .any(|trial| trial["treatment"] == "sound+COLOUR=red")
    );
    let none = bench.run(&["run", "change", "--what-if", "sound:launch=none"]);
    assert_eq!(none.status.code(), Some(2), "{}", stderr(&none));
    assert!(
        stderr(&none).contains("no launch mode none"),
        "{}",
        stderr(&none)
    );
}

#[test]
fn too_many_treatments_for_one_block_are_run_in_groups_that_hold_the_baseline() {
    let bench = Bench::new(false);
    let names: Vec<String> = (0..10).map(|n| format!("s{n}")).collect();
    for name in &names {
        bench.stack(name, "ok");
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    bench.experiment("many", &names, 1, None);
    let output = bench.run(&["run", "many"]);
    let (run, trials) = (bench.run_json(), bench.trials());
    assert_eq!(
        run["design"]["services_at_once_count"],
        9,
        "{}",
        stderr(&output)
    );
    assert_eq!(run["design"]["max_blocks_count"], 2);
    let times = |name: &str| {
        trials
            .iter()
            .filter(|trial| trial["treatment"] == name)
            .count()
    };
    assert_eq!(times("s0"), 2, "the baseline is in both groups");
    assert_eq!(times("s0~twin"), 1);
    assert!(names[1..].iter().all(|name| times(name) == 1));
}

#[test]
fn a_tool_that_is_not_there_is_a_notice_and_one_that_has_no_arguments_is_refused() {
    let bench = Bench::new(false);
    bench.stack("sound", "ok");
    bench.experiment("tools", &["sound"], 1, None);
    let path = bench.path().join("experiments/tools/experiment.toml");
    let text = fs::read_to_string(&path).expect("the experiment");
    let tools = "\n[[tool]]\nname = \"no-such-generator\"\nargs = [\"{url}\"]\n\n[[tool]]\nname = \"echo\"\nargs = [\"Requests/sec: 12.5 {url}\"]\n";
    fs::write(&path, text + tools).expect("the experiment");
    let output = bench.run(&[
        "run",
        "tools",
        "--with",
        "no-such-generator",
        "--with",
        "echo",
    ]);
    let said = stderr(&output);
    assert!(
        said.contains("no-such-generator is not run: it is not on the PATH"),
        "{said}"
    );
    let lines = fs::read_to_string(bench.run_dir().expect("a run").join("tools.jsonl"));
    let lines = lines.expect("tools.jsonl");
    let first: serde_json::Value =
        serde_json::from_str(lines.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["said"]["completion_rate_per_s"], 12.5);
    assert!(first["ours"]["completion_rate_per_s"].as_f64() > Some(0.0));
    let output = bench.run(&["run", "tools", "--with", "hammer"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("it has no-such-generator, echo"),
        "{}",
        stderr(&output)
    );
}
