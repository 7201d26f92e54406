//! The words between Bancada and its guardian: one JSON object a line, over a socket pair.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The environment variable by which a process is recognised as one of ours.
pub const MARK: &str = "BANCADA_RUN_MARK";

/// What to start, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// What messages call it: "axum, block 3", "PostgreSQL".
    pub name: String,
    /// The program: a path, or a name looked up in the `PATH` of `env`.
    pub program: PathBuf,
    /// Arguments, without the program's own name.
    pub args: Vec<String>,
    /// Working directory.
    pub cwd: PathBuf,
    /// The whole environment: nothing is inherited.
    pub env: Vec<(String, String)>,
    /// CPUs it may run on; empty: any.
    pub cpus: Vec<u32>,
    /// User and group id to run as, without supplementary groups; needs root.
    pub user: Option<(u32, u32)>,
    /// File that receives both output streams; emptied at the start.
    pub log: PathBuf,
}

/// From Bancada to the guardian. `id` names the request, and the child that a `Spawn` makes.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    /// First of all: who asks, and where the ledger is kept.
    Begin { ledger: PathBuf, mark: String },
    /// Start a process in a group of its own.
    Spawn {
        id: u64,
        spec: Spec,
        /// Number of the signal that asks this program to end.
        stop_signal: i32,
    },
    /// End a child: ask its group, wait, kill the group, kill who left the group.
    Stop { id: u64, child: u64, grace_ms: u64 },
}

/// From the guardian to Bancada.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// The guardian watches: what it starts from now on has an end.
    Ready,
    Spawned {
        id: u64,
        pid: u32,
        /// `CLOCK_MONOTONIC` just before the start.
        started_ns: u64,
    },
    Refused {
        id: u64,
        reason: String,
    },
    Exited {
        child: u64,
        status: String,
    },
    Stopped {
        id: u64,
        stopped: Stopped,
    },
}

/// How a child ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    /// False when SIGKILL was needed.
    pub in_time: bool,
    /// Descendants that had left the process group, outlived it and were killed.
    pub left_behind: Vec<u32>,
    /// "exit status 3", "killed by signal 9".
    pub status: String,
}
