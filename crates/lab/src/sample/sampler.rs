//! The memory of a tree over time, read in the background.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::Tree;

/// Slowest and fastest rate at which memory is read.
const RATES_PER_S: std::ops::RangeInclusive<f64> = 0.1..=1000.0;

/// Reads a tree's memory at a fixed rate until dropped. Its thread runs where the creating thread may run.
#[derive(Debug)]
pub struct MemorySampler {
    peak: Arc<AtomicU64>,
    paused: Arc<AtomicBool>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl MemorySampler {
    /// Starts reading the tree of `pid`, `rate_per_s` times a second (kept within 0.1 and 1000), the first time
    /// at once. Where no thread can be started there are no readings.
    pub fn start(pid: u32, rate_per_s: f64) -> MemorySampler {
        let peak = Arc::new(AtomicU64::new(0));
        let (stop, stopped) = mpsc::channel();
        let seen = Arc::clone(&peak);
        let paused = Arc::new(AtomicBool::new(false));
        let is_paused = Arc::clone(&paused);
        let period = Duration::from_secs_f64(
            1.0 / rate_per_s.max(*RATES_PER_S.start()).min(*RATES_PER_S.end()),
        );
        let thread = thread::Builder::new()
            .name("memory".to_owned())
            .spawn(move || {
                let tree = Tree::of(pid);
                loop {
                    if !is_paused.load(Ordering::Relaxed) {
                        seen.fetch_max(tree.memory_bytes().unwrap_or(0), Ordering::Relaxed);
                    }
                    if stopped.recv_timeout(period) != Err(RecvTimeoutError::Timeout) {
                        return;
                    }
                }
            });
        MemorySampler {
            peak,
            paused,
            stop: Some(stop),
            thread: thread.ok(),
        }
    }

    /// The highest reading so far; `None` when there was none.
    pub fn peak_bytes(&self) -> Option<u64> {
        match self.peak.load(Ordering::Relaxed) {
            0 => None,
            bytes => Some(bytes),
        }
    }

    /// Stops reading, or goes on: outside its own windows a service need not be looked at, and a look takes time
    /// from the CPU that the generator uses.
    pub fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Relaxed);
    }
}

impl Drop for MemorySampler {
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

    #[test]
    fn a_peak_is_kept_after_the_memory_is_gone() {
        let sampler = MemorySampler::start(std::process::id(), 100.0);
        let block = std::hint::black_box(vec![1_u8; 32 << 20]);
        while sampler.peak_bytes().is_none_or(|peak| peak < 32 << 20) {
            thread::sleep(Duration::from_millis(1));
        }
        drop(block);
        assert!(sampler.peak_bytes() >= Some(32 << 20));
    }

    #[test]
    fn a_paused_sampler_keeps_its_peak_and_goes_on_later() {
        let sampler = MemorySampler::start(std::process::id(), 1000.0);
        while sampler.peak_bytes().is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        sampler.pause(true);
        assert!(sampler.peak_bytes().is_some());
        sampler.peak.store(0, Ordering::Relaxed);
        sampler.pause(false);
        while sampler.peak_bytes().is_none() {
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_process_that_is_not_there_has_no_peak() {
        let sampler = MemorySampler::start(i32::MAX as u32, 5.0);
        assert_eq!(sampler.peak_bytes(), None);
    }

    #[test]
    fn a_rate_that_is_not_a_number_is_the_slowest_one() {
        let sampler = MemorySampler::start(std::process::id(), f64::NAN);
        while sampler.peak_bytes().is_none() {
            thread::sleep(Duration::from_millis(1));
        }
    }
}
