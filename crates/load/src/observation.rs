//! Everything seen in a measured window.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

use crate::distribution::{Distribution, times};
use crate::outcome::{Outcome, OutcomeCounts};

/// What happened to the requests scheduled in a window, and the answers that arrived in it.
#[derive(Clone, Debug)]
pub struct Observations {
    /// Requests scheduled in the window, by how they ended.
    pub outcomes: OutcomeCounts,
    /// Answers among them by status.
    pub status: BTreeMap<u16, u64>,
    /// Length of the window.
    pub window_ns: u64,
    /// For how long requests were scheduled. It is not the window's length only where arrivals are counted: then it
    /// ends when the one after the last would have been due, and the window with the last answer.
    pub schedule_ns: u64,
    /// Whole answers, right or wrong, that arrived within the window. Rates are made of these.
    pub answers_in_window_count: u64,
    /// Good answers that arrived within the window.
    pub good_answers_in_window_count: u64,
    /// Requests scheduled and sent in the window that ended without an answer, in it or after it.
    pub lost_of_window_count: u64,
    /// Whole answers of the whole drive: those before the window opened and after it closed, too. For what is
    /// counted from before a drive to after it.
    pub answers_in_drive_count: u64,
    /// Whether requests followed a schedule, so that there are response times and send delays.
    pub open_loop: bool,
    /// done − sent, by how requests ended.
    pub service: ByEnding,
    /// done − scheduled, by how requests ended. Empty in a closed loop.
    pub response: ByEnding,
    /// sent − scheduled over every request sent. Empty in a closed loop.
    pub send_delay: Histogram<u64>,
    /// The part of send delay that no server can cause: of each arrival for which a connection was
    /// free, the time until it was sent or the last free connection was taken; of each that had to
    /// wait for its own connection (`per_connection`), the time until that was noticed. Arrivals
    /// due while all connections were busy (`shared`) are not in it. Empty in a closed loop.
    pub own_delay: Histogram<u64>,
    /// Requests in flight, integrated over the window: request-nanoseconds.
    pub in_flight_ns: u128,
    /// Connections.
    pub connections: Connections,
    /// Bytes of answers received in the window and of requests sent in it.
    pub bytes: Bytes,
    /// CPU time of the generator's own threads in the window.
    pub generator_cpu_ns: u64,
    /// Time in which they asked for events in vain, where they never sleep; CPU time for the most part.
    pub polled_ns: u64,
    /// Threads that sent.
    pub threads_count: u32,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
}

/// One kind of time, split by how requests ended.
#[derive(Clone, Debug)]
pub struct ByEnding {
    /// Of good answers.
    pub good: Histogram<u64>,
    /// Of whole answers that were not as expected.
    pub wrong: Histogram<u64>,
    /// Of requests without a whole answer: their age when they were given up.
    pub lost: Histogram<u64>,
}

/// Connections of a drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    /// Opened, from the start of the drive; one still being opened when its request timed out
    /// counts.
    pub opened_count: u64,
    /// Open when the drive ended.
    pub open_at_end_count: u64,
    /// Fewest answers in the window on any connection, those on connections that took its place included; of several windows, in any of them.
    pub least_completed_count: u64,
    /// Most answers in the window on any connection, counted alike; of several windows, in any of them.
    pub most_completed_count: u64,
}

/// Bytes of HTTP messages, heads included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// From the target.
    pub received_count: u64,
    /// To the target: whole requests, as their connections took them.
    pub sent_count: u64,
}

impl ByEnding {
    fn new() -> ByEnding {
        ByEnding {
            good: times(),
            wrong: times(),
            lost: times(),
        }
    }

    #[inline]
    pub(crate) fn record(&mut self, outcome: Outcome, time_ns: u64) {
        let histogram = match outcome {
            Outcome::Ok => &mut self.good,
            _ if outcome.is_answer() => &mut self.wrong,
            _ => &mut self.lost,
        };
        histogram.saturating_record(time_ns);
    }

    fn add(&mut self, other: &ByEnding) {
        add(&mut self.good, &other.good);
        add(&mut self.wrong, &other.wrong);
        add(&mut self.lost, &other.lost);
    }
}

fn add(mine: &mut Histogram<u64>, theirs: &Histogram<u64>) {
    // All histograms of this crate have the same bounds, so there is nothing to refuse.
    let added = mine.add(theirs);
    debug_assert!(added.is_ok());
}

fn per_s(count: u64, span_ns: u64) -> f64 {
    if span_ns == 0 {
        0.0
    } else {
        count as f64 * 1e9 / span_ns as f64
    }
}

impl Observations {
    /// Nothing seen yet.
    pub fn new(open_loop: bool) -> Observations {
        Observations {
            outcomes: OutcomeCounts::default(),
            status: BTreeMap::new(),
            window_ns: 0,
            schedule_ns: 0,
            answers_in_window_count: 0,
            good_answers_in_window_count: 0,
            lost_of_window_count: 0,
            answers_in_drive_count: 0,
            open_loop,
            service: ByEnding::new(),
            response: ByEnding::new(),
            send_delay: times(),
            own_delay: times(),
            in_flight_ns: 0,
            connections: Connections::default(),
            bytes: Bytes::default(),
            generator_cpu_ns: 0,
            polled_ns: 0,
            threads_count: 1,
            interrupted: false,
        }
    }

