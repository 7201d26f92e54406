//! The levels of load besides a block's main slices: figures, and every treatment held against the baseline.

use std::collections::BTreeMap;

use record::{Better, Level, METRICS, Metric, Trial, metric};
use stats::knee::{Bend, knee};
use stats::scalability;

use crate::estimate;
use crate::figures;
use crate::findings::{Figure, LevelFindings, LevelTreatment, Pair, Scaling, ScalingPoint};
use crate::grounds::{Compared, Grounds, Place, is_all_or_none};
use crate::level_audit;
use crate::text::counted;

/// Metrics that lead a kind of load, the first that was measured: a wrong answer is no answer. Block intervals use
/// percentiles up to the 90th.
const LEADING: &[(&str, &[&str])] = &[
    ("closed", &["goodput_per_s", "completion_rate_per_s"]),
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
        &["goodput_per_s", "completion_rate_per_s", "elapsed_ns"],
    ),
    (
        "users",
        &["goodput_per_s", "completion_rate_per_s", "elapsed_ns"],
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
    let here = at_level(&grounds.selection.usable(name), level);
    let first = here.first()?;
    let invalid = at_level(&grounds.selection.invalid(name), level);
    let every: Vec<&Level> = here.iter().chain(&invalid).copied().collect();
    let sound = here.iter().copied();
    let sound: Vec<&Level> = sound
        .filter(|level| level_audit::is_sound(&level.outcomes))
        .collect();
    let shown = if sound.is_empty() { &here } else { &sound };
    let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
    for (outcome, count) in every.iter().flat_map(|level| &level.outcomes) {
        let sum = outcomes.entry(outcome.clone()).or_default();
        *sum = sum.saturating_add(*count);
    }
    let mean = |of: &dyn Fn(&Level) -> Option<f64>| {
        let logs: Vec<f64> = shown
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
        figures: level_figures(shown, &every),
        outcomes,
        usable_count: sound.len(),
        invalid_count: here.len() - sound.len(),
        notes: notes(&here)
            .into_iter()
            .chain(why_invalid(here.len(), sound.len()))
            .chain(why_no_capacity(shown))
            .collect(),
        to_baseline: None,
    })
}

fn at_level<'a>(trials: &[&'a Trial], level: &str) -> Vec<&'a Level> {
    let levels = trials.iter().flat_map(|trial| &trial.levels);
    levels.filter(|found| found.level == level).collect()
}

/// What the audit's rule about answers took out of pairs and claims; none where it took nothing.
fn why_invalid(blocks_count: usize, sound_count: usize) -> Option<String> {
    let invalid_count = blocks_count - sound_count;
    (invalid_count > 0).then(|| {
        format!(
            "INVALID in {invalid_count} of {}, in which it is in no pair and no claim: {}",
            counted(blocks_count, "block"),
            level_audit::RULE
        )
    })
}

/// Why there is no capacity although some block has one.
fn why_no_capacity(levels: &[&Level]) -> Option<String> {
    const METRIC: &str = "capacity_under_objective_per_s";
    let without = levels
        .iter()
        .filter(|level| level.load == "capacity" && !level.metrics.contains_key(METRIC))
        .count();
    (without > 0).then(|| {
        format!(
            "no capacity is given: in {without} of {} no rate kept the objective",
            counted(levels.len(), "block")
        )
    })
}

/// What was noted of a level, each sentence once though its numbers differ from block to block.
fn notes(levels: &[&Level]) -> Vec<String> {
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

/// The figures of the blocks that are shown; what counts requests is counted over all, those of INVALID trials
/// included, as it is what says that a block or a trial is INVALID.
fn level_figures(shown: &[&Level], all: &[&Level]) -> BTreeMap<String, Figure> {
    let figure = |metric: &Metric| {
        let levels = if metric.adds_up { all } else { shown };
        let values: Vec<f64> = levels
            .iter()
            .filter_map(|level| level.metrics.get(metric.name).copied())
            .collect();
        let hidden = is_all_or_none(metric.name) && values.len() < levels.len();
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
    let names = treatments.iter().map(|treatment| treatment.name.as_str());
    let count = held_count(grounds, place, names);
    let mut pairs = Vec::new();
    for treatment in treatments {
        let Some(found) = to_baseline_of(grounds, &treatment.name, place, count) else {
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

/// One treatment held against the baseline as one of `count`; `None` where they do not do the same work or share no
/// block.
fn to_baseline_of(grounds: &Grounds, name: &str, place: Place, count: usize) -> Option<Compared> {
    let same = name != grounds.baseline && grounds.same_work(name, grounds.baseline);
    same.then(|| grounds.compare([name, grounds.baseline], place, count))?
}

/// How many of `names` are held against the baseline here.
fn held_count<'b>(grounds: &Grounds, place: Place, names: impl Iterator<Item = &'b str>) -> usize {
    names
        .filter(|name| to_baseline_of(grounds, name, place, 1).is_some())
        .count()
}

/// How many pairs hold together at a level: all that are held against the baseline there, whatever the metric.
pub(crate) fn pairs_count(grounds: &Grounds, place: Place) -> usize {
    let names = grounds.treatments().map(|found| found.name.as_str());
    held_count(grounds, place, names)
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
            // A rate of wrong answers bends no curve.
            (treatment.usable_count > 0).then_some(())?;
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
