//! What each layer of a stack adds to the one below it.

use schemars::JsonSchema;
use serde::Serialize;

use super::Figure;

/// Treatments that add to each other, each after the one it adds to.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Ladder {
    /// Metric in whose unit the layers are: CPU time per good answer.
    pub metric: String,
    /// From the lowest; a rung always stands behind the one it adds to.
    pub rungs: Vec<Rung>,
}

/// One rung.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Rung {
    /// Name within the run.
    pub treatment: String,
    /// How reports name it.
    pub title: String,
    /// The rung it adds a layer to; absent for the lowest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Rungs below it.
    pub depth_count: usize,
    /// CPU time per good answer up to here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<Figure>,
    /// CPU time that the layer adds, block by block; below 0 where it saves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<Added>,
}

/// A difference of two treatments over blocks, in the unit of the ladder's metric.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Added {
    /// Arithmetic mean of the differences.
    pub estimate: f64,
    /// Lower end of its interval; absent with fewer than two blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Blocks in which both were usable.
    pub blocks_count: usize,
}
