//! What the machine did to a block besides what the run asked of it, and whether that voids the block.

use record::{Trial, VoidedBlock};
use stats::environment::{Breach, Conditions, Limits, Rule, breaches, usual_canary};
use stats::quantile::median;

use crate::sample::{MachineReading, this_process_cpu_ns};

/// Adds up, over the slices of a block, what did not belong to the run.
#[derive(Debug, Default)]
pub struct BlockWatch {
    foreign_ns: Option<u64>,
    stolen_s: f64,
    wall_s: f64,
}

/// The machine at the start of a slice.
pub struct Mark {
    machine: Option<MachineReading>,
    ours_ns: Option<u64>,
}

impl Mark {
    /// Reads the machine. `trees_ns` is the CPU time of every service and of the database so far; `None` when
    /// some of them are not known, so that nobody can be called foreign.
    pub fn now(trees_ns: Option<u64>) -> Mark {
        Mark {
            machine: MachineReading::now(),
            ours_ns: trees_ns.map(|trees_ns| trees_ns + this_process_cpu_ns()),
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
        self.wall_s += wall_s;
    }

    /// The rules that the block broke, in words; `None` when it broke none. `earlier` are the trials of the
    /// blocks before it, from which it follows what the canary usually takes.
    pub fn void(&self, block: u32, trials: &[Trial], earlier: &[Trial]) -> Option<VoidedBlock> {
        let all: Vec<f64> = canaries(earlier).chain(canaries(trials)).collect();
        let over_wall = |part: f64| (self.wall_s > 0.0).then(|| part / self.wall_s);
        let conditions = Conditions {
            steal_ratio: over_wall(self.stolen_s),
            foreign_cpu_ratio: self.foreign_ns.and_then(|ns| over_wall(ns as f64 / 1e9)),
            canary_ns: median(&canaries(trials).collect::<Vec<_>>()),
            ..Conditions::default()
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

fn words(breach: &Breach) -> String {
    let (found, limit) = (breach.found_ratio * 100.0, breach.limit_ratio * 100.0);
    match breach.rule {
        Rule::Steal => format!("the hypervisor took {found:.1} % of the time (limit {limit:.0} %)"),
        Rule::Pressure => {
            format!("tasks waited for a CPU {found:.0} % of the time (limit {limit:.0} %)")
        }
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
        };
        assert_eq!(watch.void(1, &[], &[]), None);
        assert_eq!(BlockWatch::default().void(1, &[], &[]), None);
    }
}
