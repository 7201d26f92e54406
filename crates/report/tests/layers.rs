//! Levels of load, layers of a ladder, and what answers cost.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod fixture;

use fixture::Fixture;
use fixture::article::article;
use record::{Level, Trial};
use report::{
    CapacityPlan, Findings, LevelFindings, Pair, Prices, Suffices, markdown, plan, priced, terminal,
};

fn prices() -> Prices {
    Prices {
        core_hour: 0.04,
        gib_hour: 0.005,
        currency: "USD".to_owned(),
        utilisation_ratio: 0.6,
    }
}

#[test]
fn levels_are_told_by_kind_and_held_against_the_baseline() {
    let findings = article().findings();
    let names: Vec<&str> = findings
        .levels
        .iter()
        .map(|level| level.level.as_str())
        .collect();
    assert_eq!(
        names,
        ["c1", "c10", "c50", "c100", "own30", "own60", "slo", "cold"]
    );
    let c10 = &findings.levels[1];
    assert_eq!(c10.leading_metric, "goodput_per_s");
    let ratio = c10
        .treatment("quick")
        .unwrap()
        .to_baseline
        .as_ref()
        .unwrap();
    assert!((ratio.ratio / 4.0 - 1.0).abs() < 0.05);
    // The control and the INVALID take no part; the baseline is held against nobody.
    assert_eq!(c10.treatments.len(), 4);
    assert_eq!(c10.pairs.len(), 3);
    assert_eq!(
        findings.levels[3].treatment("same").unwrap().failed_of(),
        (4240, 8080)
    );
}

/// Changes one level of the trials that `of` picks.
fn with_level(
    fixture: Fixture,
    of: impl Fn(&Trial) -> bool,
    level: &str,
    change: impl Fn(&mut Level),
) -> Fixture {
    fixture.with(of, |trial| {
        let found = trial.levels.iter_mut().find(|found| found.level == level);
        change(found.unwrap());
    })
}

fn level<'a>(findings: &'a Findings, name: &str) -> &'a LevelFindings {
    let mut levels = findings.levels.iter();
    levels.find(|level| level.level == name).unwrap()
}

/// Answers a hundred times as many requests, half of them with an error.
fn quick_errors(level: &mut Level) {
    for rate in level.metrics.values_mut() {
        *rate *= 100.0;
    }
    let outcomes = [("ok", 500), ("unexpected_status", 500)];
    level.outcomes = outcomes
        .map(|(name, count)| (name.to_owned(), count))
        .into();
}

#[test]
fn errors_answered_quickly_at_a_level_are_shown_and_never_win_there() {
    for name in ["c100", "cold"] {
        let of = |trial: &Trial| trial.treatment == "quick";
        let findings = with_level(article(), of, name, quick_errors).findings();
        let found = level(&findings, name);
        let quick = found.treatment("quick").unwrap();
        assert_eq!((quick.usable_count, quick.invalid_count), (0, 8));
        assert!(quick.figures.contains_key("goodput_per_s"));
        assert_eq!(quick.to_baseline, None);
        let names = |pair: &Pair| [pair.treatment.clone(), pair.against.clone()];
        let mut paired = found.pairs.iter().flat_map(names);
        assert!(paired.all(|name| name != "quick"));
        for text in [terminal(&findings, 100, false), markdown(&findings)] {
            assert!(text.contains("INVALID in 8 of 8 blocks"), "{text}");
        }
        // Its points at other concurrencies are three, and the law wants four.
        let laws = findings.scaling.iter();
        let has_law = laws.clone().any(|law| law.treatment == "quick");
        assert_eq!(has_law, name != "c100");
    }
}

#[test]
fn a_level_that_broke_in_one_block_is_compared_in_the_others() {
    let failed = |level: &mut Level, count: f64| {
        level
            .metrics
            .insert("failed_requests_count".to_owned(), count);
    };
    let all = |trial: &Trial| trial.treatment == "quick";
    let fixture = with_level(article(), all, "c100", |level| failed(level, 0.0));
    let of = |trial: &Trial| trial.trial == "b03-quick";
    let fixture = with_level(fixture, of, "c100", |level| {
        quick_errors(level);
        failed(level, 500.0);
    });
    let findings = fixture.findings();
    let c100 = level(&findings, "c100");
    let quick = c100.treatment("quick").unwrap();
    assert_eq!((quick.usable_count, quick.invalid_count), (7, 1));
    let ratio = quick.to_baseline.as_ref().unwrap();
    assert_eq!(ratio.blocks_count, 7);
    assert!((ratio.ratio / 4.0 - 1.0).abs() < 0.05, "{ratio:?}");
    assert_eq!(quick.figures["goodput_per_s"].blocks_count, 7);
    // What failed is counted where it failed.
    assert_eq!(quick.figures["failed_requests_count"].estimate, 500.0);
}

