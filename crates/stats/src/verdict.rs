//! What may be said of a pair, in this order, and no other words.
//!
//! 1. The whole interval lies beyond the larger of the relevant difference and what the control
//!    says the bench cannot see: *faster by at least x %*, x from the near end.
//! 2. It lies inside the relevant difference on both sides: *practically equal*. Noise never widens this band.
//! 3. It excludes 1: *faster, may be too small to matter*.
//! 4. Else: *undecided, about N more blocks*.
//!
//! Where the signed-rank interval points the other way, the pair is undecided whatever the interval says: for
//! *faster*, where it lies wholly on the other side of 1; for *equal*, wholly beyond the relevant difference.

use crate::interval::Interval;
use crate::precision;

/// What counts as a difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// Smallest relevant difference δ as a ratio: 0.05 for five per cent.
    pub relevant_ratio: f64,
    /// What the control shows of a treatment held against itself, as a ratio above 0; 0 without a control.
    pub bound_ratio: f64,
}

/// One pair on the logarithmic scale. Positive values mean that the first treatment is ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// Mean of the log ratios.
    pub log_estimate: f64,
    /// Simultaneous interval of that mean; `None` below two blocks.
    pub log_interval: Option<Interval>,
    /// Signed-rank interval; `None` where there are too few blocks for one.
    pub log_signed_rank: Option<Interval>,
    /// Standard deviation of the log ratios over blocks.
    pub log_sd: Option<f64>,
    /// Blocks.
    pub blocks: usize,
    /// Confidence of the interval of this one pair.
    pub confidence: f64,
}

/// What may be said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The first is faster, by at least this ratio: 0.12 for twelve per cent.
    FasterByAtLeast(f64),
    /// The second is faster, by at least this ratio.
    SlowerByAtLeast(f64),
    /// The difference is smaller than what matters.
    PracticallyEqual,
    /// The first is faster; the difference may be too small to matter.
    FasterMayBeTooSmall,
    /// The second is faster; the difference may be too small to matter.
    SlowerMayBeTooSmall,
    /// Nothing may be said yet; about so many more blocks would decide. `None`: no telling, or far too many.
    Undecided(Option<usize>),
}

/// The verdict on one pair.
pub fn verdict(evidence: &Evidence, terms: &Terms) -> Verdict {
    let undecided = || Verdict::Undecided(more_blocks(evidence, terms));
    let Some(interval) = evidence.log_interval else {
        return Verdict::Undecided(None);
    };
    let called = call(interval, terms);
    match evidence.log_signed_rank {
        Some(ranks) if contradicts(called, ranks, terms) => undecided(),
        _ => called.unwrap_or_else(undecided),
    }
}

/// The words that the interval alone allows; `None` when undecided.
fn call(interval: Interval, terms: &Terms) -> Option<Verdict> {
    let relevant = terms.relevant_ratio.ln_1p();
    let beyond = terms.relevant_ratio.max(terms.bound_ratio).ln_1p();
    if interval.low > beyond {
        Some(Verdict::FasterByAtLeast(interval.low.exp_m1()))
    } else if interval.high < -beyond {
        Some(Verdict::SlowerByAtLeast((-interval.high).exp_m1()))
    } else if -relevant < interval.low && interval.high < relevant {
        Some(Verdict::PracticallyEqual)
    } else if interval.low > 0.0 {
        Some(Verdict::FasterMayBeTooSmall)
    } else if interval.high < 0.0 {
        Some(Verdict::SlowerMayBeTooSmall)
    } else {
        None
    }
}

fn contradicts(called: Option<Verdict>, ranks: Interval, terms: &Terms) -> bool {
    let relevant = terms.relevant_ratio.ln_1p();
    match called {
        Some(Verdict::FasterByAtLeast(_) | Verdict::FasterMayBeTooSmall) => ranks.high < 0.0,
        Some(Verdict::SlowerByAtLeast(_) | Verdict::SlowerMayBeTooSmall) => ranks.low > 0.0,
        Some(Verdict::PracticallyEqual) => ranks.low > relevant || ranks.high < -relevant,
        Some(Verdict::Undecided(_)) | None => false,
    }
}

