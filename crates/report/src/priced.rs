//! What answers cost at the reader's prices, and what would suffice for a load that the reader names.
//!
//! Pure arithmetic over the blocks of the findings, so that every sum of money has an interval.

use std::collections::BTreeMap;

use crate::findings::{
    CapacityPlan, Cost, CostBlock, Findings, PlannedTreatment, Priced, PricedTreatment, Prices,
    Suffices,
};
use crate::text::counted;
use crate::{figures, ladder, units};

const GIB_BYTES: f64 = 1_073_741_824.0;
const HOUR_S: f64 = 3_600.0;
/// The part of an answer's cost that no plan has cores for.
const DATABASE_CPU: &str = "database_cpu_per_good_answer_us";
/// Microseconds an answer are seconds a million answers.
const MILLION: f64 = 1e6;

/// Every treatment at `prices`, the cheapest first.
///
/// A core is paid for as long as it works, and for the time that is kept free; memory for as long as answers are
/// made at the closed-loop rate, kept free alike.
pub fn priced(findings: &Findings, prices: &Prices) -> Priced {
    let baseline = findings
        .cost
        .iter()
        .find(|cost| cost.treatment == findings.baseline);
    let baseline = baseline.map(|cost| by_block(cost, prices, false));
    let one = |cost: &Cost| {
        let money = by_block(cost, prices, false);
        let with_database = by_block(cost, prices, true);
        let values = |of: &BTreeMap<u32, f64>| of.values().copied().collect::<Vec<f64>>();
        let against = baseline
            .as_ref()
            .filter(|_| cost.treatment != findings.baseline);
        Some(PricedTreatment {
            treatment: cost.treatment.clone(),
            title: cost.title.clone(),
            money_per_million: figures::geometric(&values(&money))?,
            money_per_million_with_database: figures::geometric(&values(&with_database)),
            saved_per_million: against.and_then(|baseline| ladder::added(baseline, &money)),
        })
    };
    let mut treatments: Vec<PricedTreatment> = findings.cost.iter().filter_map(one).collect();
    treatments.sort_by(|one, other| {
        let money = |found: &PricedTreatment| found.money_per_million.estimate;
        money(one).total_cmp(&money(other))
    });
    Priced {
        prices: prices.clone(),
        treatments,
    }
}

/// Money for a million answers in each block that has what the prices are for.
fn by_block(cost: &Cost, prices: &Prices, with_database: bool) -> BTreeMap<u32, f64> {
    let blocks = cost.blocks.iter();
    blocks
        .filter_map(|block| Some((block.block, money(block, prices, with_database)?)))
        .filter(|(_, money)| *money > 0.0 && money.is_finite())
        .collect()
}

fn money(block: &CostBlock, prices: &Prices, with_database: bool) -> Option<f64> {
    let database = match with_database {
        true => block.database_cpu_us?,
        false => 0.0,
    };
    let core_s = (block.service_cpu_us + database) / prices.utilisation_ratio;
    let memory = match prices.gib_hour > 0.0 {
        true => {
            let rate = block.completion_rate_per_s? * prices.utilisation_ratio;
            block.memory_bytes? / GIB_BYTES * MILLION / rate * prices.gib_hour
        }
        false => 0.0,
    };
    Some((core_s * prices.core_hour + memory) / HOUR_S)
}

/// Which treatments answer `rate_per_s` requests with a p99 below `p99_ns`, on how many cores.
///
/// From the capacity under the objective where it was measured under a bound at least as strict, at the near end of
/// its interval; else from the CPU time of an answer, at the far end, with the cores used to `utilisation_ratio`.
pub fn plan(
    findings: &Findings,
    rate_per_s: f64,
    p99_ns: f64,
    utilisation_ratio: f64,
    prices: Option<&Prices>,
) -> CapacityPlan {
    let asked = Asked {
        findings,
        rate_per_s,
        p99_ns,
        utilisation_ratio,
        service_cores: findings.design.service_cpus.len().max(1) as u64,
    };
    let mut treatments: Vec<PlannedTreatment> = findings
        .treatments
        .iter()
        .filter_map(|treatment| {
            let cost = findings
                .cost
                .iter()
                .find(|cost| cost.treatment == treatment.name);
            asked
                .measured(&treatment.name, &treatment.title)
                .or_else(|| asked.worked_out(cost?))
        })
        .map(|planned| asked.with_memory(planned, prices))
        .map(|planned| asked.without_database(planned))
        .collect();
    treatments.sort_by(|one, other| {
        let refused = |found: &PlannedTreatment| found.suffices == Suffices::No;
        let size = |found: &PlannedTreatment| {
            found.money_per_hour.unwrap_or(
                found
                    .cores_count
                    .map_or(f64::INFINITY, |count| count as f64),
            )
        };
        refused(one)
            .cmp(&refused(other))
            .then(size(one).total_cmp(&size(other)))
    });
    CapacityPlan {
        rate_per_s,
        p99_ns,
        treatments,
    }
}

