//! What every part of the findings is worked out from, and the one way to compare two treatments.

use std::collections::BTreeMap;

use record::{Better, Histograms, Metric, Run, Treatment, Trial};
use stats::{Interval, Terms, simultaneous};

use crate::claim_sides::Side;
use crate::estimate::{self, CONFIDENCE_LEVEL};
use crate::findings::{Pair, RatioEstimate, SignedRank};
use crate::manifest::Manifest;
use crate::selection::Selection;
use crate::text::counted;
use crate::{comparison, level_audit, percentiles};

/// A run, sorted and with what it says of itself.
pub(crate) struct Grounds<'a> {
    pub(crate) run: &'a Run,
    pub(crate) selection: &'a Selection<'a>,
    pub(crate) histograms: &'a BTreeMap<String, Histograms>,
    pub(crate) manifest: &'a Manifest,
    /// Treatment that ratios are to.
    pub(crate) baseline: &'a str,
    /// Names of the ranked treatments.
    pub(crate) ranked: &'a [&'a str],
    /// What counts as a difference on the primary metric.
    pub(crate) terms: Terms,
}

/// Where a figure is looked for.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) metric: &'static Metric,
    /// Level of load; `None`: the main slices.
    pub(crate) level: Option<&'a str>,
}

/// Two treatments held together.
pub(crate) struct Compared {
    /// The first over the second.
    pub(crate) ratio: RatioEstimate,
    /// The unadjusted signed-rank interval.
    pub(crate) signed_rank: Option<SignedRank>,
    /// The words for the ratio as it stands: "faster" where it is above 1, whatever the metric.
    pub(crate) called: stats::Verdict,
    /// Log ratio of each block; empty where the figure is one of all blocks together.
    pub(crate) logs: BTreeMap<u32, f64>,
}

impl Compared {
    /// The interval on the scale of logarithms.
    pub(crate) fn log_interval(&self) -> Option<Interval> {
        log_interval(&self.ratio)
    }

    /// As a pair of the findings, the one with the better estimate first. `names` and `titles` are in the order
    /// of the ratio.
    pub(crate) fn pair(&self, names: [&str; 2], titles: [&str; 2], metric: &Metric) -> Pair {
        let first = is_first_ahead(&self.ratio, metric.better);
        let (one, other) = if first { (0, 1) } else { (1, 0) };
        let verdict = estimate::words(self.called);
        Pair {
            treatment: names[one].to_owned(),
            against: names[other].to_owned(),
            ratio: if first {
                self.ratio.clone()
            } else {
                self.ratio.inverted()
            },
            signed_rank: self.signed_rank.map(|ranks| match first {
                true => ranks,
                false => ranks.inverted(),
            }),
            verdict,
            sentence: comparison::sentence(titles[one], titles[other], verdict, metric),
        }
    }
}

/// The interval of a ratio on the scale of logarithms.
pub(crate) fn log_interval(ratio: &RatioEstimate) -> Option<Interval> {
    let (low, high) = ratio.interval()?;
    Some(Interval {
        low: low.ln(),
        high: high.ln(),
    })
}

/// Whether the first of a ratio has the better estimate; of a metric without a better way, the higher one.
pub(crate) fn is_first_ahead(ratio: &RatioEstimate, better: Better) -> bool {
    match better {
        Better::Lower => ratio.ratio <= 1.0,
        Better::Higher | Better::Neither => ratio.ratio >= 1.0,
    }
}

