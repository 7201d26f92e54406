//! What the threads of a process tree did between two instants: switches, waits for a CPU, the busiest one.

use std::collections::BTreeMap;
use std::fs;

use super::Tree;

/// Counters of every living thread of a tree. Takes some 20 µs a thread: not for the middle of a window.
#[derive(Clone, Debug, Default)]
pub struct ThreadsReading(BTreeMap<u32, Thread>);

/// Counters of one thread since it began.
#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    voluntary_count: u64,
    involuntary_count: u64,
    /// Time on a CPU and time ready for one; absent without `CONFIG_SCHEDSTATS`.
    scheduled: Option<(u64, u64)>,
}

/// Sums over readings that follow each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThreadsUse {
    /// They waited for something.
    pub voluntary_count: u64,
    /// Their time was up, or another thread was more urgent.
    pub involuntary_count: u64,
    /// Time for which threads were ready to run and had no CPU, all of them together; absent where the kernel
    /// does not tell.
    pub run_queue_wait_ns: Option<u64>,
    /// CPU time of each thread, and for how long it was ready without a CPU.
    pub scheduled_ns_by_thread: BTreeMap<u32, (u64, u64)>,
}

impl ThreadsReading {
    /// Reads the tree of `pid`; `None` when nothing of it lives.
    pub fn of(pid: u32) -> Option<ThreadsReading> {
        let pids = Tree::of(pid).pids();
        let mut threads = BTreeMap::new();
        for task in pids
            .iter()
            .flat_map(|pid| fs::read_dir(format!("/proc/{pid}/task")))
            .flatten()
            .flatten()
        {
            let name = task.file_name();
            let id = name.to_str().and_then(|name| name.parse::<u32>().ok());
            if let Some((id, thread)) = id.zip(Thread::read(&task.path())) {
                threads.insert(id, thread);
            }
        }
        (!pids.is_empty()).then_some(ThreadsReading(threads))
    }
}

impl Thread {
    fn read(folder: &std::path::Path) -> Option<Thread> {
        let status = fs::read_to_string(folder.join("status")).ok()?;
        let count = |key| {
            let line = status.lines().find_map(|line| line.strip_prefix(key));
            line.and_then(|rest| rest.trim().parse().ok()).unwrap_or(0)
        };
        let schedstat = fs::read_to_string(folder.join("schedstat")).ok();
        Some(Thread {
            voluntary_count: count("voluntary_ctxt_switches:"),
            involuntary_count: count("nonvoluntary_ctxt_switches:"),
            scheduled: schedstat.as_deref().and_then(schedule),
        })
    }
}

/// Time on a CPU and time ready for one, in nanoseconds: the first two fields of `schedstat` (proc(5)).
fn schedule(text: &str) -> Option<(u64, u64)> {
    let mut fields = text.split_whitespace().map(str::parse::<u64>);
    match (fields.next(), fields.next()) {
        (Some(Ok(cpu_ns)), Some(Ok(wait_ns))) => Some((cpu_ns, wait_ns)),
        _ => None,
    }
}

/// Time for which the calling thread was ready and had no CPU, so far; `None` where the kernel does not tell.
pub fn thread_run_queue_wait_ns() -> Option<u64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    schedule(&text).map(|(_, wait_ns)| wait_ns)
}

impl ThreadsUse {
    /// Adds what happened between two readings. A thread that came counts from nothing; one that went is lost.
    pub fn add(&mut self, before: &ThreadsReading, after: &ThreadsReading) {
        for (id, now) in &after.0 {
            let then = before.0.get(id).copied().unwrap_or(Thread {
                scheduled: now.scheduled.map(|_| (0, 0)),
                ..Thread::default()
            });
            self.voluntary_count += now.voluntary_count.saturating_sub(then.voluntary_count);
            self.involuntary_count += now.involuntary_count.saturating_sub(then.involuntary_count);
            if let Some(((cpu, wait), (cpu_then, wait_then))) = now.scheduled.zip(then.scheduled) {
                let waited_ns = wait.saturating_sub(wait_then);
                let sums = self.scheduled_ns_by_thread.entry(*id).or_default();
                sums.0 += cpu.saturating_sub(cpu_then);
                sums.1 += waited_ns;
                *self.run_queue_wait_ns.get_or_insert(0) += waited_ns;
            }
        }
    }

    /// CPU time of the busiest thread; absent where the kernel does not tell.
    pub fn busiest_thread_cpu_ns(&self) -> Option<u64> {
        self.busiest_thread().map(|(cpu_ns, _)| cpu_ns)
    }

    /// For how long that thread was ready without a CPU.
    pub fn busiest_thread_wait_ns(&self) -> Option<u64> {
        self.busiest_thread().map(|(_, wait_ns)| wait_ns)
    }

    fn busiest_thread(&self) -> Option<(u64, u64)> {
        self.scheduled_ns_by_thread.values().max().copied()
    }

    /// Threads that used any CPU time.
    pub fn busy_threads_count(&self) -> usize {
        let threads = self.scheduled_ns_by_thread.values();
        threads.filter(|(cpu_ns, _)| *cpu_ns > 0).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread's id, its voluntary switches, and its time on a CPU and ready for one.
    type Row = (u32, u64, Option<(u64, u64)>);

    fn reading(threads: &[Row]) -> ThreadsReading {
        let thread = |voluntary_count, scheduled| Thread {
            voluntary_count,
            involuntary_count: 1,
            scheduled,
        };
        ThreadsReading(
            threads
                .iter()
                .map(|&(id, count, scheduled)| (id, thread(count, scheduled)))
                .collect(),
        )
    }

    #[test]
    fn the_busiest_thread_is_found_over_all_readings_and_not_in_one() {
        let readings = [
            reading(&[(1, 0, Some((0, 0))), (2, 0, Some((0, 0)))]),
            reading(&[(1, 1, Some((90, 5))), (2, 1, Some((100, 0)))]),
            reading(&[(1, 2, Some((180, 5))), (2, 1, Some((110, 0)))]),
        ];
        let mut sum = ThreadsUse::default();
        for pair in readings.windows(2) {
            sum.add(&pair[0], &pair[1]);
        }
        assert_eq!(sum.busiest_thread_cpu_ns(), Some(180));
        assert_eq!((sum.voluntary_count, sum.involuntary_count), (3, 0));
        assert_eq!(sum.run_queue_wait_ns, Some(5));
    }

    #[test]
    fn what_the_kernel_does_not_tell_is_absent() {
        let mut sum = ThreadsUse::default();
        sum.add(&reading(&[(1, 0, None)]), &reading(&[(1, 3, None)]));
        assert_eq!(
            (sum.run_queue_wait_ns, sum.busiest_thread_cpu_ns()),
            (None, None)
        );
        assert_eq!(schedule("12 x"), None);
    }

    #[test]
    fn a_thread_that_came_counts_from_nothing() {
        let mut sum = ThreadsUse::default();
        sum.add(&reading(&[]), &reading(&[(7, 4, Some((50, 6)))]));
        assert_eq!(
            (sum.voluntary_count, sum.busiest_thread_cpu_ns()),
            (4, Some(50))
        );
    }

    #[test]
    fn threads_of_this_process_are_read() {
        let reading = ThreadsReading::of(std::process::id()).expect("alive");
        assert!(!reading.0.is_empty());
        assert!(ThreadsReading::of(i32::MAX as u32).is_none());
    }
}
