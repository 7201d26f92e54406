//! The guardian process that every child of this program lives under.

use std::path::Path;
use std::process::ExitCode;

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
        &["__guardian".to_owned(), state.display().to_string()],
        &state,
    )?)
}

/// The guardian's whole life. If the one it guards was killed while its live view had the terminal, the terminal is
/// given back.
pub fn guardian(state: Option<&Path>) -> ExitCode {
    let guarded = rustix::process::getppid();
    let ended = lab::supervise::guardian_main();
    if let (Some(state), Some(guarded)) = (state, guarded) {
        crate::live::restore_abandoned(state, guarded.as_raw_nonzero().get().unsigned_abs());
    }
    ended
}
