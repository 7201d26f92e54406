//! What can go wrong with processes.

use std::io;
use std::path::PathBuf;

/// Why a process could not be started, watched or stopped.
#[derive(Debug, thiserror::Error)]
pub enum SuperviseError {
    /// The guardian itself did not start.
    #[error("cannot start the guardian {}: {source}", program.display())]
    Guardian {
        /// What was executed.
        program: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The guardian ended although nobody asked it to.
    #[error(
        "the guardian ended unexpectedly, what it had started was stopped; its last words are in {}",
        log.display()
    )]
    GuardianGone {
        /// The guardian's own output.
        log: PathBuf,
    },
    /// A child did not start.
    #[error("cannot start {name} ({}): {reason}", program.display())]
    Spawn {
        /// What messages call it.
        name: String,
        /// What was to be executed.
        program: PathBuf,
        /// Why it failed.
        reason: String,
    },
    /// A child is still there after SIGKILL.
    #[error("cannot stop {name}: {reason}")]
    Stop {
        /// What messages call it.
        name: String,
        /// Why it failed.
        reason: String,
    },
    /// A program that was to end by itself did not.
    #[error("{name} did not end within {seconds} s; its output is in {}", log.display())]
    Deadline {
        /// What messages call it.
        name: String,
        /// How long it was given.
        seconds: u64,
        /// Its output.
        log: PathBuf,
    },
    /// The folder that remembers what was started cannot be used.
    #[error("cannot {action} {}: {source}", path.display())]
    State {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
}
