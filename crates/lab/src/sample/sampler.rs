//! What a service uses over time, read in the background while it is under load.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use record::Sample;

use super::{MachineReading, Tree, thread_cpu_ns};
use crate::postgres::Activity;
use crate::standin::UnderWay;

/// Slowest and fastest rate of reading.
const RATES_PER_S: std::ops::RangeInclusive<f64> = 0.1..=1000.0;
/// Readings that are held; when there are more, every second one is let go.
const HELD_MAX: usize = 4096;

/// What besides the service itself is read.
#[derive(Debug, Default)]
pub struct Sources {
    /// Its database.
    pub activity: Option<Activity>,
    /// The stand-in for its upstream.
    pub under_way: Option<UnderWay>,
}

/// A time in which the service is under load.
#[derive(Clone, Copy, Debug)]
pub struct Watched {
    /// When the run's clock began.
    pub run_began: Instant,
    /// Whether connections and upstream calls are read too. They take a CPU from PostgreSQL and the generator for
    /// a moment, which response times would show.
    pub deeply: bool,
}

/// Reads a tree at a fixed rate while it is watched. Its thread runs where the creating thread may run.
#[derive(Debug)]
pub struct Sampler {
    shared: Arc<Mutex<State>>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct State {
    watched: Option<Watched>,
    sources: Sources,
    peak_bytes: u64,
    samples: Vec<Sample>,
    own_cpu_ns: u64,
}

/// Readings at an earlier instant of the same window.
struct Earlier {
    at: Instant,
    cpu_ns: Option<u64>,
    machine: Option<MachineReading>,
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sampler {
    /// Is ready to read the tree of `pid`, `rate_per_s` times a second (kept within 0.1 and 1000), and reads
    /// nothing until it is told to watch. Where no thread can be started there are no readings.
    pub fn start(pid: u32, rate_per_s: f64) -> Sampler {
        let shared = Arc::new(Mutex::new(State {
            watched: None,
            sources: Sources::default(),
            peak_bytes: 0,
            samples: Vec::new(),
            own_cpu_ns: 0,
        }));
        let (stop, stopped) = mpsc::channel();
        let period = Duration::from_secs_f64(
            1.0 / rate_per_s.max(*RATES_PER_S.start()).min(*RATES_PER_S.end()),
        );
        let state = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("sampler".to_owned())
            .spawn(move || {
                let mut tree = Tree::of(pid);
                let mut earlier = None;
                while stopped.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
                    look(&state, &mut tree, &mut earlier);
                }
            });
        Sampler {
            shared,
            stop: Some(stop),
            thread: thread.ok(),
        }
    }

    /// What is read besides, from now on.
    pub fn read_also(&self, sources: Sources) {
        locked(&self.shared).sources = sources;
    }

    /// Watches a new window from now on, or stops watching: outside its own windows a service need not be looked at, and a look
    /// takes time from the CPU that the generator uses.
    pub fn watch(&self, watched: Option<Watched>) {
        let mut state = locked(&self.shared);
        if watched.is_some() {
            state.peak_bytes = 0;
        }
        state.watched = watched;
    }

    /// The highest memory since the last window began to be watched; `None` when there was no reading.
    pub fn peak_bytes(&self) -> Option<u64> {
        Some(locked(&self.shared).peak_bytes).filter(|bytes| *bytes > 0)
    }

    /// Takes the readings so far, in order of time.
    pub fn take_samples(&self) -> Vec<Sample> {
        std::mem::take(&mut locked(&self.shared).samples)
    }

