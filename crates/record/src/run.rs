//! `run.json`: what was compared, how, where and in which order.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::Environment;

/// One run of one experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Always `bancada.run/1`.
    pub schema: String,
    /// Name of the run directory.
    pub run: String,
    /// Experiment's folder name.
    pub experiment: String,
    /// Experiment's title.
    pub title: String,
    /// The question it answers.
    pub question: String,
    /// Version of Bancada that ran it.
    pub bancada_version: String,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// When it ended; absent while it runs and after a crash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Why it ended: `precision`, `budget`, `blocks`, `interrupted`, `failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
    /// The run whose experiment this one repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_of: Option<String>,
    /// A sentence to print beside every figure, where the design has a limit (`one start, no replication of the start`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caveat: Option<String>,
    /// Treatment every other is compared with first.
    pub baseline: String,
    /// Metric that verdicts and ranks are about.
    pub primary_metric: String,
    /// Smallest difference that matters.
    pub relevant_difference_ratio: f64,
    /// How it was measured.
    pub design: Design,
    /// What was compared, the twin included.
    pub treatments: Vec<Treatment>,
    /// Treatments left out, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
    /// Blocks that a rule about the environment, fixed beforehand, made void: kept and counted, never estimated from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub voided_blocks: Vec<VoidedBlock>,
    /// Where it ran.
    pub environment: Environment,
    /// Catalogue entries as run: `stack/<name>`, `workload/<name>`, `experiment/<name>` with their manifests.
    pub catalog: BTreeMap<String, serde_json::Value>,
}

/// How a run was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Design {
    /// `sliced_blocks`, `solo_trials` or `running_services`.
    pub kind: String,
    /// Seed of every random order.
    pub seed: u64,
    /// Seconds of measuring after which no new block starts.
    pub budget_s: u64,
    /// Blocks at least.
    pub min_blocks_count: u32,
    /// Blocks at most.
    pub max_blocks_count: u32,
    /// Half-width of the primary metric's intervals at which the run may stop: 0.03 is three per cent.
    pub target_half_width_ratio: f64,
    /// Length of one slice.
    pub slice_s: f64,
    /// Share of each slice that is discarded at its start.
    pub discard_ratio: f64,
    /// Slices at the equal arrival rate, per treatment and block.
    pub open_slices_count: u32,
    /// Closed-loop slices, per treatment and block.
    pub closed_slices_count: u32,
    /// Seconds of warm-up at most.
    pub warm_up_cap_s: f64,
    /// Connections per service, and so the closed loop's concurrency.
    pub connections_count: u32,
    /// False where every request opened a connection of its own.
    #[serde(default = "yes")]
    pub keep_alive: bool,
    /// Further closed loops, by connections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub concurrencies: Vec<u32>,
    /// Further open loops, by share of each treatment's own pilot capacity.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_capacity_ratios: Vec<f64>,
    /// Objective under which capacity was searched, as the experiment wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<String>,
    /// Requests of the cold phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cold_requests_count: Option<u64>,
    /// Users of the ramp.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub users_count: Option<u32>,
    /// Seconds over which they began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ramp_up_s: Option<f64>,
    /// Requests of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_per_user_count: Option<u64>,
    /// Services up at once, where that is fewer than there are treatments: blocks are then run in groups that share
    /// the baseline and the twin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub services_at_once_count: Option<u32>,
    /// Arrival rate for all in the open slices; absent until the pilot found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_rate_per_s: Option<f64>,
    /// Pilot capacity of each treatment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pilot_capacity_per_s: BTreeMap<String, f64>,
    /// CPUs the services ran on.
    pub service_cpus: Vec<u32>,
    /// CPUs the generator and PostgreSQL ran on.
    pub bench_cpus: Vec<u32>,
}

/// Stack × settings × workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Treatment {
    /// Name within the run.
    pub name: String,
    /// The treatment this one repeats, where it is the run's control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin_of: Option<String>,
    /// How reports name it.
    pub title: String,
    /// Folder under `stacks/`; absent for a service that was already running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// Folder under `workloads/`; absent for a service that was already running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    /// Address, for a service that was already running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Launch mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch: Option<String>,
    /// The treatment that this one adds a layer to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The treatment of which this one tries a change (`--what-if`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what_if_of: Option<String>,
    /// False: shown, never ranked.
    pub ranked: bool,
    /// Environment it was given, secrets left out.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// PostgreSQL settings of its own server, where they differ from the run's.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub database_settings: BTreeMap<String, String>,
    /// Facts that verification and preparation found: versions, body bytes.
    #[serde(default)]
    pub facts: BTreeMap<String, String>,
}

impl Run {
    /// The schema this version writes and reads.
    pub const SCHEMA: &'static str = "bancada.run/1";
}

/// A block whose figures are not used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VoidedBlock {
    /// Block, counted from 1.
    pub block: u32,
    /// The rule and the numbers that broke it.
    pub reason: String,
}

/// A treatment that could not take part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Skipped {
    /// Name within the experiment.
    pub treatment: String,
    /// Why.
    pub reason: String,
}

fn yes() -> bool {
    true
}
