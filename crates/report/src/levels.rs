//! The levels of load besides a block's main slices: figures, and every treatment held against the baseline.

use std::collections::BTreeMap;

use record::{Better, METRICS, Metric, metric};
use stats::knee::{Bend, knee};
use stats::scalability;

use crate::estimate;
use crate::figures;
use crate::findings::{Figure, LevelFindings, LevelTreatment, Pair, Scaling, ScalingPoint};
use crate::grounds::{Compared, Grounds, Place};
use crate::percentiles;

/// Metrics that lead a kind of load, the first that was measured. Block intervals use percentiles up to the 90th.
const LEADING: &[(&str, &[&str])] = &[
    ("closed", &["completion_rate_per_s", "goodput_per_s"]),
    (
        "open",
        &["response_p90_ns", "response_p50_ns", "response_mean_ns"],
    ),
    (
        "capacity",
        &["capacity_under_objective_per_s", "goodput_per_s"],
    ),
    (
        "cold",
        &["completion_rate_per_s", "goodput_per_s", "elapsed_ns"],
    ),
    (
        "users",
        &["completion_rate_per_s", "goodput_per_s", "elapsed_ns"],
    ),
];

/// The order in which kinds of load are told.
const KINDS: [&str; 5] = ["closed", "open", "capacity", "cold", "users"];

/// Every level, by kind of load and then by how much of it.
pub(crate) fn levels(grounds: &Grounds) -> Vec<LevelFindings> {
    let mut levels: Vec<LevelFindings> = names(grounds)
        .into_iter()
        .filter_map(|(level, load)| one_level(grounds, level, load))
        .collect();
    levels.sort_by(|one, other| {
        let place = |level: &LevelFindings| {
            let kind = KINDS.iter().position(|kind| *kind == level.load);
            (kind.unwrap_or(KINDS.len()), number_in(&level.level))
        };
        place(one).cmp(&place(other))
    });
    levels
}

/// Levels and their kind of load, in the order of first appearance.
fn names<'a>(grounds: &Grounds<'a>) -> Vec<(&'a str, &'a str)> {
    let mut names: Vec<(&str, &str)> = Vec::new();
    for treatment in &grounds.run.treatments {
        for trial in grounds.selection.usable(&treatment.name) {
            for level in &trial.levels {
                if !names.iter().any(|(name, _)| *name == level.level) {
                    names.push((&level.level, &level.load));
                }
            }
        }
    }
    names
}

/// The number at the end of a level's name.
fn number_in(level: &str) -> u64 {
    let digits: String = level.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

fn one_level(grounds: &Grounds, level: &str, load: &str) -> Option<LevelFindings> {
    let mut treatments: Vec<LevelTreatment> = grounds
        .treatments()
        .filter_map(|found| treatment(grounds, &found.name, level))
        .collect();
    treatments.first()?;
    let leading = leading(load, &treatments)?;
    let place = Place {
        metric: leading,
        level: Some(level),
    };
    let pairs = to_baseline(grounds, place, &mut treatments);
    Some(LevelFindings {
        level: level.to_owned(),
        load: load.to_owned(),
        leading_metric: leading.name.to_owned(),
        treatments,
        pairs,
    })
}

/// The metric that leads: of its kind of load, or else the first with a better way that was measured.
fn leading(load: &str, treatments: &[LevelTreatment]) -> Option<&'static Metric> {
    let measured = |name: &str| {
        treatments
            .iter()
            .any(|found| found.figures.contains_key(name))
    };
    let kind = LEADING.iter().find(|(kind, _)| *kind == load);
    let preferred = kind
        .into_iter()
        .flat_map(|(_, names)| names.iter().copied());
    let others = METRICS
        .iter()
        .filter(|metric| metric.better != Better::Neither)
        .map(|metric| metric.name);
    metric(preferred.chain(others).find(|name| measured(name))?)
}

/// One treatment at one level, without its ratio to the baseline; `None` where it was not measured there.
pub(crate) fn treatment(grounds: &Grounds, name: &str, level: &str) -> Option<LevelTreatment> {
    let trials = grounds.selection.usable(name);
    let here: Vec<&record::Level> = trials
        .iter()
        .filter_map(|trial| trial.levels.iter().find(|found| found.level == level))
        .collect();
    let first = here.first()?;
    let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
    for (outcome, count) in here.iter().flat_map(|level| &level.outcomes) {
        let sum = outcomes.entry(outcome.clone()).or_default();
        *sum = sum.saturating_add(*count);
    }
    let mean = |of: &dyn Fn(&record::Level) -> Option<f64>| {
        let logs: Vec<f64> = here
            .iter()
            .filter_map(|level| of(level))
            .filter(|value| *value > 0.0 && value.is_finite())
            .map(f64::ln)
            .collect();
        Some(estimate::geometric(&logs)?.ratio)
    };
    Some(LevelTreatment {
        name: name.to_owned(),
        title: grounds.title(name).to_owned(),
        concurrency_count: first.concurrency_count,
        arrival_rate_per_s: mean(&|level| level.arrival_rate_per_s),
        capacity_ratio: mean(&|level| level.capacity_ratio),
        figures: level_figures(&here),
        outcomes,
        notes: notes(&here),
        to_baseline: None,
    })
}

