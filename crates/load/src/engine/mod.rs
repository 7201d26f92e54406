//! One engine thread: connections to one or more targets, and the one loop that drives them.

mod connection;
mod deadlines;
mod drive;
mod lead;
mod parts;
mod recorder;

use std::sync::atomic::AtomicBool;

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_setaffinity, set_current_timer_slack};

use connection::{Connection, Stand};
use drive::Drive;

use crate::error::LoadError;
use crate::observation::Observations;
use crate::plan::{Pacing, Slice};
use crate::priority::{GrantedPriority, Priority, PriorityGuard};
use crate::requests::Cursor;
use crate::schedule::Share;
use crate::target::Target;
use crate::transport::{Epoll, Transport};

/// Longest wait, so that a request to stop is noticed.
const WAIT_MAX_NS: u64 = 50_000_000;

/// How an engine thread is set up.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// The CPU that the calling thread is bound to.
    pub cpu: Option<usize>,
    /// The part of every slice that this thread sends.
    pub share: Share,
    /// Seed of what targets' feeds draw.
    pub seed: u64,
    /// How urgently the kernel runs the calling thread during the drive of an open loop; given back
    /// after each. A closed loop has no instants to be late for, and at full speed it would starve
    /// the kernel's own threads.
    pub priority: Priority,
    /// Never sleeps: asks for events again and again. It takes a whole CPU, and times are without the waking.
    pub busy_poll: bool,
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            cpu: None,
            share: Share::WHOLE,
            seed: 1,
            priority: Priority::Usual,
            busy_poll: false,
        }
    }
}

/// A target of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetId(u32);

/// An edge of the measured window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The window opens: what is scheduled from now on is recorded.
    Opens,
    /// The window closes: nothing is scheduled any more; answers are still awaited.
    Closes,
}

/// Figures of a drive that is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Answers since the start, those before the window included.
    pub answers: u64,
    /// Good answers among them.
    pub good: u64,
    /// Requests that ended without an answer.
    pub lost: u64,
    /// Requests in flight.
    pub in_flight: u64,
}

/// What the caller of a drive is told, and asked, while it runs.
pub(crate) trait Observer {
    /// Connections are open; the instant to start at, given the present one.
    fn start_at(&mut self, now: u64) -> u64 {
        now
    }
    fn edge(&mut self, _: Edge) {}
    /// Called a few times a second.
    fn beat(&mut self, _now: u64, _: Counts) {}
}

struct AtEdge<'a>(&'a mut dyn FnMut(Edge));

impl Observer for AtEdge<'_> {
    fn edge(&mut self, edge: Edge) {
        (self.0)(edge);
    }
}

/// One engine thread with its connections, which stay open from drive to drive.
pub struct Session<T: Transport = Epoll> {
    transport: T,
    share: Share,
    seed: u64,
    priority: Priority,
    busy_poll: bool,
    granted: GrantedPriority,
    connections: Vec<Connection>,
    free_slots: Vec<u32>,
    targets: Vec<Option<TargetState>>,
}

struct TargetState {
    target: Target,
    cursor: Cursor,
    /// Slot of each connection, by place.
    slots: Vec<u32>,
    /// Answers since a body was last looked at.
    unlooked: u32,
}

impl Session<Epoll> {
    /// A session for the calling thread, which it binds to a CPU if asked and gives fine timers.
    ///
    /// # Errors
    /// When the kernel refuses the CPU or an epoll descriptor.
    pub fn new(options: EngineOptions) -> Result<Session, LoadError> {
        if let Some(cpu) = options.cpu {
            bind(cpu)?;
        }
        // Without this, waits end up to 50 µs late by design. Failure only means later sends,
        // which the send delay shows.
        let _ = set_current_timer_slack(std::num::NonZeroU64::new(1));
        allow_descriptors();
        let transport = Epoll::new()?;
        Ok(Session {
            priority: options.priority,
            busy_poll: options.busy_poll,
            ..Session::with_transport(transport, options.share, options.seed)
        })
    }
}

/// Binds the calling thread to a CPU.
fn bind(cpu: usize) -> Result<(), LoadError> {
    let no_such_cpu =
        || LoadError::Plan(format!("there is no CPU {cpu} that this process may use"));
    if cpu >= CpuSet::MAX_CPU {
        return Err(no_such_cpu());
    }
    let mut cpus = CpuSet::new();
    cpus.set(cpu);
    sched_setaffinity(None, &cpus).map_err(|errno| match errno {
        Errno::INVAL => no_such_cpu(),
        other => LoadError::system("sched_setaffinity")(other),
    })
}

/// Whether threads can be bound to each of these CPUs.
///
/// # Errors
/// A sentence about the first that is not there, or that the kernel keeps from this process.
pub fn check_cpus(cpus: &[usize]) -> Result<(), LoadError> {
    // Tried on a thread of its own: the present affinity may be narrower than what is allowed.
    std::thread::scope(|scope| {
        let tried = scope.spawn(|| cpus.iter().try_for_each(|&cpu| bind(cpu)));
        tried.join().unwrap_or(Ok(()))
    })
}

/// Raises the limit on open files as far as the system lets us: every connection is one.
fn allow_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        // Failure only means fewer connections, which their requests will show.
        let _ = setrlimit(
            Resource::Nofile,
            Rlimit {
                current: limit.maximum,
                ..limit
            },
        );
    }
}

