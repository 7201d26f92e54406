//! What a run showed: the one document that every renderer draws (`bancada.report/1`).
//!
//! Numbers carry their unit in their key: in `figures` the key is the metric's name. What was not
//! measured is absent.

mod claim;
mod cost;
mod ladder;
mod level;
mod pair;

use std::collections::BTreeMap;

use record::{Design, Environment, Skipped, TrialStatus, VoidedBlock};
use schemars::JsonSchema;
use serde::Serialize;

use crate::beside::{ToolFindings, WhatIf};
use crate::fairness::FairnessSheet;

pub use claim::{BesideRatio, ClaimComparison, ClaimFindings, ClaimVerdict, PublishedFigure};
pub use cost::{
    CapacityPlan, Cost, CostBlock, PlannedTreatment, Priced, PricedTreatment, Prices, Suffices,
};
pub use ladder::{Added, Ladder, Rung};
pub use level::{LevelFindings, LevelTreatment, Scaling, ScalingPoint};
pub use pair::{Pair, RatioEstimate, SignedRank, Verdict};

/// Everything a report says.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Findings {
    /// Always `bancada.report/1`.
    pub schema: &'static str,
    /// Name of the run directory.
    pub run: String,
    /// Experiment's folder name.
    pub experiment: String,
    /// Experiment's title.
    pub title: String,
    /// The question.
    pub question: String,
    /// The answer in one sentence, with its interval.
    pub answer: String,
    /// Why the answer may still change; absent when the run ended as its design says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provisional: Option<String>,
    /// A limit of the design, to be read beside every figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caveat: Option<String>,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Why it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
    /// Version that ran it.
    pub bancada_version: String,
    /// Metric that verdicts and ranks are about.
    pub primary_metric: String,
    /// Treatment the table compares with.
    pub baseline: String,
    /// Smallest difference that matters to the user.
    pub relevant_difference_ratio: f64,
    /// Confidence level of every interval.
    pub confidence_level_ratio: f64,
    /// Blocks that figures are estimated from.
    pub blocks_count: usize,
    /// Whether the run can be trusted.
    pub audit: Audit,
    /// What the bench called different that is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// Every treatment but the control: the ranked ones first, best first.
    pub treatments: Vec<TreatmentFindings>,
    /// Every pair of ranked treatments on the primary metric; intervals hold for all of them at once.
    pub pairs: Vec<Pair>,
    /// Ratios to the baseline on the other metrics: each interval stands alone, so some will mislead.
    pub exploratory: Vec<Exploratory>,
    /// What treatments did under each level of load, in the order of the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelFindings>,
    /// Completion rate over concurrency, where four concurrencies or more were measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scaling: Vec<Scaling>,
    /// Treatments that were entered a second time with one change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub what_if: Vec<WhatIf>,
    /// What other load generators said beside ours.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolFindings>,
    /// What the source said, with a verdict each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ClaimFindings>,
    /// What the source published, beside what was measured here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<PublishedFigure>,
    /// What each layer adds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ladder: Option<Ladder>,
    /// What an answer takes, whatever the prices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cost: Vec<Cost>,
    /// What it costs, at prices that the reader gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priced: Option<Priced>,
    /// What would suffice for a load that the reader named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<CapacityPlan>,
    /// What each treatment sends, asks its database and leaves out, by workload.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fairness: Vec<FairnessSheet>,
    /// Treatments left out before the start.
    pub skipped: Vec<Skipped>,
    /// What was found damaged and left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// How it was measured.
    pub design: Design,
    /// Where it was measured.
    pub environment: Environment,
}

impl Findings {
    /// A treatment by name.
    pub fn treatment(&self, name: &str) -> Option<&TreatmentFindings> {
        self.treatments
            .iter()
            .find(|treatment| treatment.name == name)
    }
}

/// Whether residuals of the primary metric go with the place in the block or with the predecessor.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OrderCheck {
    /// Whether either does, at the level of 1 %.
    pub found: bool,
    /// The same in words.
    pub sentence: String,
}

/// Counts of trials by status, with the reasons.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Audit {
    /// What the order of measuring left in the primary metric; absent where there are too few trials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<OrderCheck>,
    /// Trials that passed every check.
    pub valid_count: usize,
    /// Trials shown and ranked with a mark.
    pub degraded_count: usize,
    /// Trials shown and never ranked.
    pub invalid_count: usize,
    /// Every trial that is not VALID.
    pub reasons: Vec<AuditReason>,
    /// How often each check passed, warned and failed, in the order of first appearance.
    pub checks: Vec<CheckCount>,
    /// Blocks that a rule about the environment made void.
    pub voided_blocks: Vec<VoidedBlock>,
}

