//! What findings may and may not say.

mod fixture;

use fixture::{Fixture, cost, first_block, whole, with_invalid};
use record::{TrialStatus, VoidedBlock};
use report::{Basis, Standing, Verdict, json, markdown, provisional, terminal};

#[test]
fn a_report_comes_from_the_run_directory_alone_and_is_the_same_bytes_wherever_that_lies() {
    let fixture = whole();
    let places = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let written = places.each_ref().map(|place| {
        let directory = fixture.stored(place.path());
        let findings = report::read(&directory).unwrap();
        report::save(&directory, &findings).unwrap();
        let file = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
        let saved = [
            "report.md",
            "verdicts.json",
            "trials.csv",
            "report-tiers.svg",
            "report-percentiles.svg",
        ]
        .map(file);
        let page = report::html(TEMPLATE, &report::page(&directory).unwrap()).unwrap();
        (saved, json(&findings), terminal(&findings, 80, true), page)
    });
    assert_eq!(written[0], written[1]);
    for (saved, json, terminal, page) in &written {
        let others = [json.clone(), terminal.clone(), page.clone()];
        let all = [saved.as_slice(), &others].concat();
        for place in &places {
            let path = place.path().display().to_string();
            assert!(all.iter().all(|text| !text.contains(&path)));
        }
    }
    // What was on its way to disk and what comes back say the same.
    let charts = report::charts(
        &fixture.stored(&places[0].path().join("again")),
        &fixture.findings(),
    );
    assert_eq!(
        written[0].0[0],
        report::markdown_with(&fixture.findings(), &charts.unwrap())
    );
}

/// What the built page looks like to the program.
const TEMPLATE: &str =
    r#"<!doctype html><script type="application/json" id="page-document">null</script>"#;

#[test]
fn a_page_holds_every_trial_and_nothing_in_it_can_end_its_script() {
    let mut fixture = whole();
    let hostile = "</script><script>alert(1)</script><!--";
    fixture.run.treatments[0].title = hostile.to_owned();
    let place = tempfile::tempdir().unwrap();
    let page = report::page(&fixture.stored(place.path())).unwrap();
    assert_eq!(page.trials.len(), fixture.trials.len());
    let html = report::html(TEMPLATE, &page).unwrap();
    assert_eq!(html.matches("</script>").count(), 1);
    let json = html.split_once("document\">").unwrap().1;
    let json = json.strip_suffix("</script>").unwrap();
    let read: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(read["treatments"][0]["title"], hostile);
    assert!(report::html("<!doctype html>", &page).is_err());
}

#[test]
fn curves_end_where_fewer_than_a_hundred_requests_lie_beyond() {
    let place = tempfile::tempdir().unwrap();
    let page = report::page(&whole().stored(place.path())).unwrap();
    // 8 blocks of 2,000 answers: the last step that leaves a hundred of them.
    let slow = page
        .curves
        .iter()
        .find(|curve| curve.treatment == "slow")
        .unwrap();
    assert_eq!(slow.requests_count, 16_000);
    let last = *slow.quantiles_ratio.last().unwrap();
    assert!((0.99..=0.99375).contains(&last), "{last}");
    assert!(slow.times_ns.windows(2).all(|pair| pair[0] <= pair[1]));
    let findings = whole().findings();
    let p99 = &findings.treatment("slow").unwrap().figures["response_p99_ns"];
    let place = slow
        .quantiles_ratio
        .iter()
        .position(|quantile| *quantile == 0.99)
        .unwrap();
    assert!((slow.times_ns[place] / p99.estimate - 1.0).abs() < 1e-3);
}

#[test]
fn an_invalid_trial_is_shown_and_never_ranked() {
    let findings = with_invalid().findings();
    let broken = findings.treatment("broken").unwrap();
    assert!(
        matches!(&broken.standing, Standing::Unranked { reason } if reason.contains("status 500"))
    );
    assert!(
        broken
            .figures
            .contains_key("service_cpu_per_good_answer_us")
    );
    assert_eq!(broken.invalid_count, 8);
    assert!(
        findings
            .pairs
            .iter()
            .all(|pair| pair.treatment != "broken" && pair.against != "broken")
    );
    // One INVALID block takes that block away and no more.
    assert_eq!(findings.pairs[0].ratio.blocks_count, 7);
    for text in [terminal(&findings, 80, false), markdown(&findings)] {
        assert!(
            text.contains("Broken") && text.contains("INVALID"),
            "{text}"
        );
    }
}

