//! What a stand-in was asked.

/// Calls of a stand-in by how they ended. A call counts from its request on, answered or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// All of them.
    pub total_count: u64,
    /// Answered with what was asked for.
    pub found_count: u64,
    /// Answered that there is nothing.
    pub unknown_count: u64,
    /// Refused as malformed.
    pub malformed_count: u64,
    /// Ended in a 502, as [`Behaviour::failure_ratio`](super::Behaviour::failure_ratio) has it.
    pub failed_count: u64,
    /// Cut off by [`Behaviour::rate_limit_per_s`](super::Behaviour::rate_limit_per_s).
    pub limited_count: u64,
    /// Most that were under way at once.
    pub most_at_once_count: u64,
}
