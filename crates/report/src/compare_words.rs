//! What a comparison of two runs says in words: verdicts, the summary, and what to keep in mind.

use record::{Metric, Run, Treatment};

use crate::compare::{Ahead, JudgedChange, TreatmentChange};
use crate::compare_differences::Difference;
use crate::findings::Verdict;
use crate::text::counted;
use crate::units;

/// The verdict in the words of the method, said of the second run.
pub(crate) fn sentence(title: &str, ahead: Ahead, verdict: Verdict, metric: &Metric) -> String {
    let word = match (ahead, metric.unit) {
        (Ahead::After, "bytes") => "smaller",
        (Ahead::After, _) => "faster",
        (Ahead::Before, "bytes") => "larger",
        (Ahead::Before, _) => "slower",
    };
    match verdict {
        Verdict::Faster { at_least_ratio } => {
            format!(
                "{title} became {word} by at least {}",
                units::per_cent(at_least_ratio)
            )
        }
        Verdict::PracticallyEqual => format!("{title} stayed practically equal"),
        Verdict::FasterMaybeTooSmall => {
            format!("{title} became {word}, may be too small to matter")
        }
        Verdict::Undecided { .. } => format!("{title} is undecided"),
    }
}

/// What it comes to.
pub(crate) fn summary(treatments: &[TreatmentChange], metric: &Metric) -> String {
    let judged: Vec<&JudgedChange> = treatments
        .iter()
        .filter_map(|treatment| treatment.through_baseline.as_ref())
        .collect();
    if treatments.is_empty() {
        return format!(
            "Nothing can be said of {}: no treatment has a usable figure in both runs.",
            metric.title
        );
    }
    if judged.is_empty() {
        return format!(
            "Nothing can be said of {}: the runs share no second treatment to hold the first against, and unpaired figures decide nothing.",
            metric.title
        );
    }
    let count = |of: &dyn Fn(&JudgedChange) -> bool| judged.iter().filter(|one| of(one)).count();
    let slower = count(&|one| one.is_slower());
    let faster =
        count(&|one| one.ahead == Ahead::After && matches!(one.verdict, Verdict::Faster { .. }));
    let equal = count(&|one| one.verdict == Verdict::PracticallyEqual);
    let small = count(&|one| one.verdict == Verdict::FasterMaybeTooSmall);
    let undecided = judged.len() - slower - faster - equal - small;
    let said = [
        (slower, "worse by at least something that matters"),
        (faster, "better by at least something that matters"),
        (small, "different, may be too small to matter"),
        (equal, "practically equal"),
        (undecided, "undecided"),
    ];
    let said: Vec<String> = said
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    format!(
        "Of {} held against the baseline on {}: {}.",
        counted(judged.len(), "treatment"),
        metric.title,
        said.join(", ")
    )
}

/// What to keep in mind before any figure.
pub(crate) fn caveats(
    before: &Run,
    after: &Run,
    baseline: Option<&str>,
    shared: &[&Treatment],
    bound: Option<f64>,
    differences: &[Difference],
) -> Vec<String> {
    let mut caveats = vec![
        "Absolute figures of two runs are not paired: what made the machine faster or slower between them is part of their difference.".to_owned(),
    ];
    match baseline {
        Some(name) => {
            let title = shared
                .iter()
                .find(|treatment| treatment.name == name)
                .map_or(name, |treatment| treatment.title.as_str());
            caveats.push(format!(
                "Verdicts are about each treatment's ratio to {title}, which was paired within its own run. If {title} itself changed, all others seem to change the other way."
            ));
            let area = format!("treatment {name}");
            if differences.iter().any(|difference| difference.area == area) {
                caveats.push(format!("{title} is not the same in both runs: choose another baseline, or read every change as one of either."));
            }
        }
        None if shared.is_empty() => {}
        None => caveats.push("Only one treatment is in both runs, so nothing was held against a baseline: there is no verdict.".to_owned()),
    }
    if bound.is_none() {
        caveats.push(
            "At least one run has no usable twin, so what its bench could not see is unknown."
                .to_owned(),
        );
    }
    let rates = before
        .design
        .arrival_rate_per_s
        .zip(after.design.arrival_rate_per_s);
    if let Some((one, other)) = rates
        && (one / other).ln().abs() > 0.02
    {
        caveats.push(format!(
            "The open slices offered {} and {} arrivals/s: CPU time per answer and response times depend on load.",
            units::digits(one),
            units::digits(other)
        ));
    }
    if before.design.kind != after.design.kind {
        caveats.push("The runs have different designs.".to_owned());
    }
    for (run, which) in [(before, "first"), (after, "second")] {
        if run.ended_at.is_none() || run.ended_by.as_deref() == Some("interrupted") {
            caveats.push(format!("The {which} run did not end as its design says."));
        }
        caveats.extend(
            run.caveat
                .as_ref()
                .map(|caveat| format!("The {which} run: {caveat}.")),
        );
    }
    caveats
}