/// Why one trial is not VALID.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AuditReason {
    /// The trial.
    pub trial: String,
    /// Treatment it measured.
    pub treatment: String,
    /// Its status.
    pub status: TrialStatus,
    /// One sentence each.
    pub reasons: Vec<String>,
}

/// How one check of the audit came out over all trials.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CheckCount {
    /// Name of the check.
    pub check: String,
    /// Trials within its rule.
    pub pass_count: usize,
    /// Trials outside it, usable with care.
    pub warn_count: usize,
    /// Trials outside it, not usable.
    pub fail_count: usize,
}

/// The A/A twin: one treatment entered twice.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Control {
    /// Treatment that was entered twice.
    pub treatment: String,
    /// Its second entry.
    pub twin: String,
    /// The second entry over the first, on the primary metric.
    pub ratio: RatioEstimate,
    /// What this bench cannot see today: the end of the interval that is farther from 1.
    pub bound_ratio: f64,
    /// Whether the interval excludes 1, which happens to one sound run in twenty.
    pub differs: bool,
}

/// Where a treatment stands.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Standing {
    /// Among the ranked.
    Ranked {
        /// Tier, counted from 1: between two tiers every pair is decided; within one, a pair may be or not.
        tier: usize,
        /// Best rank it may have: one more than the number shown to be better.
        rank_low: usize,
        /// Worst rank it may have.
        rank_high: usize,
    },
    /// Shown and never ranked.
    Unranked {
        /// Why.
        reason: String,
    },
}

/// One treatment.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TreatmentFindings {
    /// Name within the run.
    pub name: String,
    /// How reports name it.
    pub title: String,
    /// Its rank, or why it has none.
    pub standing: Standing,
    /// Trials that passed every check.
    pub valid_count: usize,
    /// Trials shown and ranked with a mark.
    pub degraded_count: usize,
    /// Trials shown and never ranked.
    pub invalid_count: usize,
    /// Ratio to the baseline on the primary metric; for ranked treatments its interval is simultaneous.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_baseline: Option<RatioEstimate>,
    /// Figures by metric name. They come from usable trials, or where there are none from INVALID ones.
    pub figures: BTreeMap<String, Figure>,
    /// What limits it in the closed loop; absent where its CPU time is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limiter: Option<LimiterFinding>,
    /// What the service leaves out that others do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skips: Vec<String>,
}

/// What limits a treatment in the closed loop.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LimiterFinding {
    /// `application_cpu`, `one_thread`, `pool_wait`, `database_cpu`, `database_wait`, `lock`, `upstream`, `generator`,
    /// `idle` or `mixed`.
    pub kind: &'static str,
    /// The same in words, with the figures that decided.
    pub sentence: String,
    /// Every figure that the rule looked at.
    pub evidence: Vec<LimiterEvidence>,
    /// A command that tries whether more of it helps; absent where no setting does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// A figure behind a limiter.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LimiterEvidence {
    /// The metric, whose name ends in the unit.
    pub metric: String,
    /// Mean over the trials.
    pub value: f64,
}

impl TreatmentFindings {
    /// Tier of a ranked treatment.
    pub fn tier(&self) -> Option<usize> {
        match self.standing {
            Standing::Ranked { tier, .. } => Some(tier),
            Standing::Unranked { .. } => None,
        }
    }
}

/// One figure over blocks, in the unit that its metric's name ends in.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Figure {
    /// The figure.
    pub estimate: f64,
    /// Lower end of its interval; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Blocks it comes from.
    pub blocks_count: usize,
    /// How it was put together.
    pub basis: Basis,
}

/// How a figure was put together from blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Geometric mean over blocks, Student t interval on logarithms.
    GeometricMean,
    /// Arithmetic mean over blocks, because one of them is zero.
    ArithmeticMean,
    /// Sum over blocks.
    Sum,
    /// Percentile of the merged histograms, interval from leaving out one block at a time.
    MergedHistograms,
}

/// A ratio to the baseline on a metric that is not the primary one.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Exploratory {
    /// The metric.
    pub metric: String,
    /// The treatment.
    pub treatment: String,
    /// The baseline.
    pub against: String,
    /// The first over the second; the interval is not adjusted for the number of comparisons.
    #[serde(flatten)]
    pub ratio: RatioEstimate,
}
