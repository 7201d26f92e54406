//! From findings to pass or fail. Pure.

use record::{Run, TrialStatus, metric};
use report::{Ahead, Audit, Comparison, Findings, Loss, NotCompared, RatioEstimate, Verdict};
use serde::Serialize;

/// Name of the treatment before the change.
pub const BEFORE: &str = "before";
/// Name of the treatment after it.
pub const AFTER: &str = "after";

/// What a gate says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Not slower: faster, practically equal, or different by too little to matter on the good side.
    Passed,
    /// Slower, and it may or may not matter.
    PassedSlower,
    /// Nothing can be said yet.
    Undecided,
    /// Slower by at least something that matters, or unusable.
    Failed,
}

impl Outcome {
    /// Whether the exit code is 1.
    pub fn fails(self, strict: bool) -> bool {
        match self {
            Outcome::Passed => false,
            Outcome::PassedSlower | Outcome::Undecided => strict,
            Outcome::Failed => true,
        }
    }
}

/// A decision with what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gate {
    /// Always `bancada.gate/1`.
    pub schema: &'static str,
    /// What it says.
    pub outcome: Outcome,
    /// In words.
    pub sentence: String,
    /// Metric that was judged.
    pub metric: String,
    /// How much slower it may become.
    pub max_slower_ratio: f64,
    /// Runs it rests on: one for a pair of commands, two for two runs.
    pub runs: Vec<String>,
    /// The judged comparisons.
    pub judged: Vec<Judged>,
    /// Figures of every metric, for a pair of commands; their intervals are not adjusted and decide nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<FigurePair>,
    /// What the bench cannot see today: no difference below it is called slower by at least anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound_ratio: Option<f64>,
    /// What to know before believing it.
    pub notes: Vec<String>,
}

/// One comparison of after with before.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// Whose.
    pub title: String,
    /// After over before on the judged metric.
    pub ratio: f64,
    /// Lower end of its interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low_ratio: Option<f64>,
    /// Upper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high_ratio: Option<f64>,
    /// Blocks it comes from, of the run that has fewer.
    pub blocks_count: usize,
    /// What that comes to.
    pub outcome: Outcome,
    /// The verdict in words.
    pub sentence: String,
}

/// One metric of both builds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigurePair {
    /// Metric by name, with its unit.
    pub metric: String,
    /// Before the change.
    pub before: f64,
    /// After it.
    pub after: f64,
    /// After over before, block by block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Lower end of its interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low_ratio: Option<f64>,
    /// Upper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high_ratio: Option<f64>,
}

impl Gate {
    /// Judges a run of two commands.
    pub fn of_pair(findings: &Findings, run: &Run) -> Gate {
        let judged = judged_pair(findings);
        let mut notes = notes(findings, run);
        let (outcome, sentence, judged) = match (broken(&findings.audit), judged) {
            (Some(sentence), judged) => (Outcome::Failed, sentence, judged.into_iter().collect()),
            (None, Some(judged)) => (judged.outcome, judged.sentence.clone(), vec![judged]),
            (None, None) => {
                let (outcome, sentence) = unusable(findings);
                (outcome, sentence, Vec::new())
            }
        };
        if outcome == Outcome::Undecided && !findings.audit.voided_blocks.is_empty() {
            notes.push(format!(
                "{} blocks were void: something else used this machine",
                findings.audit.voided_blocks.len()
            ));
        }
        Gate {
            schema: "bancada.gate/1",
            outcome,
            sentence,
            metric: findings.primary_metric.clone(),
            max_slower_ratio: findings.relevant_difference_ratio,
            runs: vec![findings.run.clone()],
            judged,
            figures: figures(findings),
            bound_ratio: findings.control.as_ref().map(|control| control.bound_ratio),
            notes,
        }
    }

