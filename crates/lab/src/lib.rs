//! The protocol of a run, one file a step: design, prepare, verify, supervise, place, sample, measure.
//!
//! [`Lab::run_experiment`] reads like the protocol: choose the treatments, prepare their stacks, start the
//! database, hold each service against its contract and sound its capacity, then run block after block,
//! each stored before the next.

mod admit;
mod audit;
mod audition;
mod block;
mod canary;
mod collapse;
mod commands;
mod conditions;
mod database;
pub mod design;
mod entry;
mod environment;
mod error;
mod experiment;
mod figures;
mod groups;
mod handler;
mod level;
mod measure;
mod null_server;
mod objective;
mod phases;
mod pilot;
pub mod place;
pub mod plan;
pub mod postgres;
mod precision;
pub mod prepare;
mod protocol;
mod provide;
mod quiet;
mod recorded;
mod resolve;
mod running;
pub mod sample;
pub mod standin;
pub mod supervise;
mod sut;
mod tools;
mod treatment;
pub mod verify;
mod warm;
mod watched;
mod what_if;

pub use commands::{CommandPlan, CommandRequest, CommandService};
pub use error::LabError;
pub use experiment::{Choices, Ended, Lab};
pub use protocol::EndedBy;
pub use recorded::{changes_since, experiment_of};
pub use running::RunningService;
pub use what_if::WhatIf;
