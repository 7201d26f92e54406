//! Bancada's side: starts the guardian, asks it for children.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{self, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::child::Child;
use super::clock;
use super::connection::Connection;
use super::ledger::Identity;
use super::message::{Answer, Request, Spec};
use super::{SuperviseError, ledger};

/// The guardian's grace, its killing, and then some for a busy machine.
const END_LIMIT: Duration = Duration::from_secs(10);

/// The one place that starts processes. Everything it started ends when it is dropped, or when Bancada
/// ends in whatever way.
#[derive(Debug)]
pub struct Supervisor {
    connection: Arc<Connection>,
    guardian: process::Child,
}

impl Supervisor {
    /// Starts the guardian: `guardian_program` with `guardian_args` must end in
    /// [`guardian_main`](super::guardian_main). `state_dir` keeps the ledger of what was started, for
    /// [`sweep`](super::sweep), and the guardian's log; it is made when missing.
    ///
    /// # Errors
    /// When the folder cannot be written or the guardian does not start.
    pub fn start(
        guardian_program: &Path,
        guardian_args: &[String],
        state_dir: &Path,
    ) -> Result<Supervisor, SuperviseError> {
        let state = |action, path: &Path| {
            let path = path.to_path_buf();
            move |source| SuperviseError::State {
                action,
                path,
                source,
            }
        };
        fs::create_dir_all(state_dir).map_err(state("make", state_dir))?;
        let state_dir = state_dir.canonicalize().map_err(state("open", state_dir))?;
        let log_path = state_dir.join("guardian.log");
        let log = File::options()
            .create(true)
            .append(true)
            .open(&log_path)
            .map_err(state("write", &log_path))?;
        let failed = |source: io::Error| SuperviseError::Guardian {
            program: guardian_program.to_path_buf(),
            source,
        };
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        let guardian = Command::new(guardian_program)
            // Whoever kills Bancada by its command line must not hit the guardian too.
            .arg0("guardian")
            .args(guardian_args)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::from(log))
            // A group of its own: the terminal's Ctrl-C is for Bancada, which then stops in order.
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let ledger = ledger::path(&state_dir, guardian.id());
        let connection = Connection::open(
            ours,
            Identity::of("guardian", guardian.id()),
            state_dir,
            log_path,
        )
        .map_err(failed)?;
        let supervisor = Supervisor {
            connection,
            guardian,
        };
        let mark = ledger::new_mark().map_err(failed)?;
        supervisor
            .connection
            .send(&Request::Begin { ledger, mark })?;
        supervisor.connection.wait_ready()?;
        Ok(supervisor)
    }

    /// Starts a process in a group of its own. It has been executed when this returns.
    ///
    /// # Errors
    /// When the program cannot be executed, its log cannot be written, or the guardian is gone.
    pub fn spawn(&self, spec: &Spec) -> Result<Child, SuperviseError> {
        self.spawn_ended_by(spec, libc::SIGTERM)
    }

    /// The same for a program that another signal asks to end.
    pub(crate) fn spawn_ended_by(
        &self,
        spec: &Spec,
        stop_signal: i32,
    ) -> Result<Child, SuperviseError> {
        let id = self.connection.next_id();
        let request = Request::Spawn {
            id,
            spec: spec.clone(),
            stop_signal,
        };
        let reason = match self.connection.ask(id, &request)? {
            Answer::Spawned {
                pid, started_ns, ..
            } => {
                return Ok(Child {
                    connection: Arc::clone(&self.connection),
                    id,
                    pid,
                    started_at: clock::instant(started_ns),
                    name: spec.name.clone(),
                    log: spec.log.clone(),
                });
            }
            Answer::Refused { reason, .. } => reason,
            other => format!("the guardian answered {other:?}"),
        };
        Err(SuperviseError::Spawn {
            name: spec.name.clone(),
            program: spec.program.clone(),
            reason,
        })
    }
}

impl Drop for Supervisor {
    /// Waits for the guardian, so that nothing is left when this returns.
    fn drop(&mut self) {
        self.connection.close();
        let deadline = Instant::now() + END_LIMIT;
        while Instant::now() < deadline {
            if !matches!(self.guardian.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}