#[test]
fn a_variant_that_is_shown_apart_is_in_no_pair_and_no_tier() {
    let findings = whole().findings();
    assert_eq!(findings.treatment("tuned").unwrap().tier(), None);
    assert!(
        findings
            .pairs
            .iter()
            .all(|pair| pair.treatment != "tuned" && pair.against != "tuned")
    );
    assert!(findings.treatment("tuned").unwrap().to_baseline.is_some());
    assert!(
        findings.answer.starts_with("Quick + a driver"),
        "{}",
        findings.answer
    );
}

#[test]
fn the_twin_is_the_control_and_nothing_else() {
    let findings = whole().findings();
    let control = findings.control.as_ref().unwrap();
    assert_eq!(
        (control.treatment.as_str(), control.twin.as_str()),
        ("slow", "slow~twin")
    );
    let (low, high) = control.ratio.interval().unwrap();
    assert!((control.bound_ratio - (1.0 / low).max(high) + 1.0).abs() < 1e-9);
    assert!(findings.treatment("slow~twin").is_none());
    assert!(
        findings
            .pairs
            .iter()
            .all(|pair| pair.treatment != "slow~twin")
    );
    // Four ranked treatments, six pairs.
    assert_eq!(findings.pairs.len(), 6);
}

#[test]
fn a_difference_below_the_twin_bound_is_never_faster_by_at_least() {
    let two = |twin: f64| {
        let fixture = Fixture::new()
            .treatment("slow", "Slow")
            .treatment("quick", "Quick")
            .twin("slow")
            .measured("slow", cost(240.0), 8, 0.01)
            .measured("quick", cost(200.0), 8, 0.01)
            .measured("slow~twin", cost(twin), 8, 0.01);
        fixture.ended("blocks").findings().pairs[0].verdict
    };
    assert!(
        matches!(two(240.0), Verdict::Faster { at_least_ratio } if (0.15..0.2).contains(&at_least_ratio))
    );
    assert_eq!(two(300.0), Verdict::FasterMaybeTooSmall);
}

#[test]
fn identical_treatments_share_a_tier_and_are_never_called_different() {
    let findings = Fixture::new()
        .treatment("one", "One")
        .treatment("same", "Same")
        .measured("one", cost(100.0), 8, 0.2)
        .measured("same", cost(100.0), 8, 0.2)
        .ended("budget")
        .findings();
    assert_eq!(
        findings
            .treatments
            .iter()
            .filter(|treatment| treatment.tier() == Some(1))
            .count(),
        2
    );
    assert!(
        matches!(findings.pairs[0].verdict, Verdict::Undecided { .. }),
        "{:?}",
        findings.pairs
    );
    assert!(
        findings
            .answer
            .contains("No treatment is shown to be ahead"),
        "{}",
        findings.answer
    );
}

#[test]
fn a_void_block_is_counted_and_never_estimated_from() {
    let mut fixture = whole().with(
        |trial| trial.block == 5 && trial.treatment == "quick",
        |trial| {
            trial
                .metrics
                .insert("service_cpu_per_good_answer_us".to_owned(), 9e6);
        },
    );
    let spoilt = fixture.findings();
    fixture.run.voided_blocks.push(VoidedBlock {
        block: 5,
        reason: "steal was 12 % of the block, more than 5 %".to_owned(),
    });
    let findings = fixture.findings();
    assert_eq!((spoilt.blocks_count, findings.blocks_count), (8, 7));
    let cpu = |findings: &report::Findings| {
        findings.treatment("quick").unwrap().figures["service_cpu_per_good_answer_us"].estimate
    };
    assert!(cpu(&spoilt) > 100.0 && cpu(&findings) < 70.0);
    assert!(markdown(&findings).contains("Block 5 void: steal was 12 %"));
    assert!(terminal(&findings, 80, false).contains("block 5 void"));
}

#[test]
fn a_percentile_that_one_block_could_not_give_comes_from_all_requests_together() {
    let fixture = whole().with(
        |trial| trial.trial == "b02-middle",
        |trial| {
            trial.metrics.remove("response_p90_ns");
            trial.metrics.remove("memory_peak_bytes");
        },
    );
    let findings = fixture.findings();
    let middle = findings.treatment("middle").unwrap();
    // The mean of the other blocks would leave out what failed in this one.
    assert_eq!(
        middle.figures["response_p90_ns"].basis,
        Basis::MergedHistograms
    );
    assert_eq!(middle.figures["response_p90_ns"].blocks_count, 8);
    assert_eq!(middle.figures["memory_peak_bytes"].blocks_count, 7);
    let compared = |metric: &str| {
        let mut exploratory = findings.exploratory.iter();
        exploratory.any(|found| found.treatment == "middle" && found.metric == metric)
    };
    assert!(!compared("response_p90_ns") && compared("memory_peak_bytes"));
}

