//! The slices of one start become one trial: the fresh start is what is replicated, not the slice.

use std::collections::BTreeMap;

use load::{Connections, Observations};
use record::{AuditLine, AuditStatus, Design, Histograms, Level, Sample, Slice, Trial};
use stats::steady::Drift;

use crate::audit::{Evidence, Promise, audit, audit_figures, judge};
use crate::design::{SliceKind, SliceTurn, slice_levels};
use crate::figures::{Metrics, counts, main_of, ratio};
use crate::level::{Window, of_slices};
use crate::watched::Around;

/// Change of the rate over a warm-up that found no steady state, above which the trial is marked if it is sure.
const UNSTEADY_WARN_RATIO: f64 = 0.10;

/// Everything one fresh start of one treatment showed.
#[derive(Debug, Default)]
pub struct Seen {
    /// Open slices together.
    pub open: Option<Observations>,
    /// Connections of each open slice.
    pub open_connections: Vec<Connections>,
    /// Closed slices together.
    pub closed: Option<Observations>,
    /// Connections of each closed slice.
    pub closed_connections: Vec<Connections>,
    /// Slices of each level together, by the level's place in the design.
    pub by_level: BTreeMap<usize, Window>,
    /// Levels that are not measured in slices.
    pub levels: Vec<Level>,
    /// The slices one by one.
    pub slices: Vec<Slice>,
    /// From the start of the process to the first right answer.
    pub first_answer_ns: Option<u64>,
    /// Until the warm-up rule was met, or its cap.
    pub warm_up_ns: Option<u64>,
    /// How much the rate still moved over its last windows.
    pub warm_up_movement: Option<f64>,
    /// How the rate moved over all windows since it had answered enough; `None` where these are too few to tell.
    pub warm_up_drift: Option<Drift>,
    /// Whether the rule was met, and not only the cap; `None` before a warm-up.
    pub is_steady: Option<bool>,
    /// Why its pool is more than its database admits, where the experiment wants to see that.
    pub overflow: Option<String>,
    /// Proportional set size of the tree after the last main slice.
    pub memory_pss_bytes: Option<u64>,
    /// CPU time this service used in others' main slices.
    pub idle_cpu_ns: u64,
    /// Wall time of these.
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
    /// What was seen around the slices that this one belongs to.
    pub fn around_of(&mut self, turn: SliceTurn) -> &mut Around {
        match turn.level {
            Some(level) => &mut self.by_level.entry(level).or_default().around,
            None => &mut self.around,
        }
    }

    /// Adds one measured slice.
    pub fn add(&mut self, turn: SliceTurn, slice: Slice, observations: &Observations) {
        if let Some(level) = turn.level {
            return self
                .by_level
                .entry(level)
                .or_default()
                .add(&slice, observations);
        }
        let (sum, connections) = match turn.kind {
            SliceKind::Open => (&mut self.open, &mut self.open_connections),
            SliceKind::Closed => (&mut self.closed, &mut self.closed_connections),
        };
        connections.push(observations.connections);
        match sum {
            Some(sum) => sum.merge(observations),
            None => *sum = Some(observations.clone()),
        }
        self.slices.push(slice);
    }

    /// Its time series, those of the levels included.
    pub fn samples(&self) -> Vec<Sample> {
        let levels = self.by_level.values().map(|level| &level.around);
        Around::samples(std::iter::once(&self.around).chain(levels))
    }

    /// Fills in a trial's figures, audit and status.
    pub fn collapse_into(mut self, trial: &mut Trial, design: &Design) {
        let metrics = self.metrics();
        let mut lines = audit(&Evidence {
            open: self.open.as_ref(),
            open_slices: &self.open_connections,
            closed: self.closed.as_ref(),
            closed_slices: &self.closed_connections,
            generator_cpu_ratio: metrics.get("generator_cpu_ratio").copied(),
            idle_cpu_ratio: ratio(self.idle_cpu_ns as f64, self.idle_wall_ns as f64),
            broken: &self.broken,
        });
        lines.extend(audit_figures(&metrics, &self.slices, &self.promise));
        lines.extend(self.warmth(design));
        lines.extend(self.overflow.clone().map(|detail| AuditLine {
            check: "pool_overflow".to_owned(),
            status: AuditStatus::Fail,
            detail,
        }));
        (trial.status, trial.reasons) = judge(&lines);
        trial.audit = lines;
        trial.metrics = metrics;
        trial.outcomes = counts(self.open.iter().chain(&self.closed));
        trial.levels = self.sliced_levels(trial, design);
        trial.levels.append(&mut self.levels);
        trial.slices = self.slices;
    }

