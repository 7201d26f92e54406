//! The claims of a source, each put to the test in the setting that was published and like for like.

use record::{Better, Metric, metric};
use stats::Terms;
use stats::claim::{self, Agreement};
use stats::simultaneous;

use crate::claim_sides::{Side, Sides};
use crate::figures;
use crate::findings::{ClaimComparison, ClaimFindings, ClaimVerdict, PublishedFigure};
use crate::grounds::{self, Compared, Grounds, Place};
use crate::levels;
use crate::manifest::{Claim, Published};
use crate::percentiles::is_tail;
use crate::{claim_reasons, claim_users, claim_words, claim_zero};

/// One setting with the blocks behind it.
pub(crate) struct Tested {
    /// As the findings have it.
    pub(crate) comparison: ClaimComparison,
    /// The comparison itself.
    pub(crate) compared: Compared,
}

/// Every claim of the run's experiment, in its order.
pub(crate) fn claims(grounds: &Grounds) -> Vec<ClaimFindings> {
    let mut told = claim_reasons::Told::new();
    let claims = grounds.manifest.claims.iter();
    claims.map(|claim| one(grounds, claim, &mut told)).collect()
}

fn one(grounds: &Grounds, claim: &Claim, told: &mut claim_reasons::Told) -> ClaimFindings {
    if let Some(found) = claim_zero::nothing_to_divide(grounds, claim) {
        return found;
    }
    let as_published = as_published(grounds, claim);
    let like_for_like = like_for_like(grounds, claim);
    let steady = steady(grounds, claim);
    let verdict = match &as_published {
        Ok(tested) => tested.comparison.verdict.clone(),
        Err(reason) => ClaimVerdict::CannotBeTestedHere {
            reason: reason.clone(),
        },
    };
    let as_published = as_published.ok();
    let reasons = claim_reasons::reasons(
        grounds,
        &claim.id,
        told,
        as_published.as_ref(),
        like_for_like.as_ref(),
        steady.as_ref(),
    );
    ClaimFindings {
        id: claim.id.clone(),
        quote: claim.quote.clone(),
        metric: claim.metric.clone(),
        level: claim.level.clone(),
        against_level: claim.against_level.clone(),
        beside: claim.beside(),
        published_ratio: claim.published_ratio,
        sentence: claim_words::sentence(
            &verdict,
            claim,
            as_published.as_ref().map(|tested| &tested.comparison),
            &grounds.terms,
        ),
        verdict,
        as_published: as_published.map(|tested| tested.comparison),
        like_for_like: like_for_like.map(|tested| tested.comparison),
        steady: steady.map(|tested| tested.comparison),
        reasons,
        note: claim.note.clone(),
    }
}

/// The claim in the setting that was published, or why it cannot be put to the test.
fn as_published(grounds: &Grounds, claim: &Claim) -> Result<Tested, String> {
    if let Some(reason) = &claim.untestable {
        return Err(match own_figure(grounds, claim) {
            Some(figure) => format!("{reason} ({figure})"),
            None => reason.clone(),
        });
    }
    let between_levels = claim.against_level.as_ref().and(claim.treatment.as_ref());
    let named = (&claim.treatment, claim.against.as_ref().or(between_levels));
    let (Some(treatment), Some(against)) = named else {
        let reason = "it compares no two treatments of this experiment";
        return Err(match own_figure(grounds, claim) {
            Some(figure) => format!("{reason} ({figure})"),
            None => reason.to_owned(),
        });
    };
    let name = claim.metric.as_deref().ok_or("it names no metric")?;
    let metric =
        metric(name).ok_or_else(|| format!("metric {name} is not one this version knows"))?;
    let place = Place {
        metric,
        level: claim.level.as_deref(),
    };
    test(grounds, claim, [treatment, against], place)
}

/// The claim with what flawed it put right; `None` where the experiment has no such setting, or it was not measured.
fn like_for_like(grounds: &Grounds, claim: &Claim) -> Option<Tested> {
    if claim.like_for_like_treatment.is_none() && claim.like_for_like_against.is_none() {
        return None;
    }
    let treatment = claim
        .like_for_like_treatment
        .as_ref()
        .or(claim.treatment.as_ref())?;
    let against = claim
        .like_for_like_against
        .as_ref()
        .or(claim.against.as_ref())
        .or(claim.against_level.as_ref().and(Some(treatment)))?;
    if [Some(treatment), Some(against)] == [claim.treatment.as_ref(), claim.against.as_ref()] {
        return None;
    }
    let place = Place {
        metric: metric(claim.metric.as_deref()?)?,
        level: claim.level.as_deref(),
    };
    test(grounds, claim, [treatment, against], place).ok()
}