    /// Judges two runs. The worst treatment decides.
    pub fn of_runs(comparison: &Comparison) -> Gate {
        let judged: Vec<Judged> = comparison
            .treatments
            .iter()
            .filter_map(|treatment| {
                let judged = treatment.through_baseline.as_ref()?;
                let change = &judged.change;
                Some(Judged {
                    title: treatment.title.clone(),
                    ratio: change.ratio,
                    low_ratio: change.low_ratio,
                    high_ratio: change.high_ratio,
                    blocks_count: change.before_blocks_count.min(change.after_blocks_count),
                    outcome: outcome(judged.verdict, judged.ahead == Ahead::After),
                    sentence: judged.sentence.clone(),
                })
            })
            .collect();
        let lost = comparison.not_compared.iter().filter_map(lost);
        let doubt = doubt(comparison);
        let outcome = judged
            .iter()
            .map(|one| one.outcome)
            .chain(lost)
            .chain(doubt.as_ref().map(|_| Outcome::Undecided))
            .max_by_key(|one| rank(*one));
        let missing = comparison
            .not_compared
            .iter()
            .map(|one| format!("{} is not compared: {}", one.treatment, one.reason));
        Gate {
            schema: "bancada.gate/1",
            outcome: outcome.unwrap_or(Outcome::Undecided),
            sentence: doubt.unwrap_or_default() + &with_losses(comparison),
            metric: comparison.metric.clone(),
            max_slower_ratio: comparison.relevant_difference_ratio,
            runs: vec![comparison.before.run.clone(), comparison.after.run.clone()],
            judged,
            figures: Vec::new(),
            bound_ratio: comparison.bound_ratio,
            notes: comparison.caveats.iter().cloned().chain(missing).collect(),
        }
    }
}

/// What is said first where the baseline itself did worse: whatever is held against it seems better than it is.
fn doubt(comparison: &Comparison) -> Option<String> {
    let at_least_ratio = comparison.baseline_worse_ratio()?;
    let unit = metric(&comparison.metric).map_or("", |metric| metric.unit);
    Some(format!(
        "The baseline {} is itself {} in the second run by at least {:.1} %, unpaired: it changed, or the machine did, \
         so nothing passes by being held against it. Give --baseline a treatment that did not change. ",
        comparison.baseline_title().unwrap_or_default(),
        if unit == "bytes" { "larger" } else { "slower" },
        at_least_ratio * 100.0
    ))
}

/// What a treatment comes to that the run before had and the run after has not: it is never passed over.
fn lost(one: &NotCompared) -> Option<Outcome> {
    match one.loss {
        Loss::None => None,
        Loss::Unknown => Some(Outcome::Undecided),
        Loss::Broken => Some(Outcome::Failed),
    }
}

/// The summary, after what was lost.
fn with_losses(comparison: &Comparison) -> String {
    let named = |loss: Loss| {
        let lost = comparison
            .not_compared
            .iter()
            .filter(|one| one.loss == loss);
        let names: Vec<&str> = lost.map(|one| one.treatment.as_str()).collect();
        names.join(", ")
    };
    let said = |names: String, words: &str| match names.is_empty() {
        true => String::new(),
        false => format!("{names} {words}. "),
    };
    let broken = said(
        named(Loss::Broken),
        "broke: its answers or its process were at fault",
    );
    let unknown = said(
        named(Loss::Unknown),
        "has no usable figure in the second run",
    );
    format!("{broken}{unknown}{}", comparison.summary)
}

/// From the best to the worst.
fn rank(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Passed => 0,
        Outcome::PassedSlower => 1,
        Outcome::Undecided => 2,
        Outcome::Failed => 3,
    }
}

fn outcome(verdict: Verdict, after_is_ahead: bool) -> Outcome {
    match (verdict, after_is_ahead) {
        (Verdict::PracticallyEqual, _) => Outcome::Passed,
        (Verdict::Faster { .. } | Verdict::FasterMaybeTooSmall, true) => Outcome::Passed,
        (Verdict::FasterMaybeTooSmall, false) => Outcome::PassedSlower,
        (Verdict::Faster { .. }, false) => Outcome::Failed,
        (Verdict::Undecided { .. }, _) => Outcome::Undecided,
    }
}