    /// CPU time that reading took so far.
    pub fn own_cpu_ns(&self) -> u64 {
        locked(&self.shared).own_cpu_ns
    }
}

/// One look, unless nothing is watched.
fn look(state: &Mutex<State>, tree: &mut Tree, earlier: &mut Option<Earlier>) {
    let began_ns = thread_cpu_ns();
    let (watched, activity, under_way) = {
        let state = locked(state);
        let sources = &state.sources;
        (
            state.watched,
            sources.activity.clone(),
            sources.under_way.clone(),
        )
    };
    let Some(watched) = watched else {
        *earlier = None;
        return;
    };
    let mut sample = Sample {
        at_s: round(watched.run_began.elapsed().as_secs_f64(), 3),
        ..Sample::default()
    };
    let memory_bytes = tree.memory_bytes();
    let mut put = |name: &str, value: Option<f64>| {
        sample
            .figures
            .extend(value.map(|value| (name.to_owned(), round(value, 3))));
    };
    put("memory_bytes", memory_bytes.map(|bytes| bytes as f64));
    let now = Earlier {
        at: Instant::now(),
        cpu_ns: tree.cpu_ns(),
        machine: MachineReading::now(),
    };
    if let Some(then) = earlier {
        let wall_ns = now.at.duration_since(then.at).as_nanos() as f64;
        let used = now.cpu_ns.zip(then.cpu_ns);
        let ratio = used.map(|(now, then)| now.saturating_sub(then) as f64 / wall_ns);
        put("service_cpu_ratio", ratio);
        let machine = now.machine.as_ref().zip(then.machine.as_ref());
        put(
            "machine_cpu_ratio",
            machine.map(|(now, then)| now.since(then).busy_ratio),
        );
    }
    *earlier = Some(now);
    if watched.deeply {
        let backends = activity.and_then(|activity| activity.backends());
        if let Some(seen) = backends {
            for (name, count) in [
                ("backends_count", seen.total_count),
                ("backends_in_use_count", seen.in_use_count()),
                ("backends_active_count", seen.active_count),
                ("backends_running_count", seen.running_count),
                ("backends_lock_wait_count", seen.lock_count),
                ("backends_lwlock_wait_count", seen.lwlock_count),
                ("backends_io_wait_count", seen.io_count),
                ("backends_client_wait_count", seen.client_count),
            ] {
                put(name, Some(f64::from(count)));
            }
        }
        let calls = under_way.map(|calls| calls.count() as f64);
        put("upstream_under_way_count", calls);
    }
    let mut state = locked(state);
    state.own_cpu_ns += thread_cpu_ns().saturating_sub(began_ns);
    // A window that closed meanwhile is not seen by half.
    if state.watched.is_none() {
        return;
    }
    state.peak_bytes = state.peak_bytes.max(memory_bytes.unwrap_or(0));
    if !sample.figures.is_empty() {
        state.samples.push(sample);
        if state.samples.len() > HELD_MAX {
            state.samples = thinned(std::mem::take(&mut state.samples), HELD_MAX / 2);
        }
    }
}

fn round(value: f64, digits: i32) -> f64 {
    let scale = 10_f64.powi(digits);
    (value * scale).round() / scale
}

/// At most `count` samples, evenly spaced, the last among them.
pub fn thinned(samples: Vec<Sample>, count: usize) -> Vec<Sample> {
    let step = samples.len().div_ceil(count.max(1)).max(1);
    let last = samples.len();
    samples
        .into_iter()
        .enumerate()
        .filter(|(index, _)| (last - index - 1).is_multiple_of(step))
        .map(|(_, sample)| sample)
        .collect()
}

impl Drop for Sampler {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched() -> Option<Watched> {
        Some(Watched {
            run_began: Instant::now(),
            deeply: true,
        })
    }

    #[test]
    fn a_peak_is_kept_after_the_memory_is_gone() {
        let sampler = Sampler::start(std::process::id(), 100.0);
        sampler.watch(watched());
        let block = std::hint::black_box(vec![1_u8; 32 << 20]);
        while sampler.peak_bytes().is_none_or(|peak| peak < 32 << 20) {
            thread::sleep(Duration::from_millis(1));
        }
        drop(block);
        assert!(sampler.peak_bytes() >= Some(32 << 20));
        assert!(sampler.own_cpu_ns() > 0);
    }

    #[test]
    fn a_window_does_not_inherit_the_peak_of_the_one_before() {
        let sampler = Sampler::start(std::process::id(), 0.1);
        locked(&sampler.shared).peak_bytes = 1 << 40;
        sampler.watch(None);
        assert_eq!(sampler.peak_bytes(), Some(1 << 40));
        sampler.watch(watched());
        assert_eq!(sampler.peak_bytes(), None);
    }

    #[test]
    fn nothing_is_read_until_something_is_watched() {
        let sampler = Sampler::start(std::process::id(), 1000.0);
        thread::sleep(Duration::from_millis(20));
        assert_eq!(sampler.peak_bytes(), None);
        sampler.watch(watched());
        let samples = loop {
            let samples = sampler.take_samples();
            if samples
                .iter()
                .any(|one| one.figures.contains_key("machine_cpu_ratio"))
            {
                break samples;
            }
            thread::sleep(Duration::from_millis(1));
        };
        assert!(
            samples
                .iter()
                .all(|one| one.figures.contains_key("memory_bytes"))
        );
    }

    #[test]
    fn a_process_that_is_not_there_has_no_peak() {
        let sampler = Sampler::start(i32::MAX as u32, 1000.0);
        sampler.watch(watched());
        thread::sleep(Duration::from_millis(20));
        assert_eq!(sampler.peak_bytes(), None);
    }

    #[test]
    fn thinned_samples_are_evenly_spaced_and_end_at_the_last() {
        let samples = |count: usize| -> Vec<Sample> {
            let sample = |index| Sample {
                at_s: index as f64,
                ..Sample::default()
            };
            (0..count).map(sample).collect()
        };
        for count in [0, 1, 48, 49, 100, 1000] {
            let kept = thinned(samples(count), 48);
            assert!(
                kept.len() <= 48 && kept.len() * 3 >= count.min(48),
                "{count}"
            );
            assert_eq!(
                kept.last().map(|one| one.at_s),
                count.checked_sub(1).map(|last| last as f64)
            );
            let gaps: Vec<f64> = kept
                .windows(2)
                .map(|two| two[1].at_s - two[0].at_s)
                .collect();
            assert!(gaps.windows(2).all(|two| two[0] == two[1]));
        }
    }
}