    /// Adds what was seen in a later window: the windows follow each other.
    pub fn merge(&mut self, other: &Observations) {
        if self.window_ns == 0 {
            self.clone_from(other);
            return;
        }
        self.window_ns += other.window_ns;
        self.schedule_ns += other.schedule_ns;
        self.threads_count = self.threads_count.max(other.threads_count);
        let open_at_end = other.connections.open_at_end_count;
        self.add(other);
        self.connections.open_at_end_count = open_at_end;
    }

    /// Adds what another thread saw in the same window. One that had nothing to send has no window, and
    /// connections without an answer.
    pub fn unite(&mut self, other: &Observations) {
        // The first arrival that is one too many is that of one thread; those of the others come later.
        self.schedule_ns = self.schedule_ns.min(other.schedule_ns);
        self.window_ns = self.window_ns.max(other.window_ns);
        self.threads_count += other.threads_count;
        let open_at_end = self.connections.open_at_end_count + other.connections.open_at_end_count;
        self.add(other);
        self.connections.open_at_end_count = open_at_end;
    }

    fn add(&mut self, other: &Observations) {
        self.outcomes += &other.outcomes;
        for (&status, &count) in &other.status {
            *self.status.entry(status).or_default() += count;
        }
        self.answers_in_window_count += other.answers_in_window_count;
        self.good_answers_in_window_count += other.good_answers_in_window_count;
        self.lost_of_window_count += other.lost_of_window_count;
        self.answers_in_drive_count += other.answers_in_drive_count;
        self.service.add(&other.service);
        self.response.add(&other.response);
        add(&mut self.send_delay, &other.send_delay);
        add(&mut self.own_delay, &other.own_delay);
        self.in_flight_ns += other.in_flight_ns;
        let (mine, theirs) = (&mut self.connections, &other.connections);
        mine.opened_count += theirs.opened_count;
        mine.least_completed_count = mine.least_completed_count.min(theirs.least_completed_count);
        mine.most_completed_count = mine.most_completed_count.max(theirs.most_completed_count);
        self.bytes.received_count += other.bytes.received_count;
        self.bytes.sent_count += other.bytes.sent_count;
        self.generator_cpu_ns += other.generator_cpu_ns;
        self.polled_ns += other.polled_ns;
        self.interrupted |= other.interrupted;
    }

    /// CPU time of the generator's own threads in the window, what they polled in vain apart. On a CPU that others use
    /// too it may be too little: what was polled is time, and not all of it theirs.
    pub fn worked_ns(&self) -> u64 {
        self.generator_cpu_ns.saturating_sub(self.polled_ns)
    }

    /// Requests scheduled in the window that ended so.
    pub fn outcome(&self, outcome: Outcome) -> u64 {
        self.outcomes.get(outcome)
    }

    /// Requests scheduled in the window.
    pub fn scheduled_count(&self) -> u64 {
        self.outcomes.total()
    }

    /// Requests scheduled in the window that ended in a good answer.
    pub fn good_count(&self) -> u64 {
        self.outcome(Outcome::Ok)
    }

    /// Requests scheduled in the window that did not end in a good answer.
    pub fn failed_count(&self) -> u64 {
        self.scheduled_count() - self.good_count()
    }

    /// Answers per second of the window, right or wrong.
    pub fn completion_rate_per_s(&self) -> f64 {
        self.per_s(self.answers_in_window_count)
    }

    /// Good answers per second of the window.
    pub fn goodput_per_s(&self) -> f64 {
        self.per_s(self.good_answers_in_window_count)
    }

    /// Requests scheduled per second, over the time in which they were.
    pub fn offered_load_per_s(&self) -> f64 {
        per_s(self.scheduled_count(), self.schedule_ns)
    }

    /// A count as a rate over the window; 0 for a window without length.
    pub fn per_s(&self, count: u64) -> f64 {
        per_s(count, self.window_ns)
    }

    /// done − sent over every request sent.
    pub fn service_time(&self) -> Distribution {
        Distribution::over_all(&self.service)
    }

    /// done − scheduled over every request scheduled; `None` in a closed loop.
    pub fn response_time(&self) -> Option<Distribution> {
        self.open_loop
            .then(|| Distribution::over_all(&self.response))
    }

    /// Service time of good answers alone.
    pub fn good_service_time(&self) -> Distribution {
        Distribution::of(self.service.good.clone())
    }

    /// Response time of good answers alone; `None` in a closed loop.
    pub fn good_response_time(&self) -> Option<Distribution> {
        self.open_loop
            .then(|| Distribution::of(self.response.good.clone()))
    }

    /// sent − scheduled: the generator's own lateness; `None` in a closed loop.
    pub fn send_delay(&self) -> Option<Distribution> {
        self.open_loop
            .then(|| Distribution::of(self.send_delay.clone()))
    }

    /// Age of the requests that did not end well, from the instant they were scheduled (open
    /// loop) or sent (closed loop).
    pub fn failed_time(&self) -> Distribution {
        let by_ending = if self.open_loop {
            &self.response
        } else {
            &self.service
        };
        let mut failed = by_ending.wrong.clone();
        add(&mut failed, &by_ending.lost);
        Distribution::of(failed)
    }
}
