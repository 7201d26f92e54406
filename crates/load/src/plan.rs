//! What a drive is to do: pacing, length, seed.

use std::time::Duration;

use crate::schedule::{Rate, Stage};

/// How requests are paced.
#[derive(Clone, Debug, PartialEq)]
pub enum Pacing {
    /// Closed loop: every connection sends its next request when the last is answered.
    Closed {
        /// Connections, each with one request at a time.
        concurrency: u32,
        /// Pause between an answer and the next request.
        think_time: Duration,
    },
    /// Closed loop whose number of connections changes by stages.
    ClosedStages {
        /// Connections over time.
        stages: Vec<Stage>,
        /// Pause between an answer and the next request.
        think_time: Duration,
    },
    /// Closed loop of users: each opens one connection, sends its requests, and leaves.
    Users {
        /// How many.
        users: u32,
        /// They begin evenly over this time: user i of n at i/n of it.
        ramp_up: Duration,
        /// Requests of each user; `None`: until the drive ends.
        requests_per_user: Option<u64>,
        /// Pause between an answer and the next request.
        think_time: Duration,
    },
    /// Open loop: requests are due by a schedule, whether or not earlier ones are answered.
    Open {
        /// Arrivals over time.
        rate: Rate,
        /// Connections; with [`Dispatch::Unbounded`] those opened before the first arrival.
        connections: u32,
        /// Which connection takes an arrival.
        dispatch: Dispatch,
    },
}

/// Which connection takes an arrival of an open loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dispatch {
    /// Arrival k belongs to connection k mod c and waits for it, even when others are free.
    PerConnection,
    /// Any free connection takes the next arrival; arrivals wait in one queue.
    #[default]
    Shared,
    /// An arrival that finds no free connection opens another.
    Unbounded,
}

impl Dispatch {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Dispatch::PerConnection => "per_connection",
            Dispatch::Shared => "shared",
            Dispatch::Unbounded => "unbounded",
        }
    }
}

/// One drive of one target.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// How requests are paced.
    pub pacing: Pacing,
    /// Arrivals (open loop) or new requests (closed loop) end after this time, `discard` included.
    pub duration: Duration,
    /// Stop after so many requests, those of `discard` not counted.
    pub requests: Option<u64>,
    /// Requests scheduled in this time from the start are sent and not recorded.
    pub discard: Duration,
    /// Longest wait after the end for answers, and for arrivals that still queue. Never needed
    /// beyond the target's timeout, unless arrivals queue.
    pub drain: Duration,
    /// Seed of everything random.
    pub seed: u64,
}

impl Slice {
    /// A slice of `duration` that records all of it and drains for at most 10 s.
    pub fn new(pacing: Pacing, duration: Duration) -> Slice {
        Slice {
            pacing,
            duration,
            requests: None,
            discard: Duration::ZERO,
            drain: Duration::from_secs(10),
            seed: 1,
        }
    }
}

impl Pacing {
    /// Whether arrivals follow a schedule.
    pub fn is_open(&self) -> bool {
        matches!(self, Pacing::Open { .. })
    }

    /// Connections it opens before the start; for users and stages, the most it will have.
    pub fn concurrency(&self) -> u32 {
        match self {
            Pacing::Closed { concurrency, .. } => *concurrency,
            Pacing::ClosedStages { stages, .. } => {
                let most = stages
                    .iter()
                    .map(|stage| stage.from.max(stage.to))
                    .fold(0.0, f64::max);
                most.ceil() as u32
            }
            Pacing::Users { users, .. } => *users,
            Pacing::Open { connections, .. } => *connections,
        }
    }
}
