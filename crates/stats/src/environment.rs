//! When a whole block is void: by what its environment did, never by how its figures came out.
//!
//! The limits are fixed before the run. A void block is kept, counted and shown; it gives no ratios.

use crate::quantile;

/// What the environment did during one block. What was not measured is absent and voids nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Conditions {
    /// CPU time that the hypervisor gave to others, over the time of all CPUs.
    pub steal_ratio: Option<f64>,
    /// Share of the time in which some task waited for a disk or for memory (pressure stall, `some`), whichever is
    /// more. A measured service causes neither.
    pub pressure_ratio: Option<f64>,
    /// Share of the time in which some task waited for a CPU, beyond what is usual in this run: services under load
    /// cause much of it themselves.
    pub cpu_pressure_excess_ratio: Option<f64>,
    /// CPU time of processes that do not belong to the run, in cores.
    pub foreign_cpu_ratio: Option<f64>,
    /// Lowest over highest clock frequency seen.
    pub frequency_ratio: Option<f64>,
    /// Median time of the canary job in the block.
    pub canary_ns: Option<f64>,
}

/// The canary job over the pilot, or over all blocks: what is usual on this machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsualCanary {
    /// Median of its times.
    pub median_ns: f64,
    /// Median absolute deviation of its times, scaled by 1.4826 to estimate a standard deviation.
    pub deviation_ns: f64,
}

/// Scale that makes a median absolute deviation estimate the standard deviation of normal values.
const NORMAL_SCALE: f64 = 1.4826;

/// What is usual from the canary's times, one a block or one a slice; `None` of none.
pub fn usual_canary(times_ns: &[f64]) -> Option<UsualCanary> {
    Some(UsualCanary {
        median_ns: quantile::median(times_ns)?,
        deviation_ns: NORMAL_SCALE * quantile::median_absolute_deviation(times_ns)?,
    })
}

/// Limits beyond which a block is void.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Largest steal: 0.01.
    pub steal_ratio: f64,
    /// Largest pressure: 0.10.
    pub pressure_ratio: f64,
    /// Largest excess of CPU pressure: 0.25, as much as foreign CPU may take.
    pub cpu_pressure_excess_ratio: f64,
    /// Largest foreign CPU: 0.25 of a core. A desk machine is never quite idle, and a neighbour who takes his
    /// share all the time divides out of slices that lie seconds apart; one who takes much of a core does not.
    pub foreign_cpu_ratio: f64,
    /// Smallest lowest-over-highest frequency: 0.90.
    pub frequency_ratio: f64,
    /// Deviations from its median that the canary may be off, either way: 3.
    pub canary_deviations: f64,
    /// Least deviation, as a ratio of the canary's median, below which it is never off: 0.02. On a very
    /// still machine three deviations are nothing.
    pub canary_floor_ratio: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            steal_ratio: 0.01,
            pressure_ratio: 0.10,
            cpu_pressure_excess_ratio: 0.25,
            foreign_cpu_ratio: 0.25,
            frequency_ratio: 0.90,
            canary_deviations: 3.0,
            canary_floor_ratio: 0.02,
        }
    }
}

/// A rule about the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Steal above its limit.
    Steal,
    /// Pressure above its limit.
    Pressure,
    /// CPU pressure above what is usual by more than its limit.
    CpuPressure,
    /// Foreign CPU above its limit.
    ForeignCpu,
    /// Frequency below its limit.
    Frequency,
    /// Canary off its median by more than its limit.
    Canary,
}

/// A rule that a block broke. `found` and `limit` are ratios; for the canary, of its distance to its median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Breach {
    /// Which rule.
    pub rule: Rule,
    /// What the block showed.
    pub found_ratio: f64,
    /// What would have been allowed.
    pub limit_ratio: f64,
}

