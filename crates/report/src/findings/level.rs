//! What treatments did under each level of load: a concurrency, a share of capacity, the cold start.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Figure, Pair, RatioEstimate};

/// One level of load, over every treatment that was put under it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LevelFindings {
    /// Name within the experiment: `c10`, `own30`, `slo`, `cold`, `ramp`.
    pub level: String,
    /// Kind of load: `closed`, `open`, `users`, `cold` or `capacity`.
    pub load: String,
    /// Metric that the pairs of this level are about.
    pub leading_metric: String,
    /// Treatments in the order of the run, the control left out.
    pub treatments: Vec<LevelTreatment>,
    /// Every treatment with the baseline, on the leading metric, where both do the same work. The intervals of
    /// one level hold together.
    pub pairs: Vec<Pair>,
}

impl LevelFindings {
    /// A treatment by name.
    pub fn treatment(&self, name: &str) -> Option<&LevelTreatment> {
        self.treatments
            .iter()
            .find(|treatment| treatment.name == name)
    }
}

/// One treatment under one level of load.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LevelTreatment {
    /// Name within the run.
    pub name: String,
    /// How reports name it.
    pub title: String,
    /// Connections of the closed loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency_count: Option<u32>,
    /// Arrivals per second, the geometric mean over blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrival_rate_per_s: Option<f64>,
    /// That rate as a share of the treatment's own capacity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_ratio: Option<f64>,
    /// Blocks whose answers keep the audit's rule here.
    pub usable_count: usize,
    /// Blocks whose answers break it: they are in no pair and no claim.
    pub invalid_count: usize,
    /// Figures by metric name, from usable blocks of usable trials, or where there are none from INVALID ones; counts of
    /// requests are over both.
    pub figures: BTreeMap<String, Figure>,
    /// Requests by outcome, over all blocks of usable trials.
    pub outcomes: BTreeMap<String, u64>,
    /// What a reader should know of it, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Ratio to the baseline on the leading metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_baseline: Option<RatioEstimate>,
}

impl LevelTreatment {
    /// Requests that did not end well, and all of them.
    pub fn failed_of(&self) -> (u64, u64) {
        let all = self
            .outcomes
            .values()
            .fold(0, |sum: u64, count| sum.saturating_add(*count));
        let good = self.outcomes.get("ok").copied().unwrap_or(0);
        (all.saturating_sub(good), all)
    }
}

/// The universal scalability law (Gunther) fitted to one treatment's completion rate over concurrency.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Scaling {
    /// Name within the run.
    pub treatment: String,
    /// How reports name it.
    pub title: String,
    /// Measured points, by concurrency.
    pub points: Vec<ScalingPoint>,
    /// Answers per second that the law gives one connection.
    pub rate_of_one_per_s: f64,
    /// Share of the work that only one can do at a time (α).
    pub contention_ratio: f64,
    /// What each pair of connections costs the others (β).
    pub coherency_ratio: f64,
    /// Root mean square distance of the law from the points.
    pub error_ratio: f64,
    /// Concurrency with the highest rate by the law; absent where it never falls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_concurrency_count: Option<f64>,
    /// Measured concurrency at which the curve bends; absent where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knee_concurrency_count: Option<u32>,
}

/// One point of a curve over concurrency.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ScalingPoint {
    /// Connections.
    pub concurrency_count: u32,
    /// Answers per second.
    pub completion_rate_per_s: f64,
}
