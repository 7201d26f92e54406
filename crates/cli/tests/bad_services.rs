//! Services that are wrong on purpose are refused or end INVALID, with the right reason; the sound one is measured.

mod support;

use support::{Bench, stderr};

/// Each fault with words that its reason must hold.
const FAULTS: [(&str, &str, &str); 10] = [
    ("wrong-field", "wrong-field", "username"),
    ("missing-row", "missing-row", "body"),
    ("other-order", "other-order", "user_id"),
    ("number-as-string", "number-as-string", "\"1\""),
    ("error-body", "error-body", "body"),
    ("sometimes-500", "sometimes-500", "unexpected_status"),
    ("never-ready", "never-ready", "no right answer within 3 s"),
    ("exits", "exits-at 100", "exited"),
    ("ignores-sigterm", "ignores-sigterm", "did not stop"),
    ("leaves-a-child", "leaves-a-child", "behind"),
];

#[test]
fn a_service_that_is_wrong_is_refused_or_invalid_for_the_right_reason_and_the_others_are_compared()
{
    let bench = Bench::new(false);
    bench.stack("sound", "ok");
    let mut names = vec!["sound"];
    for (name, mode, _) in FAULTS {
        bench.stack(name, mode);
        names.push(name);
    }
    bench.experiment("faults", &names, 1, None);
    let output = bench.run(&["run", "faults"]);
    let (run, trials) = (bench.run_json(), bench.trials());
    for (name, _, words) in FAULTS {
        let refused = run["skipped"].as_array().into_iter().flatten();
        let refused = refused
            .filter(|one| one["treatment"] == name)
            .map(|one| one["reason"].to_string());
        let invalid = trials
            .iter()
            .filter(|trial| trial["treatment"] == name && trial["status"] == "INVALID");
        let reasons: Vec<String> = refused
            .chain(invalid.map(|trial| trial["reasons"].to_string()))
            .collect();
        let plain = |text: &String| {
            text.replace("\\\"", "\"")
                .replace("\\\\", "\\")
                .replace("\\\"", "\"")
        };
        assert!(
            reasons.iter().any(|reason| plain(reason).contains(words)),
            "{name}: {reasons:?}"
        );
    }
    let sound: Vec<_> = trials
        .iter()
        .filter(|trial| trial["treatment"] == "sound")
        .collect();
    assert_eq!(sound.len(), 1, "{}", stderr(&output));
    // A busy machine may void its timing, never its answers.
    let reasons = sound[0]["reasons"].to_string();
    assert!(
        !reasons.contains("answers:") && !reasons.contains("service:"),
        "{reasons}"
    );
    // 1 when the machine was too busy for any figure to be used: the sound one's block is then void.
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_strict_run_fails_where_a_treatment_is_refused() {
    let bench = Bench::new(false);
    bench.stack("sound", "ok");
    bench.stack("wrong-field", "wrong-field");
    bench.experiment("strict", &["sound", "wrong-field"], 1, None);
    let output = bench.run(&["run", "strict", "--strict"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("wrong-field is refused"),
        "{}",
        stderr(&output)
    );
}
