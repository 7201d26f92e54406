//! Every fate of a claim, from a run as it is recorded.

mod fixture;

use fixture::article::{article, claim, with_claims};
use fixture::{Fixture, cost};
use record::{AuditLine, AuditStatus, Level, TrialStatus};
use report::{ClaimVerdict, Findings, Verdict};
use serde_json::json;

#[test]
fn every_claim_has_its_fate_and_its_reason() {
    let findings = article().findings();
    let fates: Vec<(&str, &str)> = findings
        .claims
        .iter()
        .map(|claim| (claim.id.as_str(), claim.verdict.words()))
        .collect();
    assert_eq!(
        fates,
        [
            ("1", "reproduced"),
            ("2", "direction only"),
            ("3", "contradicted"),
            ("4", "contradicted"),
            ("5", "reproduced"),
            ("6", "reproduced"),
            ("7", "reproduced"),
            ("8", "cannot be tested here"),
            ("9", "cannot be tested here"),
            ("10", "cannot be tested here"),
            ("11", "cannot be tested here"),
            ("12", "direction only"),
        ]
    );
    let reason = |id: &str| match &claim(&findings, id).verdict {
        ClaimVerdict::CannotBeTestedHere { reason } => reason.clone(),
        other => panic!("{other:?}"),
    };
    assert!(
        reason("8").contains("1 in 100 answers had status 500"),
        "{}",
        reason("8")
    );
    assert!(
        reason("9").contains("go is not on the PATH"),
        "{}",
        reason("9")
    );
    assert!(reason("10").contains("measured here"), "{}", reason("10"));
    assert!(
        reason("11").contains("not measured at c200"),
        "{}",
        reason("11")
    );
    assert!(
        findings
            .notices
            .iter()
            .any(|notice| notice.contains("entry 13 of `claim`"))
    );
}

#[test]
fn a_treatment_that_is_invalid_throughout_is_out_for_what_failed_not_for_what_was_only_doubted() {
    let line = |check: &str, status, detail: &str| AuditLine {
        check: check.to_owned(),
        status,
        detail: detail.to_owned(),
    };
    let fixture = article().with(
        |trial| trial.treatment == "broken",
        |trial| {
            trial.reasons = vec!["fairness: uneven".to_owned(), "pool: too large".to_owned()];
            trial.audit = vec![
                line("fairness", AuditStatus::Warn, "uneven"),
                line("pool", AuditStatus::Fail, "too large"),
            ];
        },
    );
    let findings = fixture.findings();
    let said = &claim(&findings, "8").sentence;
    assert!(said.contains("is INVALID: pool: too large"), "{said}");
}

#[test]
fn a_claim_on_a_pair_of_the_verdicts_has_its_interval_and_its_words() {
    let findings = article().findings();
    let found = claim(&findings, "3").as_published.clone().unwrap();
    let pair = findings
        .pairs
        .iter()
        .find(|pair| (pair.treatment.as_str(), pair.against.as_str()) == ("quick", "slow"))
        .unwrap();
    let inverted = pair.ratio.inverted();
    assert!((found.ratio.low_ratio.unwrap() / inverted.low_ratio.unwrap() - 1.0).abs() < 1e-9);
    assert!((found.ratio.high_ratio.unwrap() / inverted.high_ratio.unwrap() - 1.0).abs() < 1e-9);
    assert_eq!(found.sentence, pair.sentence);
}

#[test]
fn what_the_setting_and_the_cold_phase_made_is_said_with_its_size() {
    let findings = article().findings();
    let first = claim(&findings, "1");
    // Put right, the other one is twice as fast, so the setting made a factor of two.
    let like = first.like_for_like.as_ref().unwrap();
    assert!((like.ratio.ratio / 2.0 - 1.0).abs() < 0.05, "{like:?}");
    let reason = &first.reasons[0];
    assert!(
        reason.contains("WORKERS 4 → 8") && reason.contains("multiplies the ratio by"),
        "{reason}"
    );
    let cold = claim(&findings, "7");
    let steady = cold.steady.as_ref().unwrap();
    assert!((steady.ratio.ratio / 4.0 - 1.0).abs() < 0.05, "{steady:?}");
    assert!(
        cold.reasons[0].starts_with("Without the cold phase the ratio is"),
        "{:?}",
        cold.reasons
    );
}

