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
pub fn wait(is_stopped: impl FnMut() -> bool) {
    wait_for(is_stopped, WAIT_MAX, |moment| {
        let began = Instant::now();
        let then = MachineReading::now()?;
        thread::sleep(moment);
        let seen = MachineReading::now()?.since(&then);
        Some(is_quiet(&seen, began.elapsed()))
    });
}

/// `look` says whether it was quiet for so long; `None`: nobody can tell.
fn wait_for(
    mut is_stopped: impl FnMut() -> bool,
    at_most: Duration,
    mut look: impl FnMut(Duration) -> Option<bool>,
) {
    let looks = at_most.as_nanos() / MOMENT.as_nanos();
    for _ in 0..looks {
        if is_stopped() || look(MOMENT) != Some(false) {
            return;
        }
    }
}

/// Whether a block under these conditions would count.
fn is_quiet(seen: &MachineUse, lasted: Duration) -> bool {
    let limits = Limits::default();
    let cores = seen.busy_ns as f64 / lasted.as_nanos() as f64;
    cores <= limits.foreign_cpu_ratio && seen.steal_ratio <= limits.steal_ratio
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
    fn it_waits_until_a_moment_is_quiet_the_time_is_over_or_the_run_is_to_stop() {
        let looks = |stops_after: usize, says: &[Option<bool>]| {
            let mut count = 0;
            let mut asked = 0;
            let is_stopped = || {
                asked += 1;
                asked > stops_after
            };
            wait_for(is_stopped, 4 * MOMENT, |_| {
                count += 1;
                says.get(count - 1).copied().unwrap_or(Some(false))
            });
            count
        };
        assert_eq!(looks(9, &[Some(false), Some(true)]), 2);
        assert_eq!(looks(9, &[None]), 1);
        assert_eq!(looks(9, &[]), 4);
        assert_eq!(looks(0, &[]), 0);
        assert_eq!(looks(3, &[]), 3);
    }
}
