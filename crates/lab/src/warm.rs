//! Warm-up: load until the rate has stopped moving, at most for a stated time.

use std::time::{Duration, Instant};

use stats::steady::{WINDOWS, drift, is_steady, movement};

use crate::design::SliceKind;
use crate::error::LabError;
use crate::measure::{Bench, pacing};
use crate::sut::Sut;

const WINDOW: Duration = Duration::from_millis(200);
/// Movement of the rate, relative to the canary, that counts as none.
const TOLERANCE: f64 = 0.02;
/// Answers that a service must have given before it can be called warm.
const ANSWERS_MIN: u64 = 500;
/// How sure it must be that a rate which is not steady moves.
const DRIFT_CONFIDENCE: f64 = 0.99;

/// How a warm-up ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarmUp {
    /// How long it took.
    pub took: Duration,
    /// Whether the rule was met, and not only the cap.
    pub steady: bool,
}

/// Warms a service in the closed loop.
pub fn warm_up(
    bench: &mut Bench,
    sut: &mut Sut,
    connections: u32,
    cap: Duration,
) -> Result<WarmUp, LabError> {
    let began = Instant::now();
    let (mut rates, mut canaries, mut answers) = (Vec::new(), Vec::new(), 0);
    // Windows up to the one in which it had answered enough: what is cold by itself is not held against it.
    let mut cold = 0;
    loop {
        canaries.push(bench.canary()?.as_secs_f64());
        let seen = bench.drive(sut, pacing(SliceKind::Closed, connections, 0.0), WINDOW)?;
        rates.push(seen.completion_rate_per_s());
        if answers < ANSWERS_MIN {
            cold += 1;
        }
        answers += seen.answers_in_window_count;
        let enough = answers >= ANSWERS_MIN && rates.len() >= WINDOWS;
        let steady = enough && is_steady(&rates, &canaries, TOLERANCE);
        let took = began.elapsed();
        if steady || took >= cap || bench.is_stopped() || sut.has_exited() {
            sut.seen.warm_up_ns = Some(took.as_nanos() as u64);
            sut.seen.warm_up_movement = movement(&rates, &canaries);
            sut.seen.warm_up_drift = drift(&rates[cold..], &canaries[cold..], DRIFT_CONFIDENCE);
            sut.seen.is_steady = Some(steady);
            return Ok(WarmUp { took, steady });
        }
    }
}