#[test]
fn failed_requests_push_the_tail_out_of_sight() {
    let fixture = whole().with(
        |trial| trial.treatment == "middle",
        |trial| trial.slices[0].failed_requests_count = 200,
    );
    let findings = fixture.findings();
    assert!(
        !findings
            .treatment("middle")
            .unwrap()
            .figures
            .contains_key("response_p99_ns")
    );
    let slow = &findings.treatment("slow").unwrap().figures["response_p99_ns"];
    assert!(slow.low.unwrap() < slow.estimate && slow.estimate < slow.high.unwrap());
}

#[test]
fn a_run_about_a_p99_ranks_by_merged_histograms_whatever_its_blocks_say() {
    // Figures of blocks by which all are alike, and by which the twin is its treatment.
    let mut fixture = whole().with(
        |_| true,
        |trial| {
            trial.metrics.insert("response_p99_ns".to_owned(), 1e6);
        },
    );
    fixture.run.primary_metric = "response_p99_ns".to_owned();
    let findings = fixture.findings();
    let p99 = |name: &str| findings.treatment(name).unwrap().figures["response_p99_ns"].estimate;
    // `other` has no histograms, so that it has no p99.
    assert_eq!(findings.pairs.len(), 3);
    assert_eq!(findings.treatment("other").unwrap().tier(), None);
    for pair in &findings.pairs {
        let ratio = p99(&pair.treatment) / p99(&pair.against);
        assert!((pair.ratio.ratio / ratio - 1.0).abs() < 1e-6, "{pair:?}");
        assert!(matches!(pair.verdict, Verdict::Faster { .. }), "{pair:?}");
    }
    assert_eq!(findings.blocks_count, 8);
    let control = findings.control.as_ref().unwrap();
    assert_ne!(control.ratio.ratio, 1.0);
    assert!(findings.treatment("tuned").unwrap().to_baseline.is_some());
}

#[test]
fn what_failed_at_a_level_is_no_failure_of_the_main_slices() {
    let with_level = whole().with(
        |trial| trial.treatment == "middle",
        |trial| {
            let mut slice = trial.slices[0].clone();
            slice.level = Some("own80".to_owned());
            slice.failed_requests_count = 200;
            trial.slices.push(slice);
        },
    );
    let p99 = |fixture: &Fixture| {
        let findings = fixture.findings();
        findings.treatment("middle").unwrap().figures["response_p99_ns"].clone()
    };
    assert_eq!(p99(&with_level), p99(&whole()));
}

#[test]
fn a_baseline_that_could_not_be_ranked_is_replaced_and_said_so() {
    let mut fixture = with_invalid();
    fixture.run.baseline = "broken".to_owned();
    let findings = fixture.findings();
    assert_eq!(findings.baseline, "slow");
    assert!(
        findings.notices[0].contains("broken"),
        "{:?}",
        findings.notices
    );
}

#[test]
fn where_more_is_better_the_highest_leads() {
    let mut fixture = whole();
    fixture.run.primary_metric = "completion_rate_per_s".to_owned();
    let findings = fixture.findings();
    let order: Vec<&str> = findings
        .treatments
        .iter()
        .map(|treatment| treatment.name.as_str())
        .collect();
    assert_eq!(order, ["quick", "middle", "other", "slow", "tuned"]);
    assert_eq!(findings.treatments[0].tier(), Some(1));
    assert!(
        findings.answer.contains("has the highest Answers/s"),
        "{}",
        findings.answer
    );
    assert!(findings.pairs.iter().all(|pair| pair.ratio.ratio >= 1.0));
    assert!(matches!(findings.pairs[0].verdict, Verdict::Faster { .. }));
}

#[test]
fn a_run_that_has_not_ended_or_has_too_few_blocks_is_provisional() {
    assert!(
        first_block()
            .findings()
            .provisional
            .unwrap()
            .contains("has not ended")
    );
    assert!(
        first_block()
            .ended("budget")
            .findings()
            .provisional
            .unwrap()
            .contains("only 1 block")
    );
    assert!(
        whole()
            .ended("interrupted")
            .findings()
            .provisional
            .unwrap()
            .contains("interrupted")
    );
    assert_eq!(whole().findings().provisional, None);
}

#[test]
fn a_run_without_trials_says_so_and_breaks_nothing() {
    let mut fixture = Fixture::new()
        .treatment("slow", "Slow")
        .treatment("quick", "Quick");
    for metric in [
        "service_cpu_per_good_answer_us",
        "a_metric_of_the_future_ns",
    ] {
        fixture.run.primary_metric = metric.to_owned();
        let findings = fixture.findings();
        assert!(
            findings.answer.starts_with("No answer"),
            "{}",
            findings.answer
        );
        for text in [
            terminal(&findings, 80, false),
            provisional(&findings, 80, false),
            markdown(&findings),
        ] {
            assert!(text.contains("No answer"), "{text}");
        }
    }
}

