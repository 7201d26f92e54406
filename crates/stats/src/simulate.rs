//! A simulated bench: treatments of known speed on a machine that drifts, with heavy tails where wanted.
//!
//! It shows how often a method errs where the truth is known. All designs measure for the same time; they differ
//! in the order of their slices alone. What it cannot show is how much a given machine drifts: that is what the
//! twin of every run is for.

use rand::Rng;
use rand::seq::SliceRandom;

/// A treatment whose true figure is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Treatment {
    /// Logarithm of its true figure.
    pub log_level: f64,
    /// Standard deviation of what a fresh start adds to the logarithm.
    pub start_sd: f64,
    /// Standard deviation of what one slice adds.
    pub slice_sd: f64,
}

/// What the machine does to everyone while time passes; one step of time is one slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drift {
    /// Nothing.
    Still,
    /// A random walk of the logarithm with this standard deviation a step.
    Walk(f64),
    /// A steady slowing, this much of the logarithm over the whole run.
    Linear(f64),
    /// Two speeds: slower by `log_slowdown`, changing between them with this chance a step.
    Switching {
        /// Logarithm of the slowdown.
        log_slowdown: f64,
        /// Chance of a change, per step.
        chance: f64,
    },
}

/// The shape of the noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tail {
    /// Normal.
    Normal,
    /// Normal, but a share of the values has a standard deviation so many times as large.
    Heavy {
        /// Share of wild values.
        share: f64,
        /// How much wider they are.
        times: f64,
    },
}

/// The order of measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All trials of the first treatment, then all of the second: AAAA BBBB.
    InTurn,
    /// Block by block, always in the same order: ABAB.
    Alternating,
    /// Block by block, in an order drawn for each.
    RandomBlocks,
    /// Block by block, and within a block slice by slice, in an order drawn for each round.
    SlicedBlocks,
}

/// A simulated run.
#[derive(Clone, Debug, PartialEq)]
pub struct Bench {
    /// What is compared.
    pub treatments: Vec<Treatment>,
    /// What the machine does.
    pub drift: Drift,
    /// Shape of the noise.
    pub tail: Tail,
    /// Slices per trial.
    pub slices: usize,
}

impl Bench {
    /// One run of `blocks` blocks: the logarithm of each trial's figure, by treatment and block, as
    /// [`crate::simultaneous::all_pairs`] takes them. A trial's figure is the mean of its slices.
    pub fn run(&self, order: Order, blocks: usize, random: &mut impl Rng) -> Vec<Vec<Option<f64>>> {
        let count = self.treatments.len();
        let schedule = self.schedule(order, blocks, random);
        let starts: Vec<Vec<f64>> = self
            .treatments
            .iter()
            .map(|treatment| {
                let start = || self.tail.draw(random) * treatment.start_sd;
                std::iter::repeat_with(start).take(blocks).collect()
            })
            .collect();
        let mut machine = Machine::new(self.drift, schedule.len());
        let mut sums = vec![vec![0.0; blocks]; count];
        for (block, index) in schedule {
            let treatment = &self.treatments[index];
            let noise = self.tail.draw(random) * treatment.slice_sd;
            let log = treatment.log_level + starts[index][block] + noise + machine.step(random);
            sums[index][block] += log.exp();
        }
        let figure = |sum: f64| Some((sum / self.slices as f64).ln());
        sums.into_iter()
            .map(|blocks| blocks.into_iter().map(figure).collect())
            .collect()
    }

    /// (block, treatment) of every slice in the order measured.
    fn schedule(&self, order: Order, blocks: usize, random: &mut impl Rng) -> Vec<(usize, usize)> {
        let mut treatments: Vec<usize> = (0..self.treatments.len()).collect();
        let mut schedule = Vec::with_capacity(blocks * treatments.len() * self.slices);
        match order {
            Order::InTurn => {
                for treatment in treatments {
                    for block in 0..blocks {
                        schedule.extend(vec![(block, treatment); self.slices]);
                    }
                }
            }
            Order::Alternating | Order::RandomBlocks => {
                for block in 0..blocks {
                    if order == Order::RandomBlocks {
                        treatments.shuffle(random);
                    }
                    for treatment in &treatments {
                        schedule.extend(vec![(block, *treatment); self.slices]);
                    }
                }
            }
            Order::SlicedBlocks => {
                for block in 0..blocks {
                    for _ in 0..self.slices {
                        treatments.shuffle(random);
                        schedule.extend(treatments.iter().map(|treatment| (block, *treatment)));
                    }
                }
            }
        }
        schedule
    }
}

