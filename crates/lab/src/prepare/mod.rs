//! Builds and installs stacks: finds their tools, runs their `prepare` commands when something changed,
//! and says how each is started.

mod command;
mod environment;
mod error;
mod launch;
mod preparer;
mod python;
mod stamp;
mod tool;
mod uv;

pub use environment::{Settings, service_environment};
pub use error::PrepareError;
pub use launch::{LaunchSpec, Prepared};
pub use preparer::{Preparer, Progress};
pub use python::{Interpreter, OLDEST_PYTHON};
pub use tool::{Found, Missing, find_program, remedy};
