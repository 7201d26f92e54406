//! Time series of the trials, thinned to what a page can carry.

use std::collections::{BTreeMap, BTreeSet};

use record::Sample;
use serde::Serialize;

use crate::page_trials::significant;

/// Figures of all trials together; about five characters each.
const FIGURES_LIMIT_COUNT: usize = 40_000;
/// A line on a screen shows no more.
const DIGITS: i32 = 4;

/// Samples of one trial as columns; what was not read is null.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TrialSamples {
    /// Seconds since the run began.
    pub at_s: Vec<f64>,
    /// One column a figure, named with its unit.
    pub figures: BTreeMap<String, Vec<Option<f64>>>,
}

/// The same share of every trial's samples, evenly, so that all fit.
pub(crate) fn thinned(
    samples: BTreeMap<String, Vec<Sample>>,
    left_out: &mut Vec<String>,
) -> BTreeMap<String, TrialSamples> {
    let count: usize = samples
        .values()
        .flatten()
        .map(|sample| sample.figures.len() + 1)
        .sum();
    let every = count.div_ceil(FIGURES_LIMIT_COUNT).max(1);
    if every > 1 {
        left_out.push(format!(
            "of the time series, one sample in {every} is drawn; samples/ has them all"
        ));
    }
    samples
        .into_iter()
        .filter(|(_, samples)| !samples.is_empty())
        .map(|(trial, samples)| (trial, columns(&samples, every)))
        .collect()
}

fn columns(samples: &[Sample], every: usize) -> TrialSamples {
    let kept: Vec<&Sample> = samples.iter().step_by(every).collect();
    let names: BTreeSet<&String> = kept.iter().flat_map(|one| one.figures.keys()).collect();
    let figure = |name: &String| -> Vec<Option<f64>> {
        kept.iter()
            .map(|one| Some(significant(*one.figures.get(name)?, DIGITS)))
            .collect()
    };
    TrialSamples {
        at_s: kept
            .iter()
            .map(|one| (one.at_s * 1e3).round() / 1e3)
            .collect(),
        figures: names
            .into_iter()
            .map(|name| (name.clone(), figure(name)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(length: usize) -> Vec<Sample> {
        let sample = |index: usize| Sample {
            at_s: index as f64,
            figures: BTreeMap::from([("service_cpu_ratio".to_owned(), 0.123_456)]),
        };
        (0..length).map(sample).collect()
    }

    #[test]
    fn a_short_series_is_kept_whole() {
        let mut left_out = Vec::new();
        let samples = BTreeMap::from([
            ("b01-a".to_owned(), series(50)),
            ("b01-b".to_owned(), Vec::new()),
        ]);
        let thin = thinned(samples, &mut left_out);
        assert_eq!((thin.len(), thin["b01-a"].at_s.len()), (1, 50));
        assert_eq!(thin["b01-a"].figures["service_cpu_ratio"][3], Some(0.123_5));
        assert!(left_out.is_empty());
    }

    #[test]
    fn a_long_one_is_thinned_evenly_and_said_so() {
        let mut left_out = Vec::new();
        let samples = BTreeMap::from([("b01-a".to_owned(), series(80_000))]);
        let thin = thinned(samples, &mut left_out);
        assert_eq!(thin["b01-a"].at_s[..3], [0.0, 4.0, 8.0]);
        assert!(left_out[0].contains("one sample in 4"), "{left_out:?}");
    }
}