impl Tail {
    /// One value of the noise, of standard deviation 1 where it is normal.
    pub fn draw(self, random: &mut impl Rng) -> f64 {
        let scale = match self {
            Tail::Heavy { share, times } if random.random::<f64>() < share => times,
            _ => 1.0,
        };
        scale * standard_normal(random)
    }
}

/// One standard normal value (Box & Muller 1958).
pub fn standard_normal(random: &mut impl Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.random::<f64>()).cos()
}

/// How slow the machine is, step by step.
struct Machine {
    drift: Drift,
    steps: f64,
    log_slowness: f64,
}

impl Machine {
    fn new(drift: Drift, steps: usize) -> Machine {
        Machine {
            drift,
            steps: steps.max(1) as f64,
            log_slowness: 0.0,
        }
    }

    fn step(&mut self, random: &mut impl Rng) -> f64 {
        match self.drift {
            Drift::Still => {}
            Drift::Walk(sd) => self.log_slowness += sd * standard_normal(random),
            Drift::Linear(total) => self.log_slowness += total / self.steps,
            Drift::Switching {
                log_slowdown,
                chance,
            } => {
                if random.random::<f64>() < chance {
                    self.log_slowness = log_slowdown - self.log_slowness;
                }
            }
        }
        self.log_slowness
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    use super::*;
    use crate::interval;

    fn exact(drift: Drift) -> Bench {
        let treatment = |log_level| Treatment {
            log_level,
            start_sd: 0.0,
            slice_sd: 0.0,
        };
        Bench {
            treatments: [0.0, 0.5, 1.0].map(treatment).to_vec(),
            drift,
            tail: Tail::Normal,
            slices: 4,
        }
    }

    #[test]
    fn without_noise_and_drift_every_order_shows_the_truth() {
        let mut random = Pcg64::seed_from_u64(1);
        for order in [
            Order::InTurn,
            Order::Alternating,
            Order::RandomBlocks,
            Order::SlicedBlocks,
        ] {
            let logs = exact(Drift::Still).run(order, 5, &mut random);
            for (treatment, blocks) in logs.iter().enumerate() {
                assert_eq!(blocks.len(), 5);
                let truth = treatment as f64 * 0.5;
                assert!(blocks.iter().all(|log| (log.unwrap() - truth).abs() < 1e-9));
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_run() {
        let bench = exact(Drift::Walk(0.1));
        let run = |seed| bench.run(Order::SlicedBlocks, 6, &mut Pcg64::seed_from_u64(seed));
        assert_eq!(run(7), run(7));
        assert_ne!(run(7), run(8));
    }

    #[test]
    fn every_design_measures_every_trial_for_as_many_slices() {
        let mut random = Pcg64::seed_from_u64(2);
        for order in [Order::InTurn, Order::RandomBlocks, Order::SlicedBlocks] {
            let mut schedule = exact(Drift::Still).schedule(order, 3, &mut random);
            schedule.sort_unstable();
            let each = schedule.chunk_by(|a, b| a == b).map(<[_]>::len);
            assert_eq!(each.collect::<Vec<_>>(), [4; 9]);
        }
    }

    #[test]
    fn noise_has_the_spread_it_claims() {
        let mut random = Pcg64::seed_from_u64(3);
        let draws = |tail: Tail, random: &mut Pcg64| {
            let values: Vec<f64> = (0..20_000).map(|_| tail.draw(random)).collect();
            interval::standard_deviation(&values).unwrap()
        };
        assert!((draws(Tail::Normal, &mut random) - 1.0).abs() < 0.03);
        // √(0.9 + 0.1·5²) = 1.844
        let heavy = Tail::Heavy {
            share: 0.1,
            times: 5.0,
        };
        assert!((draws(heavy, &mut random) - 1.844).abs() < 0.1);
    }
}
