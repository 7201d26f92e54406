//! Percentiles of a treatment, from the merged histograms of its blocks.
//!
//! They cover every request: one that is in no histogram did not end well and counts as slower than
//! every answer, so a percentile that falls among those is absent.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use record::{CLOSED_SERVICE_TAG, Histograms, RESPONSE_TAG, SERVICE_TAG, Slice, Trial};

use crate::findings::{Basis, Figure};

/// A tail with fewer requests says nothing.
const LEAST_TAIL_COUNT: f64 = 100.0;

/// Which histogram a metric comes from.
struct Source {
    metric: &'static str,
    quantile: f64,
    tag: &'static str,
    load: &'static str,
}

const fn source(
    metric: &'static str,
    quantile: f64,
    tag: &'static str,
    load: &'static str,
) -> Source {
    Source {
        metric,
        quantile,
        tag,
        load,
    }
}

const SOURCES: &[Source] = &[
    source("response_p50_ns", 0.5, RESPONSE_TAG, "open"),
    source("response_p90_ns", 0.9, RESPONSE_TAG, "open"),
    source("response_p99_ns", 0.99, RESPONSE_TAG, "open"),
    source("service_p50_ns", 0.5, SERVICE_TAG, "open"),
    source("service_p90_ns", 0.9, SERVICE_TAG, "open"),
    source("closed_service_p50_ns", 0.5, CLOSED_SERVICE_TAG, "closed"),
    source("closed_service_p99_ns", 0.99, CLOSED_SERVICE_TAG, "closed"),
];

/// Whether a metric is taken from merged histograms even where every block has it.
pub(crate) fn is_tail(metric: &str) -> bool {
    SOURCES
        .iter()
        .any(|source| source.metric == metric && source.quantile >= 0.99)
}

/// Whether a metric is a percentile at all: a block that lacks one was slower there than any that has it.
pub(crate) fn is_percentile(metric: &str) -> bool {
    let after = metric.split("_p").skip(1);
    after
        .into_iter()
        .any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// A percentile of one treatment, a trial a block, from the merged histograms; `None` where there are
/// too few requests, too few answers, or no histograms of it.
pub(crate) fn from_histograms(
    metric: &str,
    trials: &[&Trial],
    histograms: &BTreeMap<String, Histograms>,
) -> Option<Figure> {
    let source = SOURCES.iter().find(|source| source.metric == metric)?;
    let blocks = distributions(source.tag, source.load, trials, histograms)?;
    merged(&blocks, source.quantile)
}

/// One point of a curve of times over percentiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CurvePoint {
    /// Share of all requests.
    pub(crate) quantile: f64,
    /// What that share did not exceed.
    pub(crate) time_ns: f64,
    /// Its 95 % interval, from leaving out one block at a time.
    pub(crate) interval_ns: Option<(f64, f64)>,
}

/// Times at `quantiles` of one treatment, a trial a block, as far as there are enough requests, with the
/// number of requests; `None` where a block has no such histogram, or no quantile has enough behind it.
pub(crate) fn curve(
    tag: &str,
    load: &str,
    quantiles: &[f64],
    trials: &[&Trial],
    histograms: &BTreeMap<String, Histograms>,
) -> Option<(u64, Vec<CurvePoint>)> {
    let blocks = distributions(tag, load, trials, histograms)?;
    let all = together(&blocks)?;
    let requests_count = all.requests_count();
    let enough: Vec<f64> = quantiles
        .iter()
        .copied()
        .filter(|quantile| is_enough(requests_count, *quantile))
        .collect();
    let left_out: Option<Vec<Vec<Option<f64>>>> = blocks
        .iter()
        .map(|block| Some(at_each(&without(&all, block)?, &enough)))
        .collect();
    let left_out = left_out?;
    let points = at_each(&all, &enough)
        .into_iter()
        .enumerate()
        .map_while(|(index, time_ns)| {
            let time_ns = time_ns?;
            let logs: Option<Vec<f64>> = left_out
                .iter()
                .map(|times| times[index].map(f64::ln))
                .collect();
            let interval =
                logs.and_then(|logs| crate::estimate::leave_one_out(time_ns.ln(), &logs));
            Some(CurvePoint {
                quantile: enough[index],
                time_ns,
                interval_ns: interval.map(|(low, high)| (low.exp(), high.exp())),
            })
        });
    let points: Vec<CurvePoint> = points.collect();
    (!points.is_empty()).then_some((requests_count, points))
}