/// The rules that a block broke; it is void unless there are none.
pub fn breaches(
    conditions: &Conditions,
    limits: &Limits,
    usual: Option<&UsualCanary>,
) -> Vec<Breach> {
    let above = |rule, found: Option<f64>, limit| {
        found
            .filter(|found| *found > limit)
            .map(|found_ratio| Breach {
                rule,
                found_ratio,
                limit_ratio: limit,
            })
    };
    let frequency = conditions
        .frequency_ratio
        .filter(|found| *found < limits.frequency_ratio)
        .map(|found_ratio| Breach {
            rule: Rule::Frequency,
            found_ratio,
            limit_ratio: limits.frequency_ratio,
        });
    let canary = conditions.canary_ns.zip(usual).and_then(|(found, usual)| {
        let limit = (limits.canary_deviations * usual.deviation_ns / usual.median_ns)
            .max(limits.canary_floor_ratio);
        above(
            Rule::Canary,
            Some((found / usual.median_ns - 1.0).abs()),
            limit,
        )
    });
    let all = [
        above(Rule::Steal, conditions.steal_ratio, limits.steal_ratio),
        above(
            Rule::Pressure,
            conditions.pressure_ratio,
            limits.pressure_ratio,
        ),
        above(
            Rule::CpuPressure,
            conditions.cpu_pressure_excess_ratio,
            limits.cpu_pressure_excess_ratio,
        ),
        above(
            Rule::ForeignCpu,
            conditions.foreign_cpu_ratio,
            limits.foreign_cpu_ratio,
        ),
        frequency,
        canary,
    ];
    all.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(conditions: Conditions, usual: Option<UsualCanary>) -> Vec<Rule> {
        let found = breaches(&conditions, &Limits::default(), usual.as_ref());
        found.iter().map(|breach| breach.rule).collect()
    }

    #[test]
    fn each_rule_breaks_beyond_its_limit_and_not_at_it() {
        let quiet = Conditions::default();
        let table = [
            (
                Conditions {
                    steal_ratio: Some(0.01),
                    ..quiet
                },
                vec![],
            ),
            (
                Conditions {
                    steal_ratio: Some(0.011),
                    ..quiet
                },
                vec![Rule::Steal],
            ),
            (
                Conditions {
                    pressure_ratio: Some(0.2),
                    ..quiet
                },
                vec![Rule::Pressure],
            ),
            (
                Conditions {
                    cpu_pressure_excess_ratio: Some(0.3),
                    ..quiet
                },
                vec![Rule::CpuPressure],
            ),
            (
                Conditions {
                    foreign_cpu_ratio: Some(0.05),
                    ..quiet
                },
                vec![],
            ),
            (
                Conditions {
                    foreign_cpu_ratio: Some(0.33),
                    frequency_ratio: Some(0.5),
                    ..quiet
                },
                vec![Rule::ForeignCpu, Rule::Frequency],
            ),
        ];
        for (conditions, wanted) in table {
            assert_eq!(broken(conditions, None), wanted, "{conditions:?}");
        }
    }

    #[test]
    fn a_canary_is_off_by_more_than_three_deviations_either_way() {
        let usual = usual_canary(&[96.0, 98.0, 100.0, 102.0, 104.0]);
        let canary = |ns| Conditions {
            canary_ns: Some(ns),
            ..Conditions::default()
        };
        assert_eq!(broken(canary(108.0), usual), []);
        assert_eq!(broken(canary(109.0), usual), [Rule::Canary]);
        assert_eq!(broken(canary(91.0), usual), [Rule::Canary]);
    }

    #[test]
    fn on_a_still_machine_a_small_change_voids_nothing() {
        let usual = usual_canary(&[100.0; 6]);
        let canary = |ns| Conditions {
            canary_ns: Some(ns),
            ..Conditions::default()
        };
        assert_eq!(broken(canary(101.5), usual), []);
        assert_eq!(broken(canary(103.0), usual), [Rule::Canary]);
    }

    #[test]
    fn what_was_not_measured_voids_nothing() {
        assert_eq!(broken(Conditions::default(), usual_canary(&[1.0, 2.0])), []);
        let canary = Conditions {
            canary_ns: Some(5.0),
            ..Conditions::default()
        };
        assert_eq!(broken(canary, usual_canary(&[])), []);
    }
}