/// Blocks still needed if the estimate and the spread stay as they are: until the interval excludes 1 or fits
/// inside the relevant difference, whichever comes first.
fn more_blocks(evidence: &Evidence, terms: &Terms) -> Option<usize> {
    let distance = evidence.log_estimate.abs();
    let relevant = terms.relevant_ratio.ln_1p();
    let room = distance.max(relevant - distance);
    let needed = precision::blocks_for(evidence.log_sd?, room, evidence.confidence)?;
    Some(needed.saturating_sub(evidence.blocks).max(1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TERMS: Terms = Terms {
        relevant_ratio: 0.05,
        bound_ratio: 0.03,
    };

    fn evidence(low: f64, high: f64) -> Evidence {
        let (low, high) = (low.ln(), high.ln());
        Evidence {
            log_estimate: f64::midpoint(low, high),
            log_interval: Some(Interval { low, high }),
            log_signed_rank: None,
            log_sd: Some(0.05),
            blocks: 8,
            confidence: 0.95,
        }
    }

    fn words(low: f64, high: f64) -> Verdict {
        verdict(&evidence(low, high), &TERMS)
    }

    #[test]
    fn the_order_of_the_words_decides() {
        assert!(
            matches!(words(1.10, 1.20), Verdict::FasterByAtLeast(x) if (x - 0.10).abs() < 1e-9)
        );
        assert!(
            matches!(words(0.80, 0.90), Verdict::SlowerByAtLeast(x) if (x - 1.0 / 9.0).abs() < 1e-9)
        );
        assert_eq!(words(0.97, 1.03), Verdict::PracticallyEqual);
        // Equal comes before faster: the difference is real and does not matter.
        assert_eq!(words(1.01, 1.04), Verdict::PracticallyEqual);
        assert_eq!(words(1.02, 1.12), Verdict::FasterMayBeTooSmall);
        assert_eq!(words(0.90, 0.99), Verdict::SlowerMayBeTooSmall);
        assert!(matches!(words(0.90, 1.20), Verdict::Undecided(Some(_))));
    }

    #[test]
    fn a_noisy_control_raises_the_bar_for_faster_and_never_for_equal() {
        let noisy = Terms {
            bound_ratio: 0.20,
            ..TERMS
        };
        assert_eq!(
            verdict(&evidence(1.10, 1.20), &noisy),
            Verdict::FasterMayBeTooSmall
        );
        assert!(matches!(
            verdict(&evidence(0.85, 1.15), &noisy),
            Verdict::Undecided(_)
        ));
    }

    #[test]
    fn a_signed_rank_interval_on_the_other_side_leaves_a_pair_undecided() {
        let mut faster = evidence(1.10, 1.20);
        faster.log_signed_rank = Some(Interval {
            low: -0.2,
            high: -0.1,
        });
        assert!(matches!(verdict(&faster, &TERMS), Verdict::Undecided(_)));
        faster.log_signed_rank = Some(Interval {
            low: -0.01,
            high: 0.2,
        });
        assert!(matches!(
            verdict(&faster, &TERMS),
            Verdict::FasterByAtLeast(_)
        ));
    }

    #[test]
    fn a_signed_rank_interval_beyond_the_band_leaves_an_equal_pair_undecided() {
        let mut equal = evidence(0.97, 1.03);
        equal.log_signed_rank = Some(Interval {
            low: 0.06,
            high: 0.2,
        });
        assert!(matches!(verdict(&equal, &TERMS), Verdict::Undecided(_)));
        equal.log_signed_rank = Some(Interval {
            low: 0.04,
            high: 0.2,
        });
        assert_eq!(verdict(&equal, &TERMS), Verdict::PracticallyEqual);
    }

    #[test]
    fn the_blocks_still_needed_are_those_that_would_decide() {
        // Spread 5 %, estimate 2.5 % against a band of 5 %: the interval must shrink to ± 2.5 %.
        let Verdict::Undecided(Some(more)) = words(1.025 / 1.07, 1.025 * 1.07) else {
            panic!("decided");
        };
        let half = |blocks| precision::half_width(0.05, blocks, 0.95);
        assert!(
            half(8 + more) <= 1.025_f64.ln() && half(7 + more) > 1.05_f64.ln() - 1.025_f64.ln()
        );
    }

    #[test]
    fn one_block_decides_nothing() {
        let one = Evidence {
            log_interval: None,
            log_sd: None,
            blocks: 1,
            ..evidence(1.5, 1.6)
        };
        assert_eq!(verdict(&one, &TERMS), Verdict::Undecided(None));
    }

    proptest! {
        #[test]
        fn turning_a_pair_round_turns_its_verdict_round(low in 0.5..2.0, width in 0.0..1.0) {
            let turned = match words(1.0 / (low + width), 1.0 / low) {
                Verdict::FasterByAtLeast(x) => Verdict::SlowerByAtLeast(x),
                Verdict::SlowerByAtLeast(x) => Verdict::FasterByAtLeast(x),
                Verdict::FasterMayBeTooSmall => Verdict::SlowerMayBeTooSmall,
                Verdict::SlowerMayBeTooSmall => Verdict::FasterMayBeTooSmall,
                other => other,
            };
            let plain = words(low, low + width);
            let same = match (plain, turned) {
                (Verdict::FasterByAtLeast(a), Verdict::FasterByAtLeast(b))
                | (Verdict::SlowerByAtLeast(a), Verdict::SlowerByAtLeast(b)) => (a - b).abs() < 1e-9,
                (a, b) => a == b,
            };
            prop_assert!(same, "{plain:?} {turned:?}");
        }
    }
}