#[test]
fn no_line_is_wider_than_the_terminal_whatever_titles_a_run_has() {
    let mut fixture = whole();
    for (index, treatment) in fixture.run.treatments.iter_mut().enumerate() {
        treatment.title = [
            "a framework with a very long name on a server with another",
            "東京都庁舎ウェブ枠組み東京都庁舎",
            "x",
        ][index % 3]
            .repeat(1 + index % 2);
    }
    for columns in [80, 100, 120, 160, 200] {
        let drawn = terminal(&fixture.findings(), columns, false);
        for line in drawn.lines() {
            let width = unicode_width::UnicodeWidthStr::width(line);
            assert!(width <= columns, "{width} > {columns}: {line}");
        }
    }
}

#[test]
fn nothing_in_a_record_can_move_the_cursor_or_become_markup() {
    let mut fixture = whole();
    let hostile = "\u{1b}[2J<script>alert(1)</script> | [x](javascript:y)\r\n# heading \u{202e}";
    fixture.run.title = hostile.to_owned();
    fixture.run.question = hostile.to_owned();
    fixture.run.caveat = Some(hostile.to_owned());
    fixture
        .run
        .treatments
        .iter_mut()
        .for_each(|treatment| treatment.title = hostile.to_owned());
    fixture.run.skipped[0].reason = hostile.to_owned();
    fixture.run.environment.cpu_model = Some(hostile.to_owned());
    let fixture = fixture.with(
        |trial| trial.status == TrialStatus::Degraded,
        |trial| trial.reasons = vec![hostile.to_owned()],
    );
    let findings = fixture.findings();
    let drawn = terminal(&findings, 80, false);
    assert!(
        drawn
            .chars()
            .all(|character| character == '\n' || !character.is_control())
    );
    assert!(!drawn.contains('\u{202e}'));
    let marked = markdown(&findings);
    assert!(!marked.contains("<script") && !marked.contains("[x](") && !marked.contains('\u{1b}'));
    // The table keeps its shape.
    let rows: Vec<usize> = marked
        .lines()
        .filter(|line| line.starts_with("| 1 |") || line.starts_with("| tier |"))
        .map(|line| line.replace("\\|", "").matches('|').count())
        .collect();
    assert!(
        rows.len() >= 2 && rows.iter().all(|count| *count == rows[0]),
        "{rows:?}"
    );
}

#[test]
fn a_change_of_a_treatment_that_is_shown_apart_is_compared_with_it_all_the_same() {
    let mut fixture = whole();
    // `tuned` is not ranked.
    fixture.run.treatments[4].what_if_of = Some("quick".to_owned());
    let findings = fixture.findings();
    let what_if = &findings.what_if[0];
    let pair = what_if.pair.as_ref().unwrap();
    assert_eq!(
        (pair.treatment.as_str(), pair.against.as_str()),
        ("tuned", "quick")
    );
    assert_eq!(pair.ratio.blocks_count, 8);
    assert!(matches!(pair.verdict, Verdict::Faster { .. }), "{pair:?}");
    assert!(!markdown(&findings).contains("no usable"));
    assert_eq!(findings.treatment("tuned").unwrap().tier(), None);
    // Without any trial of it there is nothing to hold together.
    fixture.trials.retain(|trial| trial.treatment != "tuned");
    assert_eq!(fixture.findings().what_if[0].pair, None);
}

#[test]
fn what_a_block_repeats_is_said_as_the_design_has_it() {
    let said = |kind: &str, services_at_once_count: Option<u32>| {
        let mut fixture = whole();
        fixture.run.design.kind = kind.to_owned();
        fixture.run.design.services_at_once_count = services_at_once_count;
        markdown(&fixture.findings())
    };
    let fresh = "each a fresh start of every treatment.";
    assert!(said("sliced_blocks", None).contains(fresh));
    for (text, wanted) in [
        (said("sliced_blocks", Some(8)), "of one group of treatments"),
        (said("solo_trials", None), "one after the other"),
        (said("running_services", None), "running before"),
    ] {
        assert!(text.contains(wanted) && !text.contains(fresh), "{text}");
    }
}

#[test]
fn colour_changes_nothing_but_colour() {
    for fixture in [whole(), with_invalid(), first_block()] {
        let findings = fixture.findings();
        let coloured = terminal(&findings, 120, true);
        assert!(coloured.contains('\u{1b}'));
        let mut stripped = String::new();
        let mut inside = false;
        for character in coloured.chars() {
            match character {
                '\u{1b}' => inside = true,
                'm' if inside => inside = false,
                _ if !inside => stripped.push(character),
                _ => {}
            }
        }
        assert_eq!(stripped, terminal(&findings, 120, false));
    }
}
