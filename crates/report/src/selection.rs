//! Which trials figures may come from: not INVALID, not of a void block, one a block and treatment.

use std::collections::{BTreeMap, BTreeSet};

use record::{AuditLine, AuditStatus, Run, Trial, TrialStatus};

use crate::percentiles;

/// The trials of a run, by treatment and block.
pub(crate) struct Selection<'a> {
    usable: BTreeMap<&'a str, BTreeMap<u32, &'a Trial>>,
    invalid: BTreeMap<&'a str, BTreeMap<u32, &'a Trial>>,
}

impl<'a> Selection<'a> {
    /// Sorts the trials. Where a block was measured again, the later trial stands.
    pub(crate) fn of(run: &Run, trials: &'a [Trial]) -> Selection<'a> {
        let void: BTreeSet<u32> = run
            .voided_blocks
            .iter()
            .map(|voided| voided.block)
            .collect();
        let mut selection = Selection {
            usable: BTreeMap::new(),
            invalid: BTreeMap::new(),
        };
        for trial in trials.iter().filter(|trial| !void.contains(&trial.block)) {
            let (side, other) = match trial.status {
                TrialStatus::Invalid => (&mut selection.invalid, &mut selection.usable),
                _ => (&mut selection.usable, &mut selection.invalid),
            };
            if let Some(earlier) = other.get_mut(trial.treatment.as_str()) {
                earlier.remove(&trial.block);
            }
            side.entry(&trial.treatment)
                .or_default()
                .insert(trial.block, trial);
        }
        selection
    }

    /// Usable trials of a treatment, in the order of blocks.
    pub(crate) fn usable(&self, treatment: &str) -> Vec<&'a Trial> {
        let trials = self.usable.get(treatment);
        trials
            .into_iter()
            .flat_map(BTreeMap::values)
            .copied()
            .collect()
    }

    /// INVALID trials of a treatment, in the order of blocks.
    pub(crate) fn invalid(&self, treatment: &str) -> Vec<&'a Trial> {
        let trials = self.invalid.get(treatment);
        trials
            .into_iter()
            .flat_map(BTreeMap::values)
            .copied()
            .collect()
    }

    /// What most of a treatment's INVALID trials failed by, as the first of them put it. A trial may name other
    /// doubts besides, which alone would leave its figures usable.
    pub(crate) fn why_invalid(&self, treatment: &str) -> Option<String> {
        let trials = self.invalid(treatment);
        let failed: Vec<&AuditLine> = trials
            .iter()
            .flat_map(|trial| &trial.audit)
            .filter(|line| line.status == AuditStatus::Fail)
            .collect();
        let times = |check: &str| failed.iter().filter(|line| line.check == check).count();
        // The first of those that are as frequent: `max_by_key` would take the last.
        let most = failed.iter().rev().max_by_key(|line| times(&line.check));
        let mut reasons = trials.iter().flat_map(|trial| trial.reasons.first());
        most.map(|line| format!("{}: {}", line.check, line.detail))
            .or_else(|| reasons.next().cloned())
    }

    /// A positive figure of each block in which a treatment has one.
    pub(crate) fn by_block(&self, treatment: &str, metric: &str) -> BTreeMap<u32, f64> {
        let figure = |trial: &Trial| {
            let value = *trial.metrics.get(metric)?;
            (value > 0.0 && value.is_finite()).then_some((trial.block, value))
        };
        let trials = self.usable(treatment);
        trials.into_iter().filter_map(figure).collect()
    }

    /// Log ratios `treatment / against`, one for each block in which both have the figure.
    pub(crate) fn log_ratios(&self, treatment: &str, against: &str, metric: &str) -> Vec<f64> {
        let against = self.by_block(against, metric);
        let ratios = self.by_block(treatment, metric);
        let ratio = |(block, value): (u32, f64)| Some((value / against.get(&block)?).ln());
        ratios.into_iter().filter_map(ratio).collect()
    }

    /// Blocks in which every one of `treatments` has the figure; of a tail, those whose requests are part of it.
    pub(crate) fn complete_blocks(&self, treatments: &[&str], metric: &str) -> Vec<u32> {
        let mut sets = treatments.iter().map(|name| -> BTreeSet<u32> {
            match percentiles::is_tail(metric) {
                true => self.usable(name).iter().map(|trial| trial.block).collect(),
                false => self.by_block(name, metric).into_keys().collect(),
            }
        });
        let Some(first) = sets.next() else {
            return Vec::new();
        };
        let common = sets.fold(first, |common, set| {
            common.intersection(&set).copied().collect()
        });
        common.into_iter().collect()
    }
}
