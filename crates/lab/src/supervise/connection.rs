//! Bancada's end of the socket to the guardian: requests out, answers in by a reading thread.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::ledger::Identity;
use super::message::{Answer, Request, Stopped};
use super::{SuperviseError, sweep};

/// What the guardian answered so far.
#[derive(Debug, Default)]
struct Heard {
    /// Answers nobody has taken yet, by request.
    answers: HashMap<u64, Answer>,
    /// How each child ended.
    exits: HashMap<u64, String>,
    ready: bool,
    gone: bool,
}

/// The socket and what came through it. Shared by the supervisor and its children.
#[derive(Debug)]
pub(super) struct Connection {
    socket: Mutex<UnixStream>,
    heard: Mutex<Heard>,
    changed: Condvar,
    ids: AtomicU64,
    guardian: Option<Identity>,
    state_dir: PathBuf,
    guardian_log: PathBuf,
}

/// From the closing of the guardian's socket to its end.
const LAST_MOMENT: Duration = Duration::from_secs(5);

/// A panic elsewhere while holding one of these locks leaves plain data behind: it stays usable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Connection {
    /// Takes over the socket and starts reading from it.
    pub(super) fn open(
        socket: UnixStream,
        guardian: Option<Identity>,
        state_dir: PathBuf,
        guardian_log: PathBuf,
    ) -> std::io::Result<Arc<Connection>> {
        let reading = socket.try_clone()?;
        let connection = Arc::new(Connection {
            socket: Mutex::new(socket),
            heard: Mutex::default(),
            changed: Condvar::new(),
            ids: AtomicU64::new(1),
            guardian,
            state_dir,
            guardian_log,
        });
        let listener = Arc::clone(&connection);
        thread::Builder::new()
            .name("guardian answers".to_owned())
            .spawn(move || listener.listen(reading))?;
        Ok(connection)
    }

    fn listen(&self, socket: UnixStream) {
        for line in BufReader::new(socket).lines() {
            let Ok(line) = line else { break };
            let Ok(answer) = serde_json::from_str(&line) else {
                break;
            };
            let mut heard = lock(&self.heard);
            match answer {
                Answer::Ready => heard.ready = true,
                Answer::Exited { child, status } => {
                    heard.exits.insert(child, status);
                }
                Answer::Spawned { id, .. }
                | Answer::Refused { id, .. }
                | Answer::Stopped { id, .. } => {
                    heard.answers.insert(id, answer);
                }
            }
            self.changed.notify_all();
        }
        // The kernel closes the socket a moment before the process is gone, and a sweep respects the living.
        if let Some(guardian) = &self.guardian {
            guardian.wait_gone(LAST_MOMENT);
        }
        // Asked to end, the guardian has stopped everything and taken its ledger away: nothing is found.
        // Otherwise its ledger names what nobody watches any more. A failure leaves it to the next sweep.
        let _ = sweep(&self.state_dir);
        lock(&self.heard).gone = true;
        self.changed.notify_all();
    }

    /// A number for the next request.
    pub(super) fn next_id(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    fn gone(&self) -> SuperviseError {
        SuperviseError::GuardianGone {
            log: self.guardian_log.clone(),
        }
    }

    /// Sends without expecting an answer.
    pub(super) fn send(&self, request: &Request) -> Result<(), SuperviseError> {
        let mut line = serde_json::to_vec(request).map_err(|_| self.gone())?;
        line.push(b'\n');
        lock(&self.socket).write_all(&line).map_err(|_| self.gone())
    }

    /// Sends, and waits for the answer to this request. Every request is answered, or the guardian ends.
    pub(super) fn ask(&self, id: u64, request: &Request) -> Result<Answer, SuperviseError> {
        self.send(request)?;
        let mut heard = lock(&self.heard);
        loop {
            if let Some(answer) = heard.answers.remove(&id) {
                return Ok(answer);
            }
            if heard.gone {
                return Err(self.gone());
            }
            heard = self
                .changed
                .wait(heard)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Asks for a stop; the inner error is the guardian's reason.
    pub(super) fn stop(
        &self,
        id: u64,
        request: &Request,
    ) -> Result<Result<Stopped, String>, SuperviseError> {
        match self.ask(id, request)? {
            Answer::Stopped { stopped, .. } => Ok(Ok(stopped)),
            Answer::Refused { reason, .. } => Ok(Err(reason)),
            _ => Err(self.gone()),
        }
    }

    /// Waits for the guardian's first word.
    pub(super) fn wait_ready(&self) -> Result<(), SuperviseError> {
        let mut heard = lock(&self.heard);
        while !heard.ready {
            if heard.gone {
                return Err(self.gone());
            }
            heard = self
                .changed
                .wait(heard)
                .unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }

    /// How a child ended, if it did.
    pub(super) fn exited(&self, child: u64) -> Option<String> {
        let heard = lock(&self.heard);
        Self::ending(&heard, child)
    }

    /// With the guardian its children ended too.
    fn ending(heard: &Heard, child: u64) -> Option<String> {
        let status = heard.exits.get(&child).cloned();
        status.or_else(|| {
            heard
                .gone
                .then(|| "stopped when the guardian ended".to_owned())
        })
    }

    /// Waits for a child's end, at most `limit`.
    pub(super) fn wait_exited(&self, child: u64, limit: Duration) -> Option<String> {
        let deadline = Instant::now() + limit;
        let mut heard = lock(&self.heard);
        loop {
            if let Some(status) = Self::ending(&heard, child) {
                return Some(status);
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            heard = self
                .changed
                .wait_timeout(heard, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Tells the guardian that no request follows: it stops everything and ends.
    pub(super) fn close(&self) {
        let _ = lock(&self.socket).shutdown(Shutdown::Write);
    }
}
