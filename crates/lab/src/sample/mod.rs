//! Readings of what processes and the machine use. Nothing here starts or signals a process.

mod cpu;
mod machine;
mod memory;
mod sampler;
mod tree;

pub use cpu::{process_cpu_ns, this_process_cpu_ns, thread_cpu_ns};
pub use machine::{MachineReading, MachineUse};
pub use sampler::MemorySampler;
pub use tree::{ContextSwitches, Tree, context_switches, pss_bytes};
