//! Treatments held together on the primary metric: pairs, their verdicts, and the control.

use std::collections::BTreeMap;

use record::{Better, Histograms, Metric, Run, Trial};
use stats::{Terms, jackknife, simultaneous};

use crate::estimate;
use crate::findings::{Control, Pair, RatioEstimate, Verdict};
use crate::percentiles;
use crate::selection::Selection;
use crate::text::counted;
use crate::units;

/// The twin's ratio to the treatment it repeats on one metric; `None` before there are two blocks of both.
pub(crate) fn control(
    run: &Run,
    selection: &Selection,
    histograms: &BTreeMap<String, Histograms>,
    metric: &str,
) -> Option<Control> {
    let twin = run
        .treatments
        .iter()
        .find(|treatment| treatment.twin_of.is_some())?;
    let treatment = twin.twin_of.as_ref()?;
    let ratio = unadjusted([&twin.name, treatment], selection, histograms, metric)?;
    let (low, high) = ratio.interval()?;
    let log_interval = stats::Interval {
        low: low.ln(),
        high: high.ln(),
    };
    Some(Control {
        treatment: treatment.clone(),
        twin: twin.name.clone(),
        bound_ratio: stats::twin::bound_ratio(log_interval),
        differs: stats::twin::alarm(log_interval),
        ratio,
    })
}

/// The ratio of two treatments with an interval that stands alone: block by block, or of a tail on merged histograms.
pub(crate) fn unadjusted(
    [one, other]: [&str; 2],
    selection: &Selection,
    histograms: &BTreeMap<String, Histograms>,
    metric: &str,
) -> Option<RatioEstimate> {
    if percentiles::is_tail(metric) {
        let trials = [selection.usable(one), selection.usable(other)];
        return merged(&trials, histograms, metric, estimate::CONFIDENCE_LEVEL);
    }
    estimate::geometric(&selection.log_ratios(one, other, metric))
}

/// The ratio of a percentile of all blocks together; `None` where either has too few requests, or no histograms.
pub(crate) fn merged(
    [one, other]: &[Vec<&Trial>; 2],
    histograms: &BTreeMap<String, Histograms>,
    metric: &str,
    confidence: f64,
) -> Option<RatioEstimate> {
    let (whole, without) = percentiles::log_ratio(metric, [one, other], histograms)?;
    let interval = jackknife::jackknife(whole, &without, confidence);
    Some(RatioEstimate {
        ratio: whole.exp(),
        low_ratio: interval.map(|interval| interval.low.exp()),
        high_ratio: interval.map(|interval| interval.high.exp()),
        blocks_count: without.len(),
    })
}

/// Every pair of treatments on a tail, by their places; together the intervals hold.
fn merged_pairs(
    ranked: &[(&str, &str)],
    selection: &Selection,
    histograms: &BTreeMap<String, Histograms>,
    metric: &str,
) -> Vec<(usize, usize, RatioEstimate)> {
    let count = simultaneous::pairs_count(ranked.len());
    let confidence = simultaneous::each_confidence(estimate::CONFIDENCE_LEVEL, count);
    let places =
        (0..ranked.len()).flat_map(|one| (one + 1..ranked.len()).map(move |other| (one, other)));
    places
        .filter_map(|(one, other)| {
            let trials = [one, other].map(|place| selection.usable(ranked[place].0));
            Some((one, other, merged(&trials, histograms, metric, confidence)?))
        })
        .collect()
}

/// Every pair of `ranked` (name and title), the one with the better estimate first.
pub(crate) fn pairs(
    ranked: &[(&str, &str)],
    selection: &Selection,
    histograms: &BTreeMap<String, Histograms>,
    metric: &Metric,
    terms: &Terms,
) -> Vec<Pair> {
    let is_tail = percentiles::is_tail(metric.name);
    let figures: Vec<_> = ranked
        .iter()
        .map(|(name, _)| selection.by_block(name, metric.name))
        .collect();
    let pairs_count = simultaneous::pairs_count(ranked.len());
    let pair = |found: (usize, usize, RatioEstimate)| {
        let (one, other, ratio) = ahead_first(found, metric.better);
        let ((one, one_title), (other, other_title)) = (ranked[one], ranked[other]);
        let logs = match is_tail {
            true => Vec::new(),
            false => selection.log_ratios(one, other, metric.name),
        };
        let verdict = estimate::words(estimate::called(&ratio, &logs, pairs_count, terms));
        Pair {
            treatment: one.to_owned(),
            against: other.to_owned(),
            signed_rank: estimate::hodges_lehmann(&logs),
            sentence: sentence(one_title, other_title, verdict, metric),
            ratio,
            verdict,
        }
    };
    let found = match is_tail {
        true => merged_pairs(ranked, selection, histograms, metric.name),
        false => estimate::all_pairs(&figures),
    };
    found.into_iter().map(pair).collect()
}

/// Turns a pair so that its first treatment is the better one by the estimate.
fn ahead_first(
    (one, other, ratio): (usize, usize, RatioEstimate),
    better: Better,
) -> (usize, usize, RatioEstimate) {
    let ahead = match better {
        Better::Higher => ratio.ratio >= 1.0,
        _ => ratio.ratio <= 1.0,
    };
    if ahead {
        (one, other, ratio)
    } else {
        (other, one, ratio.inverted())
    }
}

/// The verdict in the words of the method.
pub(crate) fn sentence(one: &str, other: &str, verdict: Verdict, metric: &Metric) -> String {
    // "Faster" is said of time and of rates; a smaller memory is not faster, and what only describes is no merit.
    let is_size = metric.unit == "bytes" && metric.better != Better::Neither;
    let faster = match metric.better {
        Better::Neither => "higher",
        _ if is_size => "smaller",
        _ => "faster",
    };
    match verdict {
        // Nothing is smaller by more than 100 %.
        Verdict::Faster { at_least_ratio } if is_size => format!(
            "{other} is larger than {one} by at least {}",
            units::per_cent(at_least_ratio)
        ),
        Verdict::Faster { at_least_ratio } => format!(
            "{one} is {faster} than {other} by at least {}",
            units::per_cent(at_least_ratio)
        ),
        Verdict::PracticallyEqual => format!("{one} and {other} are practically equal"),
        Verdict::FasterMaybeTooSmall => {
            format!("{one} is {faster} than {other}, may be too small to matter")
        }
        Verdict::Undecided { more_blocks_count } => {
            format!(
                "{one} against {other} is undecided{}",
                more_blocks(more_blocks_count)
            )
        }
    }
}

/// How far a decision is, as the end of a sentence.
fn more_blocks(count: Option<usize>) -> String {
    count.map_or(String::new(), |count| {
        format!(", about {}", counted(count, "more block"))
    })
}