fn judged_pair(findings: &Findings) -> Option<Judged> {
    let pair = findings.pairs.iter().find(|pair| {
        [pair.treatment.as_str(), &pair.against] == [BEFORE, AFTER]
            || [pair.treatment.as_str(), &pair.against] == [AFTER, BEFORE]
    })?;
    let after_is_ahead = pair.treatment == AFTER;
    let ratio: RatioEstimate = match after_is_ahead {
        true => pair.ratio.clone(),
        false => pair.ratio.inverted(),
    };
    let word = |better: &str, worse: &str| {
        if after_is_ahead {
            better.to_owned()
        } else {
            worse.to_owned()
        }
    };
    let unit = metric(&findings.primary_metric).map_or("", |metric| metric.unit);
    let word = if unit == "bytes" {
        word("smaller", "larger")
    } else {
        word("faster", "slower")
    };
    let sentence = match pair.verdict {
        Verdict::Faster { at_least_ratio } => {
            format!(
                "after is {word} than before by at least {:.1} %",
                at_least_ratio * 100.0
            )
        }
        Verdict::PracticallyEqual => "after and before are practically equal".to_owned(),
        Verdict::FasterMaybeTooSmall => {
            format!("after is {word} than before, may be too small to matter")
        }
        Verdict::Undecided { more_blocks_count } => {
            let more = more_blocks_count.map_or(String::new(), |count| {
                format!(
                    ", about {count} more block{}",
                    if count == 1 { "" } else { "s" }
                )
            });
            format!("after against before is undecided{more}")
        }
    };
    Some(Judged {
        title: AFTER.to_owned(),
        ratio: ratio.ratio,
        low_ratio: ratio.low_ratio,
        high_ratio: ratio.high_ratio,
        blocks_count: ratio.blocks_count,
        outcome: outcome(pair.verdict, after_is_ahead),
        sentence,
    })
}

/// Checks of the audit whose failure is the service's own; others may be the machine's.
const OF_THE_SERVICE: [&str; 2] = ["answers: ", "service: "];

/// What is said where only the build after the change answered wrongly, stopped or exited. One trial is enough: such
/// a fault is the build's own, whatever the blocks that went well show.
fn broken(audit: &Audit) -> Option<String> {
    let own = |reason: &&String| OF_THE_SERVICE.iter().any(|check| reason.starts_with(check));
    let mut spoilt = Vec::new();
    for found in &audit.reasons {
        let Some(reason) = found.reasons.iter().find(own) else {
            continue;
        };
        if found.status == TrialStatus::Invalid {
            spoilt.push((found.treatment.as_str(), reason));
        }
    }
    // The twin of the build before the change is that build.
    if spoilt.iter().any(|(treatment, _)| *treatment != AFTER) {
        return None;
    }
    let (_, reason) = spoilt.first()?;
    let count = spoilt.len();
    Some(format!(
        "after broke in {count} trial{}, before in none: {reason}",
        if count == 1 { "" } else { "s" }
    ))
}

/// What is said where no block has a usable figure of both.
fn unusable(findings: &Findings) -> (Outcome, String) {
    let spoilt = |name: &str| {
        let treatment = findings.treatment(name)?;
        if treatment.valid_count + treatment.degraded_count > 0 {
            return None;
        }
        let own = |reason: &&String| OF_THE_SERVICE.iter().any(|check| reason.starts_with(check));
        let of_it = findings
            .audit
            .reasons
            .iter()
            .filter(|found| found.treatment == name);
        let reason = of_it.flat_map(|found| &found.reasons).find(own)?;
        Some(format!("{name} could not be measured: {reason}"))
    };
    match spoilt(AFTER).or_else(|| spoilt(BEFORE)) {
        Some(sentence) => (Outcome::Failed, sentence),
        None => (
            Outcome::Undecided,
            "nothing can be said: no block has a usable figure of both".to_owned(),
        ),
    }
}