/// Answers of one block, and how many requests had none.
struct Distribution {
    answers: Histogram<u64>,
    unanswered_count: u64,
}

impl Distribution {
    fn requests_count(&self) -> u64 {
        self.answers.len().saturating_add(self.unanswered_count)
    }
}

/// One distribution a block; `None` when a block has none, because a tail without it would be another tail.
fn distributions(
    tag: &str,
    load: &str,
    trials: &[&Trial],
    histograms: &BTreeMap<String, Histograms>,
) -> Option<Vec<Distribution>> {
    let distribution = |trial: &&Trial| {
        let answers = histograms.get(&trial.trial)?.get(tag)?.clone();
        let unanswered_count = failed_count(trial, load);
        Some(Distribution {
            answers,
            unanswered_count,
        })
    };
    trials.iter().map(distribution).collect()
}

/// Requests of the main windows under one kind of load that did not end in a good answer: the histograms hold no
/// window of a further level.
fn failed_count(trial: &Trial, load: &str) -> u64 {
    let main = |slice: &&Slice| slice.load == load && slice.level.is_none();
    let windows = trial.slices.iter().filter(main);
    windows
        .map(|slice| slice.failed_requests_count)
        .fold(0, u64::saturating_add)
}

/// The logarithm of the ratio of a percentile of two treatments over the blocks that both were usable in, and the
/// same with one block left out at a time; `None` where either has none.
pub(crate) fn log_ratio(
    metric: &str,
    [one, other]: [&[&Trial]; 2],
    histograms: &BTreeMap<String, Histograms>,
) -> Option<(f64, Vec<f64>)> {
    let source = SOURCES.iter().find(|source| source.metric == metric)?;
    let shared = |trials: &[&Trial], with: &[&Trial]| -> Option<Vec<Distribution>> {
        let both = |trial: &&&Trial| with.iter().any(|other| other.block == trial.block);
        let kept: Vec<&Trial> = trials.iter().filter(both).copied().collect();
        distributions(source.tag, source.load, &kept, histograms)
    };
    let sides = [shared(one, other)?, shared(other, one)?];
    let [all_one, all_other] = [together(&sides[0])?, together(&sides[1])?];
    for side in [&all_one, &all_other] {
        is_enough(side.requests_count(), source.quantile).then_some(())?;
    }
    let ratio = |one: &Distribution, other: &Distribution| {
        Some((at(one, source.quantile)? / at(other, source.quantile)?).ln())
    };
    let left_out: Option<Vec<f64>> = sides[0]
        .iter()
        .zip(&sides[1])
        .map(|(one, other)| ratio(&without(&all_one, one)?, &without(&all_other, other)?))
        .collect();
    Some((ratio(&all_one, &all_other)?, left_out.unwrap_or_default()))
}

fn merged(blocks: &[Distribution], quantile: f64) -> Option<Figure> {
    let all = together(blocks)?;
    if !is_enough(all.requests_count(), quantile) {
        return None;
    }
    let estimate = at(&all, quantile)?;
    let left_out: Option<Vec<f64>> = blocks
        .iter()
        .map(|block| at(&without(&all, block)?, quantile).map(f64::ln))
        .collect();
    let interval = left_out
        .as_deref()
        .and_then(|logs| crate::estimate::leave_one_out(estimate.ln(), logs));
    Some(Figure {
        estimate,
        low: interval.map(|(low, _)| low.exp()),
        high: interval.map(|(_, high)| high.exp()),
        blocks_count: blocks.len(),
        basis: Basis::MergedHistograms,
    })
}

/// All blocks as one distribution; `None` of no block.
fn together(blocks: &[Distribution]) -> Option<Distribution> {
    let mut all = Distribution {
        answers: blocks.first()?.answers.clone(),
        unanswered_count: 0,
    };
    all.answers.auto(true);
    all.answers.reset();
    for block in blocks {
        all.answers.add(&block.answers).ok()?;
        all.unanswered_count = all.unanswered_count.saturating_add(block.unanswered_count);
    }
    Some(all)
}

