//! The one loop. Pacing decides who sends when, the transport moves bytes, framing finds where
//! answers end, the recorder keeps what was seen; the loop only passes between them.

use std::sync::atomic::{AtomicBool, Ordering};

use super::connection::{Connection, Stand};
use super::deadlines::Deadlines;
use super::lead::Lead;
use super::parts::Parts;
use super::recorder::Recorder;
use super::{Edge, Observer, WAIT_MAX_NS};
use crate::check;
use crate::error::LoadError;
use crate::http1::{AtClose, LastHead, Progress};
use crate::observation::Observations;
use crate::outcome::Outcome;
use crate::pacer::{Limit, Next, Pacer, Start};
use crate::plan::{Dispatch, Pacing, Slice};
use crate::transport::{Event, Received, Transport};

/// Time between two reports of progress.
const REPORT_EVERY_NS: u64 = 100_000_000;
/// Most requests begun in a row, before answers have their turn: of more arrivals than can be sent there is no end.
const STARTS_MAX: usize = 256;
/// Most requests begun between two answers of one wait.
const STARTS_BETWEEN_MAX: usize = 4;

pub(super) struct Drive<'a, T> {
    parts: Parts<'a, T>,
    pacer: Pacer,
    deadlines: Deadlines,
    lead: Lead,
    recorder: Recorder,
    last_head: LastHead,
    observer: &'a mut dyn Observer,
    stop: &'a AtomicBool,
    timeout_ns: u64,
    drain_ns: u64,
    /// Whether it asks for events instead of waiting for them.
    polls: bool,
    /// Whether it may end before its duration is over.
    counted: bool,
    /// Connections that it may use; a target may have more from earlier drives.
    places: usize,
    phase: Phase,
    beat_at: u64,
    /// Waits in a row that brought as many events as they can.
    full_waits: usize,
    now: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Sending, not recording.
    Discarding,
    /// The window is open.
    Measuring,
    /// Nothing more is scheduled.
    Draining { until: u64 },
}

