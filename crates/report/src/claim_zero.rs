//! Claims about figures that are 0, which no ratio can be taken to.

use record::metric;

use crate::claims::at;
use crate::findings::{ClaimFindings, ClaimVerdict};
use crate::grounds::{Grounds, Missing, Place};
use crate::manifest::Claim;
use crate::text::counted;

/// A claim about two figures that are both 0 in every block: equal, though no ratio says so. `None` of any other.
pub(crate) fn nothing_to_divide(grounds: &Grounds, claim: &Claim) -> Option<ClaimFindings> {
    let metric = metric(claim.metric.as_deref()?)
        .filter(|_| claim.untestable.is_none() && claim.is_plain())?;
    let place = Place {
        metric,
        level: claim.level.as_deref(),
    };
    let pair = [claim.treatment.as_deref()?, claim.against.as_deref()?];
    let [one, other] = pair.map(|name| zero_blocks_count(grounds, name, place));
    let missing_count =
        (grounds.run.design.min_blocks_count as usize).saturating_sub(one?.min(other?));
    let titles = pair.map(|name| grounds.title(name));
    let found = format!(
        "{}{} was 0 in every block, of both {} and {}",
        metric.title,
        at(place.level),
        titles[0],
        titles[1]
    );
    let (verdict, sentence) = match says_equal(grounds, claim, pair, place) {
        None => {
            let reason = format!(
                "{found}, and the claim gives neither a ratio nor the figures that were published"
            );
            let sentence = format!("Reason: {reason}.");
            (ClaimVerdict::CannotBeTestedHere { reason }, sentence)
        }
        // No interval tells of how many blocks a 0 comes.
        Some(_) if missing_count > 0 => (
            ClaimVerdict::Undecided {
                more_blocks_count: Some(missing_count),
            },
            format!(
                "So far {found}; {} would decide it.",
                counted(missing_count, "more block")
            ),
        ),
        Some(true) => (
            ClaimVerdict::Reproduced,
            format!("The source says that they are equal; here {found}."),
        ),
        Some(false) => (
            ClaimVerdict::Contradicted,
            format!("The source says that they differ; here {found}."),
        ),
    };
    Some(ClaimFindings {
        id: claim.id.clone(),
        quote: claim.quote.clone(),
        metric: claim.metric.clone(),
        level: claim.level.clone(),
        against_level: None,
        beside: None,
        published_ratio: claim.published_ratio,
        verdict,
        sentence,
        as_published: None,
        like_for_like: None,
        steady: None,
        reasons: Vec::new(),
        note: claim.note.clone(),
    })
}

/// How many blocks measured a figure, where it is 0 in every one of them.
fn zero_blocks_count(grounds: &Grounds, treatment: &str, place: Place) -> Option<usize> {
    match grounds.figures_by_block(treatment, place) {
        Err(Missing::Zero {
            zero_count,
            blocks_count,
        }) if zero_count == blocks_count => Some(blocks_count),
        _ => None,
    }
}

/// Whether the source calls the two equal, by the claim's ratio or else by the figures that it published.
fn says_equal(grounds: &Grounds, claim: &Claim, pair: [&str; 2], place: Place) -> Option<bool> {
    if let Some(ratio) = claim.published_ratio {
        return Some(ratio == 1.0);
    }
    let [one, other] = pair.map(|name| {
        let mut cells = grounds.manifest.published.iter();
        let cell = cells.find(|cell| {
            (cell.treatment.as_str(), cell.metric.as_str()) == (name, place.metric.name)
                && cell.level.as_deref() == place.level
        });
        cell.map(|cell| cell.value)
    });
    Some(one? == other?)
}
