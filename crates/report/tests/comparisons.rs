//! What may be said of two runs that were not measured together.
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod fixture;

use fixture::{Fixture, cost};
use record::TrialStatus;
use report::{
    Ahead, CompareChoices, CompareError, Comparison, Loss, Recorded, Verdict, compare_json,
    compare_markdown, compare_terminal,
};

/// Two treatments and a twin, their costs given, on a machine `machine` times as slow.
fn run(name: &str, base: f64, other: f64, machine: f64) -> Recorded {
    let mut fixture = Fixture::new()
        .treatment("base", "Base")
        .treatment("other", "Other | one")
        .twin("base")
        .measured("base", cost(base * machine), 8, 0.02)
        .measured("other", cost(other * machine), 8, 0.02)
        .measured("base~twin", cost(base * machine), 8, 0.02)
        .ended("precision");
    fixture.run.run = name.to_owned();
    Recorded {
        run: fixture.run,
        trials: fixture.trials,
    }
}

fn compared(before: &Recorded, after: &Recorded) -> Comparison {
    Comparison::of(before, after, &CompareChoices::default()).unwrap()
}

#[test]
fn a_slower_machine_changes_every_figure_and_no_verdict() {
    let (before, after) = (run("a", 100.0, 200.0, 1.0), run("b", 100.0, 200.0, 1.7));
    let found = compared(&before, &after);
    let other = &found.treatments[1];
    assert!((other.unpaired.ratio - 1.7).abs() < 1e-9);
    let judged = other.through_baseline.as_ref().unwrap();
    assert!((judged.change.ratio - 1.0).abs() < 1e-9);
    assert_eq!(judged.verdict, Verdict::PracticallyEqual);
    assert!(found.treatments[0].through_baseline.is_none());
}

#[test]
fn a_treatment_that_became_slower_is_called_so_by_at_least_less_than_it_did() {
    let (before, after) = (run("a", 100.0, 200.0, 1.0), run("b", 100.0, 260.0, 1.3));
    let found = compared(&before, &after);
    let judged = found.treatments[1].through_baseline.as_ref().unwrap();
    assert!(judged.is_slower() && judged.ahead == Ahead::Before);
    assert!(
        matches!(judged.verdict, Verdict::Faster { at_least_ratio } if at_least_ratio > 0.05 && at_least_ratio < 0.3)
    );
    assert!(
        judged.sentence.contains("became slower by at least"),
        "{}",
        judged.sentence
    );
    let back = compared(&after, &before);
    let turned = back.treatments[1].through_baseline.as_ref().unwrap();
    assert!((turned.change.ratio * judged.change.ratio - 1.0).abs() < 1e-9);
    assert!(matches!((turned.verdict, judged.verdict),
        (Verdict::Faster { at_least_ratio: one }, Verdict::Faster { at_least_ratio: other }) if (one - other).abs() < 1e-9));
    assert_eq!(turned.ahead, Ahead::After);
}

#[test]
fn with_one_shared_treatment_there_is_no_verdict_only_unpaired_figures() {
    let alone = |name: &str, cpu: f64| {
        let mut fixture =
            Fixture::new()
                .treatment("base", "Base")
                .measured("base", cost(cpu), 8, 0.02);
        fixture.run.run = name.to_owned();
        Recorded {
            run: fixture.run,
            trials: fixture.trials,
        }
    };
    let found = compared(&alone("a", 100.0), &alone("b", 300.0));
    assert_eq!(found.baseline, None);
    assert!(found.treatments[0].through_baseline.is_none());
    assert!(found.treatments[0].unpaired.low_ratio.unwrap() > 2.0);
    assert!(
        found.summary.starts_with("Nothing can be said"),
        "{}",
        found.summary
    );
    for text in [
        compare_terminal(&found, 80, false),
        compare_markdown(&found),
    ] {
        assert!(text.contains("unpaired"), "{text}");
    }
}

