//! What the machine did to a block besides what the run asked of it, and whether that voids the block.

use std::collections::BTreeMap;

use record::{Trial, VoidedBlock};
use stats::environment::{Breach, Conditions, Limits, Rule, breaches, usual_canary};
use stats::quantile::median;

use crate::sample::{MachineReading, frequencies_khz, this_process_cpu_ns};

/// Blocks that tell what CPU pressure is usual.
const BLOCKS_FOR_USUAL: usize = 3;

/// Adds up, over the slices of a block, what did not belong to the run.
#[derive(Debug, Default)]
pub struct BlockWatch {
    foreign_ns: Option<u64>,
    stolen_s: f64,
    /// Time in which something waited for a CPU, a disk, memory; absent without pressure stall information.
    pressure_s: [Option<f64>; 3],
    /// Lowest and highest clock frequency of the services' CPUs just after a slice.
    frequency_khz: Option<(u64, u64)>,
    wall_s: f64,
}

/// The machine at the start of a slice.
pub struct Mark {
    machine: Option<MachineReading>,
    ours_ns: Option<u64>,
    frequency_khz: Option<(u64, u64)>,
}

impl Mark {
    /// Reads the machine. `trees_ns` is the CPU time of every service and of the database so far; `None` when
    /// some of them are not known, so that nobody can be called foreign.
    pub fn now(trees_ns: Option<u64>, service_cpus: &[u32]) -> Mark {
        Mark {
            machine: MachineReading::now(),
            ours_ns: trees_ns.map(|trees_ns| trees_ns + this_process_cpu_ns()),
            frequency_khz: frequencies_khz(service_cpus),
        }
    }
}

impl BlockWatch {
    /// Adds a slice that took `wall_s`.
    pub fn add(&mut self, before: &Mark, after: &Mark, wall_s: f64) {
        let (Some(then), Some(now)) = (&before.machine, &after.machine) else {
            return;
        };
        let seen = now.since(then);
        if let (Some(then_ns), Some(now_ns)) = (before.ours_ns, after.ours_ns) {
            let foreign_ns = seen.foreign_ns(now_ns.saturating_sub(then_ns));
            self.foreign_ns = Some(self.foreign_ns.unwrap_or(0) + foreign_ns);
        }
        self.stolen_s += seen.steal_ratio * wall_s;
        let pressures = [
            seen.cpu_pressure_ratio,
            seen.io_pressure_ratio,
            seen.memory_pressure_ratio,
        ];
        for (sum, ratio) in self.pressure_s.iter_mut().zip(pressures) {
            if let Some(ratio) = ratio {
                *sum.get_or_insert(0.0) += ratio * wall_s;
            }
        }
        if let Some((low, high)) = after.frequency_khz {
            let (lowest, highest) = self.frequency_khz.unwrap_or((low, high));
            self.frequency_khz = Some((lowest.min(low), highest.max(high)));
        }
        self.wall_s += wall_s;
    }

    /// The rules that the block broke, in words; `None` when it broke none. `earlier` are the trials of the
    /// blocks before it, from which it follows what the canary usually takes.
    pub fn void(&self, block: u32, trials: &[Trial], earlier: &[Trial]) -> Option<VoidedBlock> {
        let all: Vec<f64> = canaries(earlier).chain(canaries(trials)).collect();
        let over_wall = |part: f64| (self.wall_s > 0.0).then(|| part / self.wall_s);
        let [cpu, disk, memory] = self.pressure_s;
        let conditions = Conditions {
            steal_ratio: over_wall(self.stolen_s),
            foreign_cpu_ratio: self.foreign_ns.and_then(|ns| over_wall(ns as f64 / 1e9)),
            pressure_ratio: [disk, memory]
                .into_iter()
                .filter_map(|waited| over_wall(waited?))
                .reduce(f64::max),
            cpu_pressure_excess_ratio: cpu
                .and_then(over_wall)
                .zip(usual_pressure(earlier))
                .map(|(found, usual)| found - usual),
            frequency_ratio: self
                .frequency_khz
                .map(|(lowest, highest)| lowest as f64 / highest.max(1) as f64),
            canary_ns: median(&canaries(trials).collect::<Vec<_>>()),
        };
        let broken = breaches(&conditions, &Limits::default(), usual_canary(&all).as_ref());
        let reasons: Vec<String> = broken.iter().map(words).collect();
        (!reasons.is_empty()).then(|| VoidedBlock {
            block,
            reason: reasons.join("; "),
        })
    }
}

