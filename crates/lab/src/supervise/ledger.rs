//! The ledger: what a guardian started, on disk, so that a sweep can recognise it later.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::process;

const PREFIX: &str = "supervised-";
const SUFFIX: &str = ".json";

/// A process by what the kernel never gives twice: its id together with its start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    pub(super) name: String,
    pub(super) pid: u32,
    pub(super) started_ticks: u64,
}

impl Identity {
    pub(super) fn of(name: &str, pid: u32) -> Option<Identity> {
        let started_ticks = process::stat(pid)?.started_ticks;
        Some(Identity {
            name: name.to_owned(),
            pid,
            started_ticks,
        })
    }

    /// Whether this very process still runs.
    pub(super) fn is_running(&self) -> bool {
        process::stat(self.pid)
            .is_some_and(|stat| stat.started_ticks == self.started_ticks && !stat.is_zombie())
    }
}

impl Identity {
    /// Waits until it no longer runs, at most `limit`. Whether it is gone.
    pub(super) fn wait_gone(&self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        while self.is_running() {
            if Instant::now() >= deadline {
                return false;
            }
            thread::sleep(Duration::from_millis(2));
        }
        true
    }
}

/// What one guardian answers for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Ledger {
    pub(super) guardian: Identity,
    /// Bancada, which the guardian serves.
    pub(super) host: Identity,
    /// 128 random bits, in the environment of everything this guardian started.
    pub(super) mark: String,
    pub(super) children: Vec<Identity>,
}

/// A mark that no other run has.
pub(super) fn new_mark() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    let length = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    if length < bytes.len() {
        return Err(io::Error::other("the kernel gave too few random bytes"));
    }
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Where the ledger of a guardian is.
pub(super) fn path(state_dir: &Path, guardian_pid: u32) -> PathBuf {
    state_dir.join(format!("{PREFIX}{guardian_pid}{SUFFIX}"))
}

/// Every ledger in a folder; none when there is no such folder.
pub(super) fn list(state_dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(state_dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

impl Ledger {
    /// Reads a ledger; `None` when it is not one.
    pub(super) fn read(path: &Path) -> Option<Ledger> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    /// Writes it in one step: a crash leaves the earlier one.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let unfinished = path.with_extension("part");
        fs::write(&unfinished, serde_json::to_vec(self)?)?;
        fs::rename(&unfinished, path)
    }
}
