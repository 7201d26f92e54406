//! A supervised process, as Bancada sees it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::SuperviseError;
use super::connection::Connection;
use super::log;
use super::message::{Request, Spec, Stopped};

/// A process that the guardian started. Dropping this does not stop it; the guardian ends it with
/// Bancada at the latest.
#[derive(Debug)]
pub struct Child {
    pub(super) connection: Arc<Connection>,
    pub(super) id: u64,
    pub(super) pid: u32,
    pub(super) started_at: Instant,
    pub(super) name: String,
    pub(super) log: PathBuf,
}

/// A program that ran to its end.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Whether its exit status was 0.
    pub success: bool,
    /// "exit status 0", "killed by signal 9".
    pub status: String,
    /// Its output.
    pub log: PathBuf,
}

impl Finished {
    /// The last lines of its output.
    pub fn log_tail(&self, lines: usize) -> Vec<String> {
        log::tail(&self.log, lines)
    }
}

impl Child {
    /// Process id, which is also the id of its process group.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Instant on `CLOCK_MONOTONIC` just before the program was executed.
    pub fn started_at(&self) -> Instant {
        self.started_at
    }

    /// How it ended ("exit status 3", "killed by signal 9"); `None` while it runs.
    pub fn exited(&self) -> Option<String> {
        self.connection.exited(self.id)
    }

    /// Waits until it ends by itself, at most `limit`; `None` when it still runs then.
    pub fn wait(&self, limit: Duration) -> Option<String> {
        self.connection.wait_exited(self.id, limit)
    }

    /// Ends it: asks its process group, waits `grace`, kills the group, then kills the descendants
    /// that had left the group. Also right after it ended by itself: it may have left others.
    ///
    /// # Errors
    /// When the guardian is gone, or something is still there after SIGKILL.
    pub fn stop(&self, grace: Duration) -> Result<Stopped, SuperviseError> {
        let grace_ms = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        let (id, child) = (self.connection.next_id(), self.id);
        self.connection
            .stop(
                id,
                &Request::Stop {
                    id,
                    child,
                    grace_ms,
                },
            )?
            .map_err(|reason| SuperviseError::Stop {
                name: self.name.clone(),
                reason,
            })
    }

    /// The last lines of its output.
    pub fn log_tail(&self, lines: usize) -> Vec<String> {
        log::tail(&self.log, lines)
    }

    /// The file with its output.
    pub fn log(&self) -> &Path {
        &self.log
    }
}

impl super::Supervisor {
    /// Runs a program to its end; at the deadline it is stopped like any other child.
    ///
    /// # Errors
    /// When it does not start, does not end in time, or the guardian is gone. A failing exit status is
    /// no error here.
    pub fn run(&self, spec: &Spec, deadline: Duration) -> Result<Finished, SuperviseError> {
        let child = self.spawn(spec)?;
        let status = child.wait(deadline);
        let stopped = child.stop(Duration::from_secs(2))?;
        match status {
            Some(status) => Ok(Finished {
                success: status == "exit status 0",
                status,
                log: spec.log.clone(),
            }),
            None if stopped.status == "exit status 0" => Ok(Finished {
                success: true,
                status: stopped.status,
                log: spec.log.clone(),
            }),
            None => Err(SuperviseError::Deadline {
                name: spec.name.clone(),
                seconds: deadline.as_secs(),
                log: spec.log.clone(),
            }),
        }
    }
}
