//! Stand-ins: small HTTP servers inside Bancada that answer for an upstream service that load must not reach.
//!
//! A stand-in is faithful to the service it is named after in addresses, fields and error shapes. How slow it is, how
//! often it fails and how much it takes is [`Behaviour`], which may change while it runs. It counts its calls.

mod behaviour;
mod calls;
mod reply;
mod server;
mod viacep;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

pub use behaviour::{Behaviour, Delay};
pub use calls::Calls;

use reply::Reply;
use server::{Server, Shared};

/// What a stand-in answers to a request target.
type Answers = fn(&str) -> Reply;

/// Every upstream that can be stood in for, by the name a workload gives it.
const KNOWN: [(&str, Answers); 1] = [("viacep", viacep::answer)];

/// Why a stand-in does not run.
#[derive(Debug, thiserror::Error)]
pub enum StandInError {
    /// Nothing stands in for that upstream.
    #[error("nothing stands in for the upstream `{name}`; known are {}", known())]
    Unknown {
        /// What the workload named.
        name: String,
    },
    /// It could not listen.
    #[error("the stand-in for {name} cannot listen on 127.0.0.1: {source}")]
    Listen {
        /// What it stands in for.
        name: String,
        /// What the system said.
        source: io::Error,
    },
}

fn known() -> String {
    let names: Vec<String> = KNOWN.iter().map(|(name, _)| format!("`{name}`")).collect();
    names.join(", ")
}

/// Counts the calls of a stand-in that wait for their answer.
#[derive(Clone, Debug)]
pub struct UnderWay(Arc<Shared>);

impl UnderWay {
    /// Calls that wait now.
    pub fn count(&self) -> usize {
        self.0.under_way_count()
    }
}

/// A running stand-in. It stops when it is dropped.
#[derive(Debug)]
pub struct StandIn {
    name: String,
    addr: SocketAddr,
    shared: Arc<Shared>,
    _server: Server,
}

impl StandIn {
    /// Starts one on a free loopback port. `name` is the upstream as a workload names it.
    ///
    /// # Errors
    /// When nothing stands in for that upstream, or no port can be had.
    pub fn start(name: &str, behaviour: Behaviour) -> Result<StandIn, StandInError> {
        let found = KNOWN.iter().find(|(known, _)| *known == name);
        let (_, answers) = found.ok_or_else(|| StandInError::Unknown {
            name: name.to_owned(),
        })?;
        let shared = Arc::new(Shared::new(*answers, behaviour));
        let server = Server::start(Arc::clone(&shared)).map_err(|source| StandInError::Listen {
            name: name.to_owned(),
            source,
        })?;
        Ok(StandIn {
            name: name.to_owned(),
            addr: server.addr(),
            shared,
            _server: server,
        })
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The variable by which a service finds it: `<NAME>_URL`, with the address and no path.
    pub fn variable(&self) -> (String, String) {
        let name = format!("{}_URL", self.name.to_ascii_uppercase());
        (name, format!("http://{}", self.addr))
    }

    /// Changes how it behaves, from the next call on.
    pub fn behave(&self, behaviour: Behaviour) {
        self.shared.behave(behaviour);
    }

    /// Connections that clients hold open now.
    pub fn open_connections_count(&self) -> u64 {
        self.shared.open_connections_count()
    }

    /// How many calls are under way, for somebody who does not own it.
    pub fn under_way(&self) -> UnderWay {
        UnderWay(Arc::clone(&self.shared))
    }

    /// What it was asked since it started.
    pub fn calls(&self) -> Calls {
        self.shared.calls()
    }
}
