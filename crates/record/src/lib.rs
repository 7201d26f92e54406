//! The format of a run directory: everything a report needs, and nothing that only one machine can read.

mod environment;
mod event;
mod metric;
mod run;
mod trial;

pub use environment::Environment;
pub use event::Event;
pub use metric::{Better, METRICS, Metric, metric};
pub use run::{Design, Run, Skipped, Treatment, VoidedBlock};
pub use trial::{AuditLine, AuditStatus, Slice, Trial, TrialStatus};
