//! The answer in one sentence.

use record::{Better, Metric};

use crate::comparison;
use crate::findings::{Figure, Pair, TreatmentFindings};
use crate::text::enumerate;
use crate::units;

/// Says what the run found about its primary metric. `ranked` is in the order of the table; `apart` are the
/// treatments that are shown beside it; `baseline` is the treatment that was asked about.
pub(crate) fn sentence(
    metric: &Metric,
    ranked: &[&TreatmentFindings],
    apart: &[&TreatmentFindings],
    pairs: &[Pair],
    baseline: &str,
) -> String {
    let Some(leader) = ranked.first() else {
        return format!(
            "No answer: no treatment has a usable trial that measured {}.",
            metric.title
        );
    };
    let most = match metric.better {
        Better::Higher => "highest",
        _ => "lowest",
    };
    let figure = leader.figures.get(metric.name);
    let value = figure.map_or(String::new(), |figure| figure_text(metric, figure));
    if ranked.len() == 1 {
        return format!(
            "{} has a {} of {value}; {}.",
            leader.title,
            metric.title,
            beside(apart)
        );
    }
    if figure.is_none_or(|figure| figure.low.is_none()) {
        return format!(
            "{} shows the {most} {}, {value}, but one block cannot tell a difference from noise.",
            leader.title, metric.title
        );
    }
    let first: Vec<String> = ranked
        .iter()
        .filter(|treatment| treatment.tier() == Some(1))
        .map(|treatment| treatment.title.clone())
        .collect();
    if first.len() == 1 {
        let margin = margins(metric, ranked, pairs, baseline);
        return format!(
            "{} has the {most} {}: {value}{margin}.",
            leader.title, metric.title
        );
    }
    let who = if first.len() == ranked.len() {
        format!(
            "No treatment is shown to be ahead of all others on {}",
            metric.title
        )
    } else {
        format!(
            "{} share the first tier on {}",
            enumerate(&first),
            metric.title
        )
    };
    format!(
        "{who}: {} shows the {most}, {value}{}.",
        leader.title,
        margins(metric, ranked, pairs, baseline)
    )
}

/// How treatments that are not ranked stand to the only one that is.
fn beside(apart: &[&TreatmentFindings]) -> String {
    let ratio = |treatment: &&TreatmentFindings| {
        let ratio = treatment.to_baseline.as_ref()?;
        let (low, high) = ratio.interval()?;
        let (ratio, range) = (units::ratio(ratio.ratio), units::range(low, high));
        Some(format!("{}, {ratio} ({range}) of that", treatment.title))
    };
    let ratios: Vec<String> = apart.iter().filter_map(ratio).collect();
    match ratios.as_slice() {
        [] => "there is nothing to compare it with".to_owned(),
        shown => format!("shown apart: {}", shown.join("; ")),
    }
}

fn figure_text(metric: &Metric, figure: &Figure) -> String {
    let value = units::with_unit(metric.unit, figure.estimate);
    match figure.low.zip(figure.high) {
        Some((low, high)) => {
            let low = units::with_unit(metric.unit, low);
            let high = units::with_unit(metric.unit, high);
            format!("{value} (95 % interval {low} to {high})")
        }
        None => value,
    }
}

/// How the leader stands to the next one, and to the baseline where that is another.
fn margins(
    metric: &Metric,
    ranked: &[&TreatmentFindings],
    pairs: &[Pair],
    baseline: &str,
) -> String {
    let next = margin(metric, ranked[0], ranked[1], "next", pairs);
    let baseline = ranked[2..].iter().find(|found| found.name == baseline);
    let baseline = baseline.and_then(|found| margin(metric, ranked[0], found, "baseline", pairs));
    next.into_iter().chain(baseline).collect()
}

/// How the leader stands to one other, which is named with its `role`.
fn margin(
    metric: &Metric,
    leader: &TreatmentFindings,
    other: &TreatmentFindings,
    role: &str,
    pairs: &[Pair],
) -> Option<String> {
    let pair = pairs
        .iter()
        .find(|pair| pair.treatment == leader.name && pair.against == other.name)?;
    let range = pair.ratio.interval().map_or(String::new(), |(low, high)| {
        format!(" (ratio {})", units::range(low, high))
    });
    let other = format!("{} ({role})", other.title);
    let said = comparison::sentence("it", &other, pair.verdict, metric);
    Some(format!("; {said}{range}"))
}
