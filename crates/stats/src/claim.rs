//! What a measured ratio says of a published one.
//!
//! A claim has a direction and a size. Its direction is judged by the words that the pair itself earned, so that
//! no claim is ever held or refuted by a difference that the pair leaves undecided. Its size agrees where the published
//! ratio lies inside the measured interval widened by δ on either side, as the source's own figure had noise too,
//! and where that interval reaches no farther than ±25 %: a vague measurement confirms no size.

use crate::interval::Interval;
use crate::verdict::{Terms, Verdict};

/// How a claim fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Direction and size, or equality.
    Reproduced,
    /// The same one is ahead, by another factor or by one that cannot be told.
    DirectionOnly,
    /// The other one is ahead; or both are practically equal where the source says they differ, or the reverse.
    Contradicted,
    /// The measurement does not decide it.
    Undecided,
}

/// How far a measured interval may reach, as a ratio to either side, to confirm a size.
pub const SIZE_HALF_WIDTH_RATIO: f64 = 0.25;

/// Whether `published_ratio` lies inside the interval of the measured ratio widened by the relevant difference,
/// and that interval is narrow enough to tell.
pub fn size_agrees(published_ratio: f64, log_interval: Interval, terms: &Terms) -> bool {
    let widened = widened(log_interval, terms);
    widened.contains(published_ratio.ln())
        && log_interval.half_width() <= SIZE_HALF_WIDTH_RATIO.ln_1p()
}

/// Whether `published_ratio` lies outside the interval of the measured ratio, widened by the relevant difference.
pub fn is_ruled_out(published_ratio: f64, log_interval: Interval, terms: &Terms) -> bool {
    !widened(log_interval, terms).contains(published_ratio.ln())
}

fn widened(log_interval: Interval, terms: &Terms) -> Interval {
    let relevant = terms.relevant_ratio.ln_1p();
    Interval {
        low: log_interval.low - relevant,
        high: log_interval.high + relevant,
    }
}

/// Judges a published ratio, which is above 0 and 1 where the source calls two treatments equal. `called` are the
/// words of the pair and `log_interval` the interval behind them, both of the logarithm of the same ratio: in
/// them the first is "faster" where the ratio is above 1, whatever the metric.
pub fn judge(
    published_ratio: f64,
    called: Verdict,
    log_interval: Interval,
    terms: &Terms,
) -> Agreement {
    let published = published_ratio.ln();
    if published == 0.0 {
        return judge_equality(called);
    }
    let same = match direction(called) {
        Some(up) => up == (published > 0.0),
        None if called == Verdict::PracticallyEqual => {
            return judge_equal_pair(published, log_interval, terms);
        }
        None => return Agreement::Undecided,
    };
    match (same, size_agrees(published_ratio, log_interval, terms)) {
        (false, _) => Agreement::Contradicted,
        (true, true) => Agreement::Reproduced,
        (true, false) => Agreement::DirectionOnly,
    }
}

/// Judges a claim that gives no size: the ratio is above 1 (`above`), or below.
pub fn judge_direction(above: bool, called: Verdict) -> Agreement {
    match direction(called) {
        Some(up) if up == above => Agreement::Reproduced,
        Some(_) => Agreement::Contradicted,
        None if called == Verdict::PracticallyEqual => Agreement::Contradicted,
        None => Agreement::Undecided,
    }
}

fn judge_equality(called: Verdict) -> Agreement {
    match called {
        Verdict::PracticallyEqual => Agreement::Reproduced,
        Verdict::FasterByAtLeast(_) | Verdict::SlowerByAtLeast(_) => Agreement::Contradicted,
        // A difference is there, and may be one that nobody would call a difference.
        Verdict::FasterMayBeTooSmall | Verdict::SlowerMayBeTooSmall | Verdict::Undecided(_) => {
            Agreement::Undecided
        }
    }
}

/// The pair is practically equal; the source says it is not quite.
fn judge_equal_pair(published: f64, log_interval: Interval, terms: &Terms) -> Agreement {
    let near = widened(log_interval, terms).contains(published);
    let matters = published.abs() > terms.relevant_ratio.ln_1p();
    match (near, matters) {
        (true, false) => Agreement::Reproduced,
        // On the edge of what matters: within the tolerance of its size, beyond that of its meaning.
        (true, true) => Agreement::Undecided,
        (false, _) => Agreement::Contradicted,
    }
}

