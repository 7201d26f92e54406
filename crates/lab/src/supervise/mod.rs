//! Processes: the only module that starts or signals them.
//!
//! Bancada asks its *guardian* to start things. The guardian is the same binary in a process group of its
//! own, a sub-reaper, connected by a socket pair: whatever its children fork stays below it, also
//! when a parent in between ends, leaves the group or changes its user id. When the socket closes, because
//! Bancada is done or was killed, the guardian stops every descendant and ends. Should the guardian be
//! killed, Bancada notices and sweeps by the ledger; should both be killed, the next start sweeps.

mod child;
mod clock;
mod connection;
mod error;
mod guardian;
mod ledger;
mod log;
mod message;
pub(crate) mod process;
mod signal;
mod spawned;
mod stopping;
mod supervisor;
mod sweep;

pub use child::{Child, Finished};
pub use error::SuperviseError;
pub use guardian::guardian_main;
pub use message::{MARK, Spec, Stopped};
pub use supervisor::Supervisor;
pub use sweep::sweep;
