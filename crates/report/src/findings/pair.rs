//! Two treatments held together: their ratio, and what may be said of it.

use schemars::JsonSchema;
use serde::Serialize;

/// A ratio of two treatments over blocks.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RatioEstimate {
    /// Exponential of the mean log ratio over blocks.
    pub ratio: f64,
    /// Lower end of the interval; absent with fewer than two blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low_ratio: Option<f64>,
    /// Upper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high_ratio: Option<f64>,
    /// Blocks in which both were usable.
    pub blocks_count: usize,
}

impl RatioEstimate {
    /// Both ends, where there are any.
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.low_ratio.zip(self.high_ratio)
    }

    /// The same comparison seen from the other side.
    pub fn inverted(&self) -> RatioEstimate {
        RatioEstimate {
            ratio: 1.0 / self.ratio,
            low_ratio: self.high_ratio.map(|high| 1.0 / high),
            high_ratio: self.low_ratio.map(|low| 1.0 / low),
            blocks_count: self.blocks_count,
        }
    }
}

/// Two ranked treatments on the primary metric.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Pair {
    /// The one ahead.
    pub treatment: String,
    /// The one behind.
    pub against: String,
    /// The first over the second; the interval is simultaneous over all pairs.
    #[serde(flatten)]
    pub ratio: RatioEstimate,
    /// Unadjusted 95 % signed-rank interval (Hodges–Lehmann).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed_rank: Option<SignedRank>,
    /// What may be said.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// The verdict in words.
    pub sentence: String,
}

/// An unadjusted interval that trusts no distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SignedRank {
    /// Hodges–Lehmann estimate.
    pub ratio: f64,
    /// Lower end.
    pub low_ratio: f64,
    /// Upper end.
    pub high_ratio: f64,
}

impl SignedRank {
    /// The same comparison seen from the other side.
    pub fn inverted(&self) -> SignedRank {
        SignedRank {
            ratio: 1.0 / self.ratio,
            low_ratio: 1.0 / self.high_ratio,
            high_ratio: 1.0 / self.low_ratio,
        }
    }
}

/// What may be said about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// The whole interval is beyond what matters and what the bench can see.
    Faster {
        /// The near end of the interval.
        at_least_ratio: f64,
    },
    /// The whole interval is within what does not matter.
    PracticallyEqual,
    /// The interval excludes 1, and may be too small to matter.
    FasterMaybeTooSmall,
    /// Neither.
    Undecided {
        /// Blocks that would decide it if the spread stays as it is; absent when that cannot be said.
        #[serde(skip_serializing_if = "Option::is_none")]
        more_blocks_count: Option<usize>,
    },
}
