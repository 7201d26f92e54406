//! The design of a run, fixed before it starts: who is measured, in which blocks, in which order.
//!
//! Every order is drawn from the run's seed and the block's number alone, so that a resumed run
//! continues the design it began.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use record::{Design, Treatment};

use crate::measure::DISCARD_RATIO;
use crate::place::Placement;

/// Name that the second entry of the twin carries behind its treatment's own.
pub const TWIN_SUFFIX: &str = "~twin";

/// What the service is asked in one slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceKind {
    /// Arrivals at the same rate for every treatment.
    Open,
    /// As fast as the connections allow.
    Closed,
}

impl SliceKind {
    /// The word that the record uses.
    pub fn word(self) -> &'static str {
        match self {
            SliceKind::Open => "open",
            SliceKind::Closed => "closed",
        }
    }
}

/// A load beside the two main ones that is measured in slices.
#[derive(Clone, Debug, PartialEq)]
pub struct SliceLevel {
    /// Name in the record: `c50`, `own60`.
    pub name: String,
    /// Open or closed loop.
    pub kind: SliceKind,
    /// Connections.
    pub concurrency: u32,
    /// Arrival rate as a share of the treatment's own pilot capacity; `None` in the closed loop.
    pub capacity_ratio: Option<f64>,
}

impl SliceLevel {
    /// Whether it is the main closed loop under another name, whose slices then stand for it.
    pub fn is_main(&self, design: &Design) -> bool {
        self.kind == SliceKind::Closed && self.concurrency == design.connections_count
    }
}

/// The levels of a design that are measured in slices: closed loops first, then shares of own capacity.
pub fn slice_levels(design: &Design) -> Vec<SliceLevel> {
    let closed = design.concurrencies.iter().map(|&concurrency| SliceLevel {
        name: format!("c{concurrency}"),
        kind: SliceKind::Closed,
        concurrency,
        capacity_ratio: None,
    });
    let own = design.own_capacity_ratios.iter().map(|&ratio| SliceLevel {
        name: format!("own{:.0}", ratio * 100.0),
        kind: SliceKind::Open,
        concurrency: design.connections_count,
        capacity_ratio: Some(ratio),
    });
    closed.chain(own).collect()
}

/// One slice of the order: which treatment, under which load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceTurn {
    /// Index of the treatment.
    pub treatment: usize,
    /// Load of the slice.
    pub kind: SliceKind,
    /// Index of the level; `None` for the two main loads.
    pub level: Option<usize>,
}

/// The random orders of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockOrder {
    /// Treatments by index, in the order they are started.
    pub starts: Vec<usize>,
    /// Slices in the order they are measured.
    pub slices: Vec<SliceTurn>,
}

impl BlockOrder {
    /// How many slices are over once the last main one is: what comes then is further load, which may leave a
    /// service larger than it was.
    pub fn main_slices_end(&self) -> usize {
        let last = self.slices.iter().rposition(|turn| turn.level.is_none());
        last.map_or(0, |last| last + 1)
    }
}

/// Draws the order of one block of so many treatments.
///
/// Slices come in rounds: in a round every treatment has one slice of the same kind and level, so that the
/// figures that are later divided by one another were taken seconds apart. The order of rounds and
/// the order within each round are random. A level has as many rounds as the main closed loop.
pub fn block_order(design: &Design, block: u32, treatments: usize) -> BlockOrder {
    let mut random = Pcg64::seed_from_u64(design.seed ^ (u64::from(block) << 32));
    let mut starts: Vec<usize> = (0..treatments).collect();
    starts.shuffle(&mut random);
    let mut rounds = rounds(design);
    rounds.shuffle(&mut random);
    let mut slices = Vec::with_capacity(rounds.len() * treatments);
    for (kind, level) in rounds {
        let mut round: Vec<usize> = (0..treatments).collect();
        round.shuffle(&mut random);
        slices.extend(round.into_iter().map(|treatment| SliceTurn {
            treatment,
            kind,
            level,
        }));
    }
    BlockOrder { starts, slices }
}

fn rounds(design: &Design) -> Vec<(SliceKind, Option<usize>)> {
    let times = |count: u32, round| std::iter::repeat_n(round, count as usize);
    let closed_slices = design.closed_slices_count;
    let mut rounds: Vec<_> = times(design.open_slices_count, (SliceKind::Open, None)).collect();
    rounds.extend(times(closed_slices, (SliceKind::Closed, None)));
    for (index, level) in slice_levels(design).iter().enumerate() {
        if !level.is_main(design) {
            rounds.extend(times(closed_slices, (level.kind, Some(index))));
        }
    }
    rounds
}

/// Slices of one treatment in one block.
pub fn slices_per_trial(design: &Design) -> u32 {
    rounds(design).len() as u32
}

