//! How a request can end. Every scheduled request ends in exactly one of these.

use std::ops::AddAssign;

/// The end of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Outcome {
    /// A whole answer that met the expectation.
    Ok,
    /// A whole answer with a status that was not expected.
    UnexpectedStatus,
    /// A whole answer with the expected status and another body.
    UnexpectedBody,
    /// No whole answer within the timeout.
    Timeout,
    /// The host's name could not be resolved. Reserved by the format: names are resolved once, before a drive.
    DnsFailed,
    /// The host refused the connection.
    ConnectRefused,
    /// The connection could not be opened for another reason.
    ConnectFailed,
    /// The TLS handshake failed. Reserved by the format: the engine speaks no TLS.
    TlsFailed,
    /// No local port was left for another connection.
    AddressExhausted,
    /// The connection was reset after the request was sent.
    Reset,
    /// The connection was closed before the head of an answer was complete.
    ClosedEarly,
    /// The connection was closed within a body.
    Truncated,
    /// The answer was not HTTP/1.1.
    Malformed,
    /// Scheduled, but never sent before the drive ended.
    Unsent,
    /// Sent, but neither answered nor timed out when the drive ended.
    Unfinished,
}

impl Outcome {
    /// Every outcome, in the order of reports.
    pub const ALL: [Outcome; 15] = [
        Outcome::Ok,
        Outcome::UnexpectedStatus,
        Outcome::UnexpectedBody,
        Outcome::Timeout,
        Outcome::DnsFailed,
        Outcome::ConnectRefused,
        Outcome::ConnectFailed,
        Outcome::TlsFailed,
        Outcome::AddressExhausted,
        Outcome::Reset,
        Outcome::ClosedEarly,
        Outcome::Truncated,
        Outcome::Malformed,
        Outcome::Unsent,
        Outcome::Unfinished,
    ];

    /// The name in files, in snake case.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::UnexpectedStatus => "unexpected_status",
            Outcome::UnexpectedBody => "unexpected_body",
            Outcome::Timeout => "timeout",
            Outcome::DnsFailed => "dns_failed",
            Outcome::ConnectRefused => "connect_refused",
            Outcome::ConnectFailed => "connect_failed",
            Outcome::TlsFailed => "tls_failed",
            Outcome::AddressExhausted => "address_exhausted",
            Outcome::Reset => "reset",
            Outcome::ClosedEarly => "closed_early",
            Outcome::Truncated => "truncated",
            Outcome::Malformed => "malformed",
            Outcome::Unsent => "unsent",
            Outcome::Unfinished => "unfinished",
        }
    }

    /// Whether a whole answer arrived, right or wrong.
    pub fn is_answer(self) -> bool {
        matches!(
            self,
            Outcome::Ok | Outcome::UnexpectedStatus | Outcome::UnexpectedBody
        )
    }

    /// Whether the connection itself could not be had.
    pub fn is_connect_failure(self) -> bool {
        matches!(
            self,
            Outcome::ConnectRefused | Outcome::ConnectFailed | Outcome::AddressExhausted
        )
    }
}

/// Requests by outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutcomeCounts([u64; Outcome::ALL.len()]);

impl OutcomeCounts {
    /// Requests that ended so.
    pub fn get(&self, outcome: Outcome) -> u64 {
        self.0[outcome as usize]
    }

    /// Counts one more.
    pub fn count(&mut self, outcome: Outcome) {
        self.0[outcome as usize] += 1;
    }

    /// Requests of every outcome together.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Whole answers, right or wrong.
    pub fn answers(&self) -> u64 {
        self.iter()
            .filter(|(outcome, _)| outcome.is_answer())
            .map(|(_, count)| count)
            .sum()
    }

    /// Each outcome with its count, zeros included.
    pub fn iter(&self) -> impl Iterator<Item = (Outcome, u64)> + '_ {
        Outcome::ALL
            .iter()
            .map(|&outcome| (outcome, self.get(outcome)))
    }
}

impl AddAssign<&OutcomeCounts> for OutcomeCounts {
    fn add_assign(&mut self, other: &OutcomeCounts) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_found_at_its_own_place() {
        for (place, outcome) in Outcome::ALL.into_iter().enumerate() {
            assert_eq!(outcome as usize, place);
        }
    }
}