    /// Whether the service had a steady state before it was measured. That it had none is a finding, which does
    /// not spoil the figures: they are averages over what it did.
    fn warmth(&self, design: &Design) -> Option<AuditLine> {
        let unsteady = format!(
            "no steady state within {} s of warm-up",
            design.warm_up_cap_s
        );
        let moved = |drift: &Drift| {
            let (change, windows) = (drift.change_ratio * 100.0, drift.windows);
            format!("{unsteady}: over {windows} windows the rate moved by {change:+.0} %")
        };
        let limit = UNSTEADY_WARN_RATIO * 100.0;
        let (status, detail) = match (self.is_steady?, self.warm_up_drift) {
            (true, _) => (
                AuditStatus::Pass,
                "the rate was steady before the first slice".to_owned(),
            ),
            (false, Some(drift)) if drift.exceeds(UNSTEADY_WARN_RATIO) => (
                AuditStatus::Warn,
                format!("{}, surely by more than {limit:.0} %", moved(&drift)),
            ),
            (false, Some(drift)) => (
                AuditStatus::Pass,
                format!(
                    "{}, which is not surely more than {limit:.0} %",
                    moved(&drift)
                ),
            ),
            (false, None) => (
                AuditStatus::Pass,
                format!("{unsteady}: too few answers to tell"),
            ),
        };
        Some(AuditLine {
            check: "steady".to_owned(),
            status,
            detail,
        })
    }

    /// The levels that were measured in slices, in the design's order.
    fn sliced_levels(&mut self, trial: &Trial, design: &Design) -> Vec<Level> {
        let mut levels = Vec::new();
        for (index, level) in slice_levels(design).into_iter().enumerate() {
            let main = || Window {
                seen: self.closed.clone(),
                slices: main_of(&self.slices, SliceKind::Closed)
                    .into_iter()
                    .cloned()
                    .collect(),
                around: Around::default(),
            };
            let window = match level.is_main(design) {
                true => Some(main()).filter(|window| window.seen.is_some()),
                false => self.by_level.remove(&index),
            };
            if let Some(window) = window {
                if !level.is_main(design) {
                    let named = |slice: &Slice| Slice {
                        level: Some(level.name.clone()),
                        ..slice.clone()
                    };
                    self.slices.extend(window.slices.iter().map(named));
                }
                levels.push(of_slices(&level, &window, design, &trial.treatment));
            }
        }
        self.slices.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
        levels
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
            metrics.cpu_per_good_answer(&main_of(&self.slices, SliceKind::Open));
        }
        if let Some(closed) = &self.closed {
            metrics.of_closed(closed);
            metrics.of_closed_connections(&self.closed_connections);
            metrics.cpu_ratios(&main_of(&self.slices, SliceKind::Closed));
        }
        let whole = |value: Option<u64>| value.map(|value| value as f64);
        metrics.put("first_answer_ns", whole(self.first_answer_ns));
        metrics.put("warm_up_ns", whole(self.warm_up_ns));
        metrics.put("warm_up_movement_ratio", self.warm_up_movement);
        metrics.put("memory_peak_bytes", whole(self.around.memory_peak_bytes()));
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

#[cfg(test)]
mod tests {
    use stats::steady::drift;

    use super::*;
    use crate::design::tests::design;

    fn warmth(rates: &[f64]) -> AuditLine {
        let seen = Seen {
            is_steady: Some(false),
            warm_up_drift: drift(rates, &vec![1.0; rates.len()], 0.99),
            ..Seen::default()
        };
        seen.warmth(&design(1)).expect("a line")
    }

    #[test]
    fn a_rate_that_only_scatters_is_said_to_be_unsteady_and_one_that_moves_is_marked() {
        let scattered = warmth(&[100.0, 130.0, 90.0, 120.0, 95.0, 125.0, 101.0, 128.0]);
        assert_eq!(scattered.status, AuditStatus::Pass);
        assert!(scattered.detail.contains("not surely more than 10 %"));
        let falling = warmth(&[100.0, 91.0, 79.0, 72.0, 59.0, 51.0, 39.0, 31.0]);
        assert_eq!(falling.status, AuditStatus::Warn);
        assert!(
            falling
                .detail
                .contains("over 8 windows the rate moved by -"),
            "{}",
            falling.detail
        );
        assert_eq!(warmth(&[100.0, 50.0]).status, AuditStatus::Pass);
    }
}
