//! A run that repeats another's experiment: verdict by verdict, what replicated.
//!
//! A verdict replicates when the repetition decides the same, and fails to when it decides otherwise. What either
//! run leaves open stays open: that something was not found again is not evidence that it is not there.

use serde::Serialize;

use crate::findings::{Findings, Pair, RatioEstimate, Verdict};

/// `bancada.replay/1`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Replay {
    /// Always `bancada.replay/1`.
    pub schema: &'static str,
    /// The run that was repeated.
    pub original: String,
    /// The repetition.
    pub replay: String,
    /// Metric of the verdicts.
    pub primary_metric: String,
    /// Every verdict of the original.
    pub verdicts: Vec<Replayed>,
}

/// One verdict of the original and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Replayed {
    /// The one ahead in the original.
    pub treatment: String,
    /// The one behind in the original.
    pub against: String,
    /// What became of it.
    pub outcome: Outcome,
    /// The verdict of the original in words.
    pub original_sentence: String,
    /// The ratio in the original.
    pub original_ratio: RatioEstimate,
    /// The verdict of the repetition in words; absent where it did not measure both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay_sentence: Option<String>,
    /// The ratio in the repetition, the same way round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay_ratio: Option<RatioEstimate>,
}

/// What became of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Decided the same.
    Replicated,
    /// Decided otherwise.
    NotReplicated,
    /// One of the two runs did not decide, or did not measure both.
    Undecided,
}

impl Outcome {
    fn words(self) -> &'static str {
        match self {
            Outcome::Replicated => "replicated",
            Outcome::NotReplicated => "not replicated",
            Outcome::Undecided => "undecided",
        }
    }
}

/// Holds a repetition against the run it repeats.
pub fn replay(original: &Findings, here: &Findings) -> Replay {
    let same_metric = original.primary_metric == here.primary_metric;
    let verdicts = original.pairs.iter().map(|pair| {
        let found = here.pairs.iter().find_map(|other| oriented(other, pair));
        let found = found.filter(|_| same_metric);
        Replayed {
            treatment: pair.treatment.clone(),
            against: pair.against.clone(),
            outcome: found
                .as_ref()
                .map_or(Outcome::Undecided, |(turned, _, other)| {
                    outcome(pair.verdict, other.verdict, *turned)
                }),
            original_sentence: pair.sentence.clone(),
            original_ratio: pair.ratio.clone(),
            replay_sentence: found.as_ref().map(|(_, _, other)| other.sentence.clone()),
            replay_ratio: found.map(|(_, ratio, _)| ratio),
        }
    });
    Replay {
        schema: "bancada.replay/1",
        original: original.run.clone(),
        replay: here.run.clone(),
        primary_metric: original.primary_metric.clone(),
        verdicts: verdicts.collect(),
    }
}

/// Whether `other` is about the same two, turned round or not, with its ratio as the original has it.
fn oriented<'a>(other: &'a Pair, pair: &Pair) -> Option<(bool, RatioEstimate, &'a Pair)> {
    let names = |pair: &Pair| (pair.treatment.clone(), pair.against.clone());
    let (ahead, behind) = names(pair);
    if names(other) == (ahead.clone(), behind.clone()) {
        return Some((false, other.ratio.clone(), other));
    }
    (names(other) == (behind, ahead)).then(|| (true, other.ratio.inverted(), other))
}

fn outcome(original: Verdict, here: Verdict, turned: bool) -> Outcome {
    use Verdict::{Faster, FasterMaybeTooSmall, PracticallyEqual, Undecided};
    match (original, here) {
        (Undecided { .. }, _) | (_, Undecided { .. }) => Outcome::Undecided,
        (PracticallyEqual, PracticallyEqual) => Outcome::Replicated,
        (PracticallyEqual, Faster { .. }) | (Faster { .. }, PracticallyEqual) => {
            Outcome::NotReplicated
        }
        // A difference that may be too small to matter, and one that is: both can be true.
        (PracticallyEqual, FasterMaybeTooSmall) | (FasterMaybeTooSmall, PracticallyEqual) => {
            Outcome::Undecided
        }
        (Faster { .. } | FasterMaybeTooSmall, Faster { .. } | FasterMaybeTooSmall) => {
            match turned {
                false => Outcome::Replicated,
                true => Outcome::NotReplicated,
            }
        }
    }
}

/// The comparison in plain text.
pub fn replay_text(replay: &Replay) -> String {
    let count = |wanted: Outcome| {
        let same = replay.verdicts.iter().filter(|one| one.outcome == wanted);
        same.count()
    };
    let mut lines = vec![format!(
        "Replay of {}: {} replicated, {} not replicated, {} undecided ({})",
        replay.original,
        count(Outcome::Replicated),
        count(Outcome::NotReplicated),
        count(Outcome::Undecided),
        replay.primary_metric,
    )];
    for one in &replay.verdicts {
        lines.push(format!(
            "  {:<14}  {} : {}  there {}, here {}",
            one.outcome.words(),
            one.treatment,
            one.against,
            shown(Some(&one.original_ratio)),
            shown(one.replay_ratio.as_ref()),
        ));
        lines.push(format!(
            "                  there: {}",
            one.original_sentence
        ));
        if let Some(sentence) = &one.replay_sentence {
            lines.push(format!("                  here:  {sentence}"));
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

fn shown(ratio: Option<&RatioEstimate>) -> String {
    match ratio {
        None => "not measured".to_owned(),
        Some(ratio) => match ratio.interval() {
            Some((low, high)) => format!("{:.3} [{low:.3}, {high:.3}]", ratio.ratio),
            None => format!("{:.3}", ratio.ratio),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FASTER: Verdict = Verdict::Faster {
        at_least_ratio: 1.1,
    };
    const OPEN: Verdict = Verdict::Undecided {
        more_blocks_count: None,
    };

    #[test]
    fn a_verdict_replicates_only_where_both_decide_the_same() {
        use Verdict::{FasterMaybeTooSmall, PracticallyEqual};
        for (original, here, turned, expected) in [
            (FASTER, FASTER, false, Outcome::Replicated),
            (FASTER, FASTER, true, Outcome::NotReplicated),
            (FASTER, FasterMaybeTooSmall, false, Outcome::Replicated),
            (FASTER, PracticallyEqual, false, Outcome::NotReplicated),
            (FASTER, OPEN, false, Outcome::Undecided),
            (OPEN, FASTER, false, Outcome::Undecided),
            (
                PracticallyEqual,
                PracticallyEqual,
                true,
                Outcome::Replicated,
            ),
            (PracticallyEqual, FASTER, false, Outcome::NotReplicated),
            (
                PracticallyEqual,
                FasterMaybeTooSmall,
                false,
                Outcome::Undecided,
            ),
        ] {
            assert_eq!(
                outcome(original, here, turned),
                expected,
                "{original:?} {here:?}"
            );
        }
    }

    #[test]
    fn a_pair_that_changed_sides_is_shown_the_same_way_round() {
        let pair = |treatment: &str, against: &str, ratio: f64| Pair {
            treatment: treatment.to_owned(),
            against: against.to_owned(),
            ratio: RatioEstimate {
                ratio,
                low_ratio: None,
                high_ratio: None,
                blocks_count: 8,
            },
            signed_rank: None,
            verdict: FASTER,
            sentence: String::new(),
        };
        let other = pair("b", "a", 0.5);
        let (turned, ratio, _) = oriented(&other, &pair("a", "b", 0.8)).unwrap();
        assert!(turned);
        assert_eq!(ratio.ratio, 2.0);
        assert!(oriented(&other, &pair("a", "c", 0.8)).is_none());
    }
}
