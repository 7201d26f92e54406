//! Which CPUs the service runs on, and which the bench: generator and database.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// CPUs for the service, and for generator and PostgreSQL. The same for every treatment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Where the service runs.
    pub service_cpus: Vec<u32>,
    /// Where the generator and PostgreSQL run.
    pub bench_cpus: Vec<u32>,
}

impl Placement {
    /// The plan for the CPUs that this process may use.
    pub fn of_this_machine() -> Placement {
        Placement::over(&allowed_cpus())
    }

    /// The plan for these CPUs: one is shared, of several the first half (rounded down) is the service's.
    pub fn over(cpus: &[u32]) -> Placement {
        if cpus.len() < 2 {
            return Placement {
                service_cpus: cpus.to_vec(),
                bench_cpus: cpus.to_vec(),
            };
        }
        let (service, bench) = cpus.split_at(cpus.len() / 2);
        Placement {
            service_cpus: service.to_vec(),
            bench_cpus: bench.to_vec(),
        }
    }

    /// Whether service and bench share a CPU, so that their times disturb each other.
    pub fn is_shared(&self) -> bool {
        self.service_cpus
            .iter()
            .any(|cpu| self.bench_cpus.contains(cpu))
    }
}

/// The CPUs that the calling thread may use, ascending.
pub fn allowed_cpus() -> Vec<u32> {
    let set = sched_getaffinity(None).unwrap_or_default();
    let cpus: Vec<u32> = (0..CpuSet::MAX_CPU as u32)
        .filter(|&cpu| set.is_set(cpu as usize))
        .collect();
    if cpus.is_empty() { vec![0] } else { cpus }
}

/// Keeps the calling thread, and what it starts later, on these CPUs. An empty list changes nothing.
///
/// # Errors
/// When a number is above what the kernel counts, or none of the CPUs may be used.
pub fn pin_this_thread(cpus: &[u32]) -> std::io::Result<()> {
    if cpus.is_empty() {
        return Ok(());
    }
    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu as usize >= CpuSet::MAX_CPU {
            return Err(std::io::Error::other(format!("there is no CPU {cpu}")));
        }
        set.set(cpu as usize);
    }
    Ok(sched_setaffinity(None, &set)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(cpus: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let placement = Placement::over(cpus);
        (placement.service_cpus, placement.bench_cpus)
    }

    #[test]
    fn two_cpus_are_one_for_the_service_and_one_for_the_bench() {
        assert_eq!(over(&[0, 1]), (vec![0], vec![1]));
        assert!(!Placement::over(&[0, 1]).is_shared());
    }

    #[test]
    fn one_cpu_is_shared() {
        assert_eq!(over(&[3]), (vec![3], vec![3]));
        assert!(Placement::over(&[3]).is_shared());
    }

    #[test]
    fn more_cpus_are_disjoint_sets_and_all_are_used() {
        for count in 3..=64_u32 {
            let cpus: Vec<u32> = (0..count).collect();
            let (service, bench) = over(&cpus);
            assert_eq!([service, bench].concat(), cpus);
        }
    }

    #[test]
    fn a_pinned_thread_may_use_those_cpus_only() {
        let before = allowed_cpus();
        std::thread::spawn(move || {
            pin_this_thread(&before[..1]).expect("an allowed CPU");
            assert_eq!(allowed_cpus(), before[..1]);
        })
        .join()
        .expect("the thread ends");
    }
}
