//! Which CPUs the service runs on, and which the bench: generator and database.

use std::collections::BTreeMap;
use std::fs;

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
        Placement::over(&cores_of(&allowed_cpus(), siblings))
    }

    /// The plan for these cores, each with its hardware threads. Of several cores the first half (rounded down) is
    /// the service's: hardware threads of one core slow each other down, so a core is on one side only. A single
    /// core is divided by its threads, a single CPU is shared.
    pub fn over(cores: &[Vec<u32>]) -> Placement {
        let half = |groups: &[Vec<u32>]| {
            let (service, bench) = groups.split_at(groups.len() / 2);
            let sorted = |groups: &[Vec<u32>]| {
                let mut cpus = groups.concat();
                cpus.sort_unstable();
                cpus
            };
            Placement {
                service_cpus: sorted(service),
                bench_cpus: sorted(bench),
            }
        };
        match cores {
            [] => half(&[]),
            [one] if one.len() < 2 => Placement {
                service_cpus: one.clone(),
                bench_cpus: one.clone(),
            },
            [one] => half(&one.iter().map(|&cpu| vec![cpu]).collect::<Vec<_>>()),
            several => half(several),
        }
    }

    /// Whether service and bench share a CPU, so that their times disturb each other.
    pub fn is_shared(&self) -> bool {
        self.service_cpus
            .iter()
            .any(|cpu| self.bench_cpus.contains(cpu))
    }
}

/// CPUs grouped by the core they are hardware threads of, in ascending order of their first.
fn cores_of(cpus: &[u32], siblings: impl Fn(u32) -> Vec<u32>) -> Vec<Vec<u32>> {
    let mut cores: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &cpu in cpus {
        let together = siblings(cpu)
            .into_iter()
            .filter(|sibling| cpus.contains(sibling));
        let first = together.chain([cpu]).min().unwrap_or(cpu);
        cores.entry(first).or_default().push(cpu);
    }
    cores.into_values().collect()
}

/// The hardware threads of a CPU's core; none where the kernel does not tell.
fn siblings(cpu: u32) -> Vec<u32> {
    let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    parse_list(&fs::read_to_string(path).unwrap_or_default())
}

/// The numbers of a list as the kernel writes it: "0,4-6".
fn parse_list(text: &str) -> Vec<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
    };
    text.split(',').filter_map(range).flatten().collect()
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

    fn over(cores: &[&[u32]]) -> (Vec<u32>, Vec<u32>) {
        let cores: Vec<Vec<u32>> = cores.iter().map(|core| core.to_vec()).collect();
        let placement = Placement::over(&cores);
        (placement.service_cpus, placement.bench_cpus)
    }

    #[test]
    fn two_cpus_are_one_for_the_service_and_one_for_the_bench() {
        assert_eq!(over(&[&[0], &[1]]), (vec![0], vec![1]));
        assert_eq!(over(&[&[0, 1]]), (vec![0], vec![1]));
        assert!(!Placement::over(&[vec![0], vec![1]]).is_shared());
    }

    #[test]
    fn one_cpu_is_shared() {
        assert_eq!(over(&[&[3]]), (vec![3], vec![3]));
        assert!(Placement::over(&[vec![3]]).is_shared());
    }

    #[test]
    fn more_cpus_are_disjoint_sets_and_all_are_used() {
        for count in 2..=64_u32 {
            let cores: Vec<Vec<u32>> = (0..count).map(|cpu| vec![cpu]).collect();
            let placement = Placement::over(&cores);
            assert!(!placement.service_cpus.is_empty() && !placement.is_shared());
            assert_eq!(
                [placement.service_cpus, placement.bench_cpus].concat(),
                cores.concat()
            );
        }
    }

    #[test]
    fn the_hardware_threads_of_a_core_are_on_one_side() {
        assert_eq!(
            over(&[&[0, 4], &[1, 5], &[2, 6], &[3, 7]]),
            (vec![0, 1, 4, 5], vec![2, 3, 6, 7])
        );
    }

    #[test]
    fn cpus_are_grouped_by_core_as_far_as_they_may_be_used() {
        let siblings = |cpu| vec![cpu % 4, cpu % 4 + 4];
        assert_eq!(
            cores_of(&[0, 1, 4, 7], siblings),
            vec![vec![0, 4], vec![1], vec![7]]
        );
        assert_eq!(cores_of(&[0, 1], |_| Vec::new()), vec![vec![0], vec![1]]);
    }

    #[test]
    fn the_kernels_lists_of_cpus_are_read() {
        assert_eq!(parse_list("0,4-6\n"), vec![0, 4, 5, 6]);
        assert_eq!(parse_list(""), Vec::<u32>::new());
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
