//! A run that is repeated says what it does not share with its original, and its JSON report stays one document.

mod support;

use std::fs;

use support::{Bench, stderr, stdout};

#[test]
fn a_replay_tells_which_handlers_changed_in_between_and_prints_nothing_into_the_json_report() {
    let bench = Bench::new(false);
    bench.stack("one", "ok");
    bench.stack("other", "ok");
    bench.experiment("twice", &["one", "other"], 1, None);
    bench.run(&["run", "twice"]);
    let original = bench.run_dir().expect("a run");
    bench.write("stacks/other/README.md", "Wrong on purpose, and edited.\n");
    // Elsewhere, so that the only run under `runs/` is the repetition.
    let kept = bench.path().join("kept");
    fs::rename(&original, &kept).expect("the original is kept");
    let output = bench.run(&[
        "run",
        "--replay",
        kept.to_str().expect("UTF-8"),
        "--format",
        "json",
    ]);
    let said = stderr(&output);
    let report: serde_json::Value =
        serde_json::from_str(&stdout(&output)).unwrap_or_else(|error| panic!("{error}: {said}"));
    assert_eq!(report["experiment"], "twice");
    assert!(
        said.contains("note: changed since kept") && said.contains("Replay of "),
        "{said}"
    );
    let document = bench.run_dir().expect("a repetition").join("replay.json");
    let document: serde_json::Value =
        serde_json::from_slice(&fs::read(document).expect("replay.json")).expect("JSON");
    assert_eq!(document["changed"], serde_json::json!(["other/README.md"]));
    assert_eq!(document["schema"], "bancada.replay/1");
}
