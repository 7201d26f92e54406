//! Waiting for a quiet moment before a block: what is running already would void it.

use std::thread;
use std::time::{Duration, Instant};

use stats::environment::Limits;

use crate::sample::{MachineReading, MachineUse};

/// Time in which the machine has to be quiet.
const MOMENT: Duration = Duration::from_millis(500);
/// Longest wait: work that lasts longer is left to the rules that void a block.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// Waits until the machine has been quiet for a moment, but no longer than 10 s, while nothing of the run is under way.
/// Where the kernel does not tell, or `is_stopped`, it does not wait.
pub fn wait(is_stopped: impl Fn() -> bool) {
    let give_up_at = Instant::now() + WAIT_MAX;
    let mut before = MachineReading::now();
    while !is_stopped() && Instant::now() < give_up_at {
        let Some(then) = before else { return };
        thread::sleep(MOMENT);
        before = MachineReading::now();
        if before
            .as_ref()
            .is_none_or(|now| is_quiet(&now.since(&then), MOMENT))
        {
            return;
        }
    }
}

/// Whether a block under these conditions would count.
fn is_quiet(seen: &MachineUse, lasted: Duration) -> bool {
    let limits = Limits::default();
    let cores = seen.busy_ns as f64 / lasted.as_nanos() as f64;
    cores < limits.foreign_cpu_ratio && seen.steal_ratio < limits.steal_ratio
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_void_a_block_is_not_quiet() {
        let seen = |cores: f64, steal_ratio: f64| MachineUse {
            busy_ratio: cores / 4.0,
            steal_ratio,
            busy_ns: (cores * 0.5e9) as u64,
            cpu_pressure_ratio: None,
            io_pressure_ratio: None,
            memory_pressure_ratio: None,
        };
        for (cores, steal_ratio, quiet) in [
            (0.0, 0.0, true),
            (0.2, 0.009, true),
            (0.3, 0.0, false),
            (0.0, 0.02, false),
        ] {
            assert_eq!(
                is_quiet(&seen(cores, steal_ratio), MOMENT),
                quiet,
                "{cores} {steal_ratio}"
            );
        }
    }

    #[test]
    fn a_run_that_is_to_stop_waits_for_nothing() {
        let began = Instant::now();
        wait(|| true);
        assert!(began.elapsed() < MOMENT);
    }
}