impl<'a, T: Transport> Drive<'a, T> {
    /// Opens connections and fixes the instant of the start.
    pub fn prepare(
        mut parts: Parts<'a, T>,
        slice: &Slice,
        polls: bool,
        observer: &'a mut dyn Observer,
        stop: &'a AtomicBool,
    ) -> Result<Drive<'a, T>, LoadError> {
        let timeout_ns = nanoseconds(parts.state.target.timeout);
        let ahead = match slice.pacing {
            Pacing::Closed { .. } | Pacing::Open { .. } if parts.state.target.keep_alive => {
                parts.share.count(u64::from(slice.pacing.concurrency())) as u32
            }
            _ => 0,
        };
        let places = match slice.pacing {
            Pacing::Open {
                dispatch: Dispatch::Unbounded,
                ..
            } => usize::MAX,
            _ => parts.share.count(u64::from(slice.pacing.concurrency())) as usize,
        };
        let opened = parts.open_ahead(ahead, timeout_ns, stop)?;
        let mut recorder = Recorder::new(slice.pacing.is_open());
        let start_at = observer.start_at(parts.transport.now());
        let limit = Limit {
            opens_at: start_at + nanoseconds(slice.discard),
            closes_at: start_at.saturating_add(nanoseconds(slice.duration)),
            left: slice.requests.map(|total| parts.share.count(total)),
        };
        recorder.set_window(limit.opens_at, limit.closes_at);
        recorder.seen.connections.opened_count = opened;
        Ok(Drive {
            pacer: Pacer::new(slice, parts.share, start_at, limit),
            deadlines: Deadlines::new(),
            lead: Lead::new(start_at),
            recorder,
            last_head: LastHead::default(),
            observer,
            stop,
            timeout_ns,
            drain_ns: nanoseconds(slice.drain),
            polls,
            places,
            counted: slice.requests.is_some() || matches!(slice.pacing, Pacing::Users { .. }),
            phase: Phase::Discarding,
            beat_at: start_at,
            full_waits: 0,
            now: parts.transport.now(),
            parts,
        })
    }

    pub fn run(mut self) -> Result<Observations, LoadError> {
        while self.go_on() {
            self.send_if_due();
            let before = self.now;
            let until = match self.polls {
                true => before,
                false => self.next_instant(),
            };
            let events =
                self.parts
                    .transport
                    .wait(before, until)
                    .map_err(|cause| LoadError::System {
                        call: "epoll_pwait2",
                        cause,
                    })?;
            if events == 0 || self.paced() {
                self.now = self.parts.transport.now();
            }
            if events == 0 && self.polls {
                self.recorder.polled(before, self.now);
            } else if events == 0 {
                self.lead.learn(before, until, self.now);
            }
            for place in 0..events {
                if let Some(event) = self.parts.transport.event(place) {
                    self.handle(event);
                    // Many events take long: arrivals that fall due meanwhile do not wait for all.
                    if self.pacer.next_at().is_some_and(|at| at <= self.now) {
                        self.send_due(STARTS_BETWEEN_MAX);
                    }
                }
            }
            if self.polls || self.now == before {
                self.now = self.parts.transport.now();
            }
            self.time_out_after(events);
        }
        Ok(self.finish())
    }

    /// Whether something is due at a known instant, so that time matters between events. A closed
    /// loop without pauses needs the clock for nothing but the ends of answers.
    #[inline]
    fn paced(&self) -> bool {
        self.pacer.next_at().is_some()
    }

    #[inline]
    fn send_if_due(&mut self) {
        if self.paced() {
            self.now = self.parts.transport.now();
            if self.pacer.next_at().is_some_and(|at| at <= self.now) {
                self.send_due(STARTS_MAX);
            }
        }
    }

    /// Passes from phase to phase; false when the drive is over.
    fn go_on(&mut self) -> bool {
        if self.phase == Phase::Discarding && self.now >= self.recorder.opens_at {
            self.phase = Phase::Measuring;
            self.recorder.open();
            self.observer.edge(Edge::Opens);
        }
        if self.now >= self.beat_at {
            self.beat_at = self.now + REPORT_EVERY_NS;
            self.observer.beat(self.now, self.recorder.counts);
        }
        let interrupted = self.stop.load(Ordering::Relaxed);
        let idle = self.recorder.counts.in_flight == 0;
        if let Phase::Draining { until } = self.phase {
            let done = idle && self.pacer.is_exhausted();
            self.recorder.seen.interrupted |= interrupted && !done;
            return !(done || interrupted || self.now >= until);
        }
        let closes_at = self.recorder.closes_at;
        if interrupted || self.now >= closes_at || self.counted && idle && self.pacer.is_exhausted()
        {
            self.recorder.seen.interrupted = interrupted;
            self.close_window(self.now.min(closes_at));
            return !interrupted;
        }
        true
    }

    fn close_window(&mut self, at: u64) {
        self.pacer.end(at);
        if self.phase == Phase::Measuring {
            self.recorder.close(at);
            self.observer.edge(Edge::Closes);
        }
        self.phase = Phase::Draining {
            until: at.saturating_add(self.drain_ns),
        };
    }

    /// The earliest instant at which something is to be done, events apart.
    fn next_instant(&self) -> u64 {
        let edge = match self.phase {
            Phase::Discarding => self.recorder.opens_at,
            Phase::Measuring => self.recorder.closes_at,
            Phase::Draining { until } => until,
        };
        let timeout = self
            .deadlines
            .first()
            .map(|(_, sent_at)| sent_at.saturating_add(self.timeout_ns));
        let mut at = edge.min(self.now + WAIT_MAX_NS);
        if let Some(timeout) = timeout {
            at = at.min(timeout);
        }
        match self.pacer.next_at() {
            Some(due_at) if self.recorder.seen.open_loop => {
                at.min(self.lead.wake_at(due_at, self.now))
            }
            Some(due_at) => at.min(due_at),
            None => at,
        }
    }

    fn send_due(&mut self, most: usize) {
        for _ in 0..most {
            let now = self.parts.transport.now();
            self.now = now;
            let recorder = &mut self.recorder;
            let noticed = |scheduled_at| recorder.delayed(scheduled_at, now);
            match self.pacer.due(now, noticed) {
                Some(start) => self.pursue(start),
                None => return,
            }
        }
    }

    /// Sends a request, and after it those that its place has to send if it fails at once.
    fn pursue(&mut self, start: Start) {
        let mut start = Some(start);
        while let Some(Start {
            place,
            scheduled_at,
        }) = start.take()
        {
            let slot = self.parts.slot(place);
            if let Err(outcome) = self.send(slot, scheduled_at) {
                start = self.end(slot, outcome);
            }
        }
    }

    /// Sends the next request on `slot`, opening it first if need be. The caller has read the clock.
    #[inline]
    fn send(&mut self, slot: u32, scheduled_at: u64) -> Result<(), Outcome> {
        let parts = &mut self.parts;
        let connection = &mut parts.connections[slot as usize];
        let state = &mut *parts.state;
        let was_closed = connection.stand == Stand::Closed;
        connection.stand = Stand::Busy;
        connection.scheduled_at = scheduled_at;
        connection.sent_at = self.now;
        connection.framer.start(state.target.requests.is_head());
        connection.looks = false;
        let expectation = &state.target.expectation;
        if expectation.looks_at_bodies() {
            state.unlooked += 1;
            if state.unlooked >= expectation.sample_every {
                state.unlooked = 0;
                connection.looks = true;
                connection.check.start(expectation);
            }
        }
        self.deadlines.push(slot, self.now);
        let request = state.cursor.next();
        self.recorder.began(self.now);
        if was_closed {
            // Taken back if the request ends for want of it.
            self.recorder.seen.connections.opened_count += 1;
            parts
                .transport
                .open(slot, state.target.addr)
                .map_err(|failure| failure.outcome())?;
        }
        parts
            .transport
            .send(slot, request)
            .map_err(|failure| failure.outcome())?;
        self.recorder.sent(request.len());
        Ok(())
    }

    #[inline]
    fn handle(&mut self, event: Event) {
        match event {
            Event::Readable(slot) => match self.parts.connections[slot as usize].stand {
                Stand::Busy => self.receive(slot),
                _ => self.parts.receive_idle(slot),
            },
            Event::Connected(slot) => {
                let connection = &mut self.parts.connections[slot as usize];
                if connection.stand == Stand::Opening {
                    connection.stand = Stand::Idle;
                }
            }
            Event::Failed(slot, failure) => match self.parts.connections[slot as usize].stand {
                Stand::Busy => self.conclude(slot, failure.outcome()),
                _ => self.parts.close(slot),
            },
        }
    }

    #[inline]
    fn receive(&mut self, slot: u32) {
        let connection = &mut self.parts.connections[slot as usize];
        let skippable = if connection.looks {
            0
        } else {
            connection.framer.body_bytes_ahead()
        };
        let ended = match self.parts.transport.receive(slot, skippable) {
            Received::Bytes(count) => {
                self.recorder.received(count as u64);
                let bytes = self.parts.transport.received();
                let progress = if connection.looks {
                    connection.framer.take_knowing(
                        &mut self.last_head,
                        bytes,
                        &mut connection.check,
                    )
                } else {
                    connection
                        .framer
                        .take_knowing(&mut self.last_head, bytes, &mut ())
                };
                match progress {
                    Ok(Progress::Partial) => None,
                    Ok(Progress::Done { taken }) if taken == count => Some(self.judge(slot)),
                    // More than the framing announced: nobody can say what the rest belongs to.
                    Ok(Progress::Done { .. }) | Err(_) => Some(Outcome::Malformed),
                }
            }
            Received::Skipped(count) => {
                self.recorder.received(count);
                match connection.framer.skip(count) {
                    Progress::Partial => None,
                    Progress::Done { .. } => Some(self.judge(slot)),
                }
            }
            Received::Nothing => None,
            Received::Closed => Some(match connection.framer.at_close() {
                AtClose::Complete => self.judge(slot),
                AtClose::BeforeHead => Outcome::ClosedEarly,
                AtClose::Malformed(_) => Outcome::Malformed,
                AtClose::Truncated => Outcome::Truncated,
            }),
            Received::Failed(failure) => Some(failure.outcome()),
        };
        if let Some(outcome) = ended {
            self.conclude(slot, outcome);
        }
    }

    #[inline]
    fn judge(&mut self, slot: u32) -> Outcome {
        let Connection {
            framer,
            check,
            looks,
            ..
        } = &mut self.parts.connections[slot as usize];
        let expectation = &self.parts.state.target.expectation;
        check::judge(
            expectation,
            framer.status(),
            framer.body_bytes(),
            looks.then_some(check),
        )
    }

    /// The request on `slot` has ended now; what its place is to send next is sent at once.
    #[inline]
    fn conclude(&mut self, slot: u32, outcome: Outcome) {
        self.now = self.parts.transport.now();
        if let Some(start) = self.end(slot, outcome) {
            self.pursue(start);
        }
    }

    #[inline]
    fn end(&mut self, slot: u32, outcome: Outcome) -> Option<Start> {
        self.deadlines.remove(slot);
        let connection = &mut self.parts.connections[slot as usize];
        self.recorder.ended(connection, outcome, self.now);
        connection.stand = Stand::Idle;
        let place = connection.place;
        let reusable = outcome.is_answer()
            && connection.framer.is_persistent()
            && self.parts.state.target.keep_alive;
        if !reusable {
            self.parts.close(slot);
        }
        let connected = !outcome.is_connect_failure();
        if !connected {
            let opened = &mut self.recorder.seen.connections.opened_count;
            *opened = opened.saturating_sub(1);
        }
        let recorder = &mut self.recorder;
        let late = |scheduled_at, until| recorder.delayed(scheduled_at, until);
        match self.pacer.freed(place, self.now, connected, late) {
            Next::Send { scheduled_at } => Some(Start {
                place,
                scheduled_at,
            }),
            Next::Idle => None,
            Next::Close => {
                self.parts.close(slot);
                None
            }
        }
    }

    /// After a pause of the generator, answers lie ready that one wait does not bring. They are read first, in as
    /// many waits as it takes to hear of every connection once.
    #[inline]
    fn time_out_after(&mut self, events: usize) {
        self.full_waits += 1;
        if events < T::EVENTS_MAX || self.full_waits > self.parts.connections.len() / T::EVENTS_MAX
        {
            self.full_waits = 0;
            self.time_out();
        }
    }

    fn time_out(&mut self) {
        // Fixed: what is sent in the place of those that end here has its turn after other events.
        let now = self.now;
        while let Some((slot, sent_at)) = self.deadlines.first() {
            if sent_at.saturating_add(self.timeout_ns) > now {
                return;
            }
            self.conclude(slot, Outcome::Timeout);
        }
    }

    fn finish(mut self) -> Observations {
        while let Some(scheduled_at) = self.pacer.abandon() {
            self.recorder.unsent(scheduled_at, self.now);
        }
        while let Some((slot, _)) = self.deadlines.first() {
            self.deadlines.remove(slot);
            let connection = &mut self.parts.connections[slot as usize];
            self.recorder
                .ended(connection, Outcome::Unfinished, self.now);
            self.parts.close(slot);
        }
        let Parts {
            connections, state, ..
        } = self.parts;
        let counts = &mut self.recorder.seen.connections;
        let of_target = || state.slots.iter().map(|&slot| &connections[slot as usize]);
        counts.open_at_end_count = of_target()
            .filter(|connection| connection.stand != Stand::Closed)
            .count() as u64;
        counts.least_completed_count = of_target()
            .take(self.places)
            .map(|connection| connection.completed)
            .min()
            .unwrap_or(0);
        counts.most_completed_count = of_target()
            .map(|connection| connection.completed)
            .max()
            .unwrap_or(0);
        self.recorder.finish(self.pacer.counted_out_at())
    }
}

fn nanoseconds(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX / 4)
}
