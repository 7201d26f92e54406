//! One slice: the canary, the load, and the CPU clocks read at the edges of the window.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use load::{Awake, Edge, EngineOptions, Observations, Pacing, Priority, Session};
use record::Slice;

use crate::canary::Canary;
use crate::conditions::{BlockWatch, Mark};
use crate::design::{SliceKind, SliceTurn};
use crate::error::LabError;
use crate::null_server::NullServer;
use crate::place::{Placement, allowed_cpus, pin_this_thread};
use crate::sample::Tree;
use crate::sut::Sut;
use crate::treatment::{Question, close_header};
use crate::watched::{Around, Before};

/// Share of each slice that is discarded at its start.
pub const DISCARD_RATIO: f64 = 0.1;
/// Longest wait for what is in flight when a slice ends.
pub(crate) const DRAIN_WITHIN: Duration = Duration::from_secs(10);

/// How long, and how often, the generator is held against the null server; the best counts.
const NULL_SERVER_DRIVE: Duration = Duration::from_millis(250);
const NULL_SERVER_DRIVES: usize = 3;

/// What a window counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountsFor {
    /// The trial's own figures.
    Trial,
    /// A further load: nothing of it enters the trial's own figures.
    Level,
}

/// What CPU use of processes outside the run is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// A fixed limit: every process under load is known.
    Limit,
    /// What is usual in this run: services may use processes that are not known, a database of their own.
    Usual,
    /// Nothing: processes under load are not on this machine, or not known at all.
    Unjudged,
}

/// What measures: the engine with its connections, the canary and the clocks.
pub struct Bench<'a> {
    /// The load engine.
    pub session: Session,
    canary: Canary,
    placement: Placement,
    database: Option<Tree>,
    began: Instant,
    stop: &'a AtomicBool,
    cpus_before: Vec<u32>,
    watch: BlockWatch,
    foreign: Foreign,
    foreign_so_far: Vec<f64>,
    awake: Option<Awake>,
    /// What the generator reaches against a server that does nothing; absent until it was measured.
    pub null_server_rate_per_s: Option<f64>,
}

/// CPU clocks at one edge of a window.
#[derive(Default)]
struct Reading {
    services: Vec<Option<u64>>,
    database: Option<u64>,
}

