//! Two runs held against each other (`bancada.compare/1`).
//!
//! Runs are not measured together, so nothing divides out between them: absolute figures carry each run's own
//! machine. What two runs share is a treatment, and each treatment's ratio to it was paired within its own run.
//! The change of that ratio is what verdicts are about; the change of the figure itself is shown, named unpaired,
//! and decides nothing.

use std::collections::BTreeMap;

use record::{Better, Metric, RecordError, Run, RunDir, Treatment, Trial, metric};
use serde::Serialize;
use stats::simultaneous;

use crate::compare_change::Pair;
use crate::compare_differences::{Difference, differences};
use crate::compare_shared::shared;
use crate::compare_words::{caveats, summary};
use crate::comparison::control;
use crate::estimate::CONFIDENCE_LEVEL;
use crate::findings::Verdict;
use crate::percentiles;
use crate::selection::Selection;

/// A run as it was recorded.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// What was compared, how and where.
    pub run: Run,
    /// Its trials.
    pub trials: Vec<Trial>,
}

impl Recorded {
    /// Reads what a comparison needs of a run directory.
    ///
    /// # Errors
    /// When the directory is damaged, foreign or unsafe to read.
    pub fn read(directory: &RunDir) -> Result<Recorded, RecordError> {
        Ok(Recorded {
            run: directory.run()?,
            trials: directory.trials()?.trials,
        })
    }
}

/// What two runs show of each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Always `bancada.compare/1`.
    pub schema: &'static str,
    /// The earlier side: what the other is divided by.
    pub before: Side,
    /// The later side.
    pub after: Side,
    /// Metric that the verdicts are about.
    pub metric: String,
    /// Treatment of both runs that the others are held against; absent where there is none to pair with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// Smallest difference that matters: the larger of the two runs'.
    pub relevant_difference_ratio: f64,
    /// What the two twins together say the bench could not see; absent where a run has no twin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound_ratio: Option<f64>,
    /// Confidence of the intervals; those through the baseline hold for all treatments together.
    pub confidence_level_ratio: f64,
    /// What it comes to, in a sentence.
    pub summary: String,
    /// What to keep in mind before any figure.
    pub caveats: Vec<String>,
    /// Treatments that both runs measured, in the first run's order.
    pub treatments: Vec<TreatmentChange>,
    /// Treatments that only one run has, or that are not the same in both.
    pub not_compared: Vec<NotCompared>,
    /// What differs between the runs besides the figures.
    pub differences: Vec<Difference>,
}

/// One of the two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// Name of the run directory.
    pub run: String,
    /// Experiment's folder name.
    pub experiment: String,
    /// Experiment's title.
    pub title: String,
    /// When it began, RFC 3339.
    pub started_at: String,
}

/// One treatment in both runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TreatmentChange {
    /// Name within the runs.
    pub name: String,
    /// How reports name it.
    pub title: String,
    /// Geometric mean over blocks in the first run, in the metric's unit.
    pub before_figure: f64,
    /// The same in the second run.
    pub after_figure: f64,
    /// Its ratio to the baseline, second run over first, with what may be said of it; absent for the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through_baseline: Option<JudgedChange>,
    /// The figure itself, second run over first: unpaired and unadjusted, so the machine's change is part of it.
    pub unpaired: Change,
    /// Other metrics through the baseline, by name: each interval stands alone, so some will mislead.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub exploratory: BTreeMap<String, Change>,
}

/// A ratio of the second run over the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Exponential of the difference of the mean logarithms.
    pub ratio: f64,
    /// Lower end of Welch's interval; absent where a run has fewer than two blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low_ratio: Option<f64>,
    /// Upper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high_ratio: Option<f64>,
    /// Blocks of the first run.
    pub before_blocks_count: usize,
    /// Blocks of the second.
    pub after_blocks_count: usize,
}

/// A change with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgedChange {
    /// The change.
    #[serde(flatten)]
    pub change: Change,
    /// The run in which the treatment did better, by the estimate.
    pub ahead: Ahead,
    /// What may be said.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// The verdict in words.
    pub sentence: String,
}

impl JudgedChange {
    /// Whether it is slower in the second run, by at least something.
    pub fn is_slower(&self) -> bool {
        self.ahead == Ahead::Before && matches!(self.verdict, Verdict::Faster { .. })
    }
}

