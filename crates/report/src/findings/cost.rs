//! What an answer takes of a machine, and what that costs at somebody's prices.

use schemars::JsonSchema;
use serde::Serialize;

use super::Figure;

/// What one treatment takes, whatever the prices.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Cost {
    /// Name within the run.
    pub treatment: String,
    /// How reports name it.
    pub title: String,
    /// Good answers for a second of one core's time, of the service's tree.
    pub answers_per_core_s: Figure,
    /// The same with the time of its PostgreSQL backends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers_per_core_with_database_s: Option<Figure>,
    /// Answers per second in the closed loop for a GiB of the tree's memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers_per_gib_s: Option<Figure>,
    /// What it all comes from, block by block, so that prices can be put to it with an interval.
    pub blocks: Vec<CostBlock>,
}

/// What a treatment took in one block.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CostBlock {
    /// The block.
    pub block: u32,
    /// CPU time of the service's tree per good answer.
    pub service_cpu_us: f64,
    /// CPU time of its PostgreSQL backends per good answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database_cpu_us: Option<f64>,
    /// Largest memory of the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<f64>,
    /// Answers per second in the closed loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_rate_per_s: Option<f64>,
}

/// What the user pays, and how full the cores may be.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Prices {
    /// One core for one hour.
    pub core_hour: f64,
    /// One GiB of memory for one hour.
    pub gib_hour: f64,
    /// Sign or code of the currency.
    pub currency: String,
    /// Share of the cores' time that is meant to be used; the rest is paid for and kept free.
    pub utilisation_ratio: f64,
}

/// Every treatment at the user's prices.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Priced {
    /// The prices.
    pub prices: Prices,
    /// The cheapest first.
    pub treatments: Vec<PricedTreatment>,
}

/// One treatment at the user's prices.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PricedTreatment {
    /// Name within the run.
    pub treatment: String,
    /// How reports name it.
    pub title: String,
    /// Money for a million good answers: the service's cores and memory.
    pub money_per_million: Figure,
    /// The same with the cores that its PostgreSQL backends take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub money_per_million_with_database: Option<Figure>,
    /// What it saves over the baseline in a million answers, block by block; below 0 where it costs more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved_per_million: Option<super::Added>,
}

/// For an arrival rate and a bound on the p99: which treatments suffice, on how many cores.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CapacityPlan {
    /// Requests per second that must be answered.
    pub rate_per_s: f64,
    /// Bound on the 99th percentile of response time.
    pub p99_ns: f64,
    /// Those that suffice first, the cheapest or smallest first.
    pub treatments: Vec<PlannedTreatment>,
}

/// One treatment of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PlannedTreatment {
    /// Name within the run.
    pub treatment: String,
    /// How reports name it.
    pub title: String,
    /// Whether it suffices, as far as this run can tell.
    pub suffices: Suffices,
    /// What that rests on, one sentence.
    pub basis: String,
    /// Cores of the services; absent where it does not suffice on any number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores_count: Option<u64>,
    /// Services of the size that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services_count: Option<u64>,
    /// Memory of all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<f64>,
    /// Money an hour, where prices were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub money_per_hour: Option<f64>,
}

/// Whether a treatment keeps the bound at the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Suffices {
    /// Its capacity under that objective was measured.
    Measured,
    /// Worked out from CPU per answer; the bound held at the rate that was measured.
    Expected,
    /// Nothing shows whether the bound holds.
    Unknown,
    /// The bound was already broken at the rate that was measured.
    No,
}
