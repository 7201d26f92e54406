//! One connection as the loop sees it.

use crate::check::BodyCheck;
use crate::http1::Framer;

/// What a connection is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stand {
    /// Not open.
    #[default]
    Closed,
    /// Being opened ahead of its first request.
    Opening,
    /// Open, without a request.
    Idle,
    /// Carrying a request, perhaps still being opened for it.
    Busy,
}

/// A connection and the request on it. Its slot number is its index.
#[derive(Default)]
pub(super) struct Connection {
    pub stand: Stand,
    /// Its number among the connections of its target.
    pub place: u32,
    pub framer: Framer,
    pub scheduled_at: u64,
    pub sent_at: u64,
    /// Whether the contents of the body are looked at.
    pub looks: bool,
    pub check: BodyCheck,
    /// Answers in the window.
    pub completed: u64,
}
