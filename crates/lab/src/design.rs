//! The design of a run, fixed before it starts: who is measured, in which blocks, in which order.
//!
//! Every order is drawn from the run's seed and the block's number alone, so that a resumed run
//! continues the design it began.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use record::Treatment;

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

/// One slice of the order: which treatment, under which load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceTurn {
    /// Index of the treatment.
    pub treatment: usize,
    /// Load of the slice.
    pub kind: SliceKind,
}

/// The random orders of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockOrder {
    /// Treatments by index, in the order they are started.
    pub starts: Vec<usize>,
    /// Slices in the order they are measured.
    pub slices: Vec<SliceTurn>,
}

/// Draws the order of one block.
///
/// Slices come in rounds: in a round every treatment has one slice of the same kind, so that the
/// figures that are later divided by one another were taken seconds apart. The order of rounds and
/// the order within each round are random.
pub fn block_order(
    seed: u64,
    block: u32,
    treatments: usize,
    open_slices: u32,
    closed_slices: u32,
) -> BlockOrder {
    let mut random = Pcg64::seed_from_u64(seed ^ (u64::from(block) << 32));
    let mut starts: Vec<usize> = (0..treatments).collect();
    starts.shuffle(&mut random);
    let mut rounds = vec![SliceKind::Open; open_slices as usize];
    rounds.resize((open_slices + closed_slices) as usize, SliceKind::Closed);
    rounds.shuffle(&mut random);
    let mut slices = Vec::with_capacity(rounds.len() * treatments);
    for kind in rounds {
        let mut round: Vec<usize> = (0..treatments).collect();
        round.shuffle(&mut random);
        slices.extend(
            round
                .into_iter()
                .map(|treatment| SliceTurn { treatment, kind }),
        );
    }
    BlockOrder { starts, slices }
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

/// Name of a trial: unique in its run, safe as a file name.
pub fn trial_name(block: u32, treatment: &str) -> String {
    format!("b{block:02}-{treatment}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_starts_every_treatment_once_and_slices_each_the_same_number_of_times() {
        for block in 1..50 {
            let order = block_order(7, block, 5, 4, 2);
            let mut starts = order.starts.clone();
            starts.sort_unstable();
            assert_eq!(starts, [0, 1, 2, 3, 4]);
            for treatment in 0..5 {
                let of = |kind| {
                    let turn = SliceTurn { treatment, kind };
                    order.slices.iter().filter(|other| **other == turn).count()
                };
                assert_eq!((of(SliceKind::Open), of(SliceKind::Closed)), (4, 2));
            }
        }
    }

    #[test]
    fn within_a_round_every_treatment_has_its_turn_before_any_has_a_second() {
        let order = block_order(11, 3, 4, 3, 1);
        for round in order.slices.chunks(4) {
            assert!(round.iter().all(|turn| turn.kind == round[0].kind));
            let mut seen: Vec<usize> = round.iter().map(|turn| turn.treatment).collect();
            seen.sort_unstable();
            assert_eq!(seen, [0, 1, 2, 3]);
        }
    }

    #[test]
    fn an_order_depends_on_the_seed_and_the_block_alone() {
        assert_eq!(block_order(1, 2, 6, 4, 2), block_order(1, 2, 6, 4, 2));
        assert_ne!(block_order(1, 2, 6, 4, 2), block_order(1, 3, 6, 4, 2));
        assert_ne!(block_order(1, 2, 6, 4, 2), block_order(2, 2, 6, 4, 2));
    }
}