#[test]
fn a_workload_that_was_changed_in_between_is_another_question() {
    let mut before = run("a", 100.0, 200.0, 1.0);
    let mut after = run("b", 100.0, 200.0, 1.0);
    let key = "workload/list".to_owned();
    before
        .run
        .catalog
        .insert(key.clone(), serde_json::json!({"path": "/users"}));
    after
        .run
        .catalog
        .insert(key, serde_json::json!({"path": "/users?limit=10"}));
    let error = Comparison::of(&before, &after, &CompareChoices::default()).unwrap_err();
    assert!(
        matches!(&error, CompareError::NothingShared { reasons, .. } if reasons.contains("workload/list")),
        "{error}"
    );
}

#[test]
fn a_treatment_that_is_asked_for_another_path_or_feed_is_another_question() {
    for (key, value) in [("path", "/users?limit=500"), ("feed", "large.txt")] {
        let before = run("a", 100.0, 200.0, 1.0);
        let mut after = run("b", 100.0, 200.0, 1.0);
        let manifest = serde_json::json!({"treatment": [{"name": "other", key: value}]});
        let entry = format!("experiment/{}", after.run.experiment);
        after.run.catalog.insert(entry, manifest);
        let found = compared(&before, &after);
        assert_eq!(found.treatments.len(), 1);
        let not = &found.not_compared[0];
        assert_eq!((not.treatment.as_str(), not.loss), ("other", Loss::None));
        assert!(
            not.reason.contains(key) && not.reason.contains(value),
            "{}",
            not.reason
        );
    }
}

#[test]
fn what_the_second_run_lost_is_told_from_what_is_new_and_from_what_the_machine_spoiled() {
    let spoiled = |recorded: &mut Recorded, reason: &str| {
        for trial in recorded
            .trials
            .iter_mut()
            .filter(|trial| trial.treatment == "other")
        {
            trial.status = TrialStatus::Invalid;
            trial.reasons = vec![reason.to_owned()];
        }
    };
    let sound = || run("a", 100.0, 200.0, 1.0);
    let loss = |before: &Recorded, after: &Recorded| compared(before, after).not_compared[0].loss;
    let cases = [
        (
            "answers: of 10000 requests: 1 unexpected_status",
            Loss::Broken,
        ),
        ("service: the process exited with status 1", Loss::Broken),
        ("offered: 90.0 answers/s of 100.0 arrivals/s", Loss::Unknown),
    ];
    for (reason, wanted) in cases {
        let mut after = run("b", 100.0, 200.0, 1.0);
        spoiled(&mut after, reason);
        assert_eq!(loss(&sound(), &after), wanted, "{reason}");
        assert!(
            compared(&sound(), &after).not_compared[0]
                .reason
                .contains(reason)
        );
        // What was unusable before is not lost, whatever it is now.
        assert_eq!(loss(&after, &sound()), Loss::None);
    }
    let mut without = run("b", 100.0, 200.0, 1.0);
    without.run.treatments.retain(|one| one.name != "other");
    without.trials.retain(|trial| trial.treatment != "other");
    assert_eq!(loss(&sound(), &without), Loss::Unknown);
    assert_eq!(loss(&without, &sound()), Loss::None);
}

#[test]
fn that_every_treatment_broke_is_told_and_not_refused() {
    let before = run("a", 100.0, 200.0, 1.0);
    let spoiled = |reason: &str| {
        let mut after = run("b", 100.0, 200.0, 1.0);
        for trial in &mut after.trials {
            trial.status = TrialStatus::Invalid;
            trial.reasons = vec![reason.to_owned()];
        }
        Comparison::of(&before, &after, &CompareChoices::default())
    };
    let found = spoiled("answers: of 10000 requests: 1 unexpected_status").unwrap();
    assert!(found.treatments.is_empty() && found.baseline.is_none());
    assert!(
        found
            .not_compared
            .iter()
            .all(|one| one.loss == Loss::Broken)
    );
    assert!(found.summary.starts_with("Nothing can be said"));
    for text in [
        compare_terminal(&found, 80, false),
        compare_markdown(&found),
    ] {
        assert!(
            text.contains("unexpected") && text.contains("status"),
            "{text}"
        );
    }
    // What the machine spoiled is measured again; it says nothing of the treatments.
    let error = spoiled("offered: 90.0 answers/s of 100.0 arrivals/s").unwrap_err();
    assert!(
        matches!(error, CompareError::NothingShared { .. }),
        "{error}"
    );
}

