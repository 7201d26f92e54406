//! What a source said, and how it fared here.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Figure, RatioEstimate};

/// One claim of a source with its verdict on this machine.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClaimFindings {
    /// Number within the source.
    pub id: String,
    /// The sentence, quoted.
    pub quote: String,
    /// Metric it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// Level of load it is about; absent: the figures of the block's main slices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Level at which the second treatment is taken, where that is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_level: Option<String>,
    /// The ratio that the first one is held against, where the claim is about two: every ratio here is then their
    /// quotient.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<BesideRatio>,
    /// Published ratio of the first treatment over the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_ratio: Option<f64>,
    /// How it fared in the setting that was published.
    #[serde(flatten)]
    pub verdict: ClaimVerdict,
    /// What stands behind the verdict, one sentence.
    pub sentence: String,
    /// Measured in the setting that was published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_published: Option<ClaimComparison>,
    /// Measured with what flawed the comparison put right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub like_for_like: Option<ClaimComparison>,
    /// For a claim about the cold start: the same pair when warm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<ClaimComparison>,
    /// What made the difference, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// What a reader should know of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The second of two ratios.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BesideRatio {
    /// Its first treatment.
    pub treatment: String,
    /// The treatment under it.
    pub against: String,
    /// Level of load; absent: the main slices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
}

/// How a claim fared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum ClaimVerdict {
    /// Direction and size, or equality.
    Reproduced,
    /// The same one is ahead, by another factor or by one that cannot be told.
    DirectionOnly,
    /// The other one is ahead, or both are equal where the source says they differ, or the reverse.
    Contradicted,
    /// The run does not decide it.
    Undecided {
        /// Blocks that would decide the pair if the spread stays as it is; absent when that cannot be said.
        #[serde(skip_serializing_if = "Option::is_none")]
        more_blocks_count: Option<usize>,
    },
    /// There is nothing to judge it by.
    CannotBeTestedHere {
        /// Why.
        reason: String,
    },
}

impl ClaimVerdict {
    /// The words for it.
    pub fn words(&self) -> &'static str {
        match self {
            ClaimVerdict::Reproduced => "reproduced",
            ClaimVerdict::DirectionOnly => "direction only",
            ClaimVerdict::Contradicted => "contradicted",
            ClaimVerdict::Undecided { .. } => "undecided",
            ClaimVerdict::CannotBeTestedHere { .. } => "cannot be tested here",
        }
    }
}

/// One setting in which a claim was put to the test.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClaimComparison {
    /// The treatment the claim is about.
    pub treatment: String,
    /// The one it is held against.
    pub against: String,
    /// The first over the second.
    #[serde(flatten)]
    pub ratio: RatioEstimate,
    /// How the claim fares in this setting.
    #[serde(flatten)]
    pub verdict: ClaimVerdict,
    /// What may be said of the pair.
    pub sentence: String,
}

/// A published figure beside the measured one. They are of two machines: ratios compare, figures do not.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PublishedFigure {
    /// Treatment that stands for what the source measured.
    pub treatment: String,
    /// Metric, in whose unit the value is.
    pub metric: String,
    /// Level of load; absent: the figures of the block's main slices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// What the source published.
    pub published: f64,
    /// What was measured here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<Figure>,
    /// What a reader should know of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}