#[test]
fn one_block_leaves_every_claim_undecided() {
    let mut fixture = Fixture::new()
        .treatment("slow", "Slow")
        .treatment("quick", "Quick")
        .measured("slow", cost(240.0), 1, 0.02)
        .measured("quick", cost(60.0), 1, 0.02);
    let claim = json!({"claim": [
        {"id": "1", "quote": "Quick.", "metric": "service_cpu_per_good_answer_us", "treatment": "quick",
         "against": "slow", "published_ratio": 0.25}
    ]});
    fixture
        .run
        .catalog
        .insert("experiment/question".to_owned(), claim);
    let findings = fixture.findings();
    assert!(matches!(
        findings.claims[0].verdict,
        ClaimVerdict::Undecided { .. }
    ));
}

#[test]
fn a_noisy_pair_leaves_its_claim_undecided_and_says_how_far_it_is() {
    let mut fixture = Fixture::new()
        .treatment("slow", "Slow")
        .treatment("other", "Other")
        .measured("slow", cost(100.0), 8, 0.02)
        .measured("other", cost(104.0), 8, 0.02)
        .with(
            |trial| trial.treatment == "other" && trial.block % 2 == 0,
            |trial| {
                let cpu = trial.metrics.get_mut("service_cpu_per_good_answer_us");
                *cpu.unwrap() *= 1.5;
            },
        )
        .with(
            |trial| trial.treatment == "slow" && trial.block % 2 == 1,
            |trial| {
                let cpu = trial.metrics.get_mut("service_cpu_per_good_answer_us");
                *cpu.unwrap() *= 1.4;
            },
        );
    let claim = json!({"claim": [
        {"id": "1", "quote": "Other.", "metric": "service_cpu_per_good_answer_us", "treatment": "other",
         "against": "slow", "published_ratio": 1.5}
    ]});
    fixture
        .run
        .catalog
        .insert("experiment/question".to_owned(), claim);
    let findings = fixture.findings();
    let found = &findings.claims[0];
    assert!(
        matches!(
            found.verdict,
            ClaimVerdict::Undecided {
                more_blocks_count: Some(_)
            }
        ),
        "{found:?}"
    );
    assert!(matches!(
        findings.pairs[0].verdict,
        Verdict::Undecided { .. }
    ));
    assert!(found.sentence.contains("more block"), "{}", found.sentence);
    assert!(!found.sentence.contains("lies outside"), "{found:?}");

    // The same pair rules out what is far from it; that it may be equal is what is open anyway.
    let said = |published: f64| {
        let mut fixture = fixture.clone();
        let manifest = fixture.run.catalog.get_mut("experiment/question").unwrap();
        manifest["claim"][0]["published_ratio"] = json!(published);
        fixture.findings().claims[0].sentence.clone()
    };
    assert!(
        said(9.0).contains("; 9.00× lies outside that, only whether there is a difference is open"),
        "{}",
        said(9.0)
    );
    assert!(said(0.1).contains("lies outside"), "{}", said(0.1));
    assert!(!said(1.0).contains("lies outside"), "{}", said(1.0));
}

