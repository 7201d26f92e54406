//! Starting a run: what is asked for, who does it, and what is told meanwhile.

use std::sync::atomic::AtomicBool;

use record::Event;
use serde::Deserialize;

/// A run that somebody asks for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// Experiment by its folder's name.
    pub experiment: String,
    /// Seconds of measuring after which no new block starts, instead of the experiment's own.
    #[serde(default)]
    pub budget_s: Option<u64>,
}

/// What a run tells while it goes on.
#[derive(Clone, Debug)]
pub enum Told {
    /// The name of its directory, once there is one.
    Directory(String),
    /// A step of it.
    Event(Event),
}

/// Makes runs. This crate never does.
pub trait Starter: Send + Sync {
    /// Makes the run and returns when it has ended, however. Ends early, and in order, once `stop` is set.
    ///
    /// # Errors
    /// A sentence that says why there is no run, or why it failed.
    fn run(
        &self,
        order: &Order,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Told),
    ) -> Result<(), String>;
}
