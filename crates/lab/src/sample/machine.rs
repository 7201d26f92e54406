//! What the whole machine did between two instants: busy, stolen and waiting time.

use std::fs;
use std::time::Instant;

/// Counters of the machine at one instant.
#[derive(Clone, Debug)]
pub struct MachineReading {
    at: Instant,
    busy_ticks: u64,
    steal_ticks: u64,
    total_ticks: u64,
    cpu_pressure_us: Option<u64>,
    io_pressure_us: Option<u64>,
    memory_pressure_us: Option<u64>,
}

/// What happened between two readings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MachineUse {
    /// Share of all CPUs' time in which something ran, 0 to 1.
    pub busy_ratio: f64,
    /// Share of all CPUs' time that the hypervisor gave to others, 0 to 1.
    pub steal_ratio: f64,
    /// CPU time of everything on the machine, exact to 10 ms for each CPU.
    pub busy_ns: u64,
    /// Share of wall time in which something waited for a CPU; absent without pressure stall information.
    pub cpu_pressure_ratio: Option<f64>,
    /// Share of wall time in which something waited for a disk.
    pub io_pressure_ratio: Option<f64>,
    /// Share of wall time in which something waited for memory.
    pub memory_pressure_ratio: Option<f64>,
}

impl MachineReading {
    /// Reads `/proc/stat` and `/proc/pressure`; `None` when the kernel does not tell.
    pub fn now() -> Option<MachineReading> {
        let text = fs::read_to_string("/proc/stat").ok()?;
        let [busy_ticks, steal_ticks, total_ticks] = ticks(text.lines().next()?)?;
        Some(MachineReading {
            at: Instant::now(),
            busy_ticks,
            steal_ticks,
            total_ticks,
            cpu_pressure_us: pressure("cpu"),
            io_pressure_us: pressure("io"),
            memory_pressure_us: pressure("memory"),
        })
    }

    /// What happened since an earlier reading.
    pub fn since(&self, earlier: &MachineReading) -> MachineUse {
        let wall_us = self.at.duration_since(earlier.at).as_secs_f64() * 1e6;
        let total = self.total_ticks.saturating_sub(earlier.total_ticks).max(1) as f64;
        let busy_ticks = self.busy_ticks.saturating_sub(earlier.busy_ticks);
        let stalled = |now: Option<u64>, then: Option<u64>| {
            let stalled_us = now?.saturating_sub(then?) as f64;
            (wall_us > 0.0).then(|| (stalled_us / wall_us).min(1.0))
        };
        MachineUse {
            busy_ratio: busy_ticks as f64 / total,
            steal_ratio: self.steal_ticks.saturating_sub(earlier.steal_ticks) as f64 / total,
            busy_ns: busy_ticks * (1_000_000_000 / rustix::param::clock_ticks_per_second()),
            cpu_pressure_ratio: stalled(self.cpu_pressure_us, earlier.cpu_pressure_us),
            io_pressure_ratio: stalled(self.io_pressure_us, earlier.io_pressure_us),
            memory_pressure_ratio: stalled(self.memory_pressure_us, earlier.memory_pressure_us),
        }
    }
}

impl MachineUse {
    /// CPU time of everything but what took `ours_ns` in the same time, exact to 10 ms for each CPU.
    pub fn foreign_ns(&self, ours_ns: u64) -> u64 {
        self.busy_ns.saturating_sub(ours_ns)
    }
}

/// Ticks of each CPU at one instant.
#[derive(Clone, Debug, Default)]
pub struct CpusReading(std::collections::BTreeMap<u32, [u64; 3]>);

impl CpusReading {
    /// Reads `/proc/stat`; nothing where the kernel does not tell.
    pub fn now() -> CpusReading {
        CpusReading::of(&fs::read_to_string("/proc/stat").unwrap_or_default())
    }

    fn of(text: &str) -> CpusReading {
        let one = |line: &str| {
            let (name, rest) = line.strip_prefix("cpu")?.split_once(' ')?;
            Some((name.parse().ok()?, ticks(&format!("cpu {rest}"))?))
        };
        CpusReading(text.lines().filter_map(one).collect())
    }

