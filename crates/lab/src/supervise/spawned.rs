//! The guardian's children: started here, and remembered until they are stopped.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::process::{Pid, PidfdFlags, WaitStatus, pidfd_open};

use super::message::{MARK, Spec};
use super::{clock, ledger::Identity};
use crate::place::{allowed_cpus, pin_this_thread};

/// A process that the guardian started.
#[derive(Debug)]
pub(super) struct Spawned {
    pub(super) id: u64,
    pub(super) pid: u32,
    pub(super) identity: Identity,
    /// What it has in its environment, and nothing else on this machine.
    pub(super) mark: String,
    pub(super) stop_signal: i32,
    /// `CLOCK_MONOTONIC` just before the start.
    pub(super) started_ns: u64,
    /// Becomes readable when it ends.
    pub(super) descriptor: OwnedFd,
    /// How it ended.
    pub(super) exit: Option<String>,
}

impl Spawned {
    /// Starts it, in a group of its own.
    pub(super) fn start(
        id: u64,
        spec: &Spec,
        stop_signal: i32,
        run_mark: &str,
    ) -> Result<Spawned, String> {
        let mark = format!("{run_mark}.{id}");
        let mut command =
            command(spec, &mark).map_err(|error| format!("{}: {error}", spec.log.display()))?;
        let allowed = allowed_cpus();
        // A child inherits the CPUs of the thread that starts it.
        pin_this_thread(&spec.cpus).map_err(|error| format!("CPUs {:?}: {error}", spec.cpus))?;
        let started_ns = clock::now_ns();
        let spawned = command.spawn();
        let _ = pin_this_thread(&allowed);
        let pid = spawned.map_err(|error| because(&error, spec))?.id();
        let lost =
            |error: &dyn std::fmt::Display| format!("process {pid} cannot be watched: {error}");
        // Not yet waited for by anyone, so the id is still this child's, also when it has ended.
        let identity = Identity::of(&spec.name, pid).ok_or_else(|| lost(&"it is not in /proc"))?;
        let descriptor = i32::try_from(pid)
            .ok()
            .and_then(Pid::from_raw)
            .ok_or(rustix::io::Errno::SRCH)
            .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()))
            .map_err(|error| lost(&error))?;
        Ok(Spawned {
            id,
            pid,
            identity,
            mark,
            stop_signal,
            started_ns,
            descriptor,
            exit: None,
        })
    }
}

fn command(spec: &Spec, mark: &str) -> io::Result<Command> {
    let log = File::options()
        .create(true)
        .write(true)
        .truncate(true)
        .open(&spec.log)?;
    drop(log);
    // Appending, so that what several processes write does not overwrite each other.
    let log = File::options().append(true).open(&spec.log)?;
    let mut command = Command::new(&spec.program);
    command
        .args(&spec.args)
        .current_dir(&spec.cwd)
        .env_clear()
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .env(MARK, mark)
        .stdin(Stdio::null())
        .stdout(Stdio::from(log.try_clone()?))
        .stderr(Stdio::from(log))
        .process_group(0);
    if let Some((user, group)) = spec.user {
        // As root the standard library also gives up all supplementary groups.
        command.uid(user).gid(group);
    }
    Ok(command)
}

/// The kernel says "no such file" for a missing folder, program and interpreter alike.
fn because(error: &io::Error, spec: &Spec) -> String {
    if !spec.cwd.is_dir() {
        return format!("there is no folder {}", spec.cwd.display());
    }
    error.to_string()
}

/// "exit status 3", "killed by signal 9".
pub(super) fn describe(status: WaitStatus) -> String {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(number)) => format!("killed by signal {number}"),
        (None, None) => "ended in an unknown way".to_owned(),
    }
}
