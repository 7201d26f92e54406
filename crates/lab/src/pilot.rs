//! The pilot: a short look at what a warm service can do, from which the equal arrival rate follows.

use std::time::Duration;

use record::Design;

use crate::design::SliceKind;
use crate::error::LabError;
use crate::measure::{Bench, pacing};
use crate::sut::Sut;

/// Length of each drive.
const DRIVE: Duration = Duration::from_millis(750);

/// The better of two short closed loops, in good answers per second: it looks for what the service can do.
pub fn capacity_per_s(bench: &mut Bench, sut: &Sut, design: &Design) -> Result<f64, LabError> {
    let mut best: f64 = 0.0;
    for _ in 0..2 {
        let pacing = pacing(SliceKind::Closed, design.connections_count, 0.0);
        best = best.max(bench.drive(sut, pacing, DRIVE)?.goodput_per_s());
    }
    Ok(best)
}
