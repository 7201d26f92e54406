//! A typed, validated view of the three catalogue folders: `stacks/`, `workloads/`, `experiments/`.
//!
//! This crate reads; it never runs anything. Entries are found by scanning, the folder's name is the
//! entry's name, manifests are flat, and an unknown key is an error that names file, line and key.

mod contract;
mod experiment;
mod stack;
mod workload;

pub use contract::{Case, Contract};
pub use experiment::{Claim, ExperimentManifest, TreatmentManifest};
pub use stack::{Launch, StackManifest, WorkerKind};
pub use workload::WorkloadManifest;
