//! The format of a run directory: everything a report needs, and nothing that only one machine can read.
//!
//! `run.json` is replaced whole, `trials.jsonl` grows by one stored line a trial, and both can be
//! read after a crash at any instant. Reading trusts nothing: a damaged, foreign, oversized or
//! escaping file is an error that names it, never a panic.

mod directory;
mod document;
mod environment;
mod event;
mod files;
mod histogram;
mod journal;
mod level;
mod listing;
mod metric;
mod run;
mod samples;
mod table;
mod tool;
mod trial;

pub use directory::RunDir;
pub use environment::Environment;
pub use event::Event;
pub use files::RecordError;
pub use histogram::{CLOSED_SERVICE_TAG, Histograms, RESPONSE_TAG, SERVICE_TAG};
pub use journal::Trials;
pub use level::Level;
pub use listing::{Listed, list_runs};
pub use metric::{Better, METRICS, Metric, metric};
pub use run::{Design, Run, Skipped, Treatment, VoidedBlock};
pub use samples::Sample;
pub use table::trials_csv;
pub use tool::ToolTrial;
pub use trial::{AuditLine, AuditStatus, Slice, Trial, TrialStatus};
