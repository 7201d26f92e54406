//! Whether the order of measuring left traces: in a block, does a figure depend on when it was measured or on
//! what ran just before it?
//!
//! What treatments and blocks explain is removed from the logarithms first; the rest should look like noise
//! against the position in the block and against the predecessor.

use crate::correlation::{self, Correlation};

/// One trial, or one slice, in the order it was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// Block, any numbering.
    pub block: usize,
    /// Treatment, any numbering.
    pub treatment: usize,
    /// Place within its block, counted from 0.
    pub position: usize,
    /// Logarithm of its figure.
    pub log_value: f64,
}

/// What the residuals show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrderEffects {
    /// Correlation of residual and position in the block; `None` where there are too few figures.
    pub position: Option<Correlation>,
    /// Chance that residuals differ so much by predecessor without carry-over; `None` where there are too few.
    pub predecessor_p_value: Option<f64>,
}

impl OrderEffects {
    /// Whether either test finds a trace at significance `level`. Both are looked at in every run, so each
    /// is held against half of it.
    pub fn found_at(&self, level: f64) -> bool {
        let position = self.position.map(|found| found.p_value);
        [position, self.predecessor_p_value]
            .into_iter()
            .flatten()
            .any(|p_value| p_value < level / 2.0)
    }
}

/// Looks for traces of the order in `trials`.
pub fn order_effects(trials: &[Placed]) -> OrderEffects {
    let residuals = residuals(trials);
    let points: Vec<(f64, f64)> = trials
        .iter()
        .zip(&residuals)
        .map(|(trial, residual)| (trial.position as f64, *residual))
        .collect();
    OrderEffects {
        position: correlation::spearman(&points),
        predecessor_p_value: correlation::kruskal_wallis(&by_predecessor(trials, &residuals)),
    }
}

/// What is left of each log value when its treatment's and its block's effects are taken out: a two-way
/// additive fit, by sweeping the means out in turn until nothing moves, so that missing trials do no harm.
pub fn residuals(trials: &[Placed]) -> Vec<f64> {
    let mut left: Vec<f64> = trials.iter().map(|trial| trial.log_value).collect();
    for _ in 0..200 {
        let treatments = sweep(trials, &mut left, |trial| trial.treatment);
        let blocks = sweep(trials, &mut left, |trial| trial.block);
        if treatments.max(blocks) < 1e-12 {
            break;
        }
    }
    left
}

/// Takes the mean of each group out of `left`; the largest of the means.
fn sweep(trials: &[Placed], left: &mut [f64], group: impl Fn(&Placed) -> usize) -> f64 {
    let mut groups = std::collections::BTreeMap::<usize, (f64, f64)>::new();
    for (trial, value) in trials.iter().zip(left.iter()) {
        let (sum, count) = groups.entry(group(trial)).or_default();
        *sum += value;
        *count += 1.0;
    }
    for (trial, value) in trials.iter().zip(left.iter_mut()) {
        if let Some((sum, count)) = groups.get(&group(trial)) {
            *value -= sum / count;
        }
    }
    let means = groups.values().map(|(sum, count)| (sum / count).abs());
    means.fold(0.0, f64::max)
}

/// Residuals grouped by the treatment measured just before in the same block.
fn by_predecessor(trials: &[Placed], residuals: &[f64]) -> Vec<Vec<f64>> {
    let mut groups = std::collections::BTreeMap::<usize, Vec<f64>>::new();
    for (trial, residual) in trials.iter().zip(residuals) {
        let before = trials
            .iter()
            .find(|other| other.block == trial.block && other.position + 1 == trial.position);
        if let Some(before) = before {
            groups.entry(before.treatment).or_default().push(*residual);
        }
    }
    groups.into_values().collect()
}

#[cfg(test)]
mod tests {
    use rand::seq::SliceRandom;
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64;

    use super::*;

    /// Blocks of four treatments in random order; `trace(position, predecessor)` is added to noise.
    fn run(seed: u64, blocks: usize, trace: impl Fn(usize, Option<usize>) -> f64) -> Vec<Placed> {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut trials = Vec::new();
        for block in 0..blocks {
            let mut order = [0, 1, 2, 3];
            order.shuffle(&mut random);
            let speed: f64 = random.random();
            for (position, treatment) in order.into_iter().enumerate() {
                let before = position.checked_sub(1).map(|at| order[at]);
                let noise = (random.random::<f64>() - 0.5) / 10.0;
                trials.push(Placed {
                    block,
                    treatment,
                    position,
                    log_value: speed + treatment as f64 + noise + trace(position, before),
                });
            }
        }
        trials
    }

    #[test]
    fn what_treatments_and_blocks_explain_leaves_nothing_even_with_trials_missing() {
        let mut trials = run(1, 6, |_, _| 0.0);
        for trial in &mut trials {
            trial.log_value = trial.treatment as f64 * 0.3 - trial.block as f64;
        }
        trials.remove(5);
        trials.remove(11);
        assert!(residuals(&trials).iter().all(|left| left.abs() < 1e-9));
    }

    #[test]
    fn a_treatment_that_spoils_the_next_one_is_found() {
        let spoiled = run(
            2,
            12,
            |_, before| if before == Some(2) { 0.15 } else { 0.0 },
        );
        let found = order_effects(&spoiled);
        assert!(found.predecessor_p_value.unwrap() < 0.01, "{found:?}");
        assert!(found.found_at(0.02));
    }

    #[test]
    fn a_slowing_within_each_block_is_found() {
        let slowing = run(3, 12, |position, _| position as f64 * 0.05);
        let found = order_effects(&slowing);
        let position = found.position.unwrap();
        assert!(
            position.coefficient > 0.5 && position.p_value < 0.001,
            "{found:?}"
        );
    }

    #[test]
    fn order_without_effect_raises_an_alarm_no_more_often_than_its_level() {
        let alarms =
            (0..400).filter(|seed| order_effects(&run(*seed, 10, |_, _| 0.0)).found_at(0.05));
        assert!(alarms.count() <= 30);
    }

    #[test]
    fn two_trials_show_nothing() {
        let found = order_effects(&run(4, 1, |_, _| 0.0)[..2]);
        assert_eq!(found.position, None);
        assert_eq!(found.predecessor_p_value, None);
        assert!(!found.found_at(0.05));
    }
}
