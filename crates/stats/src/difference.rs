//! Two treatments measured in the same blocks: the difference between them, in the unit of the figure.
//!
//! What adds the same amount to both figures of a block cancels. What slows a whole block does not, as it would in
//! a ratio: a slow block has larger differences, and that drift is in the interval. Differences add up: those of
//! the steps of a chain, over the same blocks, are the difference between its ends.

use crate::interval::{self, Interval};

/// The difference of one treatment's figure and another's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedDifference {
    /// Arithmetic mean over blocks.
    pub difference: f64,
    /// Student's t interval of that mean; `None` below two blocks.
    pub interval: Option<Interval>,
    /// Blocks that gave both figures.
    pub blocks: usize,
}

/// Estimate and t interval at `confidence` (0 to 1) of `one − other` over the blocks that have both;
/// `None` where no block has.
pub fn difference(
    one: &[Option<f64>],
    other: &[Option<f64>],
    confidence: f64,
) -> Option<PairedDifference> {
    let both = one.iter().zip(other);
    let differences: Vec<f64> = both
        .filter_map(|(one, other)| Some((*one)? - (*other)?))
        .filter(|difference| difference.is_finite())
        .collect();
    Some(PairedDifference {
        difference: interval::mean(&differences)?,
        interval: interval::of_mean(&differences, confidence),
        blocks: differences.len(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn some(values: impl IntoIterator<Item = f64>) -> Vec<Option<f64>> {
        values.into_iter().map(Some).collect()
    }

    #[test]
    fn a_block_that_lacks_a_figure_gives_no_difference() {
        let found = difference(
            &[Some(5.0), None, Some(9.0)],
            &[Some(1.0), Some(1.0), Some(3.0)],
            0.95,
        );
        let found = found.unwrap();
        assert_eq!((found.difference, found.blocks), (5.0, 2));
        assert_eq!(difference(&[None], &[Some(1.0)], 0.95), None);
        assert_eq!(
            difference(&[Some(2.0)], &[Some(1.0)], 0.95)
                .unwrap()
                .interval,
            None
        );
    }

    proptest! {
        #[test]
        fn what_is_added_to_a_whole_block_cancels(
            figures in prop::collection::vec((0.0..1e4_f64, 0.0..1e4_f64, -1e3..1e3_f64), 2..20),
        ) {
            let plain = difference(&some(figures.iter().map(|row| row.0)), &some(figures.iter().map(|row| row.1)), 0.95);
            let moved = difference(
                &some(figures.iter().map(|row| row.0 + row.2)), &some(figures.iter().map(|row| row.1 + row.2)), 0.95,
            );
            let (plain, moved) = (plain.unwrap(), moved.unwrap());
            prop_assert!((plain.difference - moved.difference).abs() < 1e-6);
            prop_assert!((plain.interval.unwrap().low - moved.interval.unwrap().low).abs() < 1e-6);
        }

        #[test]
        fn the_steps_of_a_chain_add_up_to_the_difference_of_its_ends(
            figures in prop::collection::vec((0.0..1e4_f64, 0.0..1e4_f64, 0.0..1e4_f64), 1..20),
        ) {
            let [a, b, c] = [
                some(figures.iter().map(|row| row.0)), some(figures.iter().map(|row| row.1)),
                some(figures.iter().map(|row| row.2)),
            ];
            let step = |one: &[Option<f64>], other: &[Option<f64>]| difference(one, other, 0.95).unwrap().difference;
            prop_assert!((step(&b, &a) + step(&c, &b) - step(&c, &a)).abs() < 1e-6);
        }
    }
}
