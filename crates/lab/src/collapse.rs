//! The slices of one start become one trial: the fresh start is what is replicated, not the slice.

use std::collections::BTreeMap;

use load::{Distribution, Observations};
use record::{Histograms, Slice, Trial};

use crate::audit::{Evidence, Promise, audit, audit_figures, judge};
use crate::design::SliceKind;
use crate::watched::Around;

/// Everything one fresh start of one treatment showed.
#[derive(Debug, Default)]
pub struct Seen {
    /// Open slices together.
    pub open: Option<Observations>,
    /// Closed slices together.
    pub closed: Option<Observations>,
    /// The slices one by one.
    pub slices: Vec<Slice>,
    /// From the start of the process to the first right answer.
    pub first_answer_ns: Option<u64>,
    /// Until the warm-up rule was met, or its cap.
    pub warm_up_ns: Option<u64>,
    /// Largest anonymous plus shared resident memory of the tree under load.
    pub memory_peak_bytes: Option<u64>,
    /// Proportional set size of the tree after the last slice.
    pub memory_pss_bytes: Option<u64>,
    /// CPU time this service used while others were measured, and for how long.
    pub idle_cpu_ns: u64,
    /// Wall time of the windows in which others were measured.
    pub idle_wall_ns: u64,
    /// What it was told and promised.
    pub promise: Promise,
    /// What the generator reaches against a server that does nothing.
    pub null_server_rate_per_s: Option<f64>,
    /// Resident pages of mapped files: page cache.
    pub memory_mapped_bytes: Option<u64>,
    /// What was seen around the slices.
    pub around: Around,
    /// What went wrong outside the load.
    pub broken: Vec<String>,
}

impl Seen {
    /// Adds one measured slice.
    pub fn add(&mut self, kind: SliceKind, slice: Slice, observations: &Observations) {
        let sum = match kind {
            SliceKind::Open => &mut self.open,
            SliceKind::Closed => &mut self.closed,
        };
        match sum {
            Some(sum) => sum.merge(observations),
            None => *sum = Some(observations.clone()),
        }
        self.slices.push(slice);
    }

    /// Fills in a trial's figures, audit and status.
    pub fn collapse_into(self, trial: &mut Trial) {
        let metrics = self.metrics();
        let mut lines = audit(&Evidence {
            open: self.open.as_ref(),
            open_slices: of_kind(&self.slices, SliceKind::Open).len(),
            closed: self.closed.as_ref(),
            generator_cpu_ratio: metrics.get("generator_cpu_ratio").copied(),
            idle_cpu_ratio: ratio(self.idle_cpu_ns as f64, self.idle_wall_ns as f64),
            broken: &self.broken,
        });
        lines.extend(audit_figures(&metrics, &self.slices, &self.promise));
        (trial.status, trial.reasons) = judge(&lines);
        trial.audit = lines;
        trial.metrics = metrics;
        for seen in self.open.iter().chain(&self.closed) {
            for (outcome, count) in seen.outcomes.iter().filter(|(_, count)| *count > 0) {
                *trial.outcomes.entry(outcome.name().to_owned()).or_default() += count;
            }
        }
        trial.outcomes.entry("ok".to_owned()).or_default();
        trial.slices = self.slices;
    }

    /// The distributions that outlive the trial, by the record's tags.
    pub fn histograms(&self) -> Histograms {
        let mut histograms = Histograms::new();
        if let Some(open) = &self.open {
            if let Some(response) = open.response_time() {
                histograms.insert(record::RESPONSE_TAG.to_owned(), response.answers().clone());
            }
            histograms.insert(
                record::SERVICE_TAG.to_owned(),
                open.service_time().answers().clone(),
            );
        }
        if let Some(closed) = &self.closed {
            let service = closed.service_time().answers().clone();
            histograms.insert(record::CLOSED_SERVICE_TAG.to_owned(), service);
        }
        histograms
    }

    fn metrics(&self) -> BTreeMap<String, f64> {
        let mut metrics = Metrics::default();
        if let Some(open) = &self.open {
            metrics.of_open(open);
            metrics.cpu_per_good_answer(&self.slices);
        }
        if let Some(closed) = &self.closed {
            metrics.of_closed(closed);
            metrics.cpu_ratios(&self.slices);
        }
        let whole = |value: Option<u64>| value.map(|value| value as f64);
        metrics.put("first_answer_ns", whole(self.first_answer_ns));
        metrics.put("warm_up_ns", whole(self.warm_up_ns));
        metrics.put("memory_peak_bytes", whole(self.memory_peak_bytes));
        metrics.put("memory_pss_bytes", whole(self.memory_pss_bytes));
        self.around.put_into(&mut metrics);
        let mapped = whole(self.memory_mapped_bytes);
        metrics.put("memory_mapped_bytes", mapped);
        metrics.put("null_server_rate_per_s", self.null_server_rate_per_s);
        let count = |of: fn(&Slice) -> u64| {
            let total: u64 = self.slices.iter().map(of).sum();
            (!self.slices.is_empty()).then_some(total as f64)
        };
        metrics.put(
            "good_answers_count",
            count(|slice| slice.good_answers_count),
        );
        metrics.put(
            "failed_requests_count",
            count(|slice| slice.failed_requests_count),
        );
        let mut canaries: Vec<u64> = self
            .slices
            .iter()
            .filter_map(|slice| slice.canary_ns)
            .collect();
        canaries.sort_unstable();
        metrics.put(
            "canary_ns",
            canaries.get(canaries.len() / 2).map(|ns| *ns as f64),
        );
        metrics.0
    }
}

