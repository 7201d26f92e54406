//! Whether the answers of one level may be compared: the rule `answers` of the audit, applied to a level's outcomes.

use std::collections::BTreeMap;

/// Share of requests without a good answer up to which they are an accident, as in the audit of a trial.
const UNANSWERED_MAX_RATIO: f64 = 0.001;

/// The rule in words, as the end of a sentence.
pub(crate) const RULE: &str =
    "an answer was wrong, or more than 0.1 % of requests did not end in a good answer";

/// Whether no answer was wrong and all but 0.1 % of the requests ended in a good one. True where no outcome was
/// recorded: an objective that nothing kept has none.
pub(crate) fn is_sound(outcomes: &BTreeMap<String, u64>) -> bool {
    let count = |outcome: &str| outcomes.get(outcome).copied().unwrap_or(0);
    let all = outcomes
        .values()
        .fold(0, |sum: u64, count| sum.saturating_add(*count));
    let failed = all.saturating_sub(count("ok"));
    let wrong = count("unexpected_status").saturating_add(count("unexpected_body"));
    wrong == 0 && failed as f64 <= all as f64 * UNANSWERED_MAX_RATIO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_answer_is_too_many_and_one_lost_in_a_thousand_is_not() {
        let sound = |found: &[(&str, u64)]| {
            let outcomes = found.iter();
            is_sound(
                &outcomes
                    .map(|(name, count)| ((*name).to_owned(), *count))
                    .collect(),
            )
        };
        assert!(sound(&[]) && sound(&[("ok", 0)]) && sound(&[("ok", 1_000)]));
        assert!(sound(&[("ok", 999), ("timeout", 1)]));
        assert!(!sound(&[("ok", 998), ("timeout", 2)]));
        assert!(!sound(&[("ok", 1_000_000), ("unexpected_status", 1)]));
        assert!(!sound(&[("ok", 1_000_000), ("unexpected_body", 1)]));
        assert!(!sound(&[("timeout", 5)]));
    }
}
