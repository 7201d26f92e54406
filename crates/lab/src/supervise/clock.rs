//! One clock for two processes: `CLOCK_MONOTONIC`, which is also what `Instant` reads on Linux.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of `CLOCK_MONOTONIC` now.
pub(super) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// The `Instant` of a reading by another process, exact to the time between two adjacent clock readings.
pub(super) fn instant(monotonic_ns: u64) -> Instant {
    let age = Duration::from_nanos(now_ns().saturating_sub(monotonic_ns));
    let now = Instant::now();
    now.checked_sub(age).unwrap_or(now)
}
