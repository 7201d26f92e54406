//! What the machine did to a block besides what the run asked of it, and whether that voids the block.

use std::collections::BTreeMap;

use record::{Trial, VoidedBlock};
use stats::environment::{Breach, Conditions, Limits, Rule, breaches, usual_canary};
use stats::quantile::median;

use crate::sample::{MachineReading, frequencies_khz, this_process_cpu_ns};

/// Blocks that tell what CPU pressure, or what use of foreign CPU, is usual.
const BLOCKS_FOR_USUAL: usize = 3;

/// Adds up, over the slices of a block, what did not belong to the run.
#[derive(Debug, Default)]
pub struct BlockWatch {
    foreign_ns: Option<u64>,
    against: Against,
    stolen_s: f64,
    /// Time in which something waited for a disk, for memory; absent without pressure stall information.
    pressure_s: [Option<f64>; 2],
    /// Lowest and highest clock frequency of the services' CPUs just after a slice.
    frequency_khz: Option<(u64, u64)>,
    wall_s: f64,
}

/// What foreign CPU is held against.
#[derive(Clone, Copy, Debug, Default)]
enum Against {
    /// Nothing: all of it counts.
    #[default]
    Zero,
    /// What is usual, in cores; absent while too few blocks tell.
    Usual(Option<f64>),
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
        let pressures = [seen.io_pressure_ratio, seen.memory_pressure_ratio];
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

    /// CPU that processes outside the run used, in cores; `None` where that is not known.
    pub fn foreign_cpu_ratio(&self) -> Option<f64> {
        let used_s = self.foreign_ns? as f64 / 1e9;
        (self.wall_s > 0.0).then(|| used_s / self.wall_s)
    }

    /// Holds the foreign CPU against the median of what at least three earlier blocks showed, in cores. With fewer
    /// it is not judged.
    pub fn hold_against(&mut self, earlier_ratios: &[f64]) {
        let usual = median(earlier_ratios).filter(|_| earlier_ratios.len() >= BLOCKS_FOR_USUAL);
        self.against = Against::Usual(usual);
    }

    /// What of the foreign CPU is judged, in cores.
    fn judged_foreign_cpu_ratio(&self) -> Option<f64> {
        let found = self.foreign_cpu_ratio()?;
        match self.against {
            Against::Zero => Some(found),
            Against::Usual(usual) => Some((found - usual?).max(0.0)),
        }
    }

    /// The rules that the block broke, in words; `None` when it broke none. `earlier` are the trials of the
    /// blocks before it, from which it follows what the canary usually takes.
    pub fn void(&self, block: u32, trials: &[Trial], earlier: &[Trial]) -> Option<VoidedBlock> {
        let all: Vec<f64> = canaries(earlier).chain(canaries(trials)).collect();
        let over_wall = |part: f64| (self.wall_s > 0.0).then(|| part / self.wall_s);
        let [disk, memory] = self.pressure_s;
        let conditions = Conditions {
            steal_ratio: over_wall(self.stolen_s),
            foreign_cpu_ratio: self.judged_foreign_cpu_ratio(),
            pressure_ratio: [disk, memory]
                .into_iter()
                .filter_map(|waited| over_wall(waited?))
                .reduce(f64::max),
            // Of the main slices alone, as what is usual: a cold phase keeps a CPU as busy as it can.
            cpu_pressure_excess_ratio: pressures(trials)
                .first()
                .copied()
                .zip(usual_pressure(earlier))
                .map(|(found, usual)| found - usual),
            frequency_ratio: self
                .frequency_khz
                .map(|(lowest, highest)| lowest as f64 / highest.max(1) as f64),
            canary_ns: median(&canaries(trials).collect::<Vec<_>>()),
        };
        let broken = breaches(&conditions, &Limits::default(), usual_canary(&all).as_ref());
        let reasons: Vec<String> = broken.iter().map(|breach| self.words(breach)).collect();
        (!reasons.is_empty()).then(|| VoidedBlock {
            block,
            reason: reasons.join("; "),
        })
    }

