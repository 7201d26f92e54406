//! What happens while a run goes on, for whoever watches: a live view, plain lines, a browser.

use serde::{Deserialize, Serialize};

use crate::Trial;

/// One step of a run. Events are for showing; what must last is in the run directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A step of the protocol began, in words (`preparing`, `verifying`, `pilot`).
    StepBegan { step: String, detail: String },
    /// Something a reader should know; the run goes on.
    Noticed { message: String },
    /// A block began: its place, how many are planned at most, the starting order.
    BlockBegan {
        block: u32,
        blocks_at_most: u32,
        order: Vec<String>,
    },
    /// A treatment is being started, warmed or measured.
    TreatmentBegan {
        block: u32,
        treatment: String,
        phase: String,
    },
    /// A slice ended.
    SliceEnded {
        block: u32,
        treatment: String,
        load: String,
        completion_rate_per_s: f64,
        slices_done: u32,
        slices_in_block: u32,
    },
    /// A trial was stored.
    TrialEnded { trial: Box<Trial> },
    /// A block ended, with the seconds that the budget still allows.
    BlockEnded { block: u32, remaining_s: f64 },
    /// The run ended, and why.
    RunEnded { ended_by: String },
}
