//! One block: every treatment started fresh, warmed, measured in slices and under what else is asked, stopped;
//! all together, or one after the other.

use std::path::Path;
use std::time::Duration;

use catalog::DesignKind;
use jiff::Timestamp;
use record::{Design, Event, Histograms, Run, Sample, Treatment, Trial, TrialStatus};

use crate::collapse::Seen;
use crate::design::{BlockOrder, SliceKind, block_order, slice_levels, trial_name};
use crate::error::LabError;
use crate::groups::members;
use crate::level::own_rate_per_s;
use crate::measure::{Bench, pacing};
use crate::place::Placement;
use crate::postgres::Postgres;
use crate::standin::StandIn;
use crate::supervise::Supervisor;
use crate::sut::{Sut, free_addr};
use crate::treatment::{Entry, Origin};
use crate::warm::warm_up;
use crate::{objective, phases, quiet};

/// What a block is run with.
pub struct Hands<'a> {
    /// Starts and stops processes.
    pub supervisor: &'a Supervisor,
    /// The database server, where a workload has a database.
    pub postgres: Option<&'a mut Postgres>,
    /// Where services run.
    pub placement: &'a Placement,
    /// Where services' output goes.
    pub logs: &'a Path,
    /// Longest wait for a service's first right answer.
    pub ready_within: Duration,
    /// Who is told.
    pub tell: &'a mut dyn FnMut(Event),
}

/// A trial with its distributions.
pub struct Measured {
    /// The trial.
    pub trial: Trial,
    /// Its distributions.
    pub histograms: Histograms,
    /// Its time series.
    pub samples: Vec<Sample>,
}

/// Runs one block. `None`: it was interrupted, and its trials did not end.
///
/// # Errors
/// When the bench itself fails. A service that fails ends its own trial INVALID.
pub fn run_block(
    bench: &mut Bench,
    hands: &mut Hands,
    run: &Run,
    entries: &[Entry],
    block: u32,
) -> Result<Option<Vec<Measured>>, LabError> {
    let design = &run.design;
    let treatments: Vec<Treatment> = entries
        .iter()
        .map(|entry| entry.treatment.clone())
        .collect();
    let members: Vec<&Entry> = members(design, &treatments, &run.baseline, block)
        .into_iter()
        .map(|index| &entries[index])
        .collect();
    let order = block_order(design, block, members.len());
    if bench.knows_what_is_foreign() {
        quiet::wait(|| bench.is_stopped());
    }
    (hands.tell)(Event::BlockBegan {
        block,
        blocks_at_most: design.max_blocks_count,
        order: order
            .starts
            .iter()
            .map(|&index| members[index].treatment.name.clone())
            .collect(),
    });
    if design.kind != DesignKind::SoloTrials.word() {
        return together(bench, hands, design, &members, block, &order);
    }
    let mut measured = Vec::new();
    for (place, &index) in order.starts.iter().enumerate() {
        // Every trial of the block has the same order of loads, so that it favours none.
        let alone = block_order(design, block, 1);
        let trials = together(bench, hands, design, &members[index..=index], block, &alone)?;
        let Some(trials) = trials else {
            return Ok(None);
        };
        measured.extend(trials.into_iter().map(|mut one| {
            one.trial.position = place as u32 + 1;
            one
        }));
    }
    Ok(Some(measured))
}

/// Runs services that are up together, from start to stop.
fn together(
    bench: &mut Bench,
    hands: &mut Hands,
    design: &Design,
    entries: &[&Entry],
    block: u32,
    order: &BlockOrder,
) -> Result<Option<Vec<Measured>>, LabError> {
    let mut suts: Vec<Option<Sut>> = entries.iter().map(|_| None).collect();
    let mut trials: Vec<Trial> = entries
        .iter()
        .map(|entry| blank_trial(block, entry))
        .collect();
    let measured = start_all(bench, hands, design, entries, order, &mut suts, &mut trials)
        .and_then(|()| settle(hands))
        .and_then(|()| measure_all(bench, hands, design, entries, order, &mut suts, block))
        .and_then(|()| one_by_one(bench, hands, design, entries, order, &mut suts, block));
    let mut seen: Vec<Option<Seen>> = Vec::new();
    for sut in suts {
        seen.push(sut.map(|sut| sut.stop(&mut bench.session)));
    }
    measured?;
    if bench.is_stopped() {
        return Ok(None);
    }
    Ok(Some(
        trials
            .into_iter()
            .zip(seen)
            .map(|(trial, seen)| close_trial(trial, seen, design))
            .collect(),
    ))
}

