//! Readings of what processes and the machine use. Nothing here starts or signals a process.

mod cpu;
mod machine;
mod memory;
mod sampler;
mod threads;
mod tree;

pub use cpu::{process_cpu_ns, this_process_cpu_ns, thread_cpu_ns};
pub use machine::{CpusReading, MachineReading, MachineUse, frequencies_khz};
pub use sampler::{Sampler, Sources, Watched, thinned};
pub use threads::{ThreadsReading, ThreadsUse, thread_run_queue_wait_ns};
pub use tree::{ContextSwitches, Tree, context_switches, mapped_bytes, pss_bytes};
