//! The guardian: starts what Bancada asks for, and ends all of it when Bancada is gone.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{WaitOptions, getpid, set_child_subreaper, wait};

use super::ledger::{Identity, Ledger};
use super::message::{Answer, Request};
use super::spawned::{Spawned, describe};
use super::stopping::{Below, Stopping};
use super::{process, signal};

/// How long children may take to end when Bancada is gone. With the killing after it, far below five seconds.
const LAST_GRACE: Duration = Duration::from_millis(1500);
/// How long the guardian goes on killing before it gives up on a process that waits for a device.
const LAST_KILL_LIMIT: Duration = Duration::from_secs(10);
/// Pause between two looks while something is being stopped.
const STOP_TICK: Duration = Duration::from_millis(10);
/// Adopted orphans that ended are reaped this often when nothing else happens.
const IDLE_TICK: Duration = Duration::from_secs(2);

/// The guardian's whole life; what the hidden subcommand calls. Standard input is its socket to Bancada,
/// standard error its log.
pub fn guardian_main() -> ExitCode {
    match Guardian::begin() {
        Ok(mut guardian) => {
            guardian.serve();
            guardian.end();
            ExitCode::SUCCESS
        }
        Err(error) => {
            note(&format!("cannot begin: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Writes to the guardian's log, which is its standard error. Nobody is left to hear that this failed.
fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

struct Guardian {
    socket: UnixStream,
    /// What was read and is not a whole line yet.
    unread: Vec<u8>,
    pid: u32,
    ledger: Option<(PathBuf, Ledger)>,
    children: BTreeMap<u64, Spawned>,
    stopping: Vec<Stopping>,
}

impl Guardian {
    fn begin() -> io::Result<Guardian> {
        signal::survive_polite_signals()?;
        set_child_subreaper(Some(getpid()))?;
        // Whoever kills Bancada by its name must not hit this process too.
        rustix::thread::set_name(c"guardian")?;
        let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        Ok(Guardian {
            socket,
            unread: Vec::new(),
            pid: std::process::id(),
            ledger: None,
            children: BTreeMap::new(),
            stopping: Vec::new(),
        })
    }

    /// Until Bancada has closed its end of the socket, or the socket broke.
    fn serve(&mut self) {
        while let Some(is_readable) = self.wait_for_news() {
            if is_readable && !self.read() {
                return;
            }
            self.reap();
            self.step();
        }
    }

    /// Waits for a request, a child's end, or the next look at a stop. Whether there is something to read;
    /// `None` when waiting is impossible.
    fn wait_for_news(&self) -> Option<bool> {
        let pause = if self.stopping.is_empty() {
            IDLE_TICK
        } else {
            STOP_TICK
        };
        let limit = Timespec::try_from(pause).ok()?;
        let running = self.children.values().filter(|child| child.exit.is_none());
        let mut waited: Vec<PollFd> = vec![PollFd::new(&self.socket, PollFlags::IN)];
        waited.extend(running.map(|child| PollFd::new(&child.descriptor, PollFlags::IN)));
        match poll(&mut waited, Some(&limit)) {
            Ok(_) => Some(!waited[0].revents().is_empty()),
            Err(rustix::io::Errno::INTR) => Some(false),
            Err(error) => {
                note(&format!("cannot wait: {error}"));
                None
            }
        }
    }

    /// Reads and does what is asked; false when nothing more will come.
    fn read(&mut self) -> bool {
        let mut buffer = [0_u8; 16 * 1024];
        match self.socket.read(&mut buffer) {
            Ok(0) => return false,
            Ok(length) => self.unread.extend_from_slice(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return true,
            Err(_) => return false,
        }
        while let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.unread.drain(..=end).collect();
            match serde_json::from_slice(&line) {
                Ok(request) => self.obey(request),
                Err(error) => {
                    note(&format!("not a request: {error}"));
                    return false;
                }
            }
        }
        true
    }

    fn obey(&mut self, request: Request) {
        match request {
            Request::Begin { ledger, mark } => self.open_ledger(ledger, mark),
            Request::Spawn {
                id,
                spec,
                stop_signal,
            } => {
                let mark = self.ledger.as_ref().map_or("", |(_, ledger)| &ledger.mark);
                match Spawned::start(id, &spec, stop_signal, mark) {
                    Ok(child) => {
                        let (pid, started_ns) = (child.pid, child.started_ns);
                        self.children.insert(id, child);
                        self.write_ledger();
                        self.answer(&Answer::Spawned {
                            id,
                            pid,
                            started_ns,
                        });
                    }
                    Err(reason) => self.answer(&Answer::Refused { id, reason }),
                }
            }
            Request::Stop {
                id,
                child,
                grace_ms,
            } => {
                let Some(child) = self.children.get(&child) else {
                    let reason = "it was stopped before".to_owned();
                    return self.answer(&Answer::Refused { id, reason });
                };
                let below = Below::look(self.pid);
                let grace = Duration::from_millis(grace_ms);
                self.stopping
                    .push(Stopping::begin(Some(id), child, grace, &below));
            }
        }
    }

    fn open_ledger(&mut self, path: PathBuf, mark: String) {
        let parent = process::stat(self.pid).map_or(0, |stat| stat.parent);
        let (Some(guardian), Some(host)) = (
            Identity::of("guardian", self.pid),
            Identity::of("bancada", parent),
        ) else {
            return note("cannot read /proc");
        };
        let children = Vec::new();
        let ledger = Ledger {
            guardian,
            host,
            mark,
            children,
        };
        self.ledger = Some((path, ledger));
        self.write_ledger();
        self.answer(&Answer::Ready);
    }

    fn write_ledger(&mut self) {
        if let Some((path, ledger)) = &mut self.ledger {
            ledger.children = self
                .children
                .values()
                .map(|child| child.identity.clone())
                .collect();
            if let Err(error) = ledger.write(path) {
                note(&format!("cannot write {}: {error}", path.display()));
            }
        }
    }

    /// A failure means that Bancada is gone, which the next read tells.
    fn answer(&mut self, answer: &Answer) {
        if let Ok(mut line) = serde_json::to_vec(answer) {
            line.push(b'\n');
            let _ = self.socket.write_all(&line);
        }
    }

    /// Takes note of everything that ended: children, and orphans that the kernel gave to this sub-reaper.
    fn reap(&mut self) {
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            let pid = pid.as_raw_nonzero().get() as u32;
            let running = |child: &&mut Spawned| child.pid == pid && child.exit.is_none();
            if let Some(child) = self.children.values_mut().find(running) {
                let status = describe(status);
                child.exit = Some(status.clone());
                let child = child.id;
                self.answer(&Answer::Exited { child, status });
            }
        }
    }

    /// Moves every stop on, and answers those that are through.
    fn step(&mut self) {
        if self.stopping.is_empty() {
            return;
        }
        let below = Below::look(self.pid);
        let mut ended = Vec::new();
        let children = &self.children;
        self.stopping.retain_mut(|stop| {
            match children
                .get(&stop.child)
                .map(|child| stop.step(child, &below))
            {
                Some(None) => true,
                Some(Some(result)) => {
                    ended.push((stop.request, stop.child, result));
                    false
                }
                None => {
                    ended.push((
                        stop.request,
                        stop.child,
                        Err("it was stopped before".to_owned()),
                    ));
                    false
                }
            }
        });
        for (request, child, result) in ended {
            if result.is_ok() {
                self.children.remove(&child);
                self.write_ledger();
            }
            match (request, result) {
                (Some(id), Ok(stopped)) => self.answer(&Answer::Stopped { id, stopped }),
                (Some(id), Err(reason)) => self.answer(&Answer::Refused { id, reason }),
                (None, _) => {}
            }
        }
    }

    /// Stops every child, then kills whatever else is left below this process.
    fn end(&mut self) {
        self.reap();
        let below = Below::look(self.pid);
        let stops = self
            .children
            .values()
            .map(|child| Stopping::begin(None, child, LAST_GRACE, &below));
        self.stopping = stops.collect();
        while !self.stopping.is_empty() {
            self.reap();
            self.step();
            std::thread::sleep(STOP_TICK);
        }
        if self.kill_the_rest() {
            if let Some((path, _)) = &self.ledger {
                let _ = std::fs::remove_file(path);
            }
        } else {
            note("something is still there after SIGKILL; the ledger is kept for the next sweep");
        }
    }

    /// True when nothing is left.
    fn kill_the_rest(&mut self) -> bool {
        let deadline = Instant::now() + LAST_KILL_LIMIT;
        loop {
            self.reap();
            if !process::all().values().any(|stat| stat.parent == self.pid) {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            for stat in Below::look(self.pid).all() {
                signal::kill_exactly(stat);
            }
            std::thread::sleep(STOP_TICK);
        }
    }
}
