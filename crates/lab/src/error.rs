//! Why a run could not go on.

use crate::postgres::PostgresError;
use crate::prepare::PrepareError;
use crate::standin::StandInError;
use crate::supervise::SuperviseError;

/// A run that ended early. What was measured before is stored.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// What was asked for cannot be done; nothing was started.
    #[error("{0}")]
    Usage(String),
    /// Something failed on the way.
    #[error("{0}")]
    Failed(String),
    /// A process could not be started or stopped.
    #[error(transparent)]
    Supervise(#[from] SuperviseError),
    /// PostgreSQL failed.
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    /// A stack could not be prepared.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// An upstream could not be stood in for.
    #[error(transparent)]
    StandIn(#[from] StandInError),
    /// The load engine failed.
    #[error(transparent)]
    Load(#[from] load::LoadError),
    /// The run directory failed.
    #[error(transparent)]
    Record(#[from] record::RecordError),
    /// The machine failed.
    #[error("{doing}: {source}")]
    System {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
}

impl LabError {
    /// Whether the caller asked for something wrong, as opposed to something going wrong.
    pub fn is_usage(&self) -> bool {
        match self {
            LabError::Usage(_) => true,
            LabError::Load(error) => error.is_usage(),
            _ => false,
        }
    }

    pub(crate) fn system(doing: &'static str) -> impl FnOnce(std::io::Error) -> LabError {
        move |source| LabError::System { doing, source }
    }
}
