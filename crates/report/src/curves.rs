//! Response and service times over percentiles, from the merged histograms of a treatment's blocks.

use std::collections::{BTreeMap, BTreeSet};

use record::{CLOSED_SERVICE_TAG, Histograms, RESPONSE_TAG, Run, SERVICE_TAG, Trial};
use serde::Serialize;

use crate::page_trials::significant;
use crate::percentiles::{self, CurvePoint};
use crate::selection::Selection;

/// Steps for each factor of ten in the share of requests that were slower.
const STEPS_A_DECADE: i32 = 12;
/// Down to one request in a hundred thousand.
const DECADES: i32 = 5;
/// A histogram keeps three.
const DIGITS: i32 = 4;

/// One treatment's distribution of times, as far as it has enough requests.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// The treatment.
    pub treatment: String,
    /// The histogram: `response`, `service` or `closed_service`.
    pub histogram: String,
    /// Requests behind it, those that failed included.
    pub requests_count: u64,
    /// Whether it comes from INVALID trials, for want of others.
    pub is_invalid: bool,
    /// Shares of requests, ascending.
    pub quantiles_ratio: Vec<f64>,
    /// Times that these shares of all requests did not exceed.
    pub times_ns: Vec<f64>,
    /// Lower ends of the 95 % intervals, from leaving out one block at a time; null where there is none.
    pub low_ns: Vec<Option<f64>>,
    /// Upper ends.
    pub high_ns: Vec<Option<f64>>,
}

/// A curve for every treatment, the twin included, and every histogram it has.
pub(crate) fn curves(
    run: &Run,
    trials: &[Trial],
    histograms: &BTreeMap<String, Histograms>,
) -> Vec<Curve> {
    let selection = Selection::of(run, trials);
    let quantiles = quantiles();
    let mut curves = Vec::new();
    for treatment in &run.treatments {
        let usable = selection.usable(&treatment.name);
        let is_invalid = usable.is_empty();
        let shown = match is_invalid {
            true => selection.invalid(&treatment.name),
            false => usable,
        };
        let tags: BTreeSet<&String> = shown
            .iter()
            .filter_map(|trial| histograms.get(&trial.trial))
            .flat_map(BTreeMap::keys)
            .collect();
        for tag in tags {
            let Some(load) = load_of(tag) else { continue };
            let found = percentiles::curve(tag, load, &quantiles, &shown, histograms);
            curves.extend(found.map(|(requests_count, points)| {
                let name = treatment.name.clone();
                curve(name, tag.clone(), requests_count, is_invalid, &points)
            }));
        }
    }
    curves
}

/// The load under which a histogram was recorded; `None` for one this version does not know.
fn load_of(tag: &str) -> Option<&'static str> {
    match tag {
        RESPONSE_TAG | SERVICE_TAG => Some("open"),
        CLOSED_SERVICE_TAG => Some("closed"),
        _ => None,
    }
}

fn curve(
    treatment: String,
    histogram: String,
    requests_count: u64,
    is_invalid: bool,
    points: &[CurvePoint],
) -> Curve {
    let short = |value: f64| significant(value, DIGITS);
    let end = |of: fn(&CurvePoint) -> Option<f64>| -> Vec<Option<f64>> {
        points.iter().map(|point| of(point).map(short)).collect()
    };
    Curve {
        treatment,
        histogram,
        requests_count,
        is_invalid,
        quantiles_ratio: points.iter().map(|point| point.quantile).collect(),
        times_ns: points.iter().map(|point| short(point.time_ns)).collect(),
        low_ns: end(|point| point.interval_ns.map(|(low, _)| low)),
        high_ns: end(|point| point.interval_ns.map(|(_, high)| high)),
    }
}

/// Even steps on a scale of the share of requests that were slower, so that the tail gets as much room as the
/// middle, and the percentiles people name.
fn quantiles() -> Vec<f64> {
    let mut quantiles: Vec<f64> = (0..=STEPS_A_DECADE * DECADES)
        .map(|step| 1.0 - 10_f64.powf(-f64::from(step) / f64::from(STEPS_A_DECADE)))
        .map(|quantile| (quantile * 1e7).round() / 1e7)
        .chain([0.5, 0.75, 0.95])
        .collect();
    quantiles.sort_by(f64::total_cmp);
    quantiles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_percentiles_people_name_are_among_the_steps() {
        let quantiles = quantiles();
        for named in [0.0, 0.5, 0.9, 0.95, 0.99, 0.999] {
            assert!(quantiles.contains(&named), "{named}");
        }
        assert!(quantiles.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