fn notes(findings: &Findings, run: &Run) -> Vec<String> {
    let mut notes = Vec::new();
    let fact = |name: &str, key: &str| {
        let treatment = run
            .treatments
            .iter()
            .find(|treatment| treatment.name == name)?;
        treatment.facts.get(key).cloned()
    };
    for key in ["status", "body_bytes"] {
        let (before, after) = (fact(BEFORE, key), fact(AFTER, key));
        if before != after {
            let said = |value: Option<String>| value.unwrap_or_else(|| "varying".to_owned());
            notes.push(format!(
                "the answers differ in {key}: {} before, {} after",
                said(before),
                said(after)
            ));
        }
    }
    for treatment in &findings.treatments {
        let usable = treatment.valid_count + treatment.degraded_count;
        if treatment.invalid_count > 0 && usable > 0 {
            notes.push(format!(
                "{} of {} trials of {} are INVALID",
                treatment.invalid_count,
                usable + treatment.invalid_count,
                treatment.name
            ));
        }
    }
    if findings.control.is_none() {
        notes.push(
            "the twin has no usable figure, so what this bench cannot see is unknown".to_owned(),
        );
    }
    notes.extend(findings.provisional.clone());
    notes
}

fn figures(findings: &Findings) -> Vec<FigurePair> {
    let (Some(before), Some(after)) = (findings.treatment(BEFORE), findings.treatment(AFTER))
    else {
        return Vec::new();
    };
    let ratio_of = |name: &str| {
        if name == findings.primary_metric {
            return judged_pair(findings)
                .map(|judged| (judged.ratio, judged.low_ratio, judged.high_ratio));
        }
        let found = findings
            .exploratory
            .iter()
            .find(|one| one.metric == name && one.treatment == AFTER)?;
        Some((
            found.ratio.ratio,
            found.ratio.low_ratio,
            found.ratio.high_ratio,
        ))
    };
    record::METRICS
        .iter()
        .filter_map(|metric| {
            let figure = before.figures.get(metric.name)?;
            let other = after.figures.get(metric.name)?;
            let ratio = ratio_of(metric.name);
            Some(FigurePair {
                metric: metric.name.to_owned(),
                before: figure.estimate,
                after: other.estimate,
                ratio: ratio.map(|(ratio, _, _)| ratio),
                low_ratio: ratio.and_then(|(_, low, _)| low),
                high_ratio: ratio.and_then(|(_, _, high)| high),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_slower_by_at_least_something_fails_and_strict_wants_a_decision() {
        let faster = Verdict::Faster {
            at_least_ratio: 0.1,
        };
        let undecided = Verdict::Undecided {
            more_blocks_count: None,
        };
        let cases = [
            (faster, true, false, false),
            (Verdict::FasterMaybeTooSmall, true, false, false),
            (Verdict::PracticallyEqual, false, false, false),
            (Verdict::FasterMaybeTooSmall, false, false, true),
            (undecided, false, false, true),
            (undecided, true, false, true),
            (faster, false, true, true),
        ];
        for (verdict, after_is_ahead, fails, fails_strictly) in cases {
            let found = outcome(verdict, after_is_ahead);
            assert_eq!(
                (found.fails(false), found.fails(true)),
                (fails, fails_strictly),
                "{verdict:?}"
            );
        }
    }

    fn audit(spoilt: &[(&str, TrialStatus, &str)]) -> Audit {
        let one = |(treatment, status, reason): &(&str, TrialStatus, &str)| report::AuditReason {
            trial: format!("b01-{treatment}"),
            treatment: (*treatment).to_owned(),
            status: *status,
            reasons: vec![(*reason).to_owned()],
        };
        Audit {
            reasons: spoilt.iter().map(one).collect(),
            ..Audit::default()
        }
    }

    #[test]
    fn a_fault_of_its_own_in_one_trial_breaks_the_build_after_the_change() {
        use TrialStatus::{Degraded, Invalid};
        let fault = (AFTER, Invalid, "service: it exited with 3");
        let sentence = broken(&audit(&[fault])).expect("it broke");
        assert!(
            sentence.contains("1 trial") && sentence.contains("exited"),
            "{sentence}"
        );
        let busy = (AFTER, Invalid, "offered: 97 % were answered in time");
        assert_eq!(broken(&audit(&[busy])), None);
        let marked = (AFTER, Degraded, "answers: 1 of 9,000 timed out");
        assert_eq!(broken(&audit(&[marked])), None);
        for before in [BEFORE, "before~twin"] {
            let both = [fault, (before, Invalid, "answers: 3 were wrong")];
            assert_eq!(broken(&audit(&both)), None, "{before}");
        }
    }
}