/// For a claim about the cold start, the same pair when warm: in the closed loop at the same concurrency, or else in
/// the main slices.
fn steady(grounds: &Grounds, claim: &Claim) -> Option<Tested> {
    let level = claim.level.as_deref()?;
    if !claim.is_plain() {
        return None;
    }
    let pair = [claim.treatment.as_deref()?, claim.against.as_deref()?];
    let trials = grounds.selection.usable(pair[0]);
    let levels = || trials.iter().flat_map(|trial| &trial.levels);
    let cold = levels().find(|found| found.level == level && found.load == "cold")?;
    let warm = levels()
        .filter(|found| found.load == "closed" && cold.concurrency_count.is_some())
        .find(|found| found.concurrency_count == cold.concurrency_count);
    let metric = metric(claim.metric.as_deref()?)?;
    let warm = warm.map(|found| found.level.clone());
    let at = |level: Option<&str>| test(grounds, claim, pair, Place { metric, level }).ok();
    warm.and_then(|level| at(Some(&level))).or_else(|| at(None))
}

fn test(
    grounds: &Grounds,
    claim: &Claim,
    [one, other]: [&str; 2],
    place: Place,
) -> Result<Tested, String> {
    let sides = Sides::of(claim, [one, other], place);
    for (name, place) in sides.all() {
        measured(grounds, name, place)?;
    }
    // That the rates are equal is what users who are all answered show.
    let no_rate = |[(one, place), (other, second)]: [Side; 2]| {
        let places = [place, second].into_iter();
        let mut reasons =
            places.filter_map(|place| claim_users::why_no_rate(grounds, [one, other], place));
        reasons.next()
    };
    if claim.published_ratio != Some(1.0)
        && let Some(reason) = sides.pairs().find_map(no_rate)
    {
        return Err(reason);
    }
    let found = match sides.plain() {
        Some((pair, place)) => grounds.compare(pair, place, pairs_count(grounds, pair, place)),
        None => sides.compare(grounds),
    };
    let compared =
        found.ok_or_else(
            || match place.level.is_none() && is_tail(place.metric.name) {
                true => "a percentile of the tail of the main slices is one of all blocks together"
                    .to_owned(),
                false => "no block has all of the figures".to_owned(),
            },
        )?;
    let sentence = match sides.plain() {
        Some((pair, _)) => {
            let titles = pair.map(|name| grounds.title(name));
            compared.pair(pair, titles, place.metric).sentence
        }
        None => sides.sentence(grounds, &compared, place.metric),
    };
    let comparison = ClaimComparison {
        treatment: one.to_owned(),
        against: other.to_owned(),
        ratio: compared.ratio.clone(),
        verdict: verdict(claim, &compared, place, &sides.terms(grounds)),
        sentence,
    };
    Ok(Tested {
        comparison,
        compared,
    })
}

/// A pair that the run's verdicts name keeps their interval, and one with the baseline at a level that of its level;
/// every other one stands alone.
fn pairs_count(grounds: &Grounds, pair: [&str; 2], place: Place) -> usize {
    if place.level.is_some()
        && pair.contains(&grounds.baseline)
        && grounds.same_work(pair[0], pair[1])
    {
        return levels::pairs_count(grounds, place).max(1);
    }
    let among = pair.iter().all(|name| grounds.ranked.contains(name));
    let primary = place.level.is_none() && place.metric.name == grounds.run.primary_metric;
    match among && primary {
        true => simultaneous::pairs_count(grounds.ranked.len()),
        false => 1,
    }
}

