//! A claim's verdict in words.

use record::Metric;
use stats::Terms;

use crate::findings::{ClaimComparison, ClaimFindings, ClaimVerdict, Figure, RatioEstimate};
use crate::grounds::log_interval;
use crate::manifest::Claim;
use crate::text::counted;
use crate::units;

/// How the quote of a claim begins that is no sentence of its source, but follows from one.
const DERIVED: &str = "(derived)";

/// What stands behind a verdict, one sentence; the verdict itself stands beside it.
pub(crate) fn sentence(
    verdict: &ClaimVerdict,
    claim: &Claim,
    measured: Option<&ClaimComparison>,
    terms: &Terms,
) -> String {
    if let ClaimVerdict::CannotBeTestedHere { reason } = verdict {
        return format!("Reason: {}.", reason.trim_end_matches('.'));
    }
    let said = match claim.published_ratio.map(units::ratio) {
        Some(published) if claim.quote.starts_with(DERIVED) => {
            format!("From the source follows {published}")
        }
        Some(published) => format!("The source says {published}"),
        None => "The source gives no size".to_owned(),
    };
    let found = measured.map_or(String::new(), |measured| {
        let words = match verdict {
            // The words of an undecided pair say what the verdict says already.
            ClaimVerdict::Undecided {
                more_blocks_count: Some(_),
            } if claim.is_plain() => String::new(),
            _ => format!(": {}", measured.sentence),
        };
        format!("; here it is {}{words}", ratio(&measured.ratio))
    });
    let more = match verdict {
        ClaimVerdict::Undecided {
            more_blocks_count: Some(count),
        } => format!("; about {} would decide it", counted(*count, "more block")),
        ClaimVerdict::DirectionOnly if measured.is_some_and(|found| is_wide(&found.ratio)) => {
            "; the interval is too wide to tell the size".to_owned()
        }
        _ => String::new(),
    };
    let ruled_out = match (verdict, measured) {
        (ClaimVerdict::Undecided { .. }, Some(measured)) => {
            ruled_out(claim.published_ratio, measured, terms)
        }
        _ => String::new(),
    };
    format!("{said}{found}{ruled_out}{more}.")
}

/// What an undecided pair does decide: that the published size is not the one here.
fn ruled_out(published_ratio: Option<f64>, measured: &ClaimComparison, terms: &Terms) -> String {
    let published = published_ratio.filter(|published| *published != 1.0);
    let interval = log_interval(&measured.ratio);
    match published.zip(interval) {
        Some((published, interval)) if stats::claim::is_ruled_out(published, interval, terms) => {
            format!(
                "; {} lies outside that, only whether there is a difference is open",
                units::ratio(published)
            )
        }
        _ => String::new(),
    }
}

fn is_wide(ratio: &RatioEstimate) -> bool {
    let reach = ratio
        .interval()
        .map(|(low, high)| (high / low).sqrt() - 1.0);
    reach.is_some_and(|reach| reach > stats::claim::SIZE_HALF_WIDTH_RATIO)
}

/// A ratio with its interval.
pub(crate) fn ratio(ratio: &RatioEstimate) -> String {
    let range = ratio.interval().map_or(String::new(), |(low, high)| {
        format!(" ({})", units::range(low, high))
    });
    format!("{}{range}", units::ratio(ratio.ratio))
}

/// A figure with its unit and interval.
pub(crate) fn figure(metric: &Metric, figure: &Figure) -> String {
    let value = units::with_unit(metric.unit, figure.estimate);
    match figure.low.zip(figure.high) {
        Some((low, high)) => {
            let low = units::with_unit(metric.unit, low);
            format!("{value} ({low} – {})", units::with_unit(metric.unit, high))
        }
        None => value,
    }
}

/// How many claims fared how, in the order of the words; `None` without any.
pub(crate) fn tally<'a>(claims: impl IntoIterator<Item = &'a ClaimFindings>) -> Option<String> {
    const ORDER: [&str; 5] = [
        "reproduced",
        "direction only",
        "contradicted",
        "undecided",
        "cannot be tested here",
    ];
    let words: Vec<&str> = claims
        .into_iter()
        .map(|claim| claim.verdict.words())
        .collect();
    let counts: Vec<String> = ORDER
        .iter()
        .map(|word| (word, words.iter().filter(|found| *found == word).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(word, count)| format!("{count} {word}"))
        .collect();
    (!counts.is_empty()).then(|| counts.join(", "))
}
