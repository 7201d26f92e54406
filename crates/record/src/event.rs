//! What happens while a run goes on, for whoever watches: a live view, plain lines, a browser.

use serde::{Deserialize, Serialize};

use crate::Trial;

/// One step of a run. Events are for showing; what must last is in the run directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A step of the protocol began, in words (`preparing`, `verifying`, `pilot`).
    StepBegan {
        /// The step.
        step: String,
        /// What it is about.
        detail: String,
    },
    /// Something a reader should know; the run goes on.
    Noticed {
        /// The sentence to show.
        message: String,
    },
    /// A block began: its place, how many are planned at most, the starting order.
    BlockBegan {
        /// Block, counted from 1.
        block: u32,
        /// Blocks planned at most.
        blocks_at_most: u32,
        /// Treatments in the order they are started.
        order: Vec<String>,
    },
    /// A treatment is being started, warmed or measured.
    TreatmentBegan {
        /// Block, counted from 1.
        block: u32,
        /// Treatment by name.
        treatment: String,
        /// What begins, in one word.
        phase: String,
    },
    /// A slice ended.
    SliceEnded {
        /// Block, counted from 1.
        block: u32,
        /// Treatment by name.
        treatment: String,
        /// `open` or `closed`.
        load: String,
        /// Answers per second in the slice.
        completion_rate_per_s: f64,
        /// Median response time of the slice; absent in the closed loop, and with too few answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        response_p50_ns: Option<u64>,
        /// Ninth decile of its response times.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        response_p90_ns: Option<u64>,
        /// Slices of the block that ended, this one included.
        slices_done: u32,
        /// Slices of the block, over all treatments.
        slices_in_block: u32,
    },
    /// A trial was stored.
    TrialEnded {
        /// What was stored.
        trial: Box<Trial>,
    },
    /// A block ended, with the seconds that the budget still allows.
    BlockEnded {
        /// Block, counted from 1.
        block: u32,
        /// Seconds of measuring left in the budget.
        remaining_s: f64,
    },
    /// The run ended, and why.
    RunEnded {
        /// Why, as in the run's `ended_by`.
        ended_by: String,
    },
}
