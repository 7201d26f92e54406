//! The connections of a drive: slots for places, and opening them ahead of the first request.

use std::sync::atomic::{AtomicBool, Ordering};

use super::connection::{Connection, Stand};
use super::{TargetState, WAIT_MAX_NS};
use crate::error::LoadError;
use crate::schedule::Share;
use crate::transport::{Event, Received, Transport};

/// Longest time spent on opening connections ahead of the first request.
const OPENING_MAX_NS: u64 = 3_000_000_000;

/// What a drive borrows from its session.
pub(super) struct Parts<'a, T> {
    pub transport: &'a mut T,
    pub connections: &'a mut Vec<Connection>,
    pub free_slots: &'a mut Vec<u32>,
    pub state: &'a mut TargetState,
    pub share: Share,
}

impl<T: Transport> Parts<'_, T> {
    /// The slot of a place, which is given one if it has none.
    #[inline]
    pub fn slot(&mut self, place: u32) -> u32 {
        while self.state.slots.len() <= place as usize {
            let slot = self.free_slots.pop().unwrap_or_else(|| {
                self.connections.push(Connection::default());
                (self.connections.len() - 1) as u32
            });
            let connection = &mut self.connections[slot as usize];
            connection.place = self.state.slots.len() as u32;
            // It may have been a closed target's.
            connection.completed = 0;
            self.state.slots.push(slot);
        }
        self.state.slots[place as usize]
    }

    pub fn close(&mut self, slot: u32) {
        self.transport.close(slot);
        self.connections[slot as usize].stand = Stand::Closed;
    }

    /// Something came on a connection that carries no request: its end, or bytes nobody asked for.
    pub fn receive_idle(&mut self, slot: u32) {
        if self.transport.receive(slot, 0) != Received::Nothing {
            self.close(slot);
        }
    }

    /// Opens the first `count` connections and waits until each is open or has failed; how many
    /// were opened. A failure here belongs to no request: the first that needs the connection
    /// tries again.
    pub fn open_ahead(
        &mut self,
        count: u32,
        within_ns: u64,
        stop: &AtomicBool,
    ) -> Result<u64, LoadError> {
        self.take_news(0)?;
        for slot in self.state.slots.clone() {
            self.connections[slot as usize].completed = 0;
        }
        let mut opening = Vec::new();
        for place in 0..count {
            let slot = self.slot(place);
            if self.connections[slot as usize].stand == Stand::Closed
                && self.transport.open(slot, self.state.target.addr).is_ok()
            {
                self.connections[slot as usize].stand = Stand::Opening;
                opening.push(slot);
            }
        }
        let stand = |connections: &[Connection], slot: u32| connections[slot as usize].stand;
        let give_up_at = self.transport.now() + within_ns.min(OPENING_MAX_NS);
        while !stop.load(Ordering::Relaxed) && self.transport.now() < give_up_at {
            let waits = |&slot: &u32| stand(self.connections, slot) == Stand::Opening;
            if !opening.iter().any(waits) {
                break;
            }
            self.take_news(give_up_at.min(self.transport.now() + WAIT_MAX_NS))?;
        }
        let mut opened = 0;
        for slot in opening {
            match stand(self.connections, slot) {
                Stand::Opening => self.close(slot),
                Stand::Idle => opened += 1,
                Stand::Closed | Stand::Busy => {}
            }
        }
        Ok(opened)
    }

    /// Takes note of what has happened to connections without requests.
    fn take_news(&mut self, until: u64) -> Result<(), LoadError> {
        let now = self.transport.now();
        let events = self
            .transport
            .wait(now, until)
            .map_err(|cause| LoadError::System {
                call: "epoll_pwait2",
                cause,
            })?;
        for place in 0..events {
            match self.transport.event(place) {
                Some(Event::Readable(slot)) => self.receive_idle(slot),
                Some(Event::Connected(slot)) => self.connections[slot as usize].stand = Stand::Idle,
                Some(Event::Failed(slot, _)) => self.close(slot),
                None => {}
            }
        }
        Ok(())
    }
}