impl<'a> Bench<'a> {
    /// Binds the calling thread to the bench's CPUs.
    pub fn new(
        placement: &Placement,
        database_pid: Option<u32>,
        foreign: Foreign,
        seed: u64,
        stop: &'a AtomicBool,
    ) -> Result<Bench<'a>, LabError> {
        let cpus_before = allowed_cpus();
        pin_this_thread(&placement.bench_cpus).map_err(LabError::system("binding to a CPU"))?;
        Ok(Bench {
            cpus_before,
            watch: BlockWatch::default(),
            foreign,
            foreign_so_far: Vec::new(),
            awake: Awake::hold(),
            null_server_rate_per_s: None,
            session: Session::new(EngineOptions {
                seed,
                // It shares its CPU with PostgreSQL: an arrival must not wait until that has had its turn.
                priority: Priority::Raised,
                ..EngineOptions::default()
            })?,
            canary: Canary::new().map_err(LabError::system("opening the canary's connection"))?,
            placement: placement.clone(),
            database: database_pid.map(Tree::of),
            began: Instant::now(),
            stop,
        })
    }

    /// Whether idle CPUs poll instead of sleeping while this is there.
    pub fn is_awake(&self) -> bool {
        self.awake.is_some()
    }

    /// Runs the canary job on the services' CPU.
    pub fn canary(&mut self) -> Result<Duration, LabError> {
        pin_this_thread(&self.placement.service_cpus)
            .map_err(LabError::system("binding to a CPU"))?;
        let sung = self
            .canary
            .sing()
            .map_err(LabError::system("the canary job"));
        pin_this_thread(&self.placement.bench_cpus)
            .map_err(LabError::system("binding to a CPU"))?;
        sung
    }

    /// Measures one slice of one treatment and adds it to what that service has shown. The CPU that the
    /// other services use meanwhile is held against them.
    pub fn slice(
        &mut self,
        suts: &mut [Option<Sut>],
        turn: SliceTurn,
        pacing: Pacing,
        length: Duration,
    ) -> Result<Observations, LabError> {
        let slice = load::Slice {
            discard: length.mul_f64(DISCARD_RATIO),
            drain: DRAIN_WITHIN,
            ..load::Slice::new(pacing, length)
        };
        let own = |suts: &mut [Option<Sut>]| {
            let sut = suts[turn.treatment].as_mut();
            sut.map(|sut| std::mem::take(sut.seen.around_of(turn)))
        };
        let mut around = own(suts).unwrap_or_default();
        let counts_for = match turn.level {
            None => CountsFor::Trial,
            Some(_) => CountsFor::Level,
        };
        let (index, kind) = (turn.treatment, turn.kind);
        let (seen, record) = self.window(suts, index, counts_for, kind, &slice, &mut around)?;
        if let Some(sut) = &mut suts[turn.treatment] {
            *sut.seen.around_of(turn) = around;
            sut.seen.add(turn, record, &seen);
        }
        Ok(seen)
    }

    /// Measures one window of one service with the clocks read at its edges, and the canary before it. What is seen
    /// around it goes into `around`; the CPU that the other services use meanwhile is held against them where the
    /// window counts for the trial.
    pub fn window(
        &mut self,
        suts: &mut [Option<Sut>],
        index: usize,
        counts_for: CountsFor,
        kind: SliceKind,
        slice: &load::Slice,
        around: &mut Around,
    ) -> Result<(Observations, Slice), LabError> {
        let canary = self.canary()?;
        let Some(target) = suts[index].as_ref().map(|sut| sut.target) else {
            return Err(LabError::Failed(
                "a slice of a service that was not started".to_owned(),
            ));
        };
        let at_s = self.began.elapsed().as_secs_f64() + slice.discard.as_secs_f64();
        // Who belongs to which tree is looked up outside the window: it takes milliseconds, the clocks do not.
        let before = Mark::now(self.look_up(suts), &self.placement.service_cpus);
        let started_at = Instant::now();
        let looking = suts[index]
            .as_ref()
            .map(|sut| Before::slice(&sut.eyes(), kind, self.began));
        let (mut opened, mut closed) = (Reading::default(), Reading::default());
        let database = &mut self.database;
        let mut at_edge = |edge| match edge {
            Edge::Opens => opened = Reading::take(suts, database),
            Edge::Closes => closed = Reading::take(suts, database),
        };
        let drive_began = Instant::now();
        let seen = self.session.drive(target, slice, &mut at_edge, self.stop)?;
        let in_window_ratio = seen.window_ns as f64 / drive_began.elapsed().as_nanos() as f64;
        let looked = suts[index].as_ref().zip(looking);
        let looking_ns = looked.map_or(0, |(sut, before)| {
            around.add(&before, &sut.eyes(), &self.placement, &seen)
        });
        let tree = suts[index].as_mut().and_then(Sut::tree);
        let service_newcomers_ns = tree.map_or(0, Tree::newcomers_ns);
        let database_newcomers_ns = self.database.as_mut().map_or(0, Tree::newcomers_ns);
        let after = Mark::now(self.look_up(suts), &self.placement.service_cpus);
        self.watch
            .add(&before, &after, started_at.elapsed().as_secs_f64());
        let record = Slice {
            load: kind.word().to_owned(),
            level: None,
            at_s,
            window_s: seen.window_ns as f64 / 1e9,
            canary_ns: Some(canary.as_nanos() as u64),
            good_answers_count: seen.good_answers_in_window_count,
            failed_requests_count: seen.failed_count(),
            service_cpu_ns: spent(&opened, &closed, index)
                .map(|ns| ns + share_ns(service_newcomers_ns, in_window_ratio)),
            database_cpu_ns: difference(opened.database, closed.database).map(|ns| {
                ns.saturating_sub(looking_ns) + share_ns(database_newcomers_ns, in_window_ratio)
            }),
            generator_cpu_ns: Some(seen.generator_cpu_ns),
        };
        for (other, sut) in suts.iter_mut().enumerate() {
            if let (Some(sut), Some(idle)) = (sut, spent(&opened, &closed, other))
                && other != index
                && counts_for == CountsFor::Trial
            {
                sut.seen.idle_cpu_ns += idle;
                sut.seen.idle_wall_ns += seen.window_ns;
            }
        }
        Ok((seen, record))
    }

    fn look_up(&mut self, suts: &mut [Option<Sut>]) -> Option<u64> {
        let trees_ns = Reading::look_up(suts, &mut self.database);
        (self.foreign != Foreign::Unjudged).then_some(trees_ns)
    }

    /// Drives a service without keeping what is seen: warm-up and pilot.
    pub fn drive(
        &mut self,
        sut: &Sut,
        pacing: Pacing,
        length: Duration,
    ) -> Result<Observations, LabError> {
        let slice = load::Slice {
            drain: DRAIN_WITHIN,
            ..load::Slice::new(pacing, length)
        };
        Ok(self
            .session
            .drive(sut.target, &slice, &mut |_| {}, self.stop)?)
    }

    /// Drives a server that does nothing in the same closed loop, to know what the generator can reach at most.
    /// Without `keep_alive` every request opens a connection, as the trials' own do.
    pub fn sound_null_server(
        &mut self,
        body_bytes: usize,
        connections: u32,
        keep_alive: bool,
    ) -> Result<(), LabError> {
        let server = NullServer::start(&self.placement.service_cpus, body_bytes, keep_alive)
            .map_err(LabError::system("starting the null server"))?;
        let question = null_question(keep_alive);
        let sut = Sut::running(&mut self.session, &question, server.addr());
        let pacing = pacing(SliceKind::Closed, connections, 0.0);
        let driven: Result<Vec<f64>, LabError> = (0..NULL_SERVER_DRIVES)
            .map(|_| {
                Ok(self
                    .drive(&sut, pacing.clone(), NULL_SERVER_DRIVE)?
                    .goodput_per_s())
            })
            .collect();
        sut.stop(&mut self.session);
        let best = driven?.into_iter().fold(0.0, f64::max);
        self.null_server_rate_per_s = Some(best).filter(|rate| *rate > 0.0);
        Ok(())
    }

    /// What was watched since this was last asked: the slices of one block.
    pub fn take_watch(&mut self) -> BlockWatch {
        let mut watch = std::mem::take(&mut self.watch);
        if self.foreign == Foreign::Usual {
            let found = watch.foreign_cpu_ratio();
            watch.hold_against(&self.foreign_so_far);
            self.foreign_so_far.extend(found);
        }
        watch
    }

    /// Counts measuring time from now on, as if so much had passed before.
    pub fn begin(&mut self, before: Duration) {
        let now = Instant::now();
        self.began = now.checked_sub(before).unwrap_or(now);
    }

    /// Measuring time so far.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Whether every process that is not of the run is known as such, so that each can void a block.
    pub fn knows_what_is_foreign(&self) -> bool {
        self.foreign == Foreign::Limit
    }

    /// Whether the run was told to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(std::sync::atomic::Ordering::Relaxed)
    }
}

