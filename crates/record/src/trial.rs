//! One trial: one fresh start of one treatment, as a line of `trials.jsonl`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Level;

/// What one fresh start of one treatment showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Always `bancada.trial/1`.
    pub schema: String,
    /// Unique in the run: block and treatment, for instance `b03-axum`. Names its files.
    pub trial: String,
    /// Block, counted from 1.
    pub block: u32,
    /// Treatment it measured.
    pub treatment: String,
    /// Place in the block's starting order, counted from 1.
    pub position: u32,
    /// When its process was started, RFC 3339.
    pub started_at: String,
    /// When its last slice ended, RFC 3339.
    pub ended_at: String,
    /// Whether its figures may be ranked.
    pub status: TrialStatus,
    /// Why it is not VALID, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Figures by metric name; what was not measured is absent.
    pub metrics: BTreeMap<String, f64>,
    /// Requests of all measured windows by outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// Results of the audit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audit: Vec<AuditLine>,
    /// Figures under other loads than that of the main slices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
    /// The slices it was collapsed from, those of the levels included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<Slice>,
}

impl Trial {
    /// The schema this version writes and reads.
    pub const SCHEMA: &'static str = "bancada.trial/1";
}

/// Whether a trial's figures may be used.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum TrialStatus {
    /// Every check passed.
    Valid,
    /// A check warned: shown, ranked, marked.
    Degraded,
    /// A check failed: shown, never ranked.
    Invalid,
}

/// One check of the audit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditLine {
    /// Name of the check.
    pub check: String,
    /// What it found.
    pub status: AuditStatus,
    /// The numbers behind it.
    pub detail: String,
}

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AuditStatus {
    /// Within its rule.
    Pass,
    /// Outside its rule, figures usable with care.
    Warn,
    /// Outside its rule, figures not usable.
    Fail,
}

/// One measured window of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// `open` at the equal arrival rate, or `closed`; in a slice of a level `open` or `closed` too.
    pub load: String,
    /// The level it belongs to; absent for the main slices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Start of the window, seconds since the run began.
    pub at_s: f64,
    /// Length of the measured window.
    pub window_s: f64,
    /// Time of the canary job run just before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary_ns: Option<u64>,
    /// Good answers in the window.
    pub good_answers_count: u64,
    /// Requests that did not end in a good answer.
    pub failed_requests_count: u64,
    /// CPU time of the service tree in the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_cpu_ns: Option<u64>,
    /// CPU time of PostgreSQL in the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database_cpu_ns: Option<u64>,
    /// CPU time of the generator in the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generator_cpu_ns: Option<u64>,
}
