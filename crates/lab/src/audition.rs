//! Before any load that counts, each treatment is started once: held against its contract, its answer
//! observed, its capacity sounded, stopped. One that fails takes no part, and the reason is kept.

use std::time::Duration;

use catalog::Workload;
use record::{Design, Event};

use crate::block::{Hands, start_on};
use crate::error::LabError;
use crate::measure::Bench;
use crate::pilot::capacity_per_s;
use crate::sut::Sut;
use crate::treatment::Entry;
use crate::verify;
use crate::warm::warm_up;

/// Failed cases that a refusal repeats; the rest are counted.
const CASES_SHOWN: usize = 3;

/// What one treatment showed before the first block.
pub enum Audition {
    /// It keeps its contract, and answers about so many requests a second.
    Admitted {
        /// Closed-loop good answers per second.
        capacity_per_s: f64,
    },
    /// It takes no part, and why.
    Refused(String),
}

/// Holds one treatment against its contract and sounds its capacity. What was observed of its answer is
/// put into the entry's expectation and facts.
///
/// # Errors
/// When the bench itself fails.
pub fn audition(
    bench: &mut Bench,
    hands: &mut Hands,
    design: &Design,
    entry: &mut Entry,
    workload: &Workload,
) -> Result<Audition, LabError> {
    let name = entry.treatment.name.clone();
    (hands.tell)(Event::StepBegan {
        step: "verify".to_owned(),
        detail: entry.treatment.title.clone(),
    });
    let mut sut = match start_on(bench, hands, entry, &format!("audition-{name}"), true) {
        Ok(sut) => sut,
        Err(LabError::Failed(reason)) => return Ok(Audition::Refused(reason)),
        Err(error) => return Err(error),
    };
    let sounded = examine(&sut, entry, workload)
        .map(|()| count_work(hands, &sut, entry, workload))
        .map(|()| sound(bench, &mut sut, design))
        .map_err(|broken| format!("contract of {}: {broken}", workload.name));
    let seen = sut.stop(&mut bench.session);
    let capacity_per_s = match sounded {
        Err(reason) => return Ok(Audition::Refused(reason)),
        Ok(capacity) => capacity?,
    };
    Ok(match seen.broken.is_empty() {
        true if capacity_per_s > 0.0 => Audition::Admitted { capacity_per_s },
        true => Audition::Refused("gave no good answer in the closed loop of the pilot".to_owned()),
        false => Audition::Refused(seen.broken.join("; ")),
    })
}

/// Every case of the contract, then the answer that load will get.
fn examine(sut: &Sut, entry: &mut Entry, workload: &Workload) -> Result<(), String> {
    let results = verify::check_contract(sut.addr, &workload.contract, &workload.folder);
    let failed: Vec<String> = results
        .iter()
        .filter(|case| !case.passed)
        .map(|case| format!("{}: {}", case.name, case.detail))
        .collect();
    if !failed.is_empty() {
        let more = failed.len().saturating_sub(CASES_SHOWN);
        let shown = failed[..failed.len() - more].join("; ");
        return Err(if more == 0 {
            shown
        } else {
            format!("{shown}; and {more} more")
        });
    }
    let observed =
        verify::observe(sut.addr, &entry.question.request).map_err(|error| error.to_string())?;
    if entry.question.is_same {
        entry.question.expectation.body_bytes = observed.body_bytes_if_stable;
        entry.question.expectation.body_sha256 = observed.body_sha256_if_stable;
        entry.question.expectation.sample_every = BODY_SAMPLE_EVERY;
    }
    entry.treatment.facts.extend(observed.facts());
    Ok(())
}

/// Counts what a request costs the database, for the fairness sheet. What each trial costs is audited then.
fn count_work(hands: &mut Hands, sut: &Sut, entry: &mut Entry, workload: &Workload) {
    let Some(postgres) = hands.postgres.as_mut() else {
        return;
    };
    if workload.manifest.database.is_empty() {
        return;
    }
    let requests = &entry.question.requests;
    // A service that cannot be counted has no such facts.
    if let Ok(work) = verify::work::measure(postgres, &entry.treatment.name, sut.addr, requests) {
        entry.treatment.facts.extend(work.facts());
    }
}

/// Every so manyth body is compared in full while under load; status and length always.
const BODY_SAMPLE_EVERY: u32 = 16;

fn sound(bench: &mut Bench, sut: &mut Sut, design: &Design) -> Result<f64, LabError> {
    warm_up(
        bench,
        sut,
        design.connections_count,
        Duration::from_secs_f64(design.warm_up_cap_s),
    )?;
    capacity_per_s(bench, sut, design)
}
