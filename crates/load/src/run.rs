//! A whole run against one target: one or more engine threads that start together.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use crate::engine::{Counts, Edge, EngineOptions, Observer, Session, check_cpus};
use crate::error::LoadError;
use crate::observation::Observations;
use crate::plan::{Dispatch, Pacing, Slice};
use crate::schedule::Share;
use crate::target::Target;

/// What `bancada load` is to do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where to send.
    pub target: Target,
    /// How, and for how long; `discard` is the warm-up.
    pub slice: Slice,
    /// Threads that send.
    pub threads: u32,
    /// CPUs to bind them to, in turn; none: left to the kernel.
    pub cpus: Vec<usize>,
    /// See [`EngineOptions::busy_poll`].
    pub busy_poll: bool,
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Time since the start.
    pub elapsed: Duration,
    /// Time it will take, as far as that is known.
    pub duration: Duration,
    /// Whether it is still warming up.
    pub warming_up: bool,
    /// What has happened since the start.
    pub counts: Counts,
}

/// Time between two reports of progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(200);

/// Most threads: beyond what any machine has use for.
const THREADS_MAX: u32 = 1024;

/// Time from the last thread's being ready to the start.
const START_AHEAD_NS: u64 = 500_000;

/// Carries out a plan. Setting `stop` ends it soon, keeping what was measured; a thread that fails
/// sets it for the others.
///
/// # Errors
/// When the plan makes no sense or the kernel refuses what the engine needs.
pub fn run(
    plan: &Plan,
    progress: &mut dyn FnMut(&Progress),
    stop: &AtomicBool,
) -> Result<Observations, LoadError> {
    let threads = plan.threads.max(1);
    check(plan)?;
    let beats: Vec<Beat> = (0..threads).map(|_| Beat::default()).collect();
    let start = StartLine {
        barrier: Barrier::new(threads as usize),
        at: AtomicU64::new(0),
    };
    let (ended, ends) = mpsc::channel();
    let seen = std::thread::scope(|scope| {
        for (index, beat) in (0..threads).zip(&beats) {
            let (start, ended) = (&start, ended.clone());
            scope.spawn(move || {
                let result = thread(plan, index, threads, start, beat, stop);
                // The receiver lives until every thread has reported.
                let _ = ended.send(result);
            });
        }
        // Only the threads' own senders keep the channel open: it closes even if one panics.
        drop(ended);
        gather(&ends, stop, &mut || progress(&standing(plan, &beats)))
    });
    let mut together: Option<Observations> = None;
    for observations in seen {
        let observations = observations?;
        match &mut together {
            None => together = Some(observations),
            Some(together) => together.unite(&observations),
        }
    }
    together.ok_or_else(|| LoadError::Plan("at least one thread is needed".to_owned()))
}

fn check(plan: &Plan) -> Result<(), LoadError> {
    let places = plan.slice.pacing.concurrency();
    let opens_more = matches!(
        plan.slice.pacing,
        Pacing::Open {
            dispatch: Dispatch::Unbounded,
            ..
        }
    );
    if plan.threads > places && !opens_more {
        return Err(LoadError::Plan(format!(
            "{} threads are more than the {places} connections",
            plan.threads
        )));
    }
    if plan.threads > THREADS_MAX {
        return Err(LoadError::Plan(format!(
            "{} threads are more than {THREADS_MAX}, and one for each CPU is enough",
            plan.threads
        )));
    }
    check_cpus(&plan.cpus)
}

/// What the threads report, until the last is gone.
fn gather<T>(
    ends: &mpsc::Receiver<Result<T, LoadError>>,
    stop: &AtomicBool,
    waiting: &mut dyn FnMut(),
) -> Vec<Result<T, LoadError>> {
    let mut results = Vec::new();
    loop {
        match ends.recv_timeout(PROGRESS_EVERY) {
            Ok(result) => {
                if result.is_err() {
                    stop.store(true, Ordering::Relaxed);
                }
                results.push(result);
            }
            Err(mpsc::RecvTimeoutError::Timeout) => waiting(),
            Err(mpsc::RecvTimeoutError::Disconnected) => return results,
        }
    }
}

