//! What every part of the findings is worked out from, and the one way to compare two treatments.

use std::collections::BTreeMap;

use record::{Better, Histograms, Metric, Run, Treatment, Trial};
use stats::{Interval, Terms, jackknife, simultaneous};

use crate::estimate::{self, CONFIDENCE_LEVEL};
use crate::findings::{Pair, RatioEstimate, SignedRank};
use crate::manifest::Manifest;
use crate::selection::Selection;
use crate::{comparison, percentiles};

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
        let (low, high) = self.ratio.interval()?;
        Some(Interval {
            low: low.ln(),
            high: high.ln(),
        })
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

    /// A positive figure of each block that has it. A percentile that some block lacks, where it fell among
    /// requests that failed, would be that of the better blocks alone: then there is none.
    pub(crate) fn by_block(&self, treatment: &str, place: Place) -> BTreeMap<u32, f64> {
        let trials = self.selection.usable(treatment);
        let here: Vec<(u32, &BTreeMap<String, f64>)> = trials
            .iter()
            .filter_map(|trial| Some((trial.block, metrics(trial, place.level)?)))
            .collect();
        let found: BTreeMap<u32, f64> = here
            .iter()
            .filter_map(|(block, metrics)| Some((*block, *metrics.get(place.metric.name)?)))
            .filter(|(_, value)| *value > 0.0 && value.is_finite())
            .collect();
        if percentiles::is_percentile(place.metric.name) && found.len() < here.len() {
            return BTreeMap::new();
        }
        found
    }

    /// Compares two treatments as one of `pairs_count` whose intervals hold together; `None` without a block
    /// in which both have the figure.
    pub(crate) fn compare(
        &self,
        [one, other]: [&str; 2],
        place: Place,
        pairs_count: usize,
    ) -> Option<Compared> {
        let confidence = simultaneous::each_confidence(CONFIDENCE_LEVEL, pairs_count);
        let against = self.by_block(other, place);
        let logs: BTreeMap<u32, f64> = self
            .by_block(one, place)
            .into_iter()
            .filter_map(|(block, value)| Some((block, (value / against.get(&block)?).ln())))
            .collect();
        let terms = self.terms_at(place);
        if logs.is_empty() {
            return self.compare_merged([one, other], place, confidence, pairs_count, &terms);
        }
        let values: Vec<f64> = logs.values().copied().collect();
        let ratio = estimate::geometric_at(&values, confidence)?;
        Some(Compared {
            signed_rank: estimate::hodges_lehmann(&values),
            called: estimate::called(&ratio, &values, pairs_count, &terms),
            ratio,
            logs,
        })
    }

    /// Percentiles of all blocks together, with the interval of leaving out one block at a time.
    fn compare_merged(
        &self,
        [one, other]: [&str; 2],
        place: Place,
        confidence: f64,
        pairs_count: usize,
        terms: &Terms,
    ) -> Option<Compared> {
        if place.level.is_some() {
            return None;
        }
        let trials = [self.selection.usable(one), self.selection.usable(other)];
        let (whole, without) =
            percentiles::log_ratio(place.metric.name, [&trials[0], &trials[1]], self.histograms)?;
        let interval = jackknife::jackknife(whole, &without, confidence);
        let ratio = RatioEstimate {
            ratio: whole.exp(),
            low_ratio: interval.map(|interval| interval.low.exp()),
            high_ratio: interval.map(|interval| interval.high.exp()),
            blocks_count: without.len(),
        };
        Some(Compared {
            signed_rank: None,
            called: estimate::called(&ratio, &[], pairs_count, terms),
            ratio,
            logs: BTreeMap::new(),
        })
    }

    /// What counts as a difference here: the twin's own at this place where it was measured, else that on the
    /// primary metric.
    pub(crate) fn terms_at(&self, place: Place) -> Terms {
        if place.level.is_none() && place.metric.name == self.run.primary_metric {
            return self.terms;
        }
        let twin = self.run.treatments.iter().find_map(|treatment| {
            let of = treatment.twin_of.as_deref()?;
            let against = self.by_block(of, place);
            let logs: Vec<f64> = self
                .by_block(&treatment.name, place)
                .into_iter()
                .filter_map(|(block, value)| Some((value / against.get(&block)?).ln()))
                .collect();
            stats::interval::of_mean(&logs, CONFIDENCE_LEVEL)
        });
        Terms {
            bound_ratio: twin.map_or(self.terms.bound_ratio, stats::twin::bound_ratio),
            ..self.terms
        }
    }
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
