//! CPU clocks in nanoseconds: of this thread, of this process, of any process.

use rustix::time::{ClockId, clock_gettime};

/// CPU time of the calling thread so far.
pub fn thread_cpu_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::ThreadCPUTime))
}

/// CPU time of this process so far, all its threads.
pub fn this_process_cpu_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::ProcessCPUTime))
}

fn nanoseconds(time: rustix::time::Timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// CPU time of a process so far, all its threads, ended ones too; `None` when there is no such process.
///
/// The kernel's clock of a process has the id `(!pid << 3) | 2` (clock_getcpuclockid(3); 2 is
/// `CPUCLOCK_SCHED`). It counts what the scheduler gave, in nanoseconds, where `/proc/<pid>/stat` counts
/// ticks of 10 ms. Any process may be asked, whoever owns it.
pub fn process_cpu_ns(pid: u32) -> Option<u64> {
    // Process ids end at 2^22 on Linux, and 0 would name the caller.
    let pid = i32::try_from(pid)
        .ok()
        .filter(|pid| (1..=1 << 22).contains(pid))?;
    let id = (!pid << 3) | 2;
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is valid for writes, and a clock id that names no process is answered with an error.
    let result = unsafe { libc::clock_gettime(id, &raw mut time) };
    (result == 0).then(|| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_moves_the_clock_of_this_process_and_both_ways_to_read_it_agree() {
        let before = process_cpu_ns(std::process::id()).expect("this process");
        let mut value = 1_u64;
        for step in 0..3_000_000_u64 {
            value = std::hint::black_box(value.wrapping_mul(step | 1));
        }
        let other = this_process_cpu_ns();
        let after = process_cpu_ns(std::process::id()).expect("this process");
        assert!(before < other && other <= after);
    }

    #[test]
    fn a_process_that_is_not_there_has_no_clock() {
        assert_eq!(process_cpu_ns(i32::MAX as u32), None);
    }
}