fn canaries(trials: &[Trial]) -> impl Iterator<Item = f64> + '_ {
    trials
        .iter()
        .flat_map(|trial| &trial.slices)
        .filter_map(|slice| slice.canary_ns)
        .map(|ns| ns as f64)
}

/// CPU pressure of the blocks so far: the median of at least three, of the means over their trials.
fn usual_pressure(earlier: &[Trial]) -> Option<f64> {
    let mut blocks: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for trial in earlier {
        let pressure = trial.metrics.get("cpu_pressure_ratio").copied();
        blocks.entry(trial.block).or_default().extend(pressure);
    }
    let means: Vec<f64> = blocks
        .values()
        .filter(|values| !values.is_empty())
        .map(|values| values.iter().sum::<f64>() / values.len() as f64)
        .collect();
    median(&means).filter(|_| means.len() >= BLOCKS_FOR_USUAL)
}

fn words(breach: &Breach) -> String {
    let (found, limit) = (breach.found_ratio * 100.0, breach.limit_ratio * 100.0);
    match breach.rule {
        Rule::Steal => format!("the hypervisor took {found:.1} % of the time (limit {limit:.0} %)"),
        Rule::Pressure => {
            format!(
                "something waited for a disk or for memory {found:.0} % of the time (limit {limit:.0} %)"
            )
        }
        Rule::CpuPressure => format!(
            "something waited for a CPU for {found:.0} % more of the time than usual (limit {limit:.0} %)"
        ),
        Rule::ForeignCpu => {
            format!("other processes used {found:.0} % of a core (limit {limit:.0} %)")
        }
        Rule::Frequency => format!("the clock fell to {found:.0} % (limit {limit:.0} %)"),
        Rule::Canary => {
            format!("the canary was off its usual time by {found:.0} % (limit {limit:.0} %)")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_neighbour_and_a_thief_void_a_block_and_are_named() {
        let watch = BlockWatch {
            foreign_ns: Some(4_000_000_000),
            stolen_s: 0.5,
            wall_s: 10.0,
            ..BlockWatch::default()
        };
        let void = watch.void(3, &[], &[]).unwrap();
        assert_eq!(void.block, 3);
        assert!(
            void.reason.contains("took 5.0 %") && void.reason.contains("40 % of a core"),
            "{}",
            void.reason
        );
    }

    #[test]
    fn a_quiet_block_stands() {
        let watch = BlockWatch {
            foreign_ns: Some(100_000_000),
            stolen_s: 0.0,
            wall_s: 10.0,
            ..BlockWatch::default()
        };
        assert_eq!(watch.void(1, &[], &[]), None);
        assert_eq!(BlockWatch::default().void(1, &[], &[]), None);
    }

    #[test]
    fn waiting_for_a_disk_and_a_falling_clock_void_a_block() {
        let watch = BlockWatch {
            pressure_s: [Some(9.0), Some(2.0), Some(0.1)],
            frequency_khz: Some((800_000, 3_200_000)),
            wall_s: 10.0,
            ..BlockWatch::default()
        };
        let reason = watch.void(1, &[], &[]).unwrap().reason;
        assert!(
            reason.contains("for a disk or for memory 20 %") && reason.contains("fell to 25 %"),
            "{reason}"
        );
        // Ten services on one CPU wait for it all the time, and nobody knows yet what is usual.
        assert!(!reason.contains("for a CPU"), "{reason}");
    }

    #[test]
    fn cpu_pressure_voids_a_block_only_against_what_three_others_showed() {
        let trial = |block, ratio: f64| {
            let text = format!(
                r#"{{"schema":"bancada.trial/1","trial":"t","block":{block},"treatment":"t","position":1,"started_at":"",
                "ended_at":"","status":"VALID","metrics":{{"cpu_pressure_ratio":{ratio}}},"outcomes":{{}}}}"#
            );
            serde_json::from_str::<Trial>(&text).expect("a trial")
        };
        let watch = BlockWatch {
            pressure_s: [Some(9.0), None, None],
            wall_s: 10.0,
            ..BlockWatch::default()
        };
        let earlier: Vec<Trial> = (1..=3).map(|block| trial(block, 0.6)).collect();
        assert_eq!(watch.void(3, &[], &earlier[..2]), None);
        let reason = watch.void(4, &[], &earlier).unwrap().reason;
        assert!(reason.contains("30 % more of the time"), "{reason}");
        let busy: Vec<Trial> = (1..=3).map(|block| trial(block, 0.8)).collect();
        assert_eq!(watch.void(4, &[], &busy), None);
    }
}
