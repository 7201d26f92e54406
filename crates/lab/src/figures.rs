//! From observations and clock readings to figures, each named by its row in the table of metrics.

use std::collections::BTreeMap;

use load::{Connections, Distribution, Observations};
use record::Slice;

use crate::design::SliceKind;

/// Figures by metric name; what was not measured stays out.
#[derive(Debug, Default)]
pub struct Metrics(pub BTreeMap<String, f64>);

impl Metrics {
    /// Adds a figure, unless there is none.
    pub fn put(&mut self, name: &str, value: Option<f64>) {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            self.0.insert(name.to_owned(), value);
        }
    }

    /// A figure that was put.
    #[cfg(test)]
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// Adds the percentiles that the distribution can give.
    pub fn put_percentiles(&mut self, times: &Distribution, named: &[(&str, f64)]) {
        for &(name, q) in named {
            self.put(name, times.percentile(q).value().map(|ns| ns as f64));
        }
    }

    /// What an open loop shows.
    pub fn of_open(&mut self, open: &Observations) {
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

    /// What a closed loop shows.
    pub fn of_closed(&mut self, closed: &Observations) {
        self.put(
            "completion_rate_per_s",
            Some(closed.completion_rate_per_s()),
        );
        self.put("goodput_per_s", Some(closed.goodput_per_s()));
        let named = [
            ("closed_service_p50_ns", 0.5),
            ("closed_service_p90_ns", 0.9),
            ("closed_service_p99_ns", 0.99),
        ];
        let service = closed.service_time();
        self.put_percentiles(&service, &named);
        self.put("closed_service_mean_ns", service.mean_ns());
        self.put("closed_service_stdev_ns", service.stdev_ns());
    }

    /// How evenly the connections of the closed loop were served, slice by slice: a slow slice gives all of them less
    /// than a fast one.
    pub fn of_closed_connections(&mut self, slices: &[Connections]) {
        let total: f64 = slices.iter().map(fairness_of).sum();
        self.put("closed_fairness_ratio", ratio(total, slices.len() as f64));
    }

    /// CPU time of all three sides per good answer of these slices.
    pub fn cpu_per_good_answer(&mut self, slices: &[&Slice]) {
        let good: u64 = slices.iter().map(|slice| slice.good_answers_count).sum();
        let per_answer = |cpu: Option<f64>| ratio(cpu? / 1e3, good as f64);
        self.put(
            "service_cpu_per_good_answer_us",
            per_answer(sum(slices, |slice| slice.service_cpu_ns)),
        );
        self.put(
            "database_cpu_per_good_answer_us",
            per_answer(sum(slices, |slice| slice.database_cpu_ns)),
        );
        self.put(
            "generator_cpu_per_good_answer_us",
            per_answer(sum(slices, |slice| slice.generator_cpu_ns)),
        );
    }

    /// CPU time of all three sides over the wall time of these slices.
    pub fn cpu_ratios(&mut self, slices: &[&Slice]) {
        let wall_ns: f64 = slices.iter().map(|slice| slice.window_s * 1e9).sum();
        let over_wall = |cpu: Option<f64>| ratio(cpu?, wall_ns);
        self.put(
            "service_cpu_ratio",
            over_wall(sum(slices, |slice| slice.service_cpu_ns)),
        );
        self.put(
            "database_cpu_ratio",
            over_wall(sum(slices, |slice| slice.database_cpu_ns)),
        );
        self.put(
            "generator_cpu_ratio",
            over_wall(sum(slices, |slice| slice.generator_cpu_ns)),
        );
    }
}

/// The main slices of a kind: those of no level.
pub fn main_of(slices: &[Slice], kind: SliceKind) -> Vec<&Slice> {
    slices
        .iter()
        .filter(|slice| slice.level.is_none() && slice.load == kind.word())
        .collect()
}

/// Requests by outcome, `ok` always.
pub fn counts<'a>(seen: impl Iterator<Item = &'a Observations>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::from([("ok".to_owned(), 0)]);
    for seen in seen {
        for (outcome, count) in seen.outcomes.iter().filter(|(_, count)| *count > 0) {
            *counts.entry(outcome.name().to_owned()).or_default() += count;
        }
    }
    counts
}

/// The sum over all slices; absent when any of them lacks the figure.
fn sum(slices: &[&Slice], of: impl Fn(&Slice) -> Option<u64>) -> Option<f64> {
    let total: Option<u64> = slices.iter().map(|slice| of(slice)).sum();
    total
        .filter(|_| !slices.is_empty())
        .map(|total| total as f64)
}

/// `None` without a whole.
pub fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// What the least served connection got of what the best served one did.
pub fn fairness_of(slice: &Connections) -> f64 {
    slice.least_completed_count as f64 / slice.most_completed_count.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fairness_is_of_connections_within_a_slice_and_a_starved_one_makes_it_0() {
        let slice = |least, most| Connections {
            least_completed_count: least,
            most_completed_count: most,
            ..Connections::default()
        };
        let of = |slices: &[Connections]| {
            let mut metrics = Metrics::default();
            metrics.of_closed_connections(slices);
            metrics.get("closed_fairness_ratio")
        };
        assert_eq!(of(&[slice(10, 10), slice(400, 400)]), Some(1.0));
        assert_eq!(of(&[slice(0, 100), slice(100, 100)]), Some(0.5));
        assert_eq!(of(&[slice(0, 0)]), Some(0.0));
        assert_eq!(of(&[]), None);
    }

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
    fn cpu_per_answer_is_total_time_over_total_answers_of_the_main_open_slices_alone() {
        let mut metrics = Metrics::default();
        let slices = [
            slice("open", 100, Some(1_000_000)),
            slice("open", 300, Some(5_000_000)),
            slice("closed", 1_000_000, Some(1)),
            Slice {
                level: Some("own80".to_owned()),
                ..slice("open", 1_000_000, Some(1))
            },
        ];
        metrics.cpu_per_good_answer(&main_of(&slices, SliceKind::Open));
        assert_eq!(metrics.0["service_cpu_per_good_answer_us"], 15.0);
    }

    #[test]
    fn a_figure_that_one_slice_lacks_is_absent() {
        let mut metrics = Metrics::default();
        metrics.cpu_per_good_answer(&[&slice("open", 100, Some(1)), &slice("open", 100, None)]);
        assert!(metrics.0.is_empty());
    }
}
