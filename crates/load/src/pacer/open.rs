//! Open loop: arrivals by schedule, and the three rules that give them to connections.

use std::collections::VecDeque;

use super::{Limit, Next, Start};
use crate::plan::Dispatch;
use crate::schedule::{Arrival, Schedule};

pub(crate) struct OpenPacer {
    schedule: Schedule,
    start_at: u64,
    limit: Limit,
    dispatch: Dispatch,
    /// The first arrival that no connection has been given; its instant is absolute.
    arrival: Option<Arrival>,
    /// Connections with nothing to do, the longest idle first. Not used per connection.
    free: VecDeque<u32>,
    /// Per connection: instants of the arrivals that wait for it.
    queues: Vec<VecDeque<u64>>,
    /// Per connection: whether it is at a request.
    busy: Vec<bool>,
    places: u32,
    /// Until when an arrival that was due found a free connection, while there is none.
    ran_out_at: u64,
    /// When the first arrival was due that is one too many, where they are counted.
    counted_out_at: Option<u64>,
}

impl OpenPacer {
    pub(crate) fn new(
        schedule: Schedule,
        places: u32,
        dispatch: Dispatch,
        start_at: u64,
        limit: Limit,
    ) -> OpenPacer {
        let per_connection = dispatch == Dispatch::PerConnection;
        let queued = if per_connection { places as usize } else { 0 };
        let mut pacer = OpenPacer {
            schedule,
            start_at,
            limit,
            dispatch,
            arrival: None,
            free: if per_connection {
                VecDeque::new()
            } else {
                (0..places).collect()
            },
            queues: vec![VecDeque::new(); queued],
            busy: vec![false; queued],
            places,
            ran_out_at: if dispatch == Dispatch::Unbounded {
                u64::MAX
            } else {
                0
            },
            counted_out_at: None,
        };
        pacer.advance();
        pacer
    }

    fn advance(&mut self) {
        let next = self.schedule.next().map(|arrival| Arrival {
            at_ns: self.start_at + arrival.at_ns,
            ..arrival
        });
        self.arrival = next.filter(|arrival| self.limit.allows(arrival.at_ns));
        if let Some(arrival) = self.arrival {
            self.limit.spend(arrival.at_ns);
        } else if self.limit.left == Some(0) {
            self.counted_out_at = Some(next.map_or(self.limit.closes_at, |arrival| arrival.at_ns));
        }
    }

    pub(crate) fn counted_out_at(&self) -> Option<u64> {
        self.counted_out_at
    }

    fn arrived(&mut self, now: u64) -> Option<Arrival> {
        let arrival = self.arrival.filter(|arrival| arrival.at_ns <= now)?;
        self.advance();
        Some(arrival)
    }

    pub(crate) fn due(&mut self, now: u64, mut noticed: impl FnMut(u64)) -> Option<Start> {
        if self.dispatch == Dispatch::PerConnection {
            return self.due_per_connection(now, noticed);
        }
        if self.arrival.is_none_or(|arrival| arrival.at_ns > now) {
            return None;
        }
        let place = match self.free.pop_front() {
            Some(place) => place,
            None if self.dispatch == Dispatch::Unbounded => {
                self.places += 1;
                self.places - 1
            }
            None => return None,
        };
        if self.dispatch == Dispatch::Shared && self.free.is_empty() {
            self.ran_out_at = now;
        }
        let arrival = self.arrived(now)?;
        noticed(arrival.at_ns);
        Some(Start {
            place,
            scheduled_at: arrival.at_ns,
        })
    }

    fn due_per_connection(&mut self, now: u64, mut noticed: impl FnMut(u64)) -> Option<Start> {
        while let Some(arrival) = self.arrived(now) {
            noticed(arrival.at_ns);
            // Threads take arrivals in turn, so each thread's own arrivals go to its places in turn.
            let turn = arrival.index / u64::from(self.schedule.share().of);
            let place = (turn % u64::from(self.places)) as u32;
            if self.busy[place as usize] {
                self.queues[place as usize].push_back(arrival.at_ns);
            } else {
                self.busy[place as usize] = true;
                return Some(Start {
                    place,
                    scheduled_at: arrival.at_ns,
                });
            }
        }
        None
    }

    pub(crate) fn freed(&mut self, place: u32, now: u64, mut late: impl FnMut(u64, u64)) -> Next {
        if self.dispatch == Dispatch::PerConnection {
            return match self.queues[place as usize].pop_front() {
                Some(scheduled_at) => Next::Send { scheduled_at },
                None => {
                    self.busy[place as usize] = false;
                    Next::Idle
                }
            };
        }
        // With others idle the longest idle takes it: every connection gets its turn.
        if self.free.is_empty()
            && let Some(arrival) = self.arrived(now)
        {
            // After a pause of the generator most of a backlog leaves here, not by the clock.
            let until = self.ran_out_at.min(now);
            if arrival.at_ns < until {
                late(arrival.at_ns, until);
            }
            return Next::Send {
                scheduled_at: arrival.at_ns,
            };
        }
        self.free.push_back(place);
        Next::Idle
    }

    pub(crate) fn next_at(&self) -> Option<u64> {
        let waits_for_connection = self.dispatch == Dispatch::Shared && self.free.is_empty();
        self.arrival
            .filter(|_| !waits_for_connection)
            .map(|arrival| arrival.at_ns)
    }

    pub(crate) fn end(&mut self, at: u64) {
        self.limit.closes_at = self.limit.closes_at.min(at);
        self.arrival = self.arrival.filter(|arrival| arrival.at_ns < at);
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.arrival.is_none() && self.queues.iter().all(VecDeque::is_empty)
    }

    pub(crate) fn abandon(&mut self) -> Option<u64> {
        if let Some(queued) = self.queues.iter_mut().find_map(VecDeque::pop_front) {
            return Some(queued);
        }
        self.arrived(u64::MAX).map(|arrival| arrival.at_ns)
    }
}
