//! `experiment.toml`: what is compared, under which load, and the claims it puts to the test.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Value of `schema` in a `experiment.toml`.
pub const EXPERIMENT_SCHEMA: &str = "bancada.experiment/1";

/// What `experiments/<name>/experiment.toml` says. The folder's name is the experiment's name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExperimentManifest {
    /// Always `bancada.experiment/1`.
    pub schema: String,
    /// How reports name it.
    pub title: String,
    /// The question the run answers.
    pub question: String,
    /// Treatment every other is compared with first.
    pub baseline: String,
    /// Treatment that is entered twice, as the run's control.
    pub twin: String,
    /// Metric that verdicts and ranks are about.
    #[serde(default = "lead_metric")]
    pub primary_metric: String,
    /// Smallest difference that matters, as a ratio: 0.05 is five per cent.
    #[serde(default = "five_per_cent")]
    pub relevant_difference_ratio: f64,
    /// Seconds of measuring, preparation excluded, after which no new block starts.
    pub budget_s: u64,
    /// Blocks at least, before precision may end the run.
    #[serde(default = "eight")]
    pub min_blocks: u32,
    /// Blocks at most.
    #[serde(default = "forty")]
    pub max_blocks: u32,
    /// Half-width of the primary metric's intervals at which the run may stop: 0.03 is three per cent.
    #[serde(default = "three_per_cent")]
    pub target_half_width_ratio: f64,
    /// Keep-alive connections per service.
    pub connections: u32,
    /// Arrival rate for all, as a share of the slowest treatment's capacity in the pilot.
    #[serde(default = "half")]
    pub rate_ratio_of_slowest: f64,
    /// Length of one slice.
    #[serde(default = "one_second")]
    pub slice_s: f64,
    /// Slices at the equal arrival rate, per treatment and block.
    #[serde(default = "four")]
    pub open_slices: u32,
    /// Closed-loop slices, per treatment and block.
    #[serde(default = "two")]
    pub closed_slices: u32,
    /// Seconds of warm-up at most, per treatment and block.
    #[serde(default = "three_seconds")]
    pub warm_up_cap_s: f64,
    /// Seconds a service may take to its first right answer.
    #[serde(default = "a_minute")]
    pub ready_within_s: u64,
    /// Lets a pool above what the database admits start, so that the trial can show what happens.
    #[serde(default)]
    pub allow_pool_overflow: bool,
    /// What is compared.
    pub treatment: Vec<TreatmentManifest>,
    /// What a source said, as data.
    #[serde(default)]
    pub claim: Vec<Claim>,
    /// Figures that a source published, to stand beside the measured ones.
    #[serde(default)]
    pub published: Vec<Published>,
}

/// Stack × settings × workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TreatmentManifest {
    /// Name within the experiment.
    pub name: String,
    /// Folder under `stacks/`.
    pub stack: String,
    /// Folder under `workloads/`.
    pub workload: String,
    /// Launch mode of the stack.
    #[serde(default = "default_launch")]
    pub launch: String,
    /// `WORKERS`.
    #[serde(default = "one")]
    pub workers: u32,
    /// `DB_POOL_SIZE`: connections of the whole service. Needed where the workload has a database.
    pub db_pool_size: Option<u32>,
    /// `DB_POOL_IDLE`: connections of the whole service kept open when idle; the pool size unless given.
    pub db_pool_idle: Option<u32>,
    /// Further environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// One numbered claim of a source. Its verdict is worked out by the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Number within the source.
    pub id: String,
    /// The sentence, quoted.
    pub quote: String,
    /// Metric it is about; absent where it cannot be tested here.
    pub metric: Option<String>,
    /// Level of load it is about (`c50`, `cold`); absent: the figures of the block's main slices.
    pub level: Option<String>,
    /// The treatment the claim is about, in the setting that was published.
    pub treatment: Option<String>,
    /// The treatment it is held against, in the setting that was published.
    pub against: Option<String>,
    /// Published ratio of the first's figure over the second's; 1 where the source calls them equal.
    /// Absent where it gives no size: then it says that the first is better.
    pub published_ratio: Option<f64>,
    /// The first with what flawed the source's comparison put right; the treatment itself unless given.
    pub like_for_like_treatment: Option<String>,
    /// The second with what flawed the source's comparison put right; the one held against unless given.
    pub like_for_like_against: Option<String>,
    /// Why it cannot be tested here.
    pub untestable: Option<String>,
    /// What a reader should know of the claim or its setting.
    pub note: Option<String>,
}

/// One cell of a published table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The treatment that stands for what the source measured.
    pub treatment: String,
    /// Metric, in whose unit the value is.
    pub metric: String,
    /// Level of load; absent: the figures of the block's main slices.
    pub level: Option<String>,
    /// What the source published.
    pub value: f64,
    /// What a reader should know of it.
    pub note: Option<String>,
}

fn lead_metric() -> String {
    "service_cpu_per_good_answer_us".to_owned()
}
fn default_launch() -> String {
    "default".to_owned()
}
fn five_per_cent() -> f64 {
    0.05
}
fn three_per_cent() -> f64 {
    0.03
}
fn a_minute() -> u64 {
    60
}
fn half() -> f64 {
    0.5
}
fn one_second() -> f64 {
    1.0
}
fn three_seconds() -> f64 {
    3.0
}
fn one() -> u32 {
    1
}
fn two() -> u32 {
    2
}
fn four() -> u32 {
    4
}
fn eight() -> u32 {
    8
}
fn forty() -> u32 {
    40
}