#[test]
fn a_baseline_that_did_worse_by_more_than_what_matters_is_told_from_one_that_did_not() {
    let before = run("a", 100.0, 200.0, 1.0);
    let worse = |base: f64, other: f64| {
        compared(&before, &run("b", base, other, 1.0)).baseline_worse_ratio()
    };
    assert_eq!(worse(100.0, 200.0), None);
    assert_eq!(worse(102.0, 200.0), None, "less than what matters");
    assert_eq!(worse(60.0, 200.0), None, "better");
    assert_eq!(worse(100.0, 400.0), None, "another's change");
    assert!(worse(300.0, 200.0).is_some_and(|at_least| at_least > 1.0 && at_least < 2.0));
    let metric = Some("completion_rate_per_s".to_owned());
    let choices = CompareChoices {
        metric,
        ..CompareChoices::default()
    };
    let mut slower = run("b", 100.0, 200.0, 1.0);
    for trial in &mut slower.trials {
        *trial.metrics.get_mut("completion_rate_per_s").unwrap() /= 2.0;
    }
    let rates = |one: &Recorded, other: &Recorded| {
        Comparison::of(one, other, &choices)
            .unwrap()
            .baseline_worse_ratio()
    };
    assert!(rates(&before, &slower).is_some(), "a lower rate is worse");
    slower.run.run = "c".to_owned();
    assert_eq!(rates(&slower, &before), None);
}

#[test]
fn the_bar_for_slower_is_that_of_the_metric_that_is_compared() {
    let (before, mut after) = (run("a", 100.0, 200.0, 1.0), run("b", 100.0, 200.0, 1.0));
    // The twin repeats the CPU time, and not the memory.
    for trial in after
        .trials
        .iter_mut()
        .filter(|trial| trial.treatment == "base~twin")
    {
        *trial.metrics.get_mut("memory_peak_bytes").unwrap() *= 1.5;
    }
    let on = |metric: &str| {
        let choices = CompareChoices {
            metric: Some(metric.to_owned()),
            ..CompareChoices::default()
        };
        Comparison::of(&before, &after, &choices)
    };
    let bound = |metric: &str| on(metric).unwrap().bound_ratio.unwrap();
    assert!(bound("memory_peak_bytes") > 0.4 && bound("service_cpu_per_good_answer_us") < 0.1);
}

#[test]
fn a_tail_is_not_compared_block_by_block_between_runs() {
    let with_p99 = |mut recorded: Recorded| {
        for trial in &mut recorded.trials {
            let p99 = trial.metrics["response_p90_ns"] * 2.0;
            trial.metrics.insert("response_p99_ns".to_owned(), p99);
        }
        recorded
    };
    let before = with_p99(run("a", 100.0, 200.0, 1.0));
    let after = with_p99(run("b", 100.0, 200.0, 1.0));
    let exploratory = &compared(&before, &after).treatments[1].exploratory;
    assert!(!exploratory.contains_key("response_p99_ns"));
    assert!(exploratory.contains_key("response_p90_ns"));
    let choices = CompareChoices {
        metric: Some("response_p99_ns".to_owned()),
        ..CompareChoices::default()
    };
    let error = Comparison::of(&before, &after, &choices).unwrap_err();
    assert_eq!(
        error,
        CompareError::TailMetric("response_p99_ns".to_owned())
    );
}

