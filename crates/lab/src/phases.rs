//! Loads that are not slices: the cold phase right after a start, and a ramp of users. Each gives one level.

use std::time::Duration;

use load::Pacing;
use record::{Design, Level};

use crate::design::SliceKind;
use crate::error::LabError;
use crate::figures::counts;
use crate::level::Window;
use crate::measure::{Bench, CountsFor, DRAIN_WITHIN};
use crate::sut::Sut;

/// Longest cold phase: a service that is slower shows fewer requests, and a note.
const COLD_WITHIN: Duration = Duration::from_secs(120);
/// Time that users have after the last of them has begun.
const RAMP_GRACE: Duration = Duration::from_secs(60);

/// Sends the cold phase's requests at the design's connections, if it asks for any.
///
/// # Errors
/// When the bench fails.
pub fn cold(
    bench: &mut Bench,
    suts: &mut [Option<Sut>],
    index: usize,
    design: &Design,
) -> Result<(), LabError> {
    let Some(requests) = design.cold_requests_count else {
        return Ok(());
    };
    let pacing = Pacing::Closed {
        concurrency: design.connections_count,
        think_time: Duration::ZERO,
    };
    let slice = load::Slice {
        requests: Some(requests),
        drain: DRAIN_WITHIN,
        ..load::Slice::new(pacing, COLD_WITHIN)
    };
    counted(bench, suts, index, &slice, requests, |level| {
        level.level = "cold".to_owned();
        level.load = "cold".to_owned();
        level.concurrency_count = Some(design.connections_count);
    })
}

/// Lets the design's users come, if it has any: each opens a connection, sends its requests and leaves.
///
/// # Errors
/// When the bench fails.
pub fn ramp(
    bench: &mut Bench,
    suts: &mut [Option<Sut>],
    index: usize,
    design: &Design,
) -> Result<(), LabError> {
    let (Some(users), Some(ramp_up_s)) = (design.users_count, design.ramp_up_s) else {
        return Ok(());
    };
    let ramp_up = Duration::from_secs_f64(ramp_up_s);
    let requests_per_user = design.requests_per_user_count.unwrap_or(1);
    let pacing = Pacing::Users {
        users,
        ramp_up,
        requests_per_user: Some(requests_per_user),
        think_time: Duration::ZERO,
    };
    let slice = load::Slice {
        drain: DRAIN_WITHIN,
        ..load::Slice::new(pacing, ramp_up + RAMP_GRACE)
    };
    let requests = u64::from(users) * requests_per_user;
    counted(bench, suts, index, &slice, requests, |level| {
        level.level = "ramp".to_owned();
        level.load = "users".to_owned();
        level.concurrency_count = Some(users);
        if requests_per_user == 1 && ramp_up_s > 0.0 {
            level.notes.push(format!(
                "{users} users of one request over {ramp_up_s} s offer {:.0} requests/s, whatever the service can do",
                f64::from(users) / ramp_up_s
            ));
        }
    })
}

/// Measures a load of so many requests and keeps it as a level.
fn counted(
    bench: &mut Bench,
    suts: &mut [Option<Sut>],
    index: usize,
    slice: &load::Slice,
    requests: u64,
    name: impl FnOnce(&mut Level),
) -> Result<(), LabError> {
    let mut window = Window::default();
    let kind = SliceKind::Closed;
    let (seen, record) = bench.window(
        suts,
        index,
        CountsFor::Level,
        kind,
        slice,
        &mut window.around,
    )?;
    window.add(&record, &seen);
    let mut metrics = window.metrics(kind);
    let mut notes = window.notes();
    let sent = seen.scheduled_count();
    if sent < requests && !seen.interrupted {
        notes.push(format!(
            "{sent} of {requests} requests were sent within {} s",
            slice.duration.as_secs()
        ));
    } else {
        metrics.put("elapsed_ns", Some(seen.window_ns as f64));
    }
    let mut level = Level {
        metrics: metrics.0,
        outcomes: counts([&seen].into_iter()),
        notes,
        ..Level::default()
    };
    name(&mut level);
    if let Some(sut) = &mut suts[index] {
        sut.seen.levels.push(level);
    }
    Ok(())
}
