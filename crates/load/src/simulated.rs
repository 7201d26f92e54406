//! Servers in virtual time: a transport whose clock jumps from event to event, so that the engine
//! can be held against queueing theory to the nanosecond.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::SocketAddr;

use crate::transport::{Event, Failure, Received, Transport};

/// What the clock shows at first.
const START_NS: u64 = 1_000_000_000;

/// A server with one worker and an unbounded queue: first come, first served.
pub struct Simulated {
    now: u64,
    /// Service time of each request in turn, nanoseconds, given its number and when it arrived.
    service: Box<dyn FnMut(u64, u64) -> u64>,
    answer: Vec<u8>,
    slots: Vec<Slot>,
    agenda: BinaryHeap<Reverse<Entry>>,
    /// When the worker will have done all it has been given.
    free_at: u64,
    requests: u64,
    /// How late waits end, to stand for a slow generator.
    lateness_ns: u64,
    /// When the generator is to stand still, and for how long.
    freeze: Option<(u64, u64)>,
    events: Vec<Event>,
    received: Vec<u8>,
    workers: Option<usize>,
}

/// Something that is to happen on a connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    at: u64,
    slot: u32,
    generation: u64,
    /// An answer; else the connection is open.
    answers: bool,
}

#[derive(Default)]
struct Slot {
    open: bool,
    opening: bool,
    generation: u64,
    /// Answers that can be received.
    ready: u32,
}

impl Simulated {
    /// A server that takes `service(number, arrived_at)` nanoseconds for each request, one at a time.
    pub fn single_worker(service: impl FnMut(u64, u64) -> u64 + 'static) -> Simulated {
        Simulated {
            now: START_NS,
            service: Box::new(service),
            answer: b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_vec(),
            slots: Vec::new(),
            agenda: BinaryHeap::new(),
            free_at: 0,
            requests: 0,
            lateness_ns: 0,
            freeze: None,
            events: Vec::new(),
            received: Vec::new(),
            workers: Some(1),
        }
    }

    /// A server that serves every request at once, however many there are.
    pub fn unlimited_workers(service: impl FnMut(u64, u64) -> u64 + 'static) -> Simulated {
        Simulated {
            workers: None,
            ..Simulated::single_worker(service)
        }
    }

    /// Waits end so much later than asked.
    #[must_use]
    pub fn with_lateness(mut self, lateness_ns: u64) -> Simulated {
        self.lateness_ns = lateness_ns;
        self
    }

    /// The generator stands still once, for `length_ns` from `after_ns` after the start, and the server does not.
    #[must_use]
    pub fn with_freeze(mut self, after_ns: u64, length_ns: u64) -> Simulated {
        self.freeze = Some((START_NS + after_ns, length_ns));
        self
    }

    /// Requests the server has been sent.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    fn agree(&mut self, at: u64, slot: u32, answers: bool) {
        let generation = self.slots[slot as usize].generation;
        self.agenda.push(Reverse(Entry {
            at,
            slot,
            generation,
            answers,
        }));
    }

    fn happen(&mut self, entry: Entry) {
        let slot = &mut self.slots[entry.slot as usize];
        if slot.generation != entry.generation || !slot.open {
            return;
        }
        if entry.answers {
            slot.ready += 1;
            self.events.push(Event::Readable(entry.slot));
        } else if slot.opening {
            slot.opening = false;
            self.events.push(Event::Connected(entry.slot));
        }
    }
}

impl Transport for Simulated {
    const EVENTS_MAX: usize = 256;

    fn now(&self) -> u64 {
        self.now
    }

    fn open(&mut self, number: u32, _: SocketAddr) -> Result<(), Failure> {
        if self.slots.len() <= number as usize {
            self.slots.resize_with(number as usize + 1, Slot::default);
        }
        let slot = &mut self.slots[number as usize];
        slot.generation += 1;
        (slot.open, slot.opening) = (true, true);
        slot.ready = 0;
        self.agree(self.now, number, false);
        Ok(())
    }

    fn send(&mut self, number: u32, _: &[u8]) -> Result<(), Failure> {
        self.slots[number as usize].opening = false;
        let service = (self.service)(self.requests, self.now);
        self.requests += 1;
        let begins_at = if self.workers.is_some() {
            self.free_at.max(self.now)
        } else {
            self.now
        };
        self.free_at = begins_at + service;
        self.agree(begins_at + service, number, true);
        Ok(())
    }

    fn receive(&mut self, number: u32, _: u64) -> Received {
        let slot = &mut self.slots[number as usize];
        if slot.ready == 0 {
            return Received::Nothing;
        }
        slot.ready -= 1;
        self.received.clear();
        self.received.extend_from_slice(&self.answer);
        Received::Bytes(self.received.len())
    }

    fn received(&self) -> &[u8] {
        &self.received
    }

    fn close(&mut self, number: u32) {
        if let Some(slot) = self.slots.get_mut(number as usize) {
            slot.open = false;
            slot.generation += 1;
        }
    }

    fn wait(&mut self, _: u64, until: u64) -> Result<usize, std::io::Error> {
        self.events.clear();
        let next_at = self.agenda.peek().map(|Reverse(entry)| entry.at);
        self.now = match next_at {
            Some(at) if at <= until => self.now.max(at),
            _ => self.now.max(until.saturating_add(self.lateness_ns)),
        };
        if let Some((_, length_ns)) = self.freeze.take_if(|(at, _)| *at <= self.now) {
            self.now += length_ns;
        }
        while let Some(&Reverse(entry)) = self.agenda.peek() {
            if entry.at > self.now || self.events.len() == Simulated::EVENTS_MAX {
                break;
            }
            self.agenda.pop();
            self.happen(entry);
        }
        Ok(self.events.len())
    }

    fn event(&mut self, place: usize) -> Option<Event> {
        let event = *self.events.get(place)?;
        let (Event::Readable(number) | Event::Connected(number) | Event::Failed(number, _)) = event;
        self.slots[number as usize].open.then_some(event)
    }
}