/// What is measured of one service after the other once the slices are done: capacity under the objective, users.
fn one_by_one(
    bench: &mut Bench,
    hands: &mut Hands,
    design: &Design,
    entries: &[&Entry],
    order: &BlockOrder,
    suts: &mut [Option<Sut>],
    block: u32,
) -> Result<(), LabError> {
    for (asked, phase) in [
        (design.objective.is_some(), "searching the capacity of"),
        (design.users_count.is_some(), "users come to"),
    ] {
        for &index in order.starts.iter().filter(|_| asked) {
            let gone = suts[index].as_mut().is_none_or(Sut::has_exited);
            if gone || bench.is_stopped() {
                continue;
            }
            let treatment = entries[index].treatment.name.clone();
            (hands.tell)(Event::TreatmentBegan {
                block,
                treatment: treatment.clone(),
                phase: phase.to_owned(),
            });
            match phase {
                "users come to" => phases::ramp(bench, suts, index, design)?,
                _ => objective::capacity(bench, suts, index, &treatment, design)?,
            }
        }
    }
    Ok(())
}

/// Starts and warms every treatment in the block's order. One that does not start is noted in its trial.
fn start_all(
    bench: &mut Bench,
    hands: &mut Hands,
    design: &Design,
    entries: &[&Entry],
    order: &BlockOrder,
    suts: &mut [Option<Sut>],
    trials: &mut [Trial],
) -> Result<(), LabError> {
    let cap = Duration::from_secs_f64(design.warm_up_cap_s);
    for (place, &index) in order.starts.iter().enumerate() {
        if bench.is_stopped() {
            return Ok(());
        }
        let entry = entries[index];
        let trial = &mut trials[index];
        trial.position = place as u32 + 1;
        trial.started_at = now();
        (hands.tell)(Event::TreatmentBegan {
            block: trial.block,
            treatment: trial.treatment.clone(),
            phase: "starting and warming".to_owned(),
        });
        match start(bench, hands, entry, &trial.trial) {
            Ok(mut sut) => {
                sut.seen.overflow = overflow(entry);
                suts[index] = Some(sut);
                if design.cold_requests_count.is_some() {
                    settle(hands)?;
                }
                phases::cold(bench, suts, index, design)?;
                if let Some(sut) = &mut suts[index] {
                    warm_up(bench, sut, design.connections_count, cap)?;
                }
            }
            Err(LabError::Failed(reason)) => trial.reasons.push(format!("service: {reason}")),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// What restoring the databases left to be written is written before anything is measured.
fn settle(hands: &mut Hands) -> Result<(), LabError> {
    if let Some(postgres) = &mut hands.postgres {
        postgres.checkpoint()?;
    }
    Ok(())
}

/// Starts one service on a database of its own.
pub(crate) fn start(
    bench: &mut Bench,
    hands: &mut Hands,
    entry: &Entry,
    name: &str,
) -> Result<Sut, LabError> {
    start_on(bench, hands, entry, name, false)
}

/// Starts one service on a database of its own; `counts_plans`: see [`Postgres::count_plans`].
pub(crate) fn start_on(
    bench: &mut Bench,
    hands: &mut Hands,
    entry: &Entry,
    name: &str,
    counts_plans: bool,
) -> Result<Sut, LabError> {
    let launchable = match &entry.origin {
        Origin::Running(addr) => {
            return Ok(Sut::running(&mut bench.session, &entry.question, *addr));
        }
        Origin::Started(launchable) => launchable,
    };
    let database_url = match (&launchable.database, &mut hands.postgres) {
        (Some(workload), Some(postgres)) => {
            let (name, limit) = (&entry.treatment.name, launchable.connection_limit);
            let url = postgres.restore(name, workload, Some(limit))?;
            let settings = &launchable.database_settings;
            postgres
                .configure(name, settings)
                .map_err(|error| LabError::Failed(format!("its database_settings: {error}")))?;
            if counts_plans {
                postgres.count_plans(name);
            }
            Some(url)
        }
        (Some(workload), None) => {
            return Err(LabError::Failed(format!(
                "workload {workload} needs PostgreSQL, and none is running"
            )));
        }
        (None, _) => None,
    };
    let addr = free_addr()?;
    let mut spec = launchable.spec(name, addr, database_url, hands.placement, hands.logs);
    let upstream = launchable.upstream.as_ref();
    let standin = upstream
        .map(|(name, behaviour)| StandIn::start(name, behaviour.clone()))
        .transpose()
        .map_err(|error| LabError::Failed(format!("the stand-in for its upstream: {error}")))?;
    // The last value of a variable is the one that counts: load never reaches the real service.
    spec.env.extend(standin.as_ref().map(StandIn::variable));
    let mut sut = Sut::start(
        hands.supervisor,
        &mut bench.session,
        &entry.question,
        addr,
        &spec,
        hands.ready_within,
    )?;
    sut.standin = standin;
    let postgres = hands
        .postgres
        .as_ref()
        .filter(|_| launchable.database.is_some());
    sut.seen.promise = launchable.promise(&entry.treatment, hands.placement);
    sut.seen.null_server_rate_per_s = bench.null_server_rate_per_s;
    sut.activity = postgres.map(|postgres| postgres.activity(&entry.treatment.name));
    sut.eyes().open();
    Ok(sut)
}

fn measure_all(
    bench: &mut Bench,
    hands: &mut Hands,
    design: &Design,
    entries: &[&Entry],
    order: &BlockOrder,
    suts: &mut [Option<Sut>],
    block: u32,
) -> Result<(), LabError> {
    let levels = slice_levels(design);
    let length = Duration::from_secs_f64(design.slice_s);
    let equal_rate = design.arrival_rate_per_s.unwrap_or(1.0);
    let slices_in_block = order.slices.len() as u32;
    let main_slices_end = order.main_slices_end();
    for (done, turn) in order.slices.iter().enumerate() {
        if done == main_slices_end {
            suts.iter_mut().flatten().for_each(Sut::read_memory);
        }
        if bench.is_stopped() {
            return Ok(());
        }
        let gone = suts[turn.treatment].as_mut().is_none_or(Sut::has_exited);
        if gone {
            continue;
        }
        let name = &entries[turn.treatment].treatment.name;
        let (connections, rate) = match turn.level.map(|level| &levels[level]) {
            None => (design.connections_count, Some(equal_rate)),
            Some(level) => (level.concurrency, own_rate_per_s(level, design, name)),
        };
        if turn.kind == SliceKind::Open && rate.is_none() {
            continue;
        }
        let pacing = pacing(turn.kind, connections, rate.unwrap_or(0.0));
        let seen = bench.slice(suts, *turn, pacing, length)?;
        (hands.tell)(Event::SliceEnded {
            block,
            treatment: name.clone(),
            load: match turn.level {
                Some(level) => levels[level].name.clone(),
                None => turn.kind.word().to_owned(),
            },
            completion_rate_per_s: seen.completion_rate_per_s(),
            response_p50_ns: response_ns(&seen, 0.5),
            response_p90_ns: response_ns(&seen, 0.9),
            slices_done: done as u32 + 1,
            slices_in_block,
        });
    }
    if main_slices_end == order.slices.len() {
        suts.iter_mut().flatten().for_each(Sut::read_memory);
    }
    Ok(())
}

/// A quantile of a slice's response times, where it has enough of them.
fn response_ns(seen: &load::Observations, quantile: f64) -> Option<u64> {
    match seen.response_time()?.percentile(quantile) {
        load::Percentile::Value(ns) => Some(ns),
        load::Percentile::AtLeast(_) | load::Percentile::Absent => None,
    }
}

/// Why the pool of a treatment is more than its database takes.
pub(crate) fn overflow(entry: &Entry) -> Option<String> {
    match &entry.origin {
        Origin::Started(launchable) => launchable.overflow.clone(),
        Origin::Running(_) => None,
    }
}

fn blank_trial(block: u32, entry: &Entry) -> Trial {
    Trial {
        schema: Trial::SCHEMA.to_owned(),
        trial: trial_name(block, &entry.treatment.name),
        block,
        treatment: entry.treatment.name.clone(),
        position: 0,
        started_at: now(),
        ended_at: String::new(),
        status: TrialStatus::Invalid,
        reasons: Vec::new(),
        metrics: Default::default(),
        outcomes: Default::default(),
        audit: Vec::new(),
        levels: Vec::new(),
        slices: Vec::new(),
    }
}

fn close_trial(mut trial: Trial, seen: Option<Seen>, design: &Design) -> Measured {
    trial.ended_at = now();
    let histograms = seen.as_ref().map(Seen::histograms).unwrap_or_default();
    let samples = seen.as_ref().map(Seen::samples).unwrap_or_default();
    if let Some(seen) = seen {
        seen.collapse_into(&mut trial, design);
    }
    Measured {
        trial,
        histograms,
        samples,
    }
}

pub(crate) fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
