//! Why a stack is not ready.

use std::io;
use std::path::PathBuf;

use crate::supervise::SuperviseError;

/// Why a stack could not be prepared or started.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// A tool it needs is not here: the others can be compared without it.
    #[error("{stack} is skipped: {reason}")]
    Skipped {
        /// The stack.
        stack: String,
        /// Name of the tool, as in `needs` of a stack.
        missing: String,
        /// What is missing, and what to do.
        reason: String,
    },
    /// A tool it needs is not here, and the caller said that this must not be.
    #[error("{stack} cannot be skipped, as BANCADA_REQUIRE has `{missing}`: {reason}")]
    Required {
        /// The stack.
        stack: String,
        /// Name of the tool, as in `needs` of a stack.
        missing: String,
        /// What is missing, and what to do.
        reason: String,
    },
    /// One of its commands failed.
    #[error("{stack}: `{command}` failed ({status}); its output is in {}: {}", log.display(), tail.join(" | "))]
    Failed {
        /// The stack.
        stack: String,
        /// What was run.
        command: String,
        /// How it ended.
        status: String,
        /// The last lines of its output.
        tail: Vec<String>,
        /// Its output.
        log: PathBuf,
    },
    /// A launch mode's program is not there.
    #[error("{stack}: the launch mode `{mode}` starts `{program}`, which is neither in {} nor on the PATH; look at `command` in its stack.toml", folder.display())]
    NoProgram {
        /// The stack.
        stack: String,
        /// The launch mode.
        mode: String,
        /// What it starts.
        program: String,
        /// Where what was built is.
        folder: PathBuf,
    },
    /// The stack has no such launch mode.
    #[error("{stack} has no launch mode `{mode}`; use one of {modes}")]
    NoMode {
        /// The stack.
        stack: String,
        /// What was asked for.
        mode: String,
        /// Those it has.
        modes: String,
    },
    /// A file or folder cannot be used.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A command could not be run at all.
    #[error(transparent)]
    Supervise(#[from] SuperviseError),
    /// The caller asked to stop.
    #[error("stopped before everything was prepared")]
    Interrupted,
}

impl PrepareError {
    pub(super) fn file(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> PrepareError {
        let path = path.into();
        move |source| PrepareError::File {
            action,
            path,
            source,
        }
    }
}