    /// Share of the time of these CPUs, since an earlier reading, in which something ran on them or they were
    /// given to others by the hypervisor: 0 to 1. `None` where it is not known.
    pub fn busy_ratio_since(&self, earlier: &CpusReading, cpus: &[u32]) -> Option<f64> {
        let (mut busy, mut total) = (0, 0);
        for cpu in cpus {
            let (now, then) = (self.0.get(cpu)?, earlier.0.get(cpu)?);
            let [ran, stolen, all] =
                [0, 1, 2].map(|index: usize| now[index].saturating_sub(then[index]));
            busy += ran + stolen;
            total += all;
        }
        (total > 0).then(|| busy as f64 / total as f64)
    }
}

/// Lowest and highest clock frequency of these CPUs now, in kHz; `None` where the kernel does not tell, as on most
/// virtual machines.
pub fn frequencies_khz(cpus: &[u32]) -> Option<(u64, u64)> {
    let read = |cpu: &u32| {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq");
        fs::read_to_string(path).ok()?.trim().parse::<u64>().ok()
    };
    let all: Vec<u64> = cpus.iter().filter_map(read).collect();
    Some((*all.iter().min()?, *all.iter().max()?))
}

/// Busy, stolen and all ticks of the first line of `/proc/stat`: user, nice, system, idle, iowait, irq,
/// softirq, steal (proc(5)); guest time is already in user.
fn ticks(line: &str) -> Option<[u64; 3]> {
    let mut fields = line.split_whitespace();
    fields.next().filter(|&name| name == "cpu")?;
    let counts: Vec<u64> = fields
        .take(8)
        .map_while(|field| field.parse().ok())
        .collect();
    let &[
        user,
        nice,
        system,
        idle,
        waiting,
        interrupt,
        soft_interrupt,
        steal,
    ] = counts.as_slice()
    else {
        return None;
    };
    let busy = user + nice + system + interrupt + soft_interrupt;
    Some([busy, steal, busy + idle + waiting + steal])
}

/// Time in which some task stalled, since boot.
fn pressure(resource: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/pressure/{resource}")).ok()?;
    let line = text.lines().find(|line| line.starts_with("some"))?;
    line.rsplit_once("total=")?.1.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_disk_is_idle_and_steal_is_neither() {
        let [busy, steal, total] = ticks("cpu  10 20 30 1000 500 1 2 7 4 0").expect("eight counts");
        assert_eq!((busy, steal, total), (63, 7, 1570));
    }

    #[test]
    fn some_cpus_are_read_apart_from_the_others() {
        let then =
            CpusReading::of("cpu 0 0 0 0 0 0 0 0\ncpu0 10 0 0 10 0 0 0 0\ncpu1 0 0 0 20 0 0 0 0\n");
        let now =
            CpusReading::of("cpu 0 0 0 0 0 0 0 0\ncpu0 19 0 0 11 0 0 0 0\ncpu1 0 0 0 30 0 0 0 0\n");
        assert_eq!(now.busy_ratio_since(&then, &[0]), Some(0.9));
        assert_eq!(now.busy_ratio_since(&then, &[0, 1]), Some(0.45));
        assert_eq!(now.busy_ratio_since(&then, &[2]), None);
        assert_eq!(now.busy_ratio_since(&then, &[]), None);
    }

    #[test]
    fn shares_are_between_none_and_all() {
        let Some(before) = MachineReading::now() else {
            return;
        };
        let mut value = 1_u64;
        for step in 0..20_000_000_u64 {
            value = std::hint::black_box(value.wrapping_mul(step | 1));
        }
        let used = MachineReading::now()
            .expect("readable before")
            .since(&before);
        assert!((0.0..=1.0).contains(&used.busy_ratio), "{used:?}");
        assert!((0.0..=1.0).contains(&used.steal_ratio), "{used:?}");
    }
}
