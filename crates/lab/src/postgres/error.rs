//! What can go wrong with the database server.

use std::io;
use std::path::PathBuf;

use crate::supervise::SuperviseError;

/// Why there is no usable PostgreSQL, or a database could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    /// No server programs here, and none could be fetched.
    #[error(
        "no PostgreSQL server programs: {reason}; install the package postgresql, or set DATABASE_URL to a server"
    )]
    NoServer {
        /// What was tried.
        reason: String,
    },
    /// The folder given for the programs does not hold them.
    #[error("{} has no initdb and postgres", folder.display())]
    NotPrograms {
        /// The folder.
        folder: PathBuf,
    },
    /// A downloaded file is not the one that was pinned.
    #[error("{} has SHA-256 {found}, not the pinned {pinned}: it was deleted and not used", file.display())]
    WrongDigest {
        /// The file.
        file: PathBuf,
        /// Its digest.
        found: String,
        /// The digest it should have.
        pinned: &'static str,
    },
    /// A file or folder could not be used.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A program could not be run.
    #[error(transparent)]
    Supervise(#[from] SuperviseError),
    /// A program failed.
    #[error("{program} failed ({status}); its output is in {}: {}", log.display(), tail.join(" | "))]
    Failed {
        /// Its name.
        program: String,
        /// How it ended.
        status: String,
        /// Its output.
        log: PathBuf,
        /// The last lines of its output.
        tail: Vec<String>,
    },
    /// The server refused a statement or the connection.
    #[error("PostgreSQL: cannot {action}: {reason}")]
    Sql {
        /// What was tried.
        action: String,
        /// The server's words.
        reason: String,
    },
    /// A statement in a workload's file failed.
    #[error("{}: {reason}", file.display())]
    SqlFile {
        /// The file.
        file: PathBuf,
        /// The server's words.
        reason: String,
    },
    /// The external server cannot be used.
    #[error("DATABASE_URL: {reason}")]
    External {
        /// What is missing, and what to do.
        reason: String,
    },
}
