//! The claims and published figures of `experiment.toml`.

use super::experiment::{metric, treatment_name};
use crate::fault::choose;
use crate::source::{Source, Step, Step::Item, Step::Key};
use crate::{Claim, ExperimentManifest};

pub(super) fn claims(manifest: &ExperimentManifest, source: &mut Source) {
    for (index, claim) in manifest.claim.iter().enumerate() {
        let at = |key| [Key("claim"), Item(index), Key(key)];
        for (key, name) in [
            ("treatment", &claim.treatment),
            ("against", &claim.against),
            ("like_for_like_treatment", &claim.like_for_like_treatment),
            ("like_for_like_against", &claim.like_for_like_against),
            ("beside_treatment", &claim.beside_treatment),
            ("beside_against", &claim.beside_against),
        ] {
            if let Some(name) = name {
                treatment_name(manifest, name, &at(key), source);
            }
        }
        if let Some(name) = &claim.metric {
            metric(name, &at("metric"), source);
        }
        for (key, name) in [
            ("level", &claim.level),
            ("against_level", &claim.against_level),
            ("beside_level", &claim.beside_level),
        ] {
            level(manifest, name.as_deref(), &at(key), source);
        }
        let other = claim.against.as_ref().or(claim.against_level.as_ref());
        let testable = claim.metric.is_some() && claim.treatment.is_some() && other.is_some();
        match (&claim.untestable, testable) {
            (None, false) => source.wrong(
                &at("metric"),
                format!(
                    "the claim `{}` says neither how it is tested nor why it cannot be",
                    claim.id
                ),
                "add `metric`, `treatment` and `against` or `against_level`, or else `untestable`",
            ),
            (Some(_), true) => source.wrong(
                &at("untestable"),
                format!(
                    "the claim `{}` says both how it is tested and why it cannot be",
                    claim.id
                ),
                "keep one of the two",
            ),
            _ => {}
        }
        if let Some((key, problem, remedy)) = senseless(claim) {
            source.wrong(&at(key), problem, remedy);
        }
        if claim
            .published_ratio
            .is_some_and(|ratio| !(ratio > 0.0 && ratio.is_finite()))
        {
            source.wrong(
                &at("published_ratio"),
                "it is not a ratio",
                "give a number above 0",
            );
        }
    }
    for (index, row) in manifest.published.iter().enumerate() {
        let at = |key| [Key("published"), Item(index), Key(key)];
        treatment_name(manifest, &row.treatment, &at("treatment"), source);
        metric(&row.metric, &at("metric"), source);
        level(manifest, row.level.as_deref(), &at("level"), source);
        if !row.value.is_finite() || row.value < 0.0 {
            source.wrong(
                &at("value"),
                format!("{} is not a figure", row.value),
                "give a number, 0 or more",
            );
        }
    }
}

/// Why a claim holds something against itself, or leaves open what is held against what: key, problem and remedy.
fn senseless(claim: &Claim) -> Option<(&'static str, &'static str, &'static str)> {
    let beside = [
        &claim.beside_treatment,
        &claim.beside_against,
        &claim.beside_level,
    ];
    let is_of_two_ratios = beside.iter().any(|key| key.is_some());
    if let Some(level) = &claim.against_level {
        if is_of_two_ratios {
            let problem = "a claim about two ratios takes both sides of each at one level";
            return Some(("against_level", problem, "leave out `against_level`"));
        }
        let is_itself = claim
            .against
            .as_ref()
            .is_none_or(|name| Some(name) == claim.treatment.as_ref());
        if is_itself && Some(level) == claim.level.as_ref() {
            let problem = "it holds a figure against itself";
            return Some((
                "against_level",
                problem,
                "name another level, or a treatment in `against`",
            ));
        }
    }
    if !is_of_two_ratios {
        return None;
    }
    let firsts = [&claim.treatment, &claim.against, &claim.level];
    let mut pairs = beside.iter().zip(firsts);
    if pairs.all(|(beside, first)| beside.is_none() || *beside == first) {
        let key = "beside_level";
        return Some((
            key,
            "it holds a ratio against itself",
            "name another level or treatment",
        ));
    }
    let names = claim.beside_treatment.is_some() || claim.beside_against.is_some();
    let corrected =
        claim.like_for_like_treatment.is_some() || claim.like_for_like_against.is_some();
    (names && corrected).then_some((
        "beside_treatment",
        "the second ratio has no like-for-like treatments",
        "leave out `like_for_like_…`, or take the second ratio of the same treatments",
    ))
}

/// Notes a level of load that the experiment does not measure.
fn level(
    manifest: &ExperimentManifest,
    name: Option<&str>,
    steps: &[Step<'_>],
    source: &mut Source,
) {
    let Some(name) = name else { return };
    let levels = manifest.levels();
    if !levels.iter().any(|level| level == name) {
        let problem = format!("the experiment measures no level `{name}`");
        source.wrong(
            steps,
            problem,
            choose(name, levels.iter().map(String::as_str)),
        );
    }
}