/// What the reader asked for.
struct Asked<'a> {
    findings: &'a Findings,
    rate_per_s: f64,
    p99_ns: f64,
    utilisation_ratio: f64,
    service_cores: u64,
}

impl Asked<'_> {
    /// From the capacity that was found under an objective at least as strict.
    fn measured(&self, name: &str, title: &str) -> Option<PlannedTreatment> {
        let objective = self.findings.design.objective.as_deref()?;
        let bound_ns = p99_bound_ns(objective).filter(|bound| *bound <= self.p99_ns)?;
        let levels = self.findings.levels.iter();
        let mut found = levels
            .filter(|level| level.load == "capacity")
            .filter_map(|level| level.treatment(name));
        let level = found.next()?;
        let Some(figure) = level.figures.get("capacity_under_objective_per_s") else {
            return Some(self.without_capacity(name, title, level.usable_count));
        };
        let near = figure.low.unwrap_or(figure.estimate);
        let services = (self.rate_per_s / near).ceil().max(1.0) as u64;
        Some(PlannedTreatment {
            treatment: name.to_owned(),
            title: title.to_owned(),
            suffices: Suffices::Measured,
            basis: format!(
                "one service did {}/s or more with its p99 below {}",
                units::digits(near),
                units::with_unit("ns", bound_ns)
            ),
            cores_count: Some(services * self.service_cores),
            services_count: Some(services),
            memory_bytes: None,
            money_per_hour: None,
        })
    }

    /// One whose capacity was looked for, and not found in every block: nothing shows that any number suffices.
    fn without_capacity(&self, name: &str, title: &str, blocks_count: usize) -> PlannedTreatment {
        let objective = self
            .findings
            .design
            .objective
            .as_deref()
            .unwrap_or_default();
        PlannedTreatment {
            treatment: name.to_owned(),
            title: title.to_owned(),
            suffices: Suffices::Unknown,
            basis: format!(
                "no capacity under {objective} was found in some of {}",
                counted(blocks_count, "block")
            ),
            cores_count: None,
            services_count: None,
            memory_bytes: None,
            money_per_hour: None,
        }
    }

    /// From the CPU time of an answer.
    fn worked_out(&self, cost: &Cost) -> Option<PlannedTreatment> {
        let treatment = self.findings.treatment(&cost.treatment)?;
        let cpu = treatment.figures.get("service_cpu_per_good_answer_us")?;
        let far_us = cpu.high.unwrap_or(cpu.estimate);
        let cores = self.rate_per_s * far_us / MILLION / self.utilisation_ratio;
        let services = (cores / self.service_cores as f64).ceil().max(1.0) as u64;
        let (suffices, bound) = self.bound(&cost.treatment, self.rate_per_s / services as f64);
        let kept = suffices != Suffices::No;
        Some(PlannedTreatment {
            treatment: cost.treatment.clone(),
            title: cost.title.clone(),
            suffices,
            basis: format!(
                "{} an answer at most, cores {} used; {bound}",
                units::with_unit("us", far_us),
                units::chosen(self.utilisation_ratio)
            ),
            cores_count: kept.then_some(services * self.service_cores),
            services_count: kept.then_some(services),
            memory_bytes: None,
            money_per_hour: None,
        })
    }

    /// What the p99 at the equal arrival rate says of the bound, where each service takes `rate_per_s`.
    fn bound(&self, name: &str, rate_per_s: f64) -> (Suffices, String) {
        let design = &self.findings.design;
        let rate = design.arrival_rate_per_s.map_or(String::new(), |rate| {
            format!(" at {}/s", units::digits(rate))
        });
        let treatment = self.findings.treatment(name);
        let figure = treatment.and_then(|found| found.figures.get("response_p99_ns"));
        let Some(figure) = figure else {
            return (Suffices::Unknown, "its p99 was not measured".to_owned());
        };
        let value = units::with_unit("ns", figure.estimate);
        if figure.low.unwrap_or(figure.estimate) > self.p99_ns {
            return (
                Suffices::No,
                format!("its p99 was already {value}{rate} on one service"),
            );
        }
        if figure.high.unwrap_or(figure.estimate) > self.p99_ns {
            let text = format!("whether its p99 of {value}{rate} keeps the bound is undecided");
            return (Suffices::Unknown, text);
        }
        // A p99 rises with the load: that at a lower rate is no bound of it.
        if design
            .arrival_rate_per_s
            .is_some_and(|measured| rate_per_s > measured)
        {
            let text = format!(
                "its p99 was {value}{rate}, and was not measured at the {}/s that each would take",
                units::digits(rate_per_s)
            );
            return (Suffices::Unknown, text);
        }
        (Suffices::Expected, format!("its p99 was {value}{rate}"))
    }

    /// Says that what PostgreSQL used comes on top, where it used any.
    fn without_database(&self, mut planned: PlannedTreatment) -> PlannedTreatment {
        let treatment = self.findings.treatment(&planned.treatment);
        if treatment.is_some_and(|found| found.figures.contains_key(DATABASE_CPU)) {
            planned.basis.push_str("; database not counted");
        }
        planned
    }

    fn with_memory(&self, planned: PlannedTreatment, prices: Option<&Prices>) -> PlannedTreatment {
        let treatment = self.findings.treatment(&planned.treatment);
        let memory = treatment.and_then(|found| found.figures.get("memory_peak_bytes"));
        let memory_bytes = memory
            .zip(planned.services_count)
            .map(|(memory, services)| memory.estimate * services as f64);
        let money_per_hour = prices.zip(planned.cores_count).and_then(|(prices, cores)| {
            let gib = memory_bytes.map(|bytes| bytes / GIB_BYTES);
            let gib = if prices.gib_hour > 0.0 { gib? } else { 0.0 };
            Some(cores as f64 * prices.core_hour + gib * prices.gib_hour)
        });
        PlannedTreatment {
            memory_bytes,
            money_per_hour,
            ..planned
        }
    }
}