/// What was noted of a level, each sentence once though its numbers differ from block to block.
fn notes(levels: &[&record::Level]) -> Vec<String> {
    let mut told: Vec<(String, &str, usize)> = Vec::new();
    for note in levels.iter().flat_map(|level| &level.notes) {
        let words: String = note.chars().filter(|c| !c.is_ascii_digit()).collect();
        match told.iter_mut().find(|(known, _, _)| *known == words) {
            Some((_, _, count)) => *count += 1,
            None => told.push((words, note, 1)),
        }
    }
    let sentence = |(_, note, count): (String, &str, usize)| match count {
        1 => note.to_owned(),
        count => format!("{note} (so or alike in {count} blocks)"),
    };
    told.into_iter().map(sentence).collect()
}

fn level_figures(levels: &[&record::Level]) -> BTreeMap<String, Figure> {
    let figure = |metric: &Metric| {
        let values: Vec<f64> = levels
            .iter()
            .filter_map(|level| level.metrics.get(metric.name).copied())
            .collect();
        // A block that lacks a percentile was slower there than any that has it.
        let hidden = percentiles::is_percentile(metric.name) && values.len() < levels.len();
        if values.is_empty() || hidden {
            return None;
        }
        Some((
            metric.name.to_owned(),
            figures::over_blocks(metric, &values),
        ))
    };
    METRICS.iter().filter_map(figure).collect()
}

/// Holds every treatment that does the baseline's work against it; the intervals hold together.
fn to_baseline(grounds: &Grounds, place: Place, treatments: &mut [LevelTreatment]) -> Vec<Pair> {
    let compared = |name: &str, count: usize| -> Option<Compared> {
        let same = name != grounds.baseline && grounds.same_work(name, grounds.baseline);
        same.then(|| grounds.compare([name, grounds.baseline], place, count))?
    };
    let count = treatments
        .iter()
        .filter(|treatment| compared(&treatment.name, 1).is_some())
        .count();
    let mut pairs = Vec::new();
    for treatment in treatments {
        let Some(found) = compared(&treatment.name, count) else {
            continue;
        };
        if grounds.ranked.contains(&treatment.name.as_str()) {
            let names = [treatment.name.as_str(), grounds.baseline];
            let titles = [treatment.title.as_str(), grounds.title(grounds.baseline)];
            pairs.push(found.pair(names, titles, place.metric));
        }
        treatment.to_baseline = Some(found.ratio);
    }
    pairs
}

/// The scalability law for every treatment with four concurrencies or more.
pub(crate) fn scaling(levels: &[LevelFindings]) -> Vec<Scaling> {
    let mut names: Vec<(&str, &str)> = Vec::new();
    for treatment in levels.iter().flat_map(|level| &level.treatments) {
        if !names.iter().any(|(name, _)| *name == treatment.name) {
            names.push((&treatment.name, &treatment.title));
        }
    }
    names
        .into_iter()
        .filter_map(|(name, title)| law(name, title, curve(levels, name)))
        .collect()
}

/// Completion rate over concurrency, by concurrency.
fn curve(levels: &[LevelFindings], name: &str) -> Vec<ScalingPoint> {
    let closed = levels.iter().filter(|level| level.load == "closed");
    let mut points: Vec<ScalingPoint> = closed
        .filter_map(|level| {
            let treatment = level.treatment(name)?;
            let rate = treatment.figures.get("completion_rate_per_s")?;
            Some(ScalingPoint {
                concurrency_count: treatment.concurrency_count?,
                completion_rate_per_s: rate.estimate,
            })
        })
        .collect();
    points.sort_by_key(|point| point.concurrency_count);
    points
}

fn law(name: &str, title: &str, points: Vec<ScalingPoint>) -> Option<Scaling> {
    let numbers: Vec<(f64, f64)> = points
        .iter()
        .map(|point| {
            (
                f64::from(point.concurrency_count),
                point.completion_rate_per_s,
            )
        })
        .collect();
    let law = scalability::fit(&numbers)?;
    let bend = knee(&numbers, Bend::Level);
    Some(Scaling {
        treatment: name.to_owned(),
        title: title.to_owned(),
        rate_of_one_per_s: law.rate_of_one,
        contention_ratio: law.contention,
        coherency_ratio: law.coherency,
        error_ratio: law.error_ratio,
        peak_concurrency_count: law.peak_concurrency(),
        knee_concurrency_count: bend.map(|index| points[index].concurrency_count),
        points,
    })
}
