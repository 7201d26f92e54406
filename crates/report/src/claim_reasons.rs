//! What made the difference between two settings of a claim, in sentences.

use std::collections::{BTreeMap, BTreeSet};

use record::Treatment;
use stats::interval;

use crate::claims::Tested;
use crate::estimate::CONFIDENCE_LEVEL;
use crate::grounds::Grounds;
use crate::text::enumerate;
use crate::units;

/// Which claim told what differs between a treatment and the one that stands in for it, by their names.
pub(crate) type Told = BTreeMap<[String; 2], String>;

/// What putting the comparison right did to the ratio, and what the cold phase did. What differs between two
/// treatments is told once, by the first claim that needs it.
pub(crate) fn reasons(
    grounds: &Grounds,
    id: &str,
    told: &mut Told,
    as_published: Option<&Tested>,
    like_for_like: Option<&Tested>,
    steady: Option<&Tested>,
) -> Vec<String> {
    let mut reasons = Vec::new();
    let Some(published) = as_published else {
        return reasons;
    };
    if let Some(like) = like_for_like {
        let what = differences(grounds, published, like, id, told);
        let what = match what.is_empty() {
            true => String::new(),
            false => format!(" ({})", what.join("; ")),
        };
        reasons.push(format!(
            "Like for like{what} the ratio is {}, {}{}",
            ratio_text(like),
            like.comparison.verdict.words(),
            factor(grounds, published, like, "the published setting")
        ));
    }
    if let Some(steady) = steady {
        reasons.push(format!(
            "Without the cold phase the ratio is {}{}",
            ratio_text(steady),
            factor(grounds, published, steady, "the cold phase")
        ));
    }
    reasons
}

fn ratio_text(tested: &Tested) -> String {
    let ratio = &tested.comparison.ratio;
    let range = ratio.interval().map_or(String::new(), |(low, high)| {
        format!(" ({})", units::range(low, high))
    });
    format!("{}{range}", units::ratio(ratio.ratio))
}

/// How far two settings' ratios lie apart, block by block, as the end of a sentence.
fn factor(grounds: &Grounds, one: &Tested, other: &Tested, what: &str) -> String {
    let others = &other.compared.logs;
    let apart: Vec<f64> = one
        .compared
        .logs
        .iter()
        .filter_map(|(block, log)| Some(log - others.get(block)?))
        .collect();
    let relevant = grounds.terms.relevant_ratio.ln_1p();
    let (Some(mean), Some(found)) = (
        interval::mean(&apart),
        interval::of_mean(&apart, CONFIDENCE_LEVEL),
    ) else {
        return ".".to_owned();
    };
    let range = units::range(found.low.exp(), found.high.exp());
    let size = format!("{} ({range})", units::ratio(mean.exp()));
    if found.low > -relevant && found.high < relevant {
        format!(": {what} does not change the ratio by what matters, {size}.")
    } else if found.contains(0.0) {
        format!(": whether {what} changes the ratio is undecided, {size}.")
    } else {
        format!(": {what} multiplies the ratio by {size}.")
    }
}

/// What differs between the treatments of two settings, or the claim that said so before.
fn differences(
    grounds: &Grounds,
    one: &Tested,
    other: &Tested,
    id: &str,
    told: &mut Told,
) -> Vec<String> {
    let pairs = [
        (&one.comparison.treatment, &other.comparison.treatment),
        (&one.comparison.against, &other.comparison.against),
    ];
    let mut all = Vec::new();
    let count = if pairs[0] == pairs[1] { 1 } else { 2 };
    for (from, to) in pairs
        .into_iter()
        .take(count)
        .filter(|(from, to)| from != to)
    {
        let (Some(before), Some(after)) = (grounds.treatment(from), grounds.treatment(to)) else {
            continue;
        };
        let changed = match told.get(&[from.clone(), to.clone()]) {
            Some(earlier) => format!(", see claim {earlier}"),
            None => {
                told.insert([from.clone(), to.clone()], id.to_owned());
                match changes(before, after) {
                    changed if changed.is_empty() => String::new(),
                    changed => format!(": {}", enumerate(&changed)),
                }
            }
        };
        all.push(format!("{to} for {from}{changed}"));
    }
    all
}

fn changes(from: &Treatment, to: &Treatment) -> Vec<String> {
    let unset = || "unset".to_owned();
    let facts = |treatment: &Treatment| {
        [
            ("stack", treatment.stack.clone()),
            ("workload", treatment.workload.clone()),
            ("launch", treatment.launch.clone()),
        ]
    };
    let mut changed: Vec<String> = facts(from)
        .into_iter()
        .zip(facts(to))
        .filter(|((_, from), (_, to))| from != to)
        .map(|((key, from), (_, to))| {
            let (from, to) = (from.unwrap_or_else(unset), to.unwrap_or_else(unset));
            format!("{key} {from} → {to}")
        })
        .collect();
    let sides = [
        (&from.settings, &to.settings),
        (&from.database_settings, &to.database_settings),
    ];
    for (from, to) in sides {
        let keys: BTreeSet<&String> = from.keys().chain(to.keys()).collect();
        for key in keys {
            let [before, after] = [from, to].map(|settings| settings.get(key).cloned());
            if before != after {
                let (before, after) = (before.unwrap_or_else(unset), after.unwrap_or_else(unset));
                changed.push(format!("{key} {before} → {after}"));
            }
        }
    }
    changed
}