#[test]
fn a_block_that_found_no_capacity_leaves_none_to_compare_or_to_plan_with() {
    let of = |trial: &Trial| trial.trial == "b03-quick";
    let fixture = with_level(article(), of, "slo", |level| {
        level.metrics.clear();
        level.outcomes = [("ok".to_owned(), 0)].into();
    });
    let findings = fixture.findings();
    let slo = level(&findings, "slo");
    let quick = slo.treatment("quick").unwrap();
    assert!(!quick.figures.contains_key("capacity_under_objective_per_s"));
    assert_eq!(quick.to_baseline, None);
    let why = "in 1 of 8 blocks no rate kept the objective";
    assert!(
        quick.notes.iter().any(|note| note.contains(why)),
        "{:?}",
        quick.notes
    );
    let planned = plan(&findings, 2_000.0, 50e6, 0.6, None);
    let quick = planned
        .treatments
        .iter()
        .find(|one| one.treatment == "quick");
    let quick = quick.unwrap();
    assert_eq!(
        (quick.suffices, quick.cores_count),
        (Suffices::Unknown, None)
    );
    assert!(quick.basis.contains("no capacity"), "{}", quick.basis);
}

#[test]
fn a_percentile_that_some_block_lacks_is_no_figure_of_its_level() {
    let mut fixture = article();
    let trial = fixture
        .trials
        .iter_mut()
        .find(|trial| trial.trial == "b03-quick")
        .unwrap();
    let own30 = trial
        .levels
        .iter_mut()
        .find(|level| level.level == "own30")
        .unwrap();
    own30.metrics.remove("response_p90_ns");
    let findings = fixture.findings();
    let level = findings
        .levels
        .iter()
        .find(|level| level.level == "own30")
        .unwrap();
    let quick = level.treatment("quick").unwrap();
    assert!(!quick.figures.contains_key("response_p90_ns"));
    assert_eq!(quick.to_baseline, None);
    assert!(quick.figures.contains_key("response_p50_ns"));
}

#[test]
fn treatments_that_are_asked_for_something_else_are_not_compared() {
    let mut fixture = article();
    fixture.run.treatments[2].workload = Some("other".to_owned());
    let findings = fixture.findings();
    let quick = findings.levels[0].treatment("quick").unwrap();
    assert_eq!(quick.to_baseline, None);
    assert!(!quick.figures.is_empty());
}

#[test]
fn the_law_of_a_curve_is_found_again() {
    let findings = article().findings();
    let quick = findings
        .scaling
        .iter()
        .find(|found| found.treatment == "quick")
        .unwrap();
    assert_eq!(quick.points.len(), 4);
    assert!(
        (quick.contention_ratio / 0.08 - 1.0).abs() < 0.01,
        "{quick:?}"
    );
    assert!(
        (quick.coherency_ratio / 0.000_5 - 1.0).abs() < 0.02,
        "{quick:?}"
    );
}

#[test]
fn layers_stand_on_each_other_and_add_up() {
    let findings = article().findings();
    let ladder = findings.ladder.as_ref().unwrap();
    let rungs: Vec<(&str, usize)> = ladder
        .rungs
        .iter()
        .map(|rung| (rung.treatment.as_str(), rung.depth_count))
        .collect();
    assert_eq!(
        rungs,
        [("quick", 0), ("slow8", 1), ("slow", 2), ("same", 2)]
    );
    assert_eq!(ladder.rungs[0].added, None);
    for rung in &ladder.rungs[1..] {
        let added = rung.added.as_ref().unwrap();
        let (low, high) = (added.low.unwrap(), added.high.unwrap());
        assert!(low < added.estimate && added.estimate < high);
        assert_eq!(added.blocks_count, 8);
    }
    let mean = |name: &str| {
        let trials = article().trials;
        let of: Vec<f64> = trials
            .iter()
            .filter(|trial| trial.treatment == name)
            .map(|trial| trial.metrics["service_cpu_per_good_answer_us"])
            .collect();
        of.iter().sum::<f64>() / of.len() as f64
    };
    let sum: f64 = ladder.rungs[1..3]
        .iter()
        .map(|rung| rung.added.as_ref().unwrap().estimate)
        .sum();
    assert!((sum - (mean("slow") - mean("quick"))).abs() < 1e-6);
}

#[test]
fn a_ring_of_layers_is_no_ladder() {
    let mut fixture = article();
    fixture.run.treatments[2].after = Some("slow".to_owned());
    fixture.run.treatments[3].after = None;
    assert_eq!(fixture.findings().ladder, None);
}

