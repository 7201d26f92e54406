//! A typed, validated view of the three catalogue folders: `stacks/`, `workloads/`, `experiments/`.
//!
//! This crate reads; it never runs anything. Entries are found by scanning, the folder's name is the
//! entry's name, manifests are flat, and an unknown key is an error that names file, line and key.

mod catalog;
mod check;
mod claim;
mod contract;
mod entry;
mod experiment;
mod fault;
mod objective;
mod pool;
mod schemas;
mod source;
mod stack;
mod workload;

pub use catalog::Catalog;
pub use claim::{Claim, Published};
pub use contract::{CONTRACT_SCHEMA, Case, Contract};
pub use entry::{Experiment, LookupError, Stack, Workload};
pub use experiment::{
    DatabaseSetting, DesignKind, EXPERIMENT_SCHEMA, ExperimentManifest, ToolManifest,
    TreatmentManifest,
};
pub use fault::{Fault, nearest};
pub use objective::Objective;
pub use pool::{PoolError, pool_overflow, pool_per_worker};
pub use schemas::schemas;
pub use stack::{Launch, STACK_SCHEMA, StackManifest, TOOLS, WorkerKind};
pub use workload::{WORKLOAD_SCHEMA, WorkloadManifest};
