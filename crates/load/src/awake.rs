//! Keeps idle CPUs from sleeping while something is measured.
//!
//! A service that is not at its limit lets its CPU fall idle thousands of times a second. A CPU that sleeps wakes late,
//! and a virtual one is handed back to the hypervisor, which may lend it to a neighbour: then the time that is reported
//! as stolen, and the warm caches that are lost, are the price of our own pauses.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};

/// Takes a bound in microseconds on the time an idle CPU may need to wake, for as long as it is held open (Linux,
/// Documentation/power/pm_qos_interface.rst).
const WAKE_UP_BOUND: &str = "/dev/cpu_dma_latency";
/// The first state of an idle CPU where there is a driver that heeds the bound. Without one a CPU halts all the same.
const FIRST_STATE: &str = "/sys/devices/system/cpu/cpu0/cpuidle/state0/name";

/// Idle CPUs poll instead of sleeping until this is dropped.
pub struct Awake {
    _bound: File,
}

impl Awake {
    /// Asks the kernel for it. `None` where it may not be asked, which takes root on most systems, or cannot do it.
    pub fn hold() -> Option<Awake> {
        let mut bound = OpenOptions::new().write(true).open(WAKE_UP_BOUND).ok()?;
        bound.write_all(&0_i32.to_ne_bytes()).ok()?;
        idle_cpus_poll().then_some(Awake { _bound: bound })
    }
}

/// Whether idle CPUs poll now, whoever asked for it: the strictest bound is none, and the CPUs have a state that keeps it.
pub fn idle_cpus_poll() -> bool {
    let mut bound = [1; 4];
    let asked = File::open(WAKE_UP_BOUND).and_then(|mut file| file.read_exact(&mut bound));
    let state = fs::read_to_string(FIRST_STATE).unwrap_or_default();
    asked.is_ok() && bound == 0_i32.to_ne_bytes() && state.trim() == "POLL"
}