impl Drop for Bench<'_> {
    fn drop(&mut self) {
        // The thread goes on to other work; where it may run was true a moment ago.
        let _ = pin_this_thread(&self.cpus_before);
    }
}

impl Reading {
    /// Finds the processes of every tree; the CPU time of all of them so far.
    fn look_up(suts: &mut [Option<Sut>], database: &mut Option<Tree>) -> u64 {
        trees(suts).chain(database).filter_map(Tree::cpu_ns).sum()
    }

    /// Reads the clocks of the processes that were found, below a microsecond each.
    fn take(suts: &mut [Option<Sut>], database: &mut Option<Tree>) -> Reading {
        Reading {
            services: suts
                .iter_mut()
                .map(|sut| sut.as_mut()?.tree()?.known_cpu_ns())
                .collect(),
            database: database.as_mut().and_then(Tree::known_cpu_ns),
        }
    }
}

fn trees(suts: &mut [Option<Sut>]) -> impl Iterator<Item = &mut Tree> {
    suts.iter_mut().flatten().filter_map(Sut::tree)
}

/// What the null server is asked.
fn null_question(keep_alive: bool) -> Question {
    let headers = match keep_alive {
        true => Vec::new(),
        false => vec![close_header()],
    };
    let request = load::request_bytes("GET", "/", "localhost", &headers, None);
    Question {
        keep_alive,
        ..Question::same(request, "localhost", load::StatusRule::Exact(200))
    }
}