#[test]
fn nothing_in_a_title_breaks_the_flowchart() {
    let mut fixture = article();
    fixture.run.treatments[2].title = "Quick\"] --> x; ```\n<script>".to_owned();
    let marked = markdown(&fixture.findings());
    let chart = marked.split("```mermaid\n").nth(1).unwrap();
    let chart = chart.split("```").next().unwrap();
    let arrows = chart.lines().filter(|line| line.contains("-->|")).count();
    assert_eq!(arrows, 3, "{chart}");
    assert!(
        !chart.contains("<script") && chart.lines().count() == 8,
        "{chart}"
    );
}

#[test]
fn what_answers_cost_goes_with_their_cpu_time_and_has_an_interval() {
    let findings = article().findings();
    let money = priced(&findings, &prices());
    assert_eq!(money.treatments[0].treatment, "quick");
    let of = |name: &str| {
        money
            .treatments
            .iter()
            .find(|found| found.treatment == name)
            .unwrap()
    };
    for found in &money.treatments {
        let figure = &found.money_per_million;
        assert!(figure.low.unwrap() < figure.estimate && figure.estimate < figure.high.unwrap());
        let with = found.money_per_million_with_database.as_ref().unwrap();
        assert!(with.estimate > figure.estimate);
    }
    // 60 µs are 60 core-seconds a million, 100 of them paid for; memory adds a little.
    let bare = 100.0 * 0.04 / 3_600.0;
    let quick = of("quick").money_per_million.estimate;
    assert!(quick > bare * 0.85 && quick < bare * 1.5, "{quick} {bare}");
    let saved = of("quick").saved_per_million.as_ref().unwrap();
    assert!(saved.low.unwrap() > 0.0);
    assert_eq!(of("slow").saved_per_million, None);
}

#[test]
fn a_plan_says_what_it_rests_on() {
    let findings = article().findings();
    // The objective that was measured is as strict as what is asked: its capacity counts.
    let measured = plan(&findings, 20_000.0, 50e6, 0.6, Some(&prices()));
    assert!(
        measured
            .treatments
            .iter()
            .all(|found| found.suffices == Suffices::Measured)
    );
    let quick = &measured.treatments[0];
    assert_eq!(
        (quick.treatment.as_str(), quick.cores_count),
        ("quick", Some(2))
    );
    assert!(quick.money_per_hour.unwrap() > 2.0 * 0.04);
    // A stricter bound than the objective was measured under: CPU time, and what the p99 says.
    let strict = plan(&findings, 20_000.0, 20e6, 0.6, None);
    assert!(
        strict
            .treatments
            .iter()
            .all(|found| found.suffices != Suffices::Measured)
    );
    let slow = strict
        .treatments
        .iter()
        .find(|found| found.treatment == "slow")
        .unwrap();
    assert!(slow.cores_count.unwrap() >= 8 && slow.money_per_hour.is_none());
    let told = |found: &CapacityPlan| {
        let quick = found.treatments.iter().find(|one| one.treatment == "quick");
        let quick = quick.unwrap();
        (quick.suffices, quick.basis.clone())
    };
    // A service that would take more than it was measured at: nothing is known of its p99 there.
    let (suffices, basis) = told(&strict);
    assert_eq!(suffices, Suffices::Unknown);
    assert!(basis.contains("was not measured at the"), "{basis}");
    assert!(basis.ends_with("; database not counted"), "{basis}");
    let (suffices, _) = told(&plan(&findings, 1_000.0, 20e6, 0.6, None));
    assert_eq!(suffices, Suffices::Expected);
    // Already broken on one service: on no number of cores.
    let broken = plan(&findings, 20_000.0, 1e3, 0.6, None);
    let refused = broken
        .treatments
        .iter()
        .find(|found| found.treatment == "slow")
        .unwrap();
    assert_eq!(
        (refused.suffices, refused.cores_count),
        (Suffices::No, None)
    );
}

#[test]
fn costs_and_plans_are_drawn_within_the_terminal() {
    let mut findings = article().findings();
    findings.priced = Some(priced(&findings, &prices()));
    findings.plan = Some(plan(&findings, 20_000.0, 50e6, 0.6, Some(&prices())));
    for columns in [80, 100, 160] {
        let drawn = terminal(&findings, columns, false);
        for line in drawn.lines() {
            let width = unicode_width::UnicodeWidthStr::width(line);
            assert!(width <= columns, "{width} > {columns}: {line}");
        }
    }
    let drawn = terminal(&findings, 80, false);
    let costs = drawn.split("A million answers at").nth(1).unwrap();
    insta::assert_snapshot!(costs.split("Setup").next().unwrap());
}