impl Grounds<'_> {
    /// A treatment of the run.
    pub(crate) fn treatment(&self, name: &str) -> Option<&Treatment> {
        self.run
            .treatments
            .iter()
            .find(|treatment| treatment.name == name)
    }

    /// How reports name a treatment.
    pub(crate) fn title<'b>(&'b self, name: &'b str) -> &'b str {
        self.treatment(name)
            .map_or(name, |treatment| treatment.title.as_str())
    }

    /// Treatments other than the control, in the order of the run.
    pub(crate) fn treatments(&self) -> impl Iterator<Item = &Treatment> {
        let all = self.run.treatments.iter();
        all.filter(|treatment| treatment.twin_of.is_none())
    }

    /// Whether two treatments are asked for the same.
    pub(crate) fn same_work(&self, one: &str, other: &str) -> bool {
        let workload = |name: &str| {
            self.treatment(name)
                .and_then(|found| found.workload.clone())
        };
        workload(one) == workload(other) && self.manifest.asked(one) == self.manifest.asked(other)
    }

    /// The trials that a figure may come from: the usable ones, and for a count the INVALID ones too, since the requests
    /// that failed may be what made them so.
    pub(crate) fn trials(&self, treatment: &str, place: Place) -> Vec<&Trial> {
        let mut trials = self.selection.usable(treatment);
        if place.metric.adds_up {
            trials.extend(self.selection.invalid(treatment));
            trials.sort_by_key(|trial| trial.block);
        }
        trials
    }

    /// The figure of each block that has it, above 0; none at all where leaving out the blocks without one would
    /// flatter the treatment.
    pub(crate) fn by_block(&self, treatment: &str, place: Place) -> BTreeMap<u32, f64> {
        self.figures_by_block(treatment, place).unwrap_or_default()
    }

    /// The same, or why there is none: an INVALID level, a percentile or a capacity that some block lacks, or a 0,
    /// which no ratio can be taken to. Empty where nothing was measured.
    pub(crate) fn figures_by_block(
        &self,
        treatment: &str,
        place: Place,
    ) -> Result<BTreeMap<u32, f64>, Missing> {
        let name = place.metric.name;
        let trials = self.trials(treatment, place);
        let here: Vec<(u32, &BTreeMap<String, f64>)> = trials
            .iter()
            .filter_map(|trial| Some((trial.block, sound_metrics(trial, place)?)))
            .collect();
        let measured = trials.iter();
        let measured = measured.filter(|trial| metrics(trial, place.level).is_some());
        if here.is_empty()
            && let blocks_count @ 1.. = measured.count()
        {
            return Err(Missing::Invalid { blocks_count });
        }
        let found: BTreeMap<u32, f64> = here
            .iter()
            .filter_map(|(block, metrics)| Some((*block, *metrics.get(name)?)))
            .filter(|(_, value)| value.is_finite())
            .collect();
        if is_all_or_none(name) && found.len() < here.len() {
            return Err(Missing::SomeBlocks {
                without_count: here.len() - found.len(),
                blocks_count: here.len(),
            });
        }
        let zero_count = found.values().filter(|value| **value <= 0.0).count();
        if zero_count > 0 {
            return Err(Missing::Zero {
                zero_count,
                blocks_count: found.len(),
            });
        }
        Ok(found)
    }

    /// Compares two treatments as one of `pairs_count` whose intervals hold together; `None` without a block
    /// in which both have the figure.
    pub(crate) fn compare(
        &self,
        pair: [&str; 2],
        place: Place,
        pairs_count: usize,
    ) -> Option<Compared> {
        let logs = self.log_ratios(pair.map(|name| (name, place)));
        match logs.is_empty() {
            true => self.compare_merged(pair, place, pairs_count),
            false => self.compared(logs, pairs_count, &self.terms_at(place)),
        }
    }

    /// What logarithms of ratios, one of each block, say; `None` without any.
    pub(crate) fn compared(
        &self,
        logs: BTreeMap<u32, f64>,
        pairs_count: usize,
        terms: &Terms,
    ) -> Option<Compared> {
        let confidence = simultaneous::each_confidence(CONFIDENCE_LEVEL, pairs_count);
        let values: Vec<f64> = logs.values().copied().collect();
        let ratio = estimate::geometric_at(&values, confidence)?;
        Some(Compared {
            signed_rank: estimate::hodges_lehmann(&values),
            called: estimate::called(&ratio, &values, pairs_count, terms),
            ratio,
            logs,
        })
    }

    /// Log ratio of each block in which both have the figure. None of a tail of the main slices: that exists for all
    /// blocks together only.
    pub(crate) fn log_ratios(&self, sides: [Side; 2]) -> BTreeMap<u32, f64> {
        let merged =
            |place: Place| place.level.is_none() && percentiles::is_tail(place.metric.name);
        if sides.iter().any(|(_, place)| merged(*place)) {
            return BTreeMap::new();
        }
        let [of, against] = sides.map(|(name, place)| self.by_block(name, place));
        of.into_iter()
            .filter_map(|(block, value)| Some((block, (value / against.get(&block)?).ln())))
            .collect()
    }

    /// Percentiles of all blocks together, with the interval of leaving out one block at a time.
    fn compare_merged(
        &self,
        pair: [&str; 2],
        place: Place,
        pairs_count: usize,
    ) -> Option<Compared> {
        let confidence = simultaneous::each_confidence(CONFIDENCE_LEVEL, pairs_count);
        let ratio = self.merged(pair, place, confidence)?;
        Some(Compared {
            signed_rank: None,
            called: estimate::called(&ratio, &[], pairs_count, &self.terms_at(place)),
            ratio,
            logs: BTreeMap::new(),
        })
    }

    /// The ratio of a percentile of all blocks of the main slices together.
    fn merged(&self, pair: [&str; 2], place: Place, confidence: f64) -> Option<RatioEstimate> {
        if place.level.is_some() {
            return None;
        }
        let trials = pair.map(|name| self.selection.usable(name));
        comparison::merged(&trials, self.histograms, place.metric.name, confidence)
    }

    /// What counts as a difference here: the twin's own at this place where it was measured, else that on the
    /// primary metric.
    pub(crate) fn terms_at(&self, place: Place) -> Terms {
        if place.level.is_none() && place.metric.name == self.run.primary_metric {
            return self.terms;
        }
        let twin = self.run.treatments.iter().find_map(|treatment| {
            let pair = [treatment.name.as_str(), treatment.twin_of.as_deref()?];
            let logs: Vec<f64> = self
                .log_ratios(pair.map(|name| (name, place)))
                .into_values()
                .collect();
            if !logs.is_empty() {
                return stats::interval::of_mean(&logs, CONFIDENCE_LEVEL);
            }
            log_interval(&self.merged(pair, place, CONFIDENCE_LEVEL)?)
        });
        Terms {
            bound_ratio: twin.map_or(self.terms.bound_ratio, stats::twin::bound_ratio),
            ..self.terms
        }
    }
}

