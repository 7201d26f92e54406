//! The protocol of a run: block after block, each stored before the next, until one of the rules
//! fixed beforehand ends it.

use std::time::Duration;

use record::{Event, Run, RunDir, Trial, VoidedBlock};

use crate::block::{Hands, Measured, now, run_block};
use crate::error::LabError;
use crate::measure::Bench;
use crate::precision::Precision;
use crate::treatment::Entry;

/// Why a run ended, in the record's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedBy {
    /// Every needed interval is narrow enough.
    Precision,
    /// Its time is up.
    Budget,
    /// Every planned block was run.
    Blocks,
    /// Somebody stopped it; it can be resumed.
    Interrupted,
    /// Something went wrong after it had begun; it can be resumed.
    Failed,
}

impl EndedBy {
    /// The word in `run.json`.
    pub fn word(self) -> &'static str {
        match self {
            EndedBy::Precision => "precision",
            EndedBy::Budget => "budget",
            EndedBy::Blocks => "blocks",
            EndedBy::Interrupted => "interrupted",
            EndedBy::Failed => "failed",
        }
    }
}

/// Runs the blocks that are still to be run and records why they ended.
///
/// # Errors
/// When the bench or the record fails. Trials that ended before are stored.
pub fn run_blocks(
    bench: &mut Bench,
    hands: &mut Hands,
    dir: &RunDir,
    run: &mut Run,
    entries: &[Entry],
) -> Result<EndedBy, LabError> {
    let mut trials = dir.trials()?.trials;
    let budget = Duration::from_secs(run.design.budget_s);
    let mut precision = Precision::of(run);
    let done = trials.iter().map(|trial| trial.block).max().unwrap_or(0);
    if forget_unstored(&mut run.voided_blocks, done) {
        dir.write_run(run)?;
    }
    for block in 1..=done {
        precision.is_enough(run, &up_to(&trials, block));
    }
    let largest = entries
        .iter()
        .filter_map(|entry| entry.question.expectation.body_bytes)
        .max();
    bench.sound_null_server(
        largest.unwrap_or(0) as usize,
        run.design.connections_count,
        run.design.keep_alive,
    )?;
    run.environment.idle_cpus_poll = bench.is_awake();
    bench.take_watch();
    if run.ended_by.take().is_some() {
        run.ended_at = None;
        dir.write_run(run)?;
    }
    let mut ended = EndedBy::Blocks;
    for block in done + 1..=run.design.max_blocks_count {
        if bench.elapsed() >= budget {
            ended = EndedBy::Budget;
            break;
        }
        let Some(measured) = run_block(bench, hands, run, entries, block)? else {
            ended = EndedBy::Interrupted;
            break;
        };
        let fresh: Vec<Trial> = measured.iter().map(|one| one.trial.clone()).collect();
        // Before the trials: after a crash in between, a block without trials may be void, never the reverse.
        if let Some(void) = bench.take_watch().void(block, &fresh, &trials) {
            (hands.tell)(Event::Noticed {
                message: format!("block {block} is void: {}", void.reason),
            });
            run.voided_blocks.push(void);
            dir.write_run(run)?;
        }
        for one in measured {
            store(dir, &one)?;
            (hands.tell)(Event::TrialEnded {
                trial: Box::new(one.trial),
            });
        }
        trials.extend(fresh);
        let remaining_s = budget.saturating_sub(bench.elapsed()).as_secs_f64();
        (hands.tell)(Event::BlockEnded { block, remaining_s });
        if precision.is_enough(run, &trials) {
            ended = EndedBy::Precision;
            break;
        }
    }
    run.ended_at = Some(now());
    run.ended_by = Some(ended.word().to_owned());
    dir.write_run(run)?;
    (hands.tell)(Event::RunEnded {
        ended_by: ended.word().to_owned(),
    });
    Ok(ended)
}

/// Distributions and samples first: a trial that is in the journal has them.
fn store(dir: &RunDir, measured: &Measured) -> Result<(), LabError> {
    if !measured.histograms.is_empty() {
        dir.write_histogram(&measured.trial.trial, &measured.histograms)?;
    }
    if !measured.samples.is_empty() {
        dir.append_samples(&measured.trial.trial, &measured.samples)?;
    }
    dir.append_trial(&measured.trial)?;
    Ok(())
}

/// Forgets that blocks after the last stored one were void, and says whether any was: a crash came before their
/// trials were stored, so that they are measured anew, and what voided them did not happen to the repetition.
fn forget_unstored(voided: &mut Vec<VoidedBlock>, done: u32) -> bool {
    let count = voided.len();
    voided.retain(|void| void.block <= done);
    voided.len() < count
}

fn up_to(trials: &[Trial], block: u32) -> Vec<Trial> {
    trials
        .iter()
        .filter(|trial| trial.block <= block)
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_voided_a_block_that_was_lost_does_not_void_its_repetition() {
        let void = |block| VoidedBlock {
            block,
            reason: "the hypervisor took 9.0 % of the time".to_owned(),
        };
        let mut voided = vec![void(2), void(5)];
        assert!(forget_unstored(&mut voided, 4));
        assert_eq!(voided, [void(2)]);
        assert!(!forget_unstored(&mut voided, 4));
    }
}
