//! Keeps idle CPUs from sleeping while something is measured.
//!
//! A service that is not at its limit lets its CPU fall idle thousands of times a second. A CPU that sleeps wakes late,
//! and a virtual one is handed back to the hypervisor, which may lend it to a neighbour: then the time that is reported
//! as stolen, and the warm caches that are lost, are the price of our own pauses.

use std::fs::{File, OpenOptions};
use std::io::Write;

/// Takes a bound in microseconds on the time an idle CPU may need to wake, for as long as it is held open (Linux,
/// Documentation/power/pm_qos_interface.rst).
const WAKE_UP_BOUND: &str = "/dev/cpu_dma_latency";

/// Idle CPUs poll instead of sleeping until this is dropped.
pub struct Awake {
    _bound: File,
}

impl Awake {
    /// Asks the kernel for it. `None` where it may not be asked, which takes root on most systems, or cannot do it.
    pub fn hold() -> Option<Awake> {
        let mut bound = OpenOptions::new().write(true).open(WAKE_UP_BOUND).ok()?;
        bound.write_all(&0_i32.to_ne_bytes()).ok()?;
        Some(Awake { _bound: bound })
    }
}