/// Why a treatment that was measured has no figure to be compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// In every block the level's answers break the audit's rule.
    Invalid {
        /// Blocks in which it was measured.
        blocks_count: usize,
    },
    /// A block without it did worse than any that has it.
    SomeBlocks {
        /// Blocks that lack it.
        without_count: usize,
        /// Blocks in all.
        blocks_count: usize,
    },
    /// It is 0 in some block.
    Zero {
        /// Blocks in which it is.
        zero_count: usize,
        /// Blocks in all.
        blocks_count: usize,
    },
}

impl Missing {
    /// The same in words, as the end of a sentence about the metric.
    pub(crate) fn words(self, metric: &Metric) -> String {
        let of = |count: usize, all: usize| match count == all {
            true => "in every block".to_owned(),
            false => format!("in {count} of {}", counted(all, "block")),
        };
        match self {
            Missing::Invalid { .. } => {
                format!("the level is INVALID in every block: {}", level_audit::RULE)
            }
            Missing::SomeBlocks {
                without_count,
                blocks_count,
            } if metric.name == CAPACITY => format!(
                "{} no rate kept the objective",
                of(without_count, blocks_count)
            ),
            Missing::SomeBlocks {
                without_count,
                blocks_count,
            } => format!(
                "{} it has too few answers, or falls among requests that failed",
                of(without_count, blocks_count)
            ),
            Missing::Zero {
                zero_count,
                blocks_count,
            } => format!(
                "0 {}, and there is no ratio to 0",
                of(zero_count, blocks_count)
            ),
        }
    }
}

/// The highest rate that kept an objective: a block that found none did worse than any that has one.
const CAPACITY: &str = "capacity_under_objective_per_s";

/// Whether the blocks that have a metric are no fair sample of those in which it was looked for.
pub(crate) fn is_all_or_none(metric: &str) -> bool {
    percentiles::is_percentile(metric) || metric == CAPACITY
}

/// The figures that a trial may be compared by. A count of requests that failed is no figure that failures spoil.
fn sound_metrics<'a>(trial: &'a Trial, place: Place) -> Option<&'a BTreeMap<String, f64>> {
    let Some(name) = place.level else {
        return Some(&trial.metrics);
    };
    let level = trial.levels.iter().find(|level| level.level == name)?;
    (place.metric.adds_up || level_audit::is_sound(&level.outcomes)).then_some(&level.metrics)
}

/// The figures of a trial at one level, or those of its main slices.
pub(crate) fn metrics<'a>(
    trial: &'a Trial,
    level: Option<&str>,
) -> Option<&'a BTreeMap<String, f64>> {
    match level {
        None => Some(&trial.metrics),
        Some(name) => {
            let level = trial.levels.iter().find(|level| level.level == name);
            level.map(|level| &level.metrics)
        }
    }
}