fn verdict(claim: &Claim, compared: &Compared, place: Place, terms: &Terms) -> ClaimVerdict {
    let undecided = || ClaimVerdict::Undecided {
        more_blocks_count: match compared.called {
            stats::Verdict::Undecided(more_blocks_count) => more_blocks_count,
            _ => None,
        },
    };
    let Some(interval) = compared.log_interval() else {
        return undecided();
    };
    let agreement = match claim.published_ratio {
        Some(published) => claim::judge(published, compared.called, interval, terms),
        None => {
            let higher = claim.is_of_two_ratios() || place.metric.better != Better::Lower;
            claim::judge_direction(higher, compared.called)
        }
    };
    match agreement {
        Agreement::Reproduced => ClaimVerdict::Reproduced,
        Agreement::DirectionOnly => ClaimVerdict::DirectionOnly,
        Agreement::Contradicted => ClaimVerdict::Contradicted,
        Agreement::Undecided => undecided(),
    }
}

/// Why a treatment has no such figure, if it has none.
fn measured(grounds: &Grounds, name: &str, place: Place) -> Result<(), String> {
    if grounds.treatment(name).is_none() {
        let skipped = grounds
            .run
            .skipped
            .iter()
            .find(|skipped| skipped.treatment == name);
        return Err(match skipped {
            Some(skipped) => format!("{name} was left out: {}", skipped.reason),
            None => format!("there is no {name} in this run"),
        });
    }
    let title = grounds.title(name);
    let usable = grounds.trials(name, place);
    if usable.is_empty() {
        return Err(match grounds.selection.why_invalid(name) {
            Some(reason) => format!("every trial of {title} is INVALID: {reason}"),
            None => format!("no trial of {title} has ended"),
        });
    }
    if let Some(level) = place.level
        && usable
            .iter()
            .all(|trial| grounds::metrics(trial, Some(level)).is_none())
    {
        return Err(format!("{title} was not measured at {level}"));
    }
    let tail = place.level.is_none() && crate::percentiles::is_percentile(place.metric.name);
    if !tail {
        match grounds.figures_by_block(name, place) {
            Ok(found) if found.is_empty() => {
                return Err(missing(place.metric, title, place.level));
            }
            Ok(_) => {}
            Err(why) => {
                let words = why.words(place.metric);
                return Err(format!(
                    "{} of {title}{}: {words}",
                    place.metric.title,
                    at(place.level)
                ));
            }
        }
    }
    let figures = || figures::figures(&usable, grounds.histograms);
    if tail && !figures().contains_key(place.metric.name) {
        return Err(missing(place.metric, title, place.level));
    }
    Ok(())
}

fn missing(metric: &Metric, title: &str, level: Option<&str>) -> String {
    let at = at(level);
    let few = match crate::percentiles::is_percentile(metric.name) {
        true => ", or has too few answers",
        false => "",
    };
    format!("{} of {title}{at} was not measured{few}", metric.title)
}

/// A level as the end of a metric's name.
pub(crate) fn at(level: Option<&str>) -> String {
    level.map_or(String::new(), |level| format!(" at {level}"))
}

/// The figure of a claim about one treatment alone.
fn own_figure(grounds: &Grounds, claim: &Claim) -> Option<String> {
    let metric = metric(claim.metric.as_deref()?)?;
    let name = claim.treatment.as_deref()?;
    let figure = figure(grounds, name, metric.name, claim.level.as_deref())?;
    Some(format!(
        "measured here: {} of {}",
        claim_words::figure(metric, &figure),
        grounds.title(name)
    ))
}

fn figure(
    grounds: &Grounds,
    name: &str,
    metric: &str,
    level: Option<&str>,
) -> Option<crate::findings::Figure> {
    let metric = record::metric(metric)?;
    let Some(level) = level else {
        let trials = grounds.trials(name, Place { metric, level });
        return figures::figures(&trials, grounds.histograms).remove(metric.name);
    };
    let mut found = levels::treatment(grounds, name, level)?;
    // What only INVALID blocks showed stands beside no published figure.
    (found.usable_count > 0 || metric.adds_up).then_some(())?;
    found.figures.remove(metric.name)
}

/// What the source published, each figure beside the measured one.
pub(crate) fn published(grounds: &Grounds) -> Vec<PublishedFigure> {
    let cell = |cell: &Published| PublishedFigure {
        treatment: cell.treatment.clone(),
        metric: cell.metric.clone(),
        level: cell.level.clone(),
        published: cell.value,
        measured: figure(
            grounds,
            &cell.treatment,
            &cell.metric,
            cell.level.as_deref(),
        ),
        note: cell.note.clone(),
    };
    grounds.manifest.published.iter().map(cell).collect()
}