/// The limit of an objective on the p99, written `p99<50ms`; `None` where it is of another percentile.
fn p99_bound_ns(objective: &str) -> Option<f64> {
    let (percentile, limit) = objective.split_once('<')?;
    let percentile: f64 = percentile.trim().strip_prefix('p')?.parse().ok()?;
    if percentile < 99.0 {
        return None;
    }
    time_ns(limit)
}

/// A time as a person writes it, `50ms`, `1.5s` or `800us`, in nanoseconds; `None` where it is none above 0.
pub fn time_ns(text: &str) -> Option<f64> {
    let text = text.trim();
    let at = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(at);
    let unit_ns = match unit {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    let number: f64 = number.trim().parse().ok()?;
    (number > 0.0 && number.is_finite()).then_some(number * unit_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_they_are_written() {
        assert_eq!(time_ns("50ms"), Some(5e7));
        assert_eq!(time_ns(" 1.5 s"), Some(1.5e9));
        for bad in ["50", "ms", "-1ms", "0s", "5min", "", "1e999s"] {
            assert_eq!(time_ns(bad), None, "{bad}");
        }
        assert_eq!(p99_bound_ns("p99<50ms"), Some(5e7));
        assert_eq!(p99_bound_ns("p99.9 < 1s"), Some(1e9));
        assert_eq!(p99_bound_ns("p90<50ms"), None);
    }

    #[test]
    fn a_core_kept_free_is_paid_for() {
        let block = CostBlock {
            block: 1,
            service_cpu_us: 36.0,
            database_cpu_us: Some(36.0),
            memory_bytes: Some(GIB_BYTES),
            completion_rate_per_s: Some(1_000.0),
        };
        let prices = |gib_hour: f64, utilisation_ratio: f64| Prices {
            core_hour: 1.0,
            gib_hour,
            currency: "EUR".to_owned(),
            utilisation_ratio,
        };
        let near = |found: Option<f64>, wanted: f64| (found.unwrap() - wanted).abs() < 1e-9;
        // 36 µs an answer are 36 s a million: a hundredth of an hour.
        assert!(near(money(&block, &prices(0.0, 1.0), false), 0.01));
        assert!(near(money(&block, &prices(0.0, 0.5), false), 0.02));
        assert!(near(money(&block, &prices(0.0, 1.0), true), 0.02));
        // One GiB for the thousand seconds that a million answers take.
        assert!(near(money(&block, &prices(3.6, 1.0), false), 1.01));
        let bare = CostBlock {
            memory_bytes: None,
            ..block
        };
        assert_eq!(money(&bare, &prices(3.6, 1.0), false), None);
    }
}
