//! Which treatments two runs both measured, and why the others are left out.

use record::{Metric, Run, Treatment};

use crate::compare::{Loss, NotCompared};
use crate::compare_change::Pair;
use crate::manifest::Manifest;
use crate::selection::Selection;

/// Checks of the audit whose failure is the service's own; others may be the machine's.
const OF_THE_SERVICE: [&str; 2] = ["answers:", "service:"];

/// The treatments that are the same in both and measured in both, in the first run's order; and the others.
pub(crate) fn shared<'a>(
    before: &'a Run,
    after: &'a Run,
    pair: &Pair,
    metric: &Metric,
) -> (Vec<&'a Treatment>, Vec<NotCompared>) {
    let (mut shared, mut others) = (Vec::new(), Vec::new());
    for one in measured_of(before) {
        let other = measured_of(after).find(|other| other.name == one.name);
        match why_not([before, after], one, other, pair, metric) {
            Some(not) => others.push(not),
            None => shared.push(one),
        }
    }
    for other in measured_of(after) {
        if measured_of(before).all(|one| one.name != other.name) {
            others.push(NotCompared {
                treatment: other.name.clone(),
                reason: "only the second run has it".to_owned(),
                loss: Loss::None,
            });
        }
    }
    (shared, others)
}

/// Every treatment but the control.
fn measured_of(run: &Run) -> impl Iterator<Item = &Treatment> {
    let all = run.treatments.iter();
    all.filter(|treatment| treatment.twin_of.is_none())
}

/// Why a treatment of the first run cannot be compared with that of the same name in the second; `None` where it can.
fn why_not(
    [before, after]: [&Run; 2],
    one: &Treatment,
    other: Option<&Treatment>,
    pair: &Pair,
    metric: &Metric,
) -> Option<NotCompared> {
    let has_none = |selection: &Selection| selection.by_block(&one.name, metric.name).is_empty();
    let was_usable = !has_none(&pair.before);
    let (reason, loss) = match other {
        None => ("only the first run has it".to_owned(), Loss::Unknown),
        Some(_) if !was_usable => (unusable("first", one, &pair.before, metric), Loss::None),
        Some(_) if has_none(&pair.after) => (
            unusable("second", one, &pair.after, metric),
            loss(one, &pair.after),
        ),
        Some(other) => (why_not_alike([before, after], one, other)?, Loss::None),
    };
    Some(NotCompared {
        treatment: one.name.clone(),
        reason,
        loss: if was_usable { loss } else { Loss::None },
    })
}

fn unusable(which: &str, one: &Treatment, selection: &Selection, metric: &Metric) -> String {
    let reason = selection.why_invalid(&one.name);
    let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
    format!(
        "the {which} run has no usable {} of it{reason}",
        metric.title
    )
}

/// What the INVALID trials of a treatment without usable figures say of who is at fault.
fn loss(one: &Treatment, after: &Selection) -> Loss {
    let invalid = after.invalid(&one.name);
    let own = |reason: &String| OF_THE_SERVICE.iter().any(|check| reason.starts_with(check));
    match invalid.iter().flat_map(|trial| &trial.reasons).any(own) {
        true => Loss::Broken,
        false => Loss::Unknown,
    }
}

/// Why a treatment of the same name is not the same question in both runs.
fn why_not_alike([before, after]: [&Run; 2], one: &Treatment, other: &Treatment) -> Option<String> {
    let words = |value: Option<&str>| value.unwrap_or("none").to_owned();
    let manifests = [before, after].map(|run| Manifest::of(run, &mut Vec::new()));
    let [(path, feed), (other_path, other_feed)] = manifests
        .each_ref()
        .map(|manifest| manifest.asked(&one.name));
    let asked = [
        ("address", one.url.as_deref(), other.url.as_deref()),
        (
            "workload",
            one.workload.as_deref(),
            other.workload.as_deref(),
        ),
        ("path", path, other_path),
        ("feed", feed, other_feed),
    ];
    if let Some((what, one, other)) = asked.into_iter().find(|(_, one, other)| one != other) {
        return Some(format!(
            "its {what} is {} in the first run and {} in the second",
            words(one),
            words(other)
        ));
    }
    let key = format!("workload/{}", one.workload.as_ref()?);
    let (one, other) = (before.catalog.get(&key), after.catalog.get(&key));
    (one != other)
        .then(|| format!("{key} was changed between the runs: they asked different things"))
}