#[test]
fn a_claim_about_a_p99_is_judged_on_the_merged_percentile() {
    let mut fixture = article();
    let findings = fixture.findings();
    let found = claim(&findings, "12");
    let measured = found.as_published.as_ref().unwrap();
    let p99 = |name: &str| findings.treatment(name).unwrap().figures["response_p99_ns"].estimate;
    assert!((measured.ratio.ratio / (p99("quick") / p99("slow")) - 1.0).abs() < 1e-6);
    assert_eq!(measured.ratio.blocks_count, 8);
    assert_ne!(found.verdict.words(), "cannot be tested here");

    // Without the histograms of one block there is no such percentile.
    fixture.histograms.get_mut("b03-quick").unwrap().clear();
    let findings = fixture.findings();
    match &claim(&findings, "12").verdict {
        ClaimVerdict::CannotBeTestedHere { reason } => {
            assert!(reason.contains("too few answers"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_p99_is_compared_on_merged_histograms_even_where_every_block_has_one() {
    let merged = article().findings();
    // Figures of blocks that would say that both are alike.
    let per_block = article().with(
        |_| true,
        |trial| {
            trial.metrics.insert("response_p99_ns".to_owned(), 1e6);
        },
    );
    let found = per_block.findings();
    assert_eq!(claim(&found, "12"), claim(&merged, "12"));
}

#[test]
fn what_the_bench_cannot_see_of_a_p99_is_what_the_merged_twin_says() {
    let mut fixture = article();
    let words = |fixture: &Fixture| {
        let findings = fixture.findings();
        claim(&findings, "12")
            .as_published
            .clone()
            .unwrap()
            .sentence
    };
    assert!(words(&fixture).contains("at least"), "{}", words(&fixture));
    // The twin's answers take five times as long; its CPU time is what it was.
    for (trial, histograms) in &mut fixture.histograms {
        if trial.ends_with("~twin") {
            let response = histograms.get_mut("response").unwrap();
            let mut slow = hdrhistogram::Histogram::new(3).unwrap();
            for step in response.iter_recorded() {
                slow.record_n(5 * step.value_iterated_to(), step.count_at_value())
                    .unwrap();
            }
            *response = slow;
        }
    }
    assert!(
        words(&fixture).contains("may be too small"),
        "{}",
        words(&fixture)
    );
}

#[test]
fn a_claim_at_a_level_has_the_interval_of_its_pair_there() {
    let claims = json!({"published": [], "claim": [
        {"id": "1", "quote": "Four times.", "metric": "goodput_per_s", "level": "c10", "treatment": "quick",
         "against": "slow", "published_ratio": 4.0}
    ]});
    let findings = with_claims(article(), &claims);
    let level = findings.levels.iter().find(|level| level.level == "c10");
    let pairs = &level.unwrap().pairs;
    let pair = pairs.iter().find(|pair| pair.treatment == "quick").unwrap();
    let tested = findings.claims[0].as_published.as_ref().unwrap();
    assert_eq!(
        (&tested.ratio, &tested.sentence),
        (&pair.ratio, &pair.sentence)
    );
}

#[test]
fn a_claim_about_errors_answered_quickly_is_not_tested_and_one_about_their_number_is() {
    let mut fixture = article();
    for trial in &mut fixture.trials {
        let failed = if trial.treatment == "quick" {
            400.0
        } else {
            100.0
        };
        let level = trial.levels.iter_mut().find(|level| level.level == "c100");
        let level = level.unwrap();
        level
            .metrics
            .insert("failed_requests_count".to_owned(), failed);
        if trial.treatment == "quick" {
            level.outcomes.insert("unexpected_status".to_owned(), 400);
        }
    }
    let claims = json!({"published": [
        {"treatment": "quick", "metric": "completion_rate_per_s", "level": "c100", "value": 1000.0},
        {"treatment": "quick", "metric": "failed_requests_count", "level": "c100", "value": 10.0},
    ], "claim": [
        {"id": "1", "quote": "Quick is quick.", "metric": "completion_rate_per_s", "level": "c100",
         "treatment": "quick", "against": "slow", "published_ratio": 4.0},
        {"id": "2", "quote": "And fails.", "metric": "failed_requests_count", "level": "c100",
         "treatment": "quick", "against": "slow", "published_ratio": 4.0},
    ]});
    let findings = with_claims(fixture, &claims);
    match &findings.claims[0].verdict {
        ClaimVerdict::CannotBeTestedHere { reason } => {
            assert!(reason.contains("INVALID in every block"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(findings.claims[1].verdict, ClaimVerdict::Reproduced);
    assert_eq!(findings.published[0].measured, None);
    let failed = findings.published[1].measured.as_ref().unwrap();
    assert_eq!(failed.estimate, 3_200.0);
}

#[test]
fn a_count_of_zero_was_measured_and_is_no_ratio() {
    let failed = |treatment: &'static str, block: u32, count: f64| {
        move |fixture: Fixture| {
            fixture.with(
                |trial| trial.treatment == treatment && trial.block == block,
                |trial| {
                    trial
                        .metrics
                        .insert("failed_requests_count".to_owned(), count);
                },
            )
        }
    };
    let claims = json!({
        "published": [
            {"treatment": "quick", "metric": "failed_requests_count", "value": 0.0},
            {"treatment": "slow", "metric": "failed_requests_count", "value": 0.0},
        ],
        "claim": [
            {"id": "both zero, by the ratio", "quote": "", "metric": "failed_requests_count", "treatment": "same",
             "against": "slow", "published_ratio": 1.0},
            {"id": "both zero, by the table", "quote": "", "metric": "failed_requests_count", "treatment": "quick",
             "against": "slow"},
            {"id": "said to differ", "quote": "", "metric": "failed_requests_count", "treatment": "quick",
             "against": "slow", "published_ratio": 2.0},
            {"id": "says neither", "quote": "", "metric": "failed_requests_count", "treatment": "same",
             "against": "slow"},
        ]
    });
    let findings = with_claims(article(), &claims);
    let words: Vec<&str> = findings
        .claims
        .iter()
        .map(|claim| claim.verdict.words())
        .collect();
    assert_eq!(
        words,
        [
            "reproduced",
            "reproduced",
            "contradicted",
            "cannot be tested here"
        ]
    );
    for claim in &findings.claims {
        assert!(claim.sentence.contains("0 in every block"), "{claim:?}");
        assert_eq!(claim.as_published, None);
    }
    // Of eight blocks, one with a failure of either: the other seven are no reason to compare that one.
    let fixture = failed("quick", 3, 5.0)(failed("slow", 3, 1.0)(article()));
    let findings = with_claims(fixture, &claims);
    match &findings.claims[1].verdict {
        ClaimVerdict::CannotBeTestedHere { reason } => {
            assert!(reason.contains("0 in 7 of 8 blocks"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_failed_is_counted_in_the_trials_that_it_made_invalid() {
    let failing = |fixture: Fixture, count: f64| {
        fixture.with(
            |trial| trial.treatment == "quick" && trial.block == 3,
            move |trial| {
                trial.status = TrialStatus::Invalid;
                let failed = ("failed_requests_count".to_owned(), count);
                trial.metrics.extend([failed]);
            },
        )
    };
    let claims = json!({
        "published": [{"treatment": "quick", "metric": "failed_requests_count", "value": 0.0}],
        "claim": [{"id": "1", "quote": "", "metric": "failed_requests_count", "treatment": "quick",
                   "against": "slow", "published_ratio": 1.0}]
    });
    let findings = with_claims(failing(article(), 5.0), &claims);
    match &findings.claims[0].verdict {
        ClaimVerdict::CannotBeTestedHere { reason } => {
            assert!(reason.contains("0 in 7 of 8 blocks"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
    let measured = findings.published[0].measured.as_ref().unwrap();
    assert_eq!((measured.estimate, measured.blocks_count), (5.0, 8));

    // A treatment that fails in every block is compared by how often it did.
    let all = article().with(
        |_| true,
        |trial| {
            let failed = if trial.treatment == "quick" {
                40.0
            } else {
                10.0
            };
            trial.status = TrialStatus::Invalid;
            let failed = ("failed_requests_count".to_owned(), failed);
            trial.metrics.extend([failed]);
        },
    );
    let findings = with_claims(all, &claims);
    assert_eq!(findings.claims[0].verdict, ClaimVerdict::Contradicted);
}

#[test]
fn what_failed_at_a_level_is_counted_in_invalid_trials_too() {
    let mut fixture = article();
    for trial in &mut fixture.trials {
        let level = trial.levels.iter_mut().find(|level| level.level == "c100");
        let is_broken = trial.treatment == "quick" && trial.block == 3;
        let failed = if is_broken { 7.0 } else { 0.0 };
        let failed = ("failed_requests_count".to_owned(), failed);
        level.unwrap().metrics.extend([failed]);
        if is_broken {
            trial.status = TrialStatus::Invalid;
        }
    }
    let claims = json!({
        "published": [{"treatment": "quick", "metric": "failed_requests_count", "level": "c100", "value": 0.0}],
        "claim": [{"id": "1", "quote": "", "metric": "failed_requests_count", "level": "c100",
                   "treatment": "quick", "against": "slow", "published_ratio": 1.0}]
    });
    let findings = with_claims(fixture, &claims);
    match &findings.claims[0].verdict {
        ClaimVerdict::CannotBeTestedHere { reason } => {
            assert!(reason.contains("0 in 7 of 8 blocks"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
    let measured = findings.published[0].measured.as_ref().unwrap();
    assert_eq!((measured.estimate, measured.blocks_count), (7.0, 8));
}

#[test]
fn a_zero_in_fewer_blocks_than_the_design_asks_for_decides_nothing() {
    let mut fixture = article();
    fixture.run.design.min_blocks_count = 9;
    let claims = json!({"published": [], "claim": [
        {"id": "1", "quote": "", "metric": "failed_requests_count", "treatment": "quick",
         "against": "slow", "published_ratio": 1.0}
    ]});
    let findings = with_claims(fixture, &claims);
    let found = &findings.claims[0];
    let undecided = ClaimVerdict::Undecided {
        more_blocks_count: Some(1),
    };
    assert_eq!(found.verdict, undecided);
    assert!(
        found.sentence.ends_with("; 1 more block would decide it."),
        "{}",
        found.sentence
    );
}

#[test]
fn a_rate_of_users_who_were_all_answered_tests_no_claim_but_that_of_equality() {
    let ramp = |slow_per_s: f64| {
        let mut fixture = article();
        let design = &mut fixture.run.design;
        (design.users_count, design.ramp_up_s) = (Some(6_000), Some(2.0));
        for trial in &mut fixture.trials {
            let per_s = match trial.treatment.starts_with("slow") {
                true => slow_per_s,
                false => 2_996.0,
            };
            trial.levels.push(Level {
                level: "ramp".to_owned(),
                load: "users".to_owned(),
                concurrency_count: Some(6_000),
                metrics: [("completion_rate_per_s".to_owned(), per_s)].into(),
                outcomes: [("ok".to_owned(), 6_000)].into(),
                ..Level::default()
            });
        }
        let claim = |id: &str, ratio: Option<f64>| {
            json!({"id": id, "quote": "", "metric": "completion_rate_per_s", "level": "ramp",
                   "treatment": "quick", "against": "slow", "published_ratio": ratio})
        };
        let claims = [
            claim("a size", Some(1.07)),
            claim("no size", None),
            claim("equal", Some(1.0)),
        ];
        with_claims(fixture, &json!({"published": [], "claim": claims}))
    };
    let words = |findings: &Findings| -> Vec<&str> {
        let claims = findings.claims.iter();
        claims.map(|claim| claim.verdict.words()).collect()
    };
    let all_answered = ramp(2_990.0);
    assert_eq!(
        words(&all_answered),
        [
            "cannot be tested here",
            "cannot be tested here",
            "reproduced"
        ]
    );
    let said = &all_answered.claims[0].sentence;
    assert!(
        said.contains("the rate of users starting, 3,000/s"),
        "{said}"
    );
    // One that fell behind is what such a load can show.
    let behind = ramp(2_000.0);
    assert_eq!(
        words(&behind),
        ["direction only", "reproduced", "contradicted"]
    );
}
