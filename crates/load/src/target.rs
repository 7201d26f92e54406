//! Where requests go, and what counts as a good answer.

use std::net::SocketAddr;
use std::time::Duration;

use crate::requests::Requests;

/// A service under load.
#[derive(Clone, Debug)]
pub struct Target {
    /// Where to connect.
    pub addr: SocketAddr,
    /// Value of the Host header, as already contained in `requests`.
    pub host: String,
    /// What to send.
    pub requests: Requests,
    /// What a good answer is.
    pub expectation: Expectation,
    /// Longest time from sending a request (connecting included) to the end of its answer.
    pub timeout: Duration,
    /// Whether a connection carries more than one request.
    pub keep_alive: bool,
}

impl Target {
    /// A target with a timeout of 10 s, connections kept alive, and any 2xx answer good.
    pub fn new(addr: SocketAddr, host: impl Into<String>, requests: Requests) -> Target {
        Target {
            addr,
            host: host.into(),
            requests,
            expectation: Expectation::default(),
            timeout: Duration::from_secs(10),
            keep_alive: true,
        }
    }
}

/// What an answer must be to count as `ok`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expectation {
    /// Its status.
    pub status: StatusRule,
    /// Length of its body, transfer coding removed.
    pub body_bytes: Option<u64>,
    /// SHA-256 of its body, transfer coding removed.
    pub body_sha256: Option<[u8; 32]>,
    /// A field of its JSON body.
    pub json_field: Option<JsonField>,
    /// Look at the contents of every nth body; 0 and 1 mean all. Status and length are always checked.
    pub sample_every: u32,
}

impl Expectation {
    /// Whether contents of bodies are looked at, beyond their length.
    pub fn looks_at_bodies(&self) -> bool {
        self.body_sha256.is_some() || self.json_field.is_some()
    }
}

/// Which status is good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StatusRule {
    /// Any of 200 to 299.
    #[default]
    Success,
    /// Just this one.
    Exact(u16),
}

impl StatusRule {
    /// Whether `status` meets the rule.
    pub fn accepts(self, status: u16) -> bool {
        match self {
            StatusRule::Success => (200..300).contains(&status),
            StatusRule::Exact(wanted) => status == wanted,
        }
    }
}

/// A value that must stand at a place in a JSON body.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonField {
    /// Its place as a JSON Pointer (RFC 6901), for instance `/items/0/id`.
    pub pointer: String,
    /// What must stand there; `None` when anything may.
    pub value: Option<serde_json::Value>,
}
