//! `experiment.toml`: what is compared, under which load, and the claims it puts to the test.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::claim::{Claim, Published};

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
    /// How trials are arranged.
    #[serde(default)]
    pub design: DesignKind,
    /// Connections per service, kept alive unless `keep_alive` says otherwise.
    pub connections: u32,
    /// Whether a connection carries more than one request. Without, every request pays for its connection.
    #[serde(default = "yes")]
    pub keep_alive: bool,
    /// Further closed loops, each at so many connections: levels `c1`, `c10`, ….
    #[serde(default)]
    pub concurrencies: Vec<u32>,
    /// Open loops at these shares of each treatment's own capacity in the pilot: levels `own30`, `own60`, ….
    #[serde(default)]
    pub own_capacity_ratios: Vec<f64>,
    /// Searches the highest arrival rate that keeps this, for instance `p99<50ms`, without errors: level `slo`.
    pub objective: Option<String>,
    /// So many requests at `connections` right after the first right answer, before any warm-up: level `cold`.
    pub cold_requests: Option<u64>,
    /// So many users who each open one connection, evenly over `ramp_up_s`: level `ramp`.
    pub users: Option<u32>,
    /// Seconds over which the users begin.
    pub ramp_up_s: Option<f64>,
    /// Requests of each user; 1 unless given.
    pub requests_per_user: Option<u64>,
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
    /// Other load generators that `--with NAME` runs beside ours.
    #[serde(default)]
    pub tool: Vec<ToolManifest>,
    /// What a source said, as data.
    #[serde(default)]
    pub claim: Vec<Claim>,
    /// The figures that a source published.
    #[serde(default)]
    pub published: Vec<Published>,
}

impl ExperimentManifest {
    /// Names of the levels that are measured in slices: closed loops, then shares of own capacity.
    pub fn slice_levels(&self) -> (Vec<String>, Vec<String>) {
        let closed = self.concurrencies.iter().map(|count| format!("c{count}"));
        let own = self.own_capacity_ratios.iter();
        let own = own.map(|ratio| format!("own{:.0}", ratio * 100.0));
        (closed.collect(), own.collect())
    }

    /// Names of all levels that a trial of it has besides its main slices.
    pub fn levels(&self) -> Vec<String> {
        let (mut levels, own) = self.slice_levels();
        levels.extend(own);
        for (name, asked) in [
            ("slo", self.objective.is_some()),
            ("cold", self.cold_requests.is_some()),
            ("ramp", self.users.is_some()),
        ] {
            levels.extend(asked.then(|| name.to_owned()));
        }
        levels
    }
}

/// How the trials of a block are arranged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DesignKind {
    /// All services of a block are up at once; slices of load go round among them.
    #[default]
    SlicedBlocks,
    /// One service is up at a time, in random order within the block.
    SoloTrials,
}

impl DesignKind {
    /// The word in files.
    pub fn word(self) -> &'static str {
        match self {
            DesignKind::SlicedBlocks => "sliced_blocks",
            DesignKind::SoloTrials => "solo_trials",
        }
    }
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
    /// Request target, instead of the workload's.
    pub path: Option<String>,
    /// Feed, instead of the workload's: another file of the workload's folder.
    pub feed: Option<String>,
    /// PostgreSQL settings of this treatment's server, for instance `{ max_connections = 200 }`.
    #[serde(default)]
    pub database_settings: BTreeMap<String, DatabaseSetting>,
    /// The treatment that this one adds a layer to: the rung below on a ladder.
    pub after: Option<String>,
}

impl TreatmentManifest {
    /// `max_connections` of its own server, where its `database_settings` say so.
    pub fn max_connections(&self) -> Option<u32> {
        match self.database_settings.get("max_connections")? {
            DatabaseSetting::Whole(count) => u32::try_from(*count).ok(),
            _ => None,
        }
    }
}

/// The value of a PostgreSQL setting, as TOML writes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DatabaseSetting {
    /// `on` or `off`.
    Switch(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// Anything else.
    Text(String),
}

impl fmt::Display for DatabaseSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DatabaseSetting::Switch(true) => write!(f, "on"),
            DatabaseSetting::Switch(false) => write!(f, "off"),
            DatabaseSetting::Whole(number) => write!(f, "{number}"),
            DatabaseSetting::Number(number) => write!(f, "{number}"),
            DatabaseSetting::Text(text) => write!(f, "{text}"),
        }
    }
}

/// Another load generator, with the arguments that a source gave it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolManifest {
    /// Program, looked for on the PATH, and its name after `--with`.
    pub name: String,
    /// Arguments. `{url}`, `{host}`, `{port}` and `{path}` are those of the service; `{folder}` is the experiment's;
    /// `{file:NAME}` is a copy of that file of it, in which these words are replaced too.
    pub args: Vec<String>,
    /// Seconds after which it is stopped.
    #[serde(default = "two_minutes")]
    pub within_s: u64,
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
fn yes() -> bool {
    true
}
fn two_minutes() -> u64 {
    120
}