/// Which side did better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ahead {
    /// The first run.
    Before,
    /// The second.
    After,
}

/// A treatment that could not be compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotCompared {
    /// Its name.
    pub treatment: String,
    /// Why not.
    pub reason: String,
    /// Whether the second run lost it.
    pub loss: Loss,
}

/// Whether a treatment that the first run has usable figures of has none in the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// Nothing is lost: the first run had none either, or the second has figures of something else.
    None,
    /// It is missing, or unusable for a reason that may be the machine's.
    Unknown,
    /// It is unusable, and an INVALID trial says that its answers or its process were at fault.
    Broken,
}

/// Why two runs cannot be compared at all.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// Both are the same run.
    #[error("{0} is both sides: give two runs")]
    SameRun(String),
    /// Different metrics.
    #[error(
        "{before} is about {before_metric} and {after} about {after_metric}: name one metric for both with --metric"
    )]
    OtherMetric {
        /// The first run.
        before: String,
        /// Its metric.
        before_metric: String,
        /// The second run.
        after: String,
        /// Its metric.
        after_metric: String,
    },
    /// A metric that is none.
    #[error(
        "there is no metric {0} that has a better direction: see the keys of `metrics` in trials.jsonl"
    )]
    UnknownMetric(String),
    /// A percentile that exists only for all blocks together.
    #[error(
        "{0} comes from the histograms of all blocks together and has no figure of a block to compare two runs by: \
         choose a percentile up to the 90th with --metric"
    )]
    TailMetric(String),
    /// No treatment in common.
    #[error("{before} and {after} have no treatment in common that both measured: {reasons}")]
    NothingShared {
        /// The first run.
        before: String,
        /// The second run.
        after: String,
        /// Why each is not shared.
        reasons: String,
    },
    /// The baseline asked for is not in both.
    #[error("{0} is not a treatment that both runs measured: the baseline must be one of {1}")]
    UnknownBaseline(String, String),
}

/// What the caller may choose.
#[derive(Clone, Debug, Default)]
pub struct CompareChoices {
    /// Metric, instead of the runs' own primary one.
    pub metric: Option<String>,
    /// Treatment to hold the others against, instead of the first run's baseline.
    pub baseline: Option<String>,
    /// Smallest difference that matters, instead of the larger of the two runs'.
    pub relevant_difference_ratio: Option<f64>,
}

impl Comparison {
    /// Holds `after` against `before`.
    ///
    /// # Errors
    /// When there is nothing that could be compared.
    pub fn of(
        before: &Recorded,
        after: &Recorded,
        choices: &CompareChoices,
    ) -> Result<Comparison, CompareError> {
        if before.run.run == after.run.run && before.run.started_at == after.run.started_at {
            return Err(CompareError::SameRun(before.run.run.clone()));
        }
        let metric = chosen_metric(&before.run, &after.run, choices)?;
        let pair = Pair {
            before: Selection::of(&before.run, &before.trials),
            after: Selection::of(&after.run, &after.trials),
        };
        let (shared, not_compared) = shared(&before.run, &after.run, &pair, metric);
        // That all broke is an answer; that none was measured twice is none.
        let is_broken = not_compared.iter().any(|one| one.loss == Loss::Broken);
        if shared.is_empty() && !is_broken {
            return Err(nothing_shared(&before.run, &after.run, &not_compared));
        }
        let baseline = chosen_baseline(&before.run, &shared, choices)?;
        let relevant = before
            .run
            .relevant_difference_ratio
            .max(after.run.relevant_difference_ratio);
        let relevant = choices.relevant_difference_ratio.unwrap_or(relevant);
        let bound_ratio = bound(before, after, &pair, metric);
        let terms = stats::Terms {
            relevant_ratio: relevant,
            bound_ratio: bound_ratio.unwrap_or(0.0),
        };
        let held_count = shared.len().saturating_sub(1);
        let each = simultaneous::each_confidence(CONFIDENCE_LEVEL, held_count);
        let treatments: Vec<TreatmentChange> = shared
            .iter()
            .filter_map(|treatment| {
                let against = baseline.filter(|name| *name != treatment.name);
                pair.treatment(treatment, against, metric, each, &terms)
            })
            .collect();
        let differences = differences(&before.run, &after.run);
        Ok(Comparison {
            schema: "bancada.compare/1",
            before: side(&before.run),
            after: side(&after.run),
            metric: metric.name.to_owned(),
            relevant_difference_ratio: relevant,
            bound_ratio,
            confidence_level_ratio: CONFIDENCE_LEVEL,
            summary: summary(&treatments, metric),
            caveats: caveats(
                &before.run,
                &after.run,
                baseline,
                &shared,
                bound_ratio,
                &differences,
            ),
            baseline: baseline.map(str::to_owned),
            treatments,
            not_compared,
            differences,
        })
    }

