//! The guardian process that every child of this program lives under.

use anyhow::Context as _;
use lab::supervise::{Supervisor, sweep};

use crate::context::Context;

/// Stops what an earlier crash left, then starts the guardian.
#[expect(
    clippy::print_stderr,
    reason = "what was swept is news to whoever waits"
)]
pub fn start(context: &Context) -> anyhow::Result<Supervisor> {
    let state = context.cache.join("state");
    for swept in sweep(&state)? {
        eprintln!("note: stopped what an earlier run left: {swept}");
    }
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    Ok(Supervisor::start(
        &program,
        &["__guardian".to_owned()],
        &state,
    )?)
}
