//! Keeps what is seen: the window, and the figures of the requests and answers that belong to it.

use std::collections::BTreeMap;

use rustix::time::{ClockId, clock_gettime};

use super::{Counts, connection::Connection};
use crate::observation::Observations;
use crate::outcome::Outcome;

/// Observations in the making. A request belongs to the window when it was scheduled in it; an
/// answer, when it arrived in it.
pub(super) struct Recorder {
    pub seen: Observations,
    pub counts: Counts,
    pub opens_at: u64,
    pub closes_at: u64,
    /// By status code: cheaper than a map.
    status: Box<[u64; 1000]>,
    in_flight_since: u64,
    received: u64,
    sent: u64,
    cpu_at_open: u64,
}

impl Recorder {
    /// A recorder without a window. It has much memory to prepare, which is best done ahead.
    pub fn new(open_loop: bool) -> Recorder {
        Recorder {
            seen: Observations::new(open_loop),
            counts: Counts::default(),
            opens_at: 0,
            closes_at: 0,
            status: Box::new([0; 1000]),
            in_flight_since: 0,
            received: 0,
            sent: 0,
            cpu_at_open: 0,
        }
    }

    pub fn set_window(&mut self, opens_at: u64, closes_at: u64) {
        self.opens_at = opens_at;
        self.closes_at = closes_at;
        self.in_flight_since = opens_at;
    }

    /// The number of requests in flight is about to change.
    #[inline]
    fn integrate(&mut self, now: u64) {
        let now = now.min(self.closes_at);
        if now > self.in_flight_since {
            let lasted = now - self.in_flight_since;
            self.seen.in_flight_ns += u128::from(lasted) * u128::from(self.counts.in_flight);
            self.in_flight_since = now;
        }
    }

    /// A request begins: it is about to be sent.
    #[inline]
    pub fn began(&mut self, now: u64) {
        self.integrate(now);
        self.counts.in_flight += 1;
    }

    /// Its connection took it.
    #[inline]
    pub fn sent(&mut self, bytes: usize) {
        self.sent += bytes as u64;
    }

    #[inline]
    pub fn received(&mut self, bytes: u64) {
        self.received += bytes;
    }

    /// The request on `connection` ended.
    #[inline]
    pub fn ended(&mut self, connection: &mut Connection, outcome: Outcome, now: u64) {
        self.integrate(now);
        self.counts.in_flight -= 1;
        if outcome.is_answer() {
            self.counts.answers += 1;
            self.counts.good += u64::from(outcome == Outcome::Ok);
            if now >= self.opens_at && now <= self.closes_at {
                connection.completed += 1;
                self.seen.answers_in_window_count += 1;
                self.seen.good_answers_in_window_count += u64::from(outcome == Outcome::Ok);
            }
        } else {
            self.counts.lost += 1;
        }
        if connection.scheduled_at < self.opens_at {
            return;
        }
        self.seen.outcomes.count(outcome);
        if outcome.is_answer() {
            self.status[usize::from(connection.framer.status()) % 1000] += 1;
        } else if outcome != Outcome::Unfinished && connection.sent_at <= self.closes_at {
            self.seen.lost_of_window_count += 1;
        }
        self.seen
            .service
            .record(outcome, now.saturating_sub(connection.sent_at));
        if self.seen.open_loop {
            self.seen
                .response
                .record(outcome, now.saturating_sub(connection.scheduled_at));
            let delay = connection.sent_at.saturating_sub(connection.scheduled_at);
            self.seen.send_delay.saturating_record(delay);
        }
    }

    /// From when it was due until `until`, nobody but the generator kept an arrival waiting.
    #[inline]
    pub fn delayed(&mut self, scheduled_at: u64, until: u64) {
        if scheduled_at >= self.opens_at {
            self.seen
                .own_delay
                .saturating_record(until.saturating_sub(scheduled_at));
        }
    }

    /// A request that was scheduled and never sent.
    pub fn unsent(&mut self, scheduled_at: u64, now: u64) {
        if scheduled_at >= self.opens_at {
            self.seen.outcomes.count(Outcome::Unsent);
            self.seen
                .response
                .record(Outcome::Unsent, now.saturating_sub(scheduled_at));
        }
    }

    /// Asked for events from `before` until `now`, in vain.
    #[inline]
    pub fn polled(&mut self, before: u64, now: u64) {
        if before >= self.opens_at && now <= self.closes_at {
            self.seen.polled_ns += now - before;
        }
    }

    pub fn open(&mut self) {
        self.received = 0;
        self.sent = 0;
        self.cpu_at_open = thread_cpu_ns();
    }

    /// The window closes at `at`, which is when it should have or earlier.
    pub fn close(&mut self, at: u64) {
        self.integrate(at);
        self.closes_at = at;
        self.seen.window_ns = at.saturating_sub(self.opens_at);
        self.seen.bytes.received_count = self.received;
        self.seen.bytes.sent_count = self.sent;
        self.seen.generator_cpu_ns = thread_cpu_ns().saturating_sub(self.cpu_at_open);
    }

    /// What was seen. Where the number of arrivals ended their schedule, the next would have been due at
    /// `counted_out_at`; else the window ended it.
    pub fn finish(mut self, counted_out_at: Option<u64>) -> Observations {
        let scheduled_until = counted_out_at.unwrap_or(self.closes_at);
        self.seen.schedule_ns = scheduled_until.saturating_sub(self.opens_at);
        self.seen.answers_in_drive_count = self.counts.answers;
        let statuses = (0_u16..).zip(self.status.iter().copied());
        self.seen.status = statuses
            .filter(|(_, count)| *count > 0)
            .collect::<BTreeMap<_, _>>();
        self.seen
    }
}

fn thread_cpu_ns() -> u64 {
    let used = clock_gettime(ClockId::ThreadCPUTime);
    used.tv_sec as u64 * 1_000_000_000 + used.tv_nsec as u64
}
