//! How precise a run is, will be, and when it is precise enough to stop.

use crate::interval::critical_t;

/// More blocks than any run has: beyond it "how many more" is no longer a plan.
const BLOCKS_MAX: usize = 2_000;

/// Half-width of the t interval that `blocks` blocks give, from the standard deviation of a log ratio over
/// blocks; infinite below two blocks. On the logarithmic scale, so nearly a ratio.
pub fn half_width(log_sd: f64, blocks: usize, confidence: f64) -> f64 {
    if blocks < 2 {
        return f64::INFINITY;
    }
    critical_t(confidence, (blocks - 1) as f64) * log_sd / (blocks as f64).sqrt()
}

/// Fewest blocks whose half-width is below `target` (logarithmic); `None` beyond any plan.
pub fn blocks_for(log_sd: f64, target: f64, confidence: f64) -> Option<usize> {
    if target <= 0.0 || half_width(log_sd, BLOCKS_MAX, confidence) > target {
        return None;
    }
    // The half-width falls with every block.
    let (mut too_few, mut enough) = (1, BLOCKS_MAX);
    while enough - too_few > 1 {
        let middle = usize::midpoint(too_few, enough);
        if half_width(log_sd, middle, confidence) > target {
            too_few = middle;
        } else {
            enough = middle;
        }
    }
    Some(enough)
}

/// When a run may stop: every needed half-width met its target after each of the last two blocks.
/// The rule looks at widths alone and never at where the intervals lie, which keeps their coverage
/// (Chow & Robbins 1965).
#[derive(Clone, Debug)]
pub struct StoppingRule {
    min_blocks: usize,
    target: f64,
    met_in_a_row: u32,
}

impl StoppingRule {
    /// A rule that needs at least `min_blocks` blocks and half-widths of at most `target` (logarithmic).
    pub fn new(min_blocks: usize, target: f64) -> StoppingRule {
        StoppingRule {
            min_blocks,
            target,
            met_in_a_row: 0,
        }
    }

    /// Takes the needed half-widths as they are after `blocks` blocks; whether the run may stop.
    pub fn after_block(&mut self, blocks: usize, half_widths: &[f64]) -> bool {
        let met = !half_widths.is_empty() && half_widths.iter().all(|width| *width <= self.target);
        self.met_in_a_row = if met { self.met_in_a_row + 1 } else { 0 };
        blocks >= self.min_blocks && self.met_in_a_row >= 2
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_run_stops_after_meeting_its_target_twice_in_a_row_and_not_before_its_least_blocks() {
        let mut rule = StoppingRule::new(4, 0.03);
        assert!(!rule.after_block(2, &[0.01]));
        assert!(!rule.after_block(3, &[0.01]));
        assert!(!rule.after_block(4, &[0.01, 0.04]));
        assert!(!rule.after_block(5, &[0.01, 0.02]));
        assert!(rule.after_block(6, &[0.01, 0.02]));
    }

    #[test]
    fn a_run_without_pairs_is_never_precise() {
        let mut rule = StoppingRule::new(1, 0.03);
        assert!(!(1..9).any(|blocks| rule.after_block(blocks, &[])));
    }

    proptest! {
        #[test]
        fn the_blocks_planned_are_the_fewest_that_suffice(sd in 0.001..0.3, target in 0.005..0.5) {
            if let Some(blocks) = blocks_for(sd, target, 0.95) {
                prop_assert!(half_width(sd, blocks, 0.95) <= target);
                prop_assert!(half_width(sd, blocks - 1, 0.95) > target);
            } else {
                prop_assert!(half_width(sd, BLOCKS_MAX, 0.95) > target);
            }
        }
    }
}
