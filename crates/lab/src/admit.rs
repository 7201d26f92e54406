//! Which treatments take part, and the arrival rate that follows from what they can do.

use std::collections::BTreeMap;

use record::{Event, Run, Skipped};

use crate::audition::{Audition, audition};
use crate::block::{Hands, overflow};
use crate::error::LabError;
use crate::measure::Bench;
use crate::recorded::rate_ratio;
use crate::resolve::Chosen;
use crate::treatment::Entry;

/// Auditions every treatment, drops those that are refused, and sets the arrival rate from the slowest.
/// A resumed run keeps its rate.
///
/// # Errors
/// When none is left, or one must not be missing.
pub fn admit(
    bench: &mut Bench,
    hands: &mut Hands,
    run: &mut Run,
    entries: &mut Vec<Entry>,
    chosen: &[Chosen],
    strict: bool,
) -> Result<(), LabError> {
    let mut capacities = BTreeMap::new();
    let mut admitted = Vec::new();
    for mut entry in entries.drain(..) {
        if bench.is_stopped() {
            return Ok(());
        }
        let name = entry.treatment.name.clone();
        let Some(one) = chosen.iter().find(|one| one.treatment.name == name) else {
            continue;
        };
        match audition(bench, hands, &run.design, &mut entry, one.workload)? {
            Audition::Admitted { capacity_per_s } => {
                capacities.insert(name, capacity_per_s);
                admitted.push(entry);
            }
            Audition::Refused(reason) => {
                let overflow = overflow(&entry).map(|overflow| format!("; {overflow}"));
                let reason = format!("{reason}{}", overflow.unwrap_or_default());
                let message = format!("{} is refused: {reason}", entry.treatment.title);
                if strict || run.design.arrival_rate_per_s.is_some() {
                    return Err(LabError::Failed(message));
                }
                (hands.tell)(Event::Noticed { message });
                run.skipped.push(Skipped {
                    treatment: name,
                    reason,
                });
            }
        }
    }
    *entries = admitted;
    let slowest = capacities.values().copied().fold(f64::INFINITY, f64::min);
    if entries.is_empty() || !slowest.is_finite() {
        return Err(LabError::Failed(refusals(run)));
    }
    if run.design.arrival_rate_per_s.is_none() {
        run.design.arrival_rate_per_s = Some((slowest * rate_ratio(run)).max(1.0).round());
        run.design.pilot_capacity_per_s = capacities;
    }
    Ok(())
}

fn refusals(run: &Run) -> String {
    let lines: Vec<String> = run
        .skipped
        .iter()
        .map(|skipped| format!("{}: {}", skipped.treatment, skipped.reason))
        .collect();
    format!("every treatment was refused: {}", lines.join("; "))
}