/// Figures by metric name; what was not measured is absent.
#[derive(Default)]
pub(crate) struct Metrics(BTreeMap<String, f64>);

impl Metrics {
    /// Puts a figure, unless there is none or it is not a number.
    pub(crate) fn put(&mut self, name: &str, value: Option<f64>) {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            self.0.insert(name.to_owned(), value);
        }
    }

    #[cfg(test)]
    pub(crate) fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    fn put_percentiles(&mut self, times: &Distribution, named: &[(&str, f64)]) {
        for &(name, q) in named {
            self.put(name, times.percentile(q).value().map(|ns| ns as f64));
        }
    }

    fn of_open(&mut self, open: &Observations) {
        let named = [
            ("response_p50_ns", 0.5),
            ("response_p90_ns", 0.9),
            ("response_p99_ns", 0.99),
        ];
        if let Some(response) = open.response_time() {
            self.put_percentiles(&response, &named);
            self.put("response_mean_ns", response.mean_ns());
        }
        let named = [("service_p50_ns", 0.5), ("service_p90_ns", 0.9)];
        self.put_percentiles(&open.service_time(), &named);
        if let Some(delay) = open.send_delay() {
            self.put_percentiles(&delay, &[("send_delay_p99_ns", 0.99)]);
        }
        let offered = open.offered_load_per_s();
        self.put("offered_load_per_s", Some(offered));
        self.put(
            "achieved_ratio",
            ratio(open.completion_rate_per_s(), offered),
        );
    }

    fn of_closed(&mut self, closed: &Observations) {
        self.put(
            "completion_rate_per_s",
            Some(closed.completion_rate_per_s()),
        );
        self.put("goodput_per_s", Some(closed.goodput_per_s()));
        let named = [
            ("closed_service_p50_ns", 0.5),
            ("closed_service_p99_ns", 0.99),
        ];
        self.put_percentiles(&closed.service_time(), &named);
    }

    fn cpu_per_good_answer(&mut self, slices: &[Slice]) {
        let open = of_kind(slices, SliceKind::Open);
        let good: u64 = open.iter().map(|slice| slice.good_answers_count).sum();
        let per_answer = |cpu: Option<f64>| ratio(cpu? / 1e3, good as f64);
        self.put(
            "service_cpu_per_good_answer_us",
            per_answer(sum(&open, |slice| slice.service_cpu_ns)),
        );
        self.put(
            "database_cpu_per_good_answer_us",
            per_answer(sum(&open, |slice| slice.database_cpu_ns)),
        );
        self.put(
            "generator_cpu_per_good_answer_us",
            per_answer(sum(&open, |slice| slice.generator_cpu_ns)),
        );
    }

    fn cpu_ratios(&mut self, slices: &[Slice]) {
        let closed = of_kind(slices, SliceKind::Closed);
        let wall_ns: f64 = closed.iter().map(|slice| slice.window_s * 1e9).sum();
        let over_wall = |cpu: Option<f64>| ratio(cpu?, wall_ns);
        self.put(
            "service_cpu_ratio",
            over_wall(sum(&closed, |slice| slice.service_cpu_ns)),
        );
        self.put(
            "database_cpu_ratio",
            over_wall(sum(&closed, |slice| slice.database_cpu_ns)),
        );
        self.put(
            "generator_cpu_ratio",
            over_wall(sum(&closed, |slice| slice.generator_cpu_ns)),
        );
    }
}

fn of_kind(slices: &[Slice], kind: SliceKind) -> Vec<&Slice> {
    slices
        .iter()
        .filter(|slice| slice.load == kind.word())
        .collect()
}

/// The sum over all slices; absent when any of them lacks the figure.
fn sum(slices: &[&Slice], of: impl Fn(&Slice) -> Option<u64>) -> Option<f64> {
    let total: Option<u64> = slices.iter().map(|slice| of(slice)).sum();
    total
        .filter(|_| !slices.is_empty())
        .map(|total| total as f64)
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(load: &str, good: u64, service_cpu_ns: Option<u64>) -> Slice {
        Slice {
            load: load.to_owned(),
            level: None,
            at_s: 0.0,
            window_s: 1.0,
            canary_ns: None,
            good_answers_count: good,
            failed_requests_count: 0,
            service_cpu_ns,
            database_cpu_ns: None,
            generator_cpu_ns: None,
        }
    }

    #[test]
    fn cpu_per_answer_is_total_time_over_total_answers_of_the_open_slices_alone() {
        let mut metrics = Metrics::default();
        metrics.cpu_per_good_answer(&[
            slice("open", 100, Some(1_000_000)),
            slice("open", 300, Some(5_000_000)),
            slice("closed", 1_000_000, Some(1)),
        ]);
        assert_eq!(metrics.0["service_cpu_per_good_answer_us"], 15.0);
    }

    #[test]
    fn a_figure_that_one_slice_lacks_is_absent() {
        let mut metrics = Metrics::default();
        metrics.cpu_per_good_answer(&[slice("open", 100, Some(1)), slice("open", 100, None)]);
        assert!(metrics.0.is_empty());
    }
}
