//! The figures of one treatment over its blocks.

use std::collections::BTreeMap;

use record::{Histograms, METRICS, Metric, Trial};

use crate::findings::{Basis, Figure};
use crate::{estimate, percentiles};

/// Every figure that the trials of one treatment give; what they did not measure is absent.
pub(crate) fn figures(
    trials: &[&Trial],
    histograms: &BTreeMap<String, Histograms>,
) -> BTreeMap<String, Figure> {
    let figure = |metric: &Metric| {
        let merged = || percentiles::from_histograms(metric.name, trials, histograms);
        if percentiles::is_tail(metric.name) {
            return merged();
        }
        let values: Vec<f64> = trials
            .iter()
            .filter_map(|trial| trial.metrics.get(metric.name).copied())
            .collect();
        // A block lacks a percentile when it had too few requests, or failed ones that count as slower
        // than every answer. The mean of the other blocks would hide that; all requests together do not.
        let hidden = percentiles::is_percentile(metric.name) && values.len() < trials.len();
        if hidden {
            return merged();
        }
        (!values.is_empty()).then(|| over_blocks(metric, &values))
    };
    let named = |metric: &Metric| Some((metric.name.to_owned(), figure(metric)?));
    METRICS.iter().filter_map(named).collect()
}

/// One figure from its values, a block each; at least one.
pub(crate) fn over_blocks(metric: &Metric, values: &[f64]) -> Figure {
    let blocks_count = values.len();
    let plain = |estimate: f64, basis: Basis| Figure {
        estimate,
        low: None,
        high: None,
        blocks_count,
        basis,
    };
    let sum: f64 = values.iter().sum();
    if metric.adds_up {
        return plain(sum, Basis::Sum);
    }
    if values.iter().any(|value| *value <= 0.0) {
        return plain(sum / blocks_count as f64, Basis::ArithmeticMean);
    }
    geometric(values).unwrap_or_else(|| plain(sum, Basis::Sum))
}

/// Geometric mean of values above 0 with its interval; `None` of nothing.
pub(crate) fn geometric(values: &[f64]) -> Option<Figure> {
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let found = estimate::geometric(&logs)?;
    Some(Figure {
        estimate: found.ratio,
        low: found.low_ratio,
        high: found.high_ratio,
        blocks_count: values.len(),
        basis: Basis::GeometricMean,
    })
}