    fn words(&self, breach: &Breach) -> String {
        let more = match self.against {
            Against::Usual(_) => " more than usual",
            Against::Zero => "",
        };
        let (found, limit) = (breach.found_ratio * 100.0, breach.limit_ratio * 100.0);
        match breach.rule {
            Rule::Steal => {
                format!("the hypervisor took {found:.1} % of the time (limit {limit:.0} %)")
            }
            Rule::Pressure => format!(
                "something waited for a disk or for memory {found:.0} % of the time (limit {limit:.0} %)"
            ),
            Rule::CpuPressure => format!(
                "something waited for a CPU for {found:.0} % more of the time than usual (limit {limit:.0} %)"
            ),
            Rule::ForeignCpu => {
                format!("other processes used {found:.0} % of a core{more} (limit {limit:.0} %)")
            }
            Rule::Frequency => format!("the clock fell to {found:.0} % (limit {limit:.0} %)"),
            Rule::Canary => {
                format!("the canary was off its usual time by {found:.0} % (limit {limit:.0} %)")
            }
        }
    }
}

fn canaries(trials: &[Trial]) -> impl Iterator<Item = f64> + '_ {
    trials
        .iter()
        .flat_map(|trial| &trial.slices)
        .filter_map(|slice| slice.canary_ns)
        .map(|ns| ns as f64)
}

/// CPU pressure of the blocks so far: the median of at least three.
fn usual_pressure(earlier: &[Trial]) -> Option<f64> {
    let blocks = pressures(earlier);
    median(&blocks).filter(|_| blocks.len() >= BLOCKS_FOR_USUAL)
}

/// CPU pressure of each block that has it, over its main slices: the mean over its trials.
fn pressures(trials: &[Trial]) -> Vec<f64> {
    let mut blocks: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for trial in trials {
        let pressure = trial.metrics.get("cpu_pressure_ratio").copied();
        blocks.entry(trial.block).or_default().extend(pressure);
    }
    blocks
        .values()
        .filter(|values| !values.is_empty())
        .map(|values| values.iter().sum::<f64>() / values.len() as f64)
        .collect()
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
            pressure_s: [Some(2.0), Some(0.1)],
            frequency_khz: Some((800_000, 3_200_000)),
            wall_s: 10.0,
            ..BlockWatch::default()
        };
        let reason = watch.void(1, &[], &[]).unwrap().reason;
        assert!(
            reason.contains("for a disk or for memory 20 %") && reason.contains("fell to 25 %"),
            "{reason}"
        );
    }

    /// A trial whose main slices saw this CPU pressure.
    fn trial(block: u32, ratio: f64) -> Trial {
        let text = format!(
            r#"{{"schema":"bancada.trial/1","trial":"t","block":{block},"treatment":"t","position":1,"started_at":"",
            "ended_at":"","status":"VALID","metrics":{{"cpu_pressure_ratio":{ratio}}},"outcomes":{{}}}}"#
        );
        serde_json::from_str::<Trial>(&text).expect("a trial")
    }

    #[test]
    fn cpu_pressure_voids_a_block_only_against_what_three_others_showed() {
        let watch = BlockWatch::default();
        let now = [trial(4, 0.9)];
        let earlier: Vec<Trial> = (1..=3).map(|block| trial(block, 0.6)).collect();
        // Ten services on one CPU wait for it all the time, and nobody knows yet what is usual.
        assert_eq!(watch.void(4, &now, &earlier[..2]), None);
        let reason = watch.void(4, &now, &earlier).unwrap().reason;
        assert!(reason.contains("30 % more of the time"), "{reason}");
        let busy: Vec<Trial> = (1..=3).map(|block| trial(block, 0.8)).collect();
        assert_eq!(watch.void(4, &now, &busy), None);
    }

    #[test]
    fn a_database_of_the_services_own_voids_no_block_and_a_neighbour_that_comes_does() {
        let watch = |used_s: u64, earlier: &[f64]| {
            let mut watch = BlockWatch {
                foreign_ns: Some(used_s * 1_000_000_000),
                wall_s: 10.0,
                ..BlockWatch::default()
            };
            watch.hold_against(earlier);
            watch
        };
        assert_eq!(watch(6, &[]).foreign_cpu_ratio(), Some(0.6));
        assert_eq!(watch(6, &[]).void(1, &[], &[]), None);
        assert_eq!(watch(9, &[0.6, 0.6]).void(3, &[], &[]), None);
        assert_eq!(watch(6, &[0.6, 0.5, 0.7]).void(4, &[], &[]), None);
        let reason = watch(10, &[0.6, 0.5, 0.7])
            .void(4, &[], &[])
            .unwrap()
            .reason;
        assert!(
            reason.contains("40 % of a core more than usual"),
            "{reason}"
        );
    }
}