/// What newcomers used within the window. Their clocks are known for the whole drive alone; they come all through
/// it, where connections or workers live for one request, and are taken to use it evenly.
fn share_ns(newcomers_ns: u64, in_window_ratio: f64) -> u64 {
    (newcomers_ns as f64 * in_window_ratio.clamp(0.0, 1.0)) as u64
}

fn spent(opened: &Reading, closed: &Reading, index: usize) -> Option<u64> {
    difference(*opened.services.get(index)?, *closed.services.get(index)?)
}

fn difference(before: Option<u64>, after: Option<u64>) -> Option<u64> {
    Some(after?.saturating_sub(before?))
}

/// The pacing of a slice.
pub fn pacing(kind: SliceKind, connections: u32, arrival_rate_per_s: f64) -> Pacing {
    match kind {
        SliceKind::Open => Pacing::Open {
            rate: load::Rate::constant(arrival_rate_per_s),
            connections,
            dispatch: load::Dispatch::Shared,
        },
        SliceKind::Closed => Pacing::Closed {
            concurrency: connections,
            think_time: Duration::ZERO,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::sample::process_cpu_ns;

    #[test]
    fn processes_that_a_database_starts_within_a_window_are_charged_to_it() {
        let script = "while :; do (i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done); done";
        let mut database = Command::new("sh").args(["-c", script]).spawn().unwrap();
        let stop = AtomicBool::new(false);
        let placement = Placement::of_this_machine();
        let pid = database.id();
        let mut bench = Bench::new(&placement, Some(pid), Foreign::Unjudged, 1, &stop).unwrap();
        let server = NullServer::start(&placement.service_cpus, 2, true).unwrap();
        let sut = Sut::running(&mut bench.session, &null_question(true), server.addr());
        let mut suts = [Some(sut)];
        let kind = SliceKind::Closed;
        let slice = load::Slice::new(pacing(kind, 1, 0.0), Duration::from_millis(100));
        let mut charged_ns = 0;
        while charged_ns < 200_000_000 {
            let mut around = Around::default();
            let window = bench.window(&mut suts, 0, CountsFor::Trial, kind, &slice, &mut around);
            charged_ns += window.unwrap().1.database_cpu_ns.unwrap();
        }
        let own_ns = process_cpu_ns(pid).unwrap();
        database.kill().unwrap();
        database.wait().unwrap();
        assert!(
            charged_ns > 2 * own_ns,
            "{charged_ns} charged, {own_ns} of the root"
        );
    }

    #[test]
    fn without_keep_alive_the_null_server_is_asked_over_a_connection_for_every_request() {
        let stop = AtomicBool::new(false);
        let placement = Placement::of_this_machine();
        let mut bench = Bench::new(&placement, None, Foreign::Unjudged, 1, &stop).unwrap();
        for keep_alive in [true, false] {
            let server = NullServer::start(&placement.service_cpus, 2, keep_alive).unwrap();
            let question = null_question(keep_alive);
            let sut = Sut::running(&mut bench.session, &question, server.addr());
            let mut answers = 0;
            while answers < 100 {
                let pacing = pacing(SliceKind::Closed, 4, 0.0);
                let seen = bench
                    .drive(&sut, pacing, Duration::from_millis(50))
                    .unwrap();
                let opened = seen.connections.opened_count;
                answers += seen.good_answers_in_window_count;
                assert_eq!(seen.failed_count(), 0, "{:?}", seen.outcomes);
                match keep_alive {
                    true => assert!(opened <= 4, "{opened}"),
                    false => assert!(opened >= seen.answers_in_drive_count, "{opened}"),
                }
            }
            sut.stop(&mut bench.session);
        }
    }

    #[test]
    fn newcomers_of_a_drive_are_charged_for_the_window_alone() {
        assert_eq!(share_ns(1_000, 0.9), 900);
        assert_eq!(share_ns(1_000, 1.2), 1_000);
        assert_eq!(difference(Some(3), None), None);
    }
}
