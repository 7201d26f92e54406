//! One level of load within a trial: a concurrency, a share of capacity, the cold start.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What one fresh start showed under one level of load, apart from its main slices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// Name: `c10` (closed loop, 10 connections), `own60` (open loop at 60 % of its own capacity), `slo` (capacity
    /// under the objective), `cold` (a fixed count right after the start), `ramp` (users).
    pub level: String,
    /// Kind of load: `closed`, `open`, `users`, `cold` or `capacity`.
    pub load: String,
    /// Connections of the closed loop; for `users` how many there were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency_count: Option<u32>,
    /// Arrivals per second of the open loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_rate_per_s: Option<f64>,
    /// That rate as a share of the treatment's own capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_ratio: Option<f64>,
    /// Figures by metric name; what was not measured is absent.
    pub metrics: BTreeMap<String, f64>,
    /// Requests by outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// What a reader should know of it, for instance why a capacity is only a lower bound.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}