impl<T: Transport> Session<T> {
    /// A session over any transport.
    pub fn with_transport(transport: T, share: Share, seed: u64) -> Session<T> {
        Session {
            transport,
            share,
            seed,
            priority: Priority::Usual,
            busy_poll: false,
            granted: GrantedPriority::Usual,
            connections: Vec::new(),
            free_slots: Vec::new(),
            targets: Vec::new(),
        }
    }

    /// Adds a target. Its connections are opened by the first drive that needs them.
    pub fn add_target(&mut self, target: Target) -> TargetId {
        let cursor = target.requests.cursor(self.share, self.seed);
        self.targets.push(Some(TargetState {
            target,
            cursor,
            slots: Vec::new(),
            unlooked: 0,
        }));
        TargetId((self.targets.len() - 1) as u32)
    }

    /// Closes the connections of a target and forgets it.
    pub fn close_target(&mut self, target: TargetId) {
        let Some(state) = self
            .targets
            .get_mut(target.0 as usize)
            .and_then(Option::take)
        else {
            return;
        };
        for slot in state.slots {
            self.transport.close(slot);
            self.connections[slot as usize].stand = Stand::Closed;
            self.free_slots.push(slot);
        }
    }

    /// The transport, for what only it knows.
    pub fn transport(&self) -> &T {
        &self.transport
    }

    /// The priority that the last drive had.
    pub fn granted_priority(&self) -> &GrantedPriority {
        &self.granted
    }

    /// Drives one target for one slice.
    ///
    /// Connections are opened first; then time starts. Requests scheduled after
    /// `slice.discard` and before `slice.duration` are recorded. After that the drive waits for
    /// what is in flight, at most `slice.drain`. `at_edge` is called when the window opens and
    /// when it closes, before that wait. Setting `stop` ends the drive at once: what is in flight
    /// is then `unfinished`.
    ///
    /// # Errors
    /// When the slice makes no sense, the target is closed, or the kernel refuses to wait.
    pub fn drive(
        &mut self,
        target: TargetId,
        slice: &Slice,
        at_edge: &mut dyn FnMut(Edge),
        stop: &AtomicBool,
    ) -> Result<Observations, LoadError> {
        self.drive_observed(target, slice, &mut AtEdge(at_edge), stop)
    }

    pub(crate) fn drive_observed(
        &mut self,
        target: TargetId,
        slice: &Slice,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Observations, LoadError> {
        check(slice)?;
        let Some(state) = self
            .targets
            .get_mut(target.0 as usize)
            .and_then(Option::as_mut)
        else {
            return Err(LoadError::Plan("the target has been closed".to_owned()));
        };
        if state.target.timeout.is_zero() {
            return Err(LoadError::Plan("a timeout must be above 0".to_owned()));
        }
        let parts = parts::Parts {
            transport: &mut self.transport,
            connections: &mut self.connections,
            free_slots: &mut self.free_slots,
            state,
            share: self.share,
        };
        let asked = if slice.pacing.is_open() {
            self.priority
        } else {
            Priority::Usual
        };
        let guard = PriorityGuard::new(asked);
        self.granted = guard.granted.clone();
        Drive::prepare(parts, slice, self.busy_poll, observer, stop)?.run()
    }
}

/// Most connections: more than a process may hold descriptors, by far.
const CONNECTIONS_MAX: u32 = 1_000_000;
/// Most users: each leaves again, so that more than can be connected at once may come.
const USERS_MAX: u32 = 10_000_000;
/// Most arrivals a second: hundreds of times what a thread can send. Each has an outcome of its own, sent or not, so
/// that without a bound a typing error would keep a machine busy for days.
const RATE_MAX_PER_S: f64 = 10_000_000.0;

fn check(slice: &Slice) -> Result<(), LoadError> {
    let plan = |reason: &str| Err(LoadError::Plan(reason.to_owned()));
    if slice.discard >= slice.duration {
        return plan("the discarded start is as long as the slice");
    }
    if slice.pacing.concurrency() == 0 {
        let unbounded = matches!(
            slice.pacing,
            Pacing::Open {
                dispatch: crate::plan::Dispatch::Unbounded,
                ..
            }
        );
        if !unbounded {
            return plan("at least one connection is needed");
        }
    }
    let (most, what) = match slice.pacing {
        Pacing::Users { .. } => (USERS_MAX, "users"),
        _ => (CONNECTIONS_MAX, "connections"),
    };
    if slice.pacing.concurrency() > most {
        return plan(&format!("more than {most} {what} cannot be had"));
    }
    let stages = match &slice.pacing {
        Pacing::Open { rate, .. } => &rate.stages,
        Pacing::ClosedStages { stages, .. } => stages,
        Pacing::Closed { .. } | Pacing::Users { .. } => return Ok(()),
    };
    let sound = |level: f64| level.is_finite() && level >= 0.0;
    if !stages
        .iter()
        .all(|stage| sound(stage.from) && sound(stage.to))
    {
        return plan("a rate or number of connections must be a positive number");
    }
    if stages
        .iter()
        .all(|stage| stage.from == 0.0 && stage.to == 0.0)
    {
        return plan("a rate or number of connections must be above 0 somewhere");
    }
    let most = stages.iter().map(|stage| stage.from.max(stage.to));
    if most.fold(0.0, f64::max) > RATE_MAX_PER_S {
        return plan(&format!(
            "more than {RATE_MAX_PER_S} arrivals a second cannot be sent"
        ));
    }
    Ok(())
}