#[test]
fn a_run_is_not_compared_with_itself_and_an_unknown_baseline_is_refused_with_the_known() {
    let before = run("a", 100.0, 200.0, 1.0);
    let same = Comparison::of(&before, &before, &CompareChoices::default());
    assert_eq!(same.unwrap_err(), CompareError::SameRun("a".to_owned()));
    let choices = CompareChoices {
        baseline: Some("nobody".to_owned()),
        ..CompareChoices::default()
    };
    let error = Comparison::of(&before, &run("b", 1.0, 2.0, 1.0), &choices).unwrap_err();
    assert!(error.to_string().contains("base, other"), "{error}");
}

#[test]
fn every_difference_of_machine_version_and_setting_is_listed() {
    let before = run("a", 100.0, 200.0, 1.0);
    let mut after = run("b", 100.0, 200.0, 1.0);
    after.run.environment.kernel = Some("7.1".to_owned());
    after
        .run
        .environment
        .versions
        .insert("go".to_owned(), "1.99".to_owned());
    after.run.design.seed += 1;
    after.run.treatments[0]
        .settings
        .insert("WORKERS".to_owned(), "2".to_owned());
    let found = compared(&before, &after);
    let listed: Vec<(&str, &str)> = found
        .differences
        .iter()
        .map(|one| (one.area.as_str(), one.key.as_str()))
        .collect();
    assert_eq!(
        listed,
        [
            ("machine", "kernel"),
            ("versions", "go"),
            ("treatment base", "WORKERS")
        ]
    );
    assert!(
        found
            .caveats
            .iter()
            .any(|caveat| caveat.contains("not the same in both runs"))
    );
}

#[test]
fn a_noisier_pair_of_twins_raises_the_bar_for_slower() {
    let (before, mut after) = (run("a", 100.0, 200.0, 1.0), run("b", 100.0, 250.0, 1.0));
    assert!(
        compared(&before, &after).treatments[1]
            .through_baseline
            .as_ref()
            .unwrap()
            .is_slower()
    );
    for trial in after
        .trials
        .iter_mut()
        .filter(|trial| trial.treatment == "base~twin")
    {
        for value in trial.metrics.values_mut() {
            *value *= 1.5;
        }
    }
    let found = compared(&before, &after);
    assert!(found.bound_ratio.unwrap() > 0.4);
    assert!(
        !found.treatments[1]
            .through_baseline
            .as_ref()
            .unwrap()
            .is_slower()
    );
}

#[test]
fn a_title_with_markup_or_control_characters_stays_text() {
    let before = run("a", 100.0, 200.0, 1.0);
    let mut after = run("b", 100.0, 200.0, 1.0);
    after.run.title = "<script>\u{1b}[2J".to_owned();
    let found = compared(&before, &after);
    assert!(!compare_markdown(&found).contains("<script>"));
    assert!(!compare_terminal(&found, 80, false).contains('\u{1b}'));
}

#[test]
fn a_comparison_at_80_columns() {
    let (before, after) = (run("a", 100.0, 200.0, 1.0), run("b", 100.0, 260.0, 1.3));
    let drawn = compare_terminal(&compared(&before, &after), 80, false);
    assert!(drawn.lines().all(|line| line.chars().count() <= 80));
    insta::assert_snapshot!(drawn);
}

#[test]
fn a_comparison_in_markdown() {
    let (before, after) = (run("a", 100.0, 200.0, 1.0), run("b", 100.0, 260.0, 1.3));
    insta::assert_snapshot!(compare_markdown(&compared(&before, &after)));
}

#[test]
fn a_comparison_in_json_names_both_runs_and_every_treatment() {
    let (before, after) = (run("a", 100.0, 200.0, 1.0), run("b", 100.0, 260.0, 1.3));
    let document: serde_json::Value =
        serde_json::from_str(&compare_json(&compared(&before, &after))).unwrap();
    assert_eq!(document["schema"], "bancada.compare/1");
    assert_eq!(
        document["treatments"][1]["through_baseline"]["verdict"],
        "faster"
    );
    assert_eq!(
        document["treatments"][1]["through_baseline"]["ahead"],
        "before"
    );
}