/// Whether a decided difference is upwards; `None` where none is decided.
fn direction(called: Verdict) -> Option<bool> {
    match called {
        Verdict::FasterByAtLeast(_) | Verdict::FasterMayBeTooSmall => Some(true),
        Verdict::SlowerByAtLeast(_) | Verdict::SlowerMayBeTooSmall => Some(false),
        Verdict::PracticallyEqual | Verdict::Undecided(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::verdict::{Evidence, verdict};

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

    fn judged(published_ratio: f64, low: f64, high: f64) -> Agreement {
        let evidence = evidence(low, high);
        let called = verdict(&evidence, &TERMS);
        judge(
            published_ratio,
            called,
            evidence.log_interval.unwrap(),
            &TERMS,
        )
    }

    #[test]
    fn the_table_of_every_branch() {
        use Agreement::{Contradicted, DirectionOnly, Reproduced, Undecided};
        let table = [
            // Direction and size.
            (2.04, 1.90, 2.10, Reproduced),
            (0.49, 0.47, 0.52, Reproduced),
            // Outside the interval, inside what it is widened by.
            (2.04, 1.85, 1.96, Reproduced),
            (2.04, 1.80, 1.92, DirectionOnly),
            (2.04, 3.00, 3.20, DirectionOnly),
            // So wide that it holds anything: no size.
            (2.04, 1.10, 8.00, DirectionOnly),
            // Decided, though perhaps too small to matter.
            (1.12, 1.02, 1.12, Reproduced),
            (1.50, 1.02, 1.12, DirectionOnly),
            // The other one is ahead, clearly or by little.
            (2.04, 0.50, 0.60, Contradicted),
            (2.04, 0.90, 0.99, Contradicted),
            (0.50, 1.20, 1.30, Contradicted),
            // Practically equal where the source says different.
            (2.04, 0.98, 1.02, Contradicted),
            (1.12, 0.98, 1.02, Contradicted),
            // On the edge of what matters.
            (1.06, 1.00, 1.03, Undecided),
            // The source's own difference is too small to matter, and so is ours.
            (1.03, 0.99, 1.03, Reproduced),
            (1.04, 0.955, 0.97, Contradicted),
            // Nothing is decided.
            (2.04, 0.80, 1.60, Undecided),
            // Equality.
            (1.0, 0.97, 1.03, Reproduced),
            (1.0, 1.10, 1.20, Contradicted),
            (1.0, 0.80, 0.90, Contradicted),
            (1.0, 1.02, 1.12, Undecided),
            (1.0, 0.90, 1.20, Undecided),
        ];
        for (published, low, high, wanted) in table {
            assert_eq!(
                judged(published, low, high),
                wanted,
                "{published}: {low} – {high}"
            );
        }
    }

    #[test]
    fn a_size_is_ruled_out_beyond_the_widened_interval() {
        let interval = evidence(0.953, 1.24).log_interval.unwrap();
        for (published, wanted) in [(1.82, true), (1.30, false), (0.91, false), (0.90, true)] {
            assert_eq!(
                is_ruled_out(published, interval, &TERMS),
                wanted,
                "{published}"
            );
        }
    }

    #[test]
    fn a_claim_without_a_size_is_judged_by_its_direction() {
        use Agreement::{Contradicted, Reproduced, Undecided};
        let table = [
            (true, Verdict::FasterByAtLeast(0.1), Reproduced),
            (true, Verdict::FasterMayBeTooSmall, Reproduced),
            (false, Verdict::SlowerByAtLeast(0.1), Reproduced),
            (true, Verdict::SlowerMayBeTooSmall, Contradicted),
            (true, Verdict::PracticallyEqual, Contradicted),
            (true, Verdict::Undecided(Some(3)), Undecided),
        ];
        for (above, called, wanted) in table {
            assert_eq!(judge_direction(above, called), wanted, "{called:?}");
        }
    }

    proptest! {
        #[test]
        fn no_claim_says_more_than_its_pair(
            published in 0.2..5.0_f64, low in 0.2..5.0_f64, factor in 1.0..3.0_f64, ranks in prop::option::of(0.3..3.0_f64),
        ) {
            let mut evidence = evidence(low, low * factor);
            evidence.log_signed_rank = ranks.map(|at| Interval { low: at.ln() - 0.1, high: at.ln() + 0.1 });
            let called = verdict(&evidence, &TERMS);
            let found = judge(published, called, evidence.log_interval.unwrap(), &TERMS);
            let up = published > 1.0;
            match called {
                Verdict::Undecided(_) => prop_assert_eq!(found, Agreement::Undecided),
                Verdict::PracticallyEqual => prop_assert_ne!(found, Agreement::DirectionOnly),
                Verdict::FasterByAtLeast(_) | Verdict::FasterMayBeTooSmall => {
                    prop_assert_eq!(found == Agreement::Contradicted, !up);
                    prop_assert_ne!(found, Agreement::Undecided);
                }
                Verdict::SlowerByAtLeast(_) | Verdict::SlowerMayBeTooSmall => {
                    prop_assert_eq!(found == Agreement::Contradicted, up);
                    prop_assert_ne!(found, Agreement::Undecided);
                }
            }
        }

        #[test]
        fn a_claim_reads_the_same_from_both_ends(published in 0.2..5.0_f64, low in 0.2..5.0_f64, factor in 1.0..3.0_f64) {
            let high = low * factor;
            prop_assert_eq!(judged(published, low, high), judged(1.0 / published, 1.0 / high, 1.0 / low));
        }

        #[test]
        fn noise_confirms_no_size(published in 1.06..5.0_f64, factor in 1.57..4.0_f64) {
            // The interval is centred on what was published, and too wide to tell.
            let (low, high) = (published / factor.sqrt(), published * factor.sqrt());
            prop_assert_ne!(judged(published, low, high), Agreement::Reproduced);
        }
    }
}