fn thread(
    plan: &Plan,
    index: u32,
    of: u32,
    start: &StartLine,
    beat: &Beat,
    stop: &AtomicBool,
) -> Result<Observations, LoadError> {
    let cpu = (!plan.cpus.is_empty()).then(|| plan.cpus[index as usize % plan.cpus.len()]);
    let share = Share { index, of };
    let mut observer = Reporting {
        start,
        beat,
        stop,
        waited: false,
        started_at: 0,
    };
    Session::new(EngineOptions {
        cpu,
        share,
        seed: plan.slice.seed,
        busy_poll: plan.busy_poll,
        ..EngineOptions::default()
    })
    .and_then(|mut session| {
        let target = session.add_target(plan.target.clone());
        session.drive_observed(target, &plan.slice, &mut observer, stop)
    })
}

fn standing(plan: &Plan, beats: &[Beat]) -> Progress {
    let sum = |of: fn(&Beat) -> &AtomicU64| {
        beats
            .iter()
            .map(|beat| of(beat).load(Ordering::Relaxed))
            .sum()
    };
    let elapsed_ns = beats
        .iter()
        .map(|beat| beat.elapsed_ns.load(Ordering::Relaxed))
        .max();
    let elapsed = Duration::from_nanos(elapsed_ns.unwrap_or(0));
    Progress {
        elapsed,
        duration: plan.slice.duration,
        warming_up: elapsed < plan.slice.discard,
        counts: Counts {
            answers: sum(|beat| &beat.answers),
            good: sum(|beat| &beat.good),
            lost: sum(|beat| &beat.lost),
            in_flight: sum(|beat| &beat.in_flight),
        },
    }
}

/// Where threads wait for each other, so that all share one start.
struct StartLine {
    barrier: Barrier,
    at: AtomicU64,
}

/// Figures of one thread, written by it alone a few times a second.
#[derive(Default)]
#[repr(align(128))]
struct Beat {
    elapsed_ns: AtomicU64,
    answers: AtomicU64,
    good: AtomicU64,
    lost: AtomicU64,
    in_flight: AtomicU64,
}

struct Reporting<'a> {
    start: &'a StartLine,
    beat: &'a Beat,
    stop: &'a AtomicBool,
    waited: bool,
    started_at: u64,
}

impl Drop for Reporting<'_> {
    /// However a thread ends, the others neither wait for it at the start nor go on in vain.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.stop.store(true, Ordering::Relaxed);
        }
        if !self.waited {
            self.start.barrier.wait();
        }
    }
}

impl Observer for Reporting<'_> {
    fn start_at(&mut self, now: u64) -> u64 {
        self.waited = true;
        // A little ahead: nobody should be late at the start for having been woken last.
        self.start
            .at
            .fetch_max(now + START_AHEAD_NS, Ordering::AcqRel);
        self.start.barrier.wait();
        self.started_at = self.start.at.load(Ordering::Acquire);
        self.started_at
    }

    fn edge(&mut self, _: Edge) {}

    fn beat(&mut self, now: u64, counts: Counts) {
        let beat = self.beat;
        beat.elapsed_ns
            .store(now.saturating_sub(self.started_at), Ordering::Relaxed);
        beat.answers.store(counts.answers, Ordering::Relaxed);
        beat.good.store(counts.good, Ordering::Relaxed);
        beat.lost.store(counts.lost, Ordering::Relaxed);
        beat.in_flight.store(counts.in_flight, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_ends_without_a_report_is_not_waited_for() {
        let (ended, ends) = mpsc::channel();
        ended.send(Ok(1)).unwrap();
        drop(ended);
        let stop = AtomicBool::new(false);
        assert_eq!(gather(&ends, &stop, &mut || ()).len(), 1);
        assert!(!stop.load(Ordering::Relaxed));
    }

    #[test]
    fn a_thread_that_fails_stops_the_others() {
        let (ended, ends) = mpsc::channel::<Result<(), _>>();
        ended.send(Err(LoadError::Plan(String::new()))).unwrap();
        drop(ended);
        let stop = AtomicBool::new(false);
        assert_eq!(gather(&ends, &stop, &mut || ()).len(), 1);
        assert!(stop.load(Ordering::Relaxed));
    }
}
