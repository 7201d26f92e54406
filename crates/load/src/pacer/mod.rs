//! Who sends when: the decisions of pacing and dispatch, without any IO. The loop asks three
//! questions: what is due now, when is the next thing due, and what does a freed connection do.
//!
//! Connections are named by their place, from 0. All instants are nanoseconds of one clock.

mod closed;
mod open;

pub(crate) use closed::ClosedPacer;
pub(crate) use open::OpenPacer;

use crate::plan::{Pacing, Slice};
use crate::schedule::{self, Schedule, Share};

/// A request to send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    pub place: u32,
    /// The instant it was due, which may be long ago.
    pub scheduled_at: u64,
}

/// What a connection does when its request has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Sends another, which was due at this instant.
    Send { scheduled_at: u64 },
    /// Waits to be told.
    Idle,
    /// Is not needed any more.
    Close,
}

/// How many requests may still begin, and until when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// Requests scheduled before this do not count against `left`.
    pub opens_at: u64,
    /// Nothing is scheduled at or after this.
    pub closes_at: u64,
    /// Requests left, if they are counted.
    pub left: Option<u64>,
}

impl Limit {
    /// Whether a request may be scheduled at `at`.
    fn allows(&self, at: u64) -> bool {
        at < self.closes_at && self.left != Some(0)
    }

    fn spend(&mut self, at: u64) {
        if at >= self.opens_at
            && let Some(left) = &mut self.left
        {
            *left -= 1;
        }
    }
}

/// Pacing and dispatch of one drive.
pub(crate) enum Pacer {
    Open(OpenPacer),
    Closed(ClosedPacer),
}

impl Pacer {
    pub(crate) fn new(slice: &Slice, share: Share, start_at: u64, limit: Limit) -> Pacer {
        let closed = |turns, think_time: std::time::Duration, per_place| {
            let think_ns = u64::try_from(think_time.as_nanos()).unwrap_or(u64::MAX);
            Pacer::Closed(ClosedPacer::new(
                turns, think_ns, per_place, start_at, limit,
            ))
        };
        match &slice.pacing {
            Pacing::Closed {
                concurrency,
                think_time,
            } => closed(
                schedule::all_at_once(*concurrency, share),
                *think_time,
                None,
            ),
            Pacing::ClosedStages { stages, think_time } => {
                closed(schedule::staged(stages, share), *think_time, None)
            }
            Pacing::Users {
                users,
                ramp_up,
                requests_per_user,
                think_time,
            } => {
                let turns = schedule::ramp(*users, *ramp_up, share);
                closed(
                    turns,
                    *think_time,
                    Some(requests_per_user.unwrap_or(u64::MAX)),
                )
            }
            Pacing::Open {
                rate,
                connections,
                dispatch,
            } => {
                let schedule = Schedule::new(rate, share, slice.duration, slice.seed);
                let places = share.count(u64::from(*connections)) as u32;
                Pacer::Open(OpenPacer::new(schedule, places, *dispatch, start_at, limit))
            }
        }
    }

    /// A request that is due at `now`, if there is one that can be sent. `noticed` is told when
    /// each arrival that it took was due, those included that must wait for their connection.
    #[inline]
    pub(crate) fn due(&mut self, now: u64, noticed: impl FnMut(u64)) -> Option<Start> {
        match self {
            Pacer::Open(open) => open.due(now, noticed),
            Pacer::Closed(closed) => closed.due(now),
        }
    }

    /// When `due` will next have something, events apart.
    #[inline]
    pub(crate) fn next_at(&self) -> Option<u64> {
        match self {
            Pacer::Open(open) => open.next_at(),
            Pacer::Closed(closed) => closed.next_at(),
        }
    }

    /// The request at `place` has ended; `connected` is false when its connection could not be had.
    /// `late` is told of an arrival that it took although a connection had been free for it: when
    /// it was due, and until when there was one.
    #[inline]
    pub(crate) fn freed(
        &mut self,
        place: u32,
        now: u64,
        connected: bool,
        late: impl FnMut(u64, u64),
    ) -> Next {
        match self {
            Pacer::Open(open) => open.freed(place, now, late),
            Pacer::Closed(closed) => closed.freed(place, now, connected),
        }
    }

    /// Until when arrivals were scheduled, where their number ended them: when the next would have been due.
    pub(crate) fn counted_out_at(&self) -> Option<u64> {
        match self {
            Pacer::Open(open) => open.counted_out_at(),
            Pacer::Closed(_) => None,
        }
    }

    /// Nothing more is scheduled from `at` on; what was scheduled before stays due.
    pub(crate) fn end(&mut self, at: u64) {
        match self {
            Pacer::Open(open) => open.end(at),
            Pacer::Closed(closed) => closed.end(),
        }
    }

    /// Whether no request will ever be due again unless one ends first.
    pub(crate) fn is_exhausted(&self) -> bool {
        match self {
            Pacer::Open(open) => open.is_exhausted(),
            Pacer::Closed(closed) => closed.is_exhausted(),
        }
    }

    /// Takes out an arrival that was scheduled and will not be sent.
    pub(crate) fn abandon(&mut self) -> Option<u64> {
        match self {
            Pacer::Open(open) => open.abandon(),
            Pacer::Closed(_) => None,
        }
    }
}
