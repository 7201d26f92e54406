//! How one treatment changed from one run to the other: through the baseline with a verdict, and unpaired without.

use record::{Better, METRICS, Metric, Treatment};
use stats::verdict::Evidence;
use stats::{Interval, unpaired};

use crate::compare::{Ahead, Change, JudgedChange, TreatmentChange};
use crate::compare_words::sentence;
use crate::estimate::CONFIDENCE_LEVEL;
use crate::findings::Verdict;
use crate::percentiles;
use crate::selection::Selection;

/// The usable trials of both runs.
pub(crate) struct Pair<'a> {
    pub(crate) before: Selection<'a>,
    pub(crate) after: Selection<'a>,
}

impl Pair<'_> {
    /// One treatment in both runs, held against `baseline` in each; `None` where a run has no figure of it.
    pub(crate) fn treatment(
        &self,
        treatment: &Treatment,
        baseline: Option<&str>,
        metric: &Metric,
        confidence: f64,
        terms: &stats::Terms,
    ) -> Option<TreatmentChange> {
        let logs = |selection: &Selection| -> Vec<f64> {
            let figures = selection.by_block(&treatment.name, metric.name);
            figures.into_values().map(f64::ln).collect()
        };
        let (before, after) = (logs(&self.before), logs(&self.after));
        let through = |metric: &Metric, confidence: f64| {
            let against = baseline?;
            let of =
                |selection: &Selection| selection.log_ratios(&treatment.name, against, metric.name);
            change(&of(&self.before), &of(&self.after), confidence)
        };
        let exploratory = METRICS
            .iter()
            .filter(|other| other.name != metric.name && other.better != Better::Neither)
            // A tail exists only for all blocks together: no block has one to pair.
            .filter(|other| !percentiles::is_tail(other.name))
            .filter_map(|other| Some((other.name.to_owned(), through(other, CONFIDENCE_LEVEL)?)))
            .filter(|(_, change)| change.low_ratio.is_some())
            .collect();
        Some(TreatmentChange {
            name: treatment.name.clone(),
            title: treatment.title.clone(),
            before_figure: stats::interval::mean(&before)?.exp(),
            after_figure: stats::interval::mean(&after)?.exp(),
            through_baseline: through(metric, confidence)
                .map(|change| judged(&treatment.title, change, metric, confidence, terms)),
            unpaired: change(&before, &after, CONFIDENCE_LEVEL)?,
            exploratory,
        })
    }
}

fn change(before: &[f64], after: &[f64], confidence: f64) -> Option<Change> {
    let found = unpaired::difference(before, after, confidence)?;
    let interval = found.interval.map(Interval::exp);
    Some(Change {
        ratio: found.estimate.exp(),
        low_ratio: interval.map(|interval| interval.low),
        high_ratio: interval.map(|interval| interval.high),
        before_blocks_count: before.len(),
        after_blocks_count: after.len(),
    })
}

fn judged(
    title: &str,
    change: Change,
    metric: &Metric,
    confidence: f64,
    terms: &stats::Terms,
) -> JudgedChange {
    let better = |log: f64| {
        if metric.better == Better::Higher {
            log
        } else {
            -log
        }
    };
    let interval = change.low_ratio.zip(change.high_ratio).map(|(low, high)| {
        let (one, other) = (better(low.ln()), better(high.ln()));
        Interval {
            low: one.min(other),
            high: one.max(other),
        }
    });
    let gained = better(change.ratio.ln());
    let evidence = Evidence {
        log_estimate: gained,
        log_interval: interval,
        log_signed_rank: None,
        // Blocks are added to one run or the other, so how many more would decide cannot be said.
        log_sd: None,
        blocks: change.before_blocks_count.min(change.after_blocks_count),
        confidence,
    };
    let verdict = match stats::verdict::verdict(&evidence, terms) {
        stats::Verdict::FasterByAtLeast(at_least_ratio)
        | stats::Verdict::SlowerByAtLeast(at_least_ratio) => Verdict::Faster { at_least_ratio },
        stats::Verdict::PracticallyEqual => Verdict::PracticallyEqual,
        stats::Verdict::FasterMayBeTooSmall | stats::Verdict::SlowerMayBeTooSmall => {
            Verdict::FasterMaybeTooSmall
        }
        stats::Verdict::Undecided(_) => Verdict::Undecided {
            more_blocks_count: None,
        },
    };
    let ahead = if gained >= 0.0 {
        Ahead::After
    } else {
        Ahead::Before
    };
    JudgedChange {
        sentence: sentence(title, ahead, verdict, metric),
        change,
        ahead,
        verdict,
    }
}
