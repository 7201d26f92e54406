//! What a source said, as data: its claims, and the figures it published.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One numbered claim of a source. Its verdict is worked out by the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Number within the source.
    pub id: String,
    /// The sentence, quoted. What follows from a source and is no sentence of it begins with `(derived)`.
    pub quote: String,
    /// Metric it is about; absent where it cannot be tested here.
    pub metric: Option<String>,
    /// Level of load at which the metric is taken (`c50`, `own60`, `slo`, `cold`, `ramp`); the main slices unless given.
    pub level: Option<String>,
    /// The treatment the claim is about, in the setting that was published.
    pub treatment: Option<String>,
    /// The treatment it is held against, in the setting that was published.
    pub against: Option<String>,
    /// Level at which the one it is held against is taken; that of the first unless given. With it the two may be one
    /// treatment, which `against` then need not name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against_level: Option<String>,
    /// A claim about two ratios holds that of `treatment` to `against` against that of `beside_treatment` to
    /// `beside_against` at `beside_level`: at least one of the three is given, and each is that of the first ratio
    /// unless given. `published_ratio` is then the quotient of the two, and without it the first is the larger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside_treatment: Option<String>,
    /// See `beside_treatment`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside_against: Option<String>,
    /// See `beside_treatment`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside_level: Option<String>,
    /// Published ratio of the first's figure over the second's; 1 where the source calls them equal.
    /// Absent where it gives no size: then it says that the first is better.
    pub published_ratio: Option<f64>,
    /// The first with what flawed the source's comparison put right; the treatment itself unless given.
    pub like_for_like_treatment: Option<String>,
    /// The second with what flawed the source's comparison put right; the one held against unless given.
    pub like_for_like_against: Option<String>,
    /// Why it cannot be tested here.
    pub untestable: Option<String>,
    /// What a reader should know of the claim or its setting: how it was scaled, what differs.
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
    /// Level of load at which it was taken; the main slices unless given.
    pub level: Option<String>,
    /// What the source published.
    pub value: f64,
    /// What a reader should know of it.
    pub note: Option<String>,
}