/// Whether a hundred requests lie beyond a quantile.
fn is_enough(requests_count: u64, quantile: f64) -> bool {
    // Compared with a hair of slack: 10,000 × (1 − 0.99) is not quite 100 in binary.
    requests_count as f64 * (1.0 - quantile) >= LEAST_TAIL_COUNT - 1e-6
}

fn without(all: &Distribution, block: &Distribution) -> Option<Distribution> {
    let mut answers = all.answers.clone();
    answers.subtract(&block.answers).ok()?;
    Some(Distribution {
        answers,
        unanswered_count: all.unanswered_count.saturating_sub(block.unanswered_count),
    })
}

/// The smallest value that `quantile` of all requests did not exceed; `None` when those are not all answers.
fn at(distribution: &Distribution, quantile: f64) -> Option<f64> {
    at_each(distribution, &[quantile])[0]
}

/// The same for several quantiles, ascending, in one pass.
fn at_each(distribution: &Distribution, quantiles: &[f64]) -> Vec<Option<f64>> {
    let answers = &distribution.answers;
    let requests = distribution.requests_count();
    let rank = |quantile: f64| (quantile * requests as f64 - 1e-6).ceil().max(1.0) as u64;
    let mut found = vec![None; quantiles.len()];
    let mut next = 0;
    let mut passed = 0_u64;
    for step in answers.iter_recorded() {
        passed = passed.saturating_add(step.count_since_last_iteration());
        while next < quantiles.len() && passed >= rank(quantiles[next]) {
            found[next] = Some(answers.highest_equivalent(step.value_iterated_to()) as f64);
            next += 1;
        }
        if next == quantiles.len() {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(answers: impl IntoIterator<Item = u64>, unanswered_count: u64) -> Distribution {
        let mut histogram = Histogram::new(3).unwrap();
        answers
            .into_iter()
            .for_each(|value| histogram.record(value).unwrap());
        Distribution {
            answers: histogram,
            unanswered_count,
        }
    }

    #[test]
    fn a_tail_of_fewer_than_a_hundred_requests_is_absent() {
        assert!(merged(&[block(1..=9_999, 0)], 0.99).is_none());
        let found = merged(&[block(1..=10_000, 0)], 0.99).unwrap();
        assert!(
            (found.estimate / 9_900.0 - 1.0).abs() < 2e-3,
            "{}",
            found.estimate
        );
        assert_eq!(found.low, None);
    }

    #[test]
    fn a_request_without_an_answer_is_slower_than_every_answer() {
        // 100 of 20,000 unanswered: the 99th percentile is the 19,800th of 19,900 answers.
        let found = merged(&[block(1..=19_900, 100)], 0.99).unwrap();
        assert!(
            (found.estimate / 19_800.0 - 1.0).abs() < 2e-3,
            "{}",
            found.estimate
        );
        // More than one in a hundred unanswered: it falls among them.
        assert!(merged(&[block(1..=19_900, 300)], 0.99).is_none());
    }

    #[test]
    fn percentiles_are_merged_and_never_averaged() {
        // A tenth of the requests, all in one block, are a hundred times slower: so is the tail.
        let fast = || block(std::iter::repeat_n(1_000, 9_000), 0);
        let slow = block(std::iter::repeat_n(100_000, 1_000), 0);
        let found = merged(&[fast(), slow], 0.99).unwrap();
        assert!(
            (found.estimate / 100_000.0 - 1.0).abs() < 2e-3,
            "{}",
            found.estimate
        );
    }

    #[test]
    fn percentiles_are_known_by_their_names() {
        assert!(is_percentile("response_p50_ns") && is_percentile("send_delay_p99_ns"));
        assert!(!is_percentile("memory_pss_bytes") && !is_percentile("completion_rate_per_s"));
        assert!(!is_percentile("service_cpu_per_good_answer_us"));
        assert!(is_tail("response_p99_ns") && !is_tail("response_p90_ns"));
    }
}
