//! Frames of a scripted run. Look at the snapshots: they are the design.

use std::collections::BTreeMap;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use record::{Event, Run, Trial};
use report::Findings;
use serde_json::json;

use super::draw::{Times, draw};
use super::replay;
use super::state::{Cell, LiveState};

const TIMES: Times = Times {
    elapsed_s: 151.0,
    since_block_s: 4.0,
};

/// A run of as many treatments and a twin, the second of which is a third slower.
fn run(treatments: usize) -> Run {
    let mut names: Vec<String> = (1..=treatments)
        .map(|number| format!("stack-{number}"))
        .collect();
    names.push("stack-1~twin".to_owned());
    let treatments: Vec<_> = names
        .iter()
        .map(|name| {
            let twin_of = name.strip_suffix("~twin");
            json!({"name": name, "twin_of": twin_of, "title": format!("Title of {name}"), "ranked": true})
        })
        .collect();
    serde_json::from_value(json!({
        "schema": Run::SCHEMA, "run": "2026-03-24T101530-question", "experiment": "question",
        "title": "A small question", "question": "Which of them costs less?", "bancada_version": "0.1.0",
        "started_at": "2026-03-24T10:15:30Z", "baseline": "stack-1",
        "primary_metric": "service_cpu_per_good_answer_us", "relevant_difference_ratio": 0.05,
        "design": {"kind": "sliced_blocks", "seed": 1, "budget_s": 600, "min_blocks_count": 8, "max_blocks_count": 20,
            "target_half_width_ratio": 0.03, "slice_s": 1.0, "discard_ratio": 0.1, "open_slices_count": 2,
            "closed_slices_count": 1, "warm_up_cap_s": 3.0, "connections_count": 10, "service_cpus": [0], "bench_cpus": [1]},
        "treatments": treatments, "environment": {"cpus_count": 2}, "catalog": {},
    }))
    .unwrap()
}

fn trials(run: &Run, blocks: u32) -> Vec<Trial> {
    let mut trials = Vec::new();
    for block in 1..=blocks {
        for (place, treatment) in run.treatments.iter().enumerate() {
            let wobble = 1.0 + f64::from((block * 7 + place as u32 * 5) % 11) / 400.0;
            let cost = if treatment.name == "stack-2" {
                133.0
            } else {
                100.0
            } * wobble;
            let invalid = treatment.name == "stack-3" && block == 2;
            let slice = |at: u32, load: &str| {
                json!({"load": load, "at_s": f64::from(block * 30 + at * 10 + place as u32), "window_s": 0.9,
                    "good_answers_count": (if load == "closed" { 700_000.0 / cost } else { 2_000.0 }) as u64,
                    "failed_requests_count": 0})
            };
            let trial = json!({
                "schema": Trial::SCHEMA, "trial": format!("b{block:02}-{}", treatment.name), "block": block,
                "treatment": treatment.name, "position": place + 1, "started_at": "2026-03-24T10:16:00Z",
                "ended_at": "2026-03-24T10:16:20Z", "status": if invalid { "INVALID" } else { "VALID" },
                "reasons": if invalid { vec!["answers: of 5000 requests: 3 unexpected_status"] } else { vec![] },
                "metrics": {"service_cpu_per_good_answer_us": cost, "completion_rate_per_s": 800_000.0 / cost,
                    "response_p50_ns": cost * 4_000.0, "response_p90_ns": cost * 9_000.0},
                "outcomes": {}, "slices": [slice(0, "open"), slice(1, "closed"), slice(2, "open")],
            });
            trials.push(serde_json::from_value(trial).unwrap());
        }
    }
    trials
}

/// The state in the middle of the last of so many blocks.
fn state(treatments: usize, blocks: u32) -> LiveState {
    let run = run(treatments);
    let trials = trials(&run, blocks);
    let mut state = LiveState::default();
    state.set_findings(Findings::of(&run, &[], &BTreeMap::new()));
    for block in 1..blocks {
        replay::block(&run, &trials, block)
            .iter()
            .for_each(|event| state.apply(event));
        let so_far: Vec<Trial> = trials
            .iter()
            .filter(|trial| trial.block <= block)
            .cloned()
            .collect();
        state.set_findings(Findings::of(&run, &so_far, &BTreeMap::new()));
    }
    let last = replay::block(&run, &trials, blocks);
    let half = last
        .iter()
        .take_while(|event| !matches!(event, Event::TrialEnded { .. }));
    let half: Vec<&Event> = half.collect();
    half[..half.len() - 2]
        .iter()
        .for_each(|event| state.apply(event));
    state
}

fn frame(state: &LiveState, columns: u16, rows: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(frame, state, &TIMES)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn a_run_at_80_by_24() {
    insta::assert_snapshot!(frame(&state(4, 6), 80, 24));
}

#[test]
fn a_run_at_160_by_50() {
    insta::assert_snapshot!(frame(&state(4, 6), 160, 50));
}

#[test]
fn a_run_at_40_by_10() {
    insta::assert_snapshot!(frame(&state(4, 6), 40, 10));
}

#[test]
fn twenty_five_treatments_at_80_by_24() {
    insta::assert_snapshot!(frame(&state(25, 3), 80, 24));
}

#[test]
fn before_the_first_block_the_steps_are_shown() {
    let mut state = LiveState::default();
    for detail in ["one: cargo build", "two: npm ci"] {
        state.apply(&Event::StepBegan {
            step: "prepare".to_owned(),
            detail: detail.to_owned(),
        });
    }
    state.apply(&Event::Noticed {
        message: "three is skipped: there is no go".to_owned(),
    });
    insta::assert_snapshot!(frame(&state, 60, 12));
}

#[test]
fn the_treatment_under_load_is_shown_at_every_size() {
    for (columns, rows) in [(160, 50), (80, 24), (40, 10)] {
        let state = state(25, 3);
        let current = state.current.clone().unwrap().treatment;
        let shown = frame(&state, columns, rows);
        let number = current.trim_start_matches("stack-");
        assert!(shown.contains("▶"), "{shown}");
        assert!(
            shown.contains(number),
            "{current} at {columns}x{rows}\n{shown}"
        );
    }
}

#[test]
fn no_size_is_too_small_to_draw() {
    let state = state(25, 3);
    for columns in [1, 2, 5, 17, 39, 41, 77, 121] {
        for rows in [1, 2, 3, 4, 7, 11, 23] {
            frame(&state, columns, rows);
            frame(&LiveState::default(), columns, rows);
        }
    }
}

#[test]
fn a_cell_goes_from_waiting_over_starting_and_measuring_to_its_status() {
    let run = run(2);
    let trials = trials(&run, 1);
    let mut state = LiveState::default();
    let mut seen = vec![state.cell("stack-2", 1)];
    for event in replay::block(&run, &trials, 1) {
        state.apply(&event);
        seen.push(state.cell("stack-2", 1));
    }
    seen.dedup();
    let status = record::TrialStatus::Valid;
    assert_eq!(
        seen,
        [
            Cell::Waiting,
            Cell::Starting,
            Cell::Measuring,
            Cell::Ended(status)
        ]
    );
}

#[test]
fn what_was_noticed_outlives_the_view() {
    let notices = state(4, 6).into_notices();
    assert!(
        notices
            .iter()
            .any(|notice| notice.contains("b02-stack-3 is INVALID")),
        "{notices:?}"
    );
}

#[test]
fn a_title_cannot_move_the_cursor() {
    let mut state = state(2, 3);
    state.apply(&Event::Noticed {
        message: "x\u{1b}[2Jy".to_owned(),
    });
    assert!(!frame(&state, 80, 24).contains('\u{1b}'));
}