    /// By how much the baseline itself did worse in the second run, at least and unpaired; `None` where that is no
    /// more than what matters. It changed, or the machine did; if it did, ratios to it seem better than they are.
    pub fn baseline_worse_ratio(&self) -> Option<f64> {
        let name = self.baseline.as_ref()?;
        let found = self.treatments.iter().find(|one| one.name == *name)?;
        let worse_ratio = match metric(&self.metric)?.better {
            Better::Higher => 1.0 / found.unpaired.high_ratio?,
            _ => found.unpaired.low_ratio?,
        };
        Some(worse_ratio - 1.0).filter(|at_least| *at_least > self.relevant_difference_ratio)
    }

    /// Title of the baseline.
    pub fn baseline_title(&self) -> Option<&str> {
        let name = self.baseline.as_ref()?;
        let found = self.treatments.iter().find(|one| one.name == *name)?;
        Some(&found.title)
    }
}

fn side(run: &Run) -> Side {
    Side {
        run: run.run.clone(),
        experiment: run.experiment.clone(),
        title: run.title.clone(),
        started_at: run.started_at.clone(),
    }
}

fn chosen_metric(
    before: &Run,
    after: &Run,
    choices: &CompareChoices,
) -> Result<&'static Metric, CompareError> {
    let name = match &choices.metric {
        Some(name) => name,
        None if before.primary_metric == after.primary_metric => &before.primary_metric,
        None => {
            return Err(CompareError::OtherMetric {
                before: before.run.clone(),
                before_metric: before.primary_metric.clone(),
                after: after.run.clone(),
                after_metric: after.primary_metric.clone(),
            });
        }
    };
    if percentiles::is_tail(name) {
        return Err(CompareError::TailMetric(name.clone()));
    }
    metric(name)
        .filter(|metric| metric.better != Better::Neither)
        .ok_or_else(|| CompareError::UnknownMetric(name.clone()))
}

fn nothing_shared(before: &Run, after: &Run, others: &[NotCompared]) -> CompareError {
    let reasons: Vec<String> = others
        .iter()
        .map(|other| format!("{}: {}", other.treatment, other.reason))
        .collect();
    CompareError::NothingShared {
        before: before.run.clone(),
        after: after.run.clone(),
        reasons: reasons.join("; "),
    }
}

/// What the others are held against; none where there are no others.
fn chosen_baseline<'a>(
    before: &Run,
    shared: &[&'a Treatment],
    choices: &CompareChoices,
) -> Result<Option<&'a str>, CompareError> {
    if shared.is_empty() {
        return Ok(None);
    }
    let found = |name: &str| shared.iter().find(|treatment| treatment.name == name);
    if let Some(asked) = &choices.baseline
        && found(asked).is_none()
    {
        let names: Vec<&str> = shared
            .iter()
            .map(|treatment| treatment.name.as_str())
            .collect();
        return Err(CompareError::UnknownBaseline(
            asked.clone(),
            names.join(", "),
        ));
    }
    if shared.len() < 2 {
        return Ok(None);
    }
    let asked = choices.baseline.as_deref().unwrap_or(&before.baseline);
    let baseline = found(asked).or_else(|| shared.first());
    Ok(baseline.map(|treatment| treatment.name.as_str()))
}

/// What neither bench could see, one after the other: both bounds multiplied. None unless both are known.
fn bound(before: &Recorded, after: &Recorded, pair: &Pair, metric: &Metric) -> Option<f64> {
    // No tail is compared between runs, so no histogram is asked for.
    let none = BTreeMap::new();
    let one = control(&before.run, &pair.before, &none, metric.name)?.bound_ratio;
    let other = control(&after.run, &pair.after, &none, metric.name)?.bound_ratio;
    Some((1.0 + one) * (1.0 + other) - 1.0)
}
