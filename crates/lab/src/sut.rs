//! A system under test: a service that answers, and what one start of it has shown so far.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::thread;
use std::time::{Duration, Instant};

use load::{ExchangeError, Session, TargetId, exchange};

use crate::collapse::Seen;
use crate::error::LabError;
use crate::postgres::Activity;
use crate::sample::{Sampler, Tree, mapped_bytes, pss_bytes};
use crate::standin::StandIn;
use crate::supervise::{Child, Spec, Supervisor};
use crate::treatment::Question;
use crate::watched::Eyes;

/// How often what it uses is sampled.
const SAMPLES_PER_S: f64 = 5.0;
/// Longest wait for one answer while the service starts.
const ONE_ANSWER_WITHIN: Duration = Duration::from_secs(5);
/// Time between two tries while nothing listens yet: what start-up is known to.
const RETRY_AFTER: Duration = Duration::from_millis(1);
/// Time a service has to stop by itself after SIGTERM.
pub(crate) const STOP_GRACE: Duration = Duration::from_secs(5);
/// Lines of a service's own output that an error message repeats.
const LOG_LINES: usize = 3;

/// A service that answers.
pub struct Sut {
    /// Where it listens.
    pub addr: SocketAddr,
    /// Its place in the session.
    pub target: TargetId,
    /// Its processes; `None` for a service that was already running.
    process: Option<Process>,
    /// What it calls in place of its upstream; `None` without one.
    pub standin: Option<StandIn>,
    /// A way to look at its database; `None` without one.
    pub activity: Option<Activity>,
    /// What this start has shown.
    pub seen: Seen,
}

struct Process {
    child: Child,
    tree: Tree,
    sampler: Sampler,
}

impl Sut {
    /// Starts a service and waits for its first right answer.
    ///
    /// # Errors
    /// Why there was none, with the last lines of what the service printed.
    pub fn start(
        supervisor: &Supervisor,
        session: &mut Session,
        question: &Question,
        addr: SocketAddr,
        spec: &Spec,
        ready_within: Duration,
    ) -> Result<Sut, LabError> {
        let child = supervisor.spawn(spec)?;
        let first_answer = match first_right_answer(&child, addr, question, ready_within) {
            Ok(first_answer) => first_answer,
            Err(reason) => {
                let printed = printed(&child);
                // The reason is what the caller needs; a failure to stop is the supervisor's to mend.
                let _ = child.stop(STOP_GRACE);
                return Err(LabError::Failed(format!("{reason}{printed}")));
            }
        };
        let pid = child.pid();
        let seen = Seen {
            first_answer_ns: Some(first_answer.as_nanos() as u64),
            ..Seen::default()
        };
        Ok(Sut {
            addr,
            target: session.add_target(question.target(addr)),
            process: Some(Process {
                tree: Tree::of(pid),
                sampler: Sampler::start(pid, SAMPLES_PER_S),
                child,
            }),
            standin: None,
            activity: None,
            seen,
        })
    }

    /// Takes a service that is already running.
    pub fn running(session: &mut Session, question: &Question, addr: SocketAddr) -> Sut {
        let target = session.add_target(question.target(addr));
        Sut {
            addr,
            target,
            process: None,
            standin: None,
            activity: None,
            seen: Seen::default(),
        }
    }

    /// Its process tree; `None` for a service that was already running.
    pub fn tree(&mut self) -> Option<&mut Tree> {
        Some(&mut self.process.as_mut()?.tree)
    }

    /// Notes, once, that it exited; whether it did.
    pub fn has_exited(&mut self) -> bool {
        let Some(process) = &self.process else {
            return false;
        };
        let Some(how) = process.child.exited() else {
            return false;
        };
        let reason = format!(
            "the service exited while it was measured ({how}){}",
            printed(&process.child)
        );
        if !self.seen.broken.contains(&reason) {
            self.seen.broken.push(reason);
        }
        true
    }

    /// Where to look at it while it is measured.
    pub fn eyes(&self) -> Eyes<'_> {
        Eyes {
            process: self
                .process
                .as_ref()
                .map(|process| (process.child.pid(), &process.sampler)),
            activity: self.activity.as_ref(),
            standin: self.standin.as_ref(),
        }
    }

    /// Reads what its memory is made of. For all services of a block before any is stopped: whoever shares pages
    /// with one that is gone would seem larger.
    pub fn read_memory(&mut self) {
        if let Some(process) = &self.process {
            self.seen.memory_pss_bytes = pss_bytes(process.child.pid());
            self.seen.memory_mapped_bytes = mapped_bytes(process.child.pid());
        }
    }

    /// Stops it, and notes what it did wrong on the way.
    pub fn stop(mut self, session: &mut Session) -> Seen {
        session.close_target(self.target);
        self.has_exited();
        if let Some(Process { child, .. }) = self.process {
            let gone = child.exited().is_some();
            self.seen.broken.extend(stop_complaints(&child, gone));
        }
        self.seen
    }
}

/// Stops a child and says what was wrong with the way it went. `gone`: it had exited before.
pub(crate) fn stop_complaints(child: &Child, gone: bool) -> Vec<String> {
    let mut complaints = Vec::new();
    match child.stop(STOP_GRACE) {
        Ok(stopped) => {
            if !stopped.in_time && !gone {
                complaints.push(format!(
                    "did not stop within {} s of SIGTERM",
                    STOP_GRACE.as_secs()
                ));
            }
            if !stopped.left_behind.is_empty() {
                complaints.push(format!(
                    "left {} process(es) behind that had left its group",
                    stopped.left_behind.len()
                ));
            }
        }
        Err(error) => complaints.push(error.to_string()),
    }
    complaints
}

fn first_right_answer(
    child: &Child,
    addr: SocketAddr,
    question: &Question,
    within: Duration,
) -> Result<Duration, String> {
    let deadline = Instant::now() + within;
    let mut last = "nothing was tried".to_owned();
    while Instant::now() < deadline {
        match exchange(addr, &question.request, ONE_ANSWER_WITHIN) {
            Ok(answer) if question.is_met_by(&answer) => return Ok(child.started_at().elapsed()),
            Ok(answer) => {
                last = format!("status {} with {} bytes", answer.status, answer.body.len())
            }
            Err(ExchangeError::Connect { .. }) => last = "nothing listens".to_owned(),
            Err(error) => last = error.to_string(),
        }
        if let Some(how) = child.exited() {
            return Err(format!(
                "the service exited before its first right answer ({how})"
            ));
        }
        thread::sleep(RETRY_AFTER);
    }
    Err(format!(
        "no right answer within {} s of the start: {last}",
        within.as_secs()
    ))
}

/// The last lines of a service's output as the end of a sentence, with the file that has them all.
pub(crate) fn printed(child: &Child) -> String {
    let lines = child.log_tail(LOG_LINES);
    if lines.is_empty() {
        return String::new();
    }
    format!(": {} [{}]", lines.join(" | "), child.log().display())
}

/// A loopback port that was free a moment ago.
pub(crate) fn free_addr() -> Result<SocketAddr, LabError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .map_err(LabError::system("looking for a free port"))?;
    listener
        .local_addr()
        .map_err(LabError::system("looking for a free port"))
}
