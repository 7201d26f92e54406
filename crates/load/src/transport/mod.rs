//! How bytes travel: connections named by slot, without blocking. The loop is compiled for one
//! transport at a time; epoll is the first, and simulated time another.

mod epoll;
mod socket;

pub use epoll::Epoll;
pub use socket::SourceAddresses;

use std::net::SocketAddr;

use crate::outcome::Outcome;

/// What happened on a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// There is something to receive, or the connection has ended.
    Readable(u32),
    /// The connection is open.
    Connected(u32),
    /// The connection failed while it was being opened or sent on.
    Failed(u32, Failure),
}

/// Why a connection is of no use any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Refused by the host.
    Refused,
    /// Could not be opened for another reason.
    Connect,
    /// No local port left.
    AddressExhausted,
    /// Reset by the other side.
    Reset,
}

impl Failure {
    /// How the request that it hit has ended.
    pub fn outcome(self) -> Outcome {
        match self {
            Failure::Refused => Outcome::ConnectRefused,
            Failure::Connect => Outcome::ConnectFailed,
            Failure::AddressExhausted => Outcome::AddressExhausted,
            Failure::Reset => Outcome::Reset,
        }
    }
}

/// What one attempt to receive gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// So many bytes, to be found in [`Transport::received`].
    Bytes(usize),
    /// So many bytes that were thrown away.
    Skipped(u64),
    /// Nothing yet.
    Nothing,
    /// The other side has closed.
    Closed,
    /// The connection failed.
    Failed(Failure),
}

/// Connections, a clock, and a way to wait for both.
///
/// Slots are small numbers chosen by the caller. A slot holds one connection at a time.
pub trait Transport {
    /// Most events of one wait: after so many there may be more.
    const EVENTS_MAX: usize;

    /// Nanoseconds of a clock that never goes back.
    fn now(&self) -> u64;

    /// Begins to open a connection; [`Event::Connected`] or [`Event::Failed`] follows, unless
    /// bytes are sent before.
    ///
    /// # Errors
    /// When it is known at once that it cannot be opened.
    fn open(&mut self, slot: u32, remote: SocketAddr) -> Result<(), Failure>;

    /// Sends all of `bytes`, keeping what cannot go out at once.
    ///
    /// # Errors
    /// When the connection is known to be broken.
    fn send(&mut self, slot: u32, bytes: &[u8]) -> Result<(), Failure>;

    /// Receives once. Up to `skippable` bytes at the front may be thrown away unseen.
    fn receive(&mut self, slot: u32, skippable: u64) -> Received;

    /// The bytes of the last [`Received::Bytes`].
    fn received(&self) -> &[u8];

    /// Closes the connection, if there is one. No event follows.
    fn close(&mut self, slot: u32);

    /// Waits for events until the instant `until`; how many there are. `from` is the present as
    /// far as the caller knows.
    ///
    /// # Errors
    /// When waiting itself is impossible.
    fn wait(&mut self, from: u64, until: u64) -> Result<usize, std::io::Error>;

    /// One of the events of the last wait; `None` when it is about a connection that has been
    /// closed since.
    fn event(&mut self, place: usize) -> Option<Event>;
}
