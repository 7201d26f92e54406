//! The claims in lines and tables, for whichever renderer draws them.

use record::metric;

use crate::claim_sides::MAIN;
use crate::claim_words;
use crate::findings::{ClaimComparison, ClaimFindings, ClaimVerdict, Findings, PublishedFigure};
use crate::paint::Paint;
use crate::units;

/// What the verdicts rest on.
pub(crate) fn explanation(findings: &Findings) -> String {
    format!(
        "A claim is reproduced where the same one is ahead and the published ratio lies inside the measured \
         interval widened by {}; direction only where the size is another, or the interval reaches beyond ±{}. \
         Each 95 % interval stands alone, except on the pairs that the verdicts above name.",
        units::chosen(findings.relevant_difference_ratio),
        units::chosen(stats::claim::SIZE_HALF_WIDTH_RATIO)
    )
}

/// The colour of a verdict.
pub(crate) fn paint(verdict: &ClaimVerdict) -> Paint {
    match verdict {
        ClaimVerdict::Reproduced => Paint::Good,
        ClaimVerdict::Contradicted => Paint::Bad,
        ClaimVerdict::DirectionOnly => Paint::Warning,
        ClaimVerdict::Undecided { .. } | ClaimVerdict::CannotBeTestedHere { .. } => Paint::Faint,
    }
}

/// What the claim is about: metric and level.
pub(crate) fn about(claim: &ClaimFindings) -> String {
    let metric = claim
        .metric
        .as_deref()
        .map_or("", |name| metric(name).map_or(name, |metric| metric.title));
    if let Some(beside) = &claim.beside {
        let at = |level: &Option<String>| level.as_deref().unwrap_or(MAIN).to_owned();
        return format!(
            "{metric}, the ratio at {} over that of {} to {} at {}",
            at(&claim.level),
            beside.treatment,
            beside.against,
            at(&beside.level)
        );
    }
    let levels = [&claim.level, &claim.against_level].map(Option::as_deref);
    match levels {
        [None, None] => metric.to_owned(),
        [Some(level), None] => format!("{metric} at {level}"),
        [level, Some(other)] => {
            format!("{metric} at {} against {other}", level.unwrap_or(MAIN))
        }
    }
}

/// A ratio that was measured, or nothing.
pub(crate) fn measured(comparison: Option<&ClaimComparison>) -> String {
    comparison.map_or(String::new(), |found| claim_words::ratio(&found.ratio))
}

/// The published ratio, or nothing.
pub(crate) fn published(claim: &ClaimFindings) -> String {
    claim.published_ratio.map_or(String::new(), units::ratio)
}

/// Everything said below a claim, a sentence each: the verdict first.
pub(crate) fn sentences(claim: &ClaimFindings) -> Vec<String> {
    let mut all = vec![claim.sentence.clone()];
    all.extend(claim.reasons.iter().cloned());
    all.extend(claim.note.clone());
    all
}

/// One cell of a published table: what was published, and what was measured here.
pub(crate) fn published_cells(cell: &PublishedFigure) -> [String; 2] {
    let Some(metric) = metric(&cell.metric) else {
        return [units::digits(cell.published), String::new()];
    };
    let measured = cell.measured.as_ref();
    [
        units::with_unit(metric.unit, cell.published),
        measured.map_or(String::new(), |figure| claim_words::figure(metric, figure)),
    ]
}