/// The second entry of a treatment: the same in everything but its name.
pub fn twin_of(treatment: &Treatment) -> Treatment {
    Treatment {
        name: format!("{}{TWIN_SUFFIX}", treatment.name),
        twin_of: Some(treatment.name.clone()),
        title: format!("{} (twin)", treatment.title),
        ..treatment.clone()
    }
}

/// A design that no experiment describes: interleaved slices and nothing else, no rate yet.
pub fn of_slices_alone(kind: &str, seed: u64, placement: &Placement) -> Design {
    Design {
        kind: kind.to_owned(),
        seed,
        budget_s: 60,
        min_blocks_count: 8,
        max_blocks_count: 40,
        target_half_width_ratio: 0.03,
        slice_s: 0.5,
        discard_ratio: DISCARD_RATIO,
        open_slices_count: 4,
        closed_slices_count: 2,
        warm_up_cap_s: 2.0,
        connections_count: 10,
        keep_alive: true,
        concurrencies: Vec::new(),
        own_capacity_ratios: Vec::new(),
        objective: None,
        cold_requests_count: None,
        users_count: None,
        ramp_up_s: None,
        requests_per_user_count: None,
        services_at_once_count: None,
        arrival_rate_per_s: None,
        pilot_capacity_per_s: BTreeMap::new(),
        service_cpus: placement.service_cpus.clone(),
        bench_cpus: placement.bench_cpus.clone(),
    }
}

/// Name of a trial: unique in its run, safe as a file name.
pub fn trial_name(block: u32, treatment: &str) -> String {
    format!("b{block:02}-{treatment}")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A small design with levels.
    pub(crate) fn design(seed: u64) -> Design {
        let placement = Placement {
            service_cpus: vec![0],
            bench_cpus: vec![1],
        };
        Design {
            slice_s: 1.0,
            warm_up_cap_s: 1.0,
            concurrencies: vec![1, 10, 50],
            own_capacity_ratios: vec![0.3, 0.8],
            ..of_slices_alone("sliced_blocks", seed, &placement)
        }
    }

    #[test]
    fn after_the_last_main_slice_there_is_further_load_alone() {
        for block in 1..50 {
            let order = block_order(&design(7), block, 3);
            let (main, further) = order.slices.split_at(order.main_slices_end());
            assert!(main.last().is_some_and(|turn| turn.level.is_none()));
            assert!(further.iter().all(|turn| turn.level.is_some()));
        }
    }

    #[test]
    fn a_block_starts_every_treatment_once_and_slices_each_the_same_number_of_times() {
        for block in 1..50 {
            let order = block_order(&design(7), block, 5);
            let mut starts = order.starts.clone();
            starts.sort_unstable();
            assert_eq!(starts, [0, 1, 2, 3, 4]);
            for treatment in 0..5 {
                let of = |kind, level| {
                    let turn = SliceTurn {
                        treatment,
                        kind,
                        level,
                    };
                    order.slices.iter().filter(|other| **other == turn).count()
                };
                assert_eq!(
                    (of(SliceKind::Open, None), of(SliceKind::Closed, None)),
                    (4, 2)
                );
                // 10 connections are the main closed loop's, so the second level has no slices of its own.
                let levels: Vec<usize> = (0..3)
                    .map(|level| of(SliceKind::Closed, Some(level)))
                    .collect();
                assert_eq!(levels, [2, 0, 2]);
                let own: Vec<usize> = (3..5)
                    .map(|level| of(SliceKind::Open, Some(level)))
                    .collect();
                assert_eq!(own, [2, 2]);
            }
            assert_eq!(order.slices.len() as u32, 5 * slices_per_trial(&design(7)));
        }
    }

    #[test]
    fn within_a_round_every_treatment_has_its_turn_before_any_has_a_second() {
        let order = block_order(&design(11), 3, 4);
        for round in order.slices.chunks(4) {
            let same =
                |turn: &SliceTurn| (turn.kind, turn.level) == (round[0].kind, round[0].level);
            assert!(round.iter().all(same));
            let mut seen: Vec<usize> = round.iter().map(|turn| turn.treatment).collect();
            seen.sort_unstable();
            assert_eq!(seen, [0, 1, 2, 3]);
        }
    }

    #[test]
    fn an_order_depends_on_the_seed_and_the_block_alone() {
        let order = |seed, block| block_order(&design(seed), block, 6);
        assert_eq!(order(1, 2), order(1, 2));
        assert_ne!(order(1, 2), order(1, 3));
        assert_ne!(order(1, 2), order(2, 2));
    }

    #[test]
    fn levels_are_named_as_the_experiment_names_them() {
        let names: Vec<String> = slice_levels(&design(1))
            .into_iter()
            .map(|level| level.name)
            .collect();
        assert_eq!(names, ["c1", "c10", "c50", "own30", "own80"]);
    }
}
