//! Ratios to the baseline with their intervals, as a static chart.

use record::{Better, metric};

use crate::findings::{Findings, RatioEstimate, TreatmentFindings};
use crate::svg::{Anchor, Svg, cut};
use crate::{prose, units};

const WIDTH: f64 = 860.0;
const LEFT: f64 = 210.0;
const RIGHT: f64 = 170.0;
const TOP: f64 = 44.0;
const ROW: f64 = 28.0;
/// Letters of a title that fit on the left.
const LETTERS: usize = 27;
/// Ticks at most.
const TICKS: usize = 8;
/// How many times beyond the outermost dots the scale goes for the end of an interval.
const FARTHEST: f64 = 10.0;

/// A row a treatment that is compared with the baseline; `None` when there is none.
pub(crate) fn tiers(findings: &Findings) -> Option<String> {
    let metric = metric(&findings.primary_metric)?;
    let rows: Vec<&TreatmentFindings> = findings
        .treatments
        .iter()
        .filter(|row| row.to_baseline.is_some() || row.name == findings.baseline)
        .collect();
    if rows.len() < 2 {
        return None;
    }
    let baseline = prose::title(findings, &findings.baseline);
    let way = match metric.better {
        Better::Higher => "more is better",
        _ => "less is better",
    };
    let label = format!("{}, {baseline} = 1; {way}", metric.title);
    let scale = Scale::of(&rows, findings.relevant_difference_ratio);
    let bottom = TOP + ROW * rows.len() as f64;
    let mut svg = Svg::new(WIDTH, bottom + 12.0, &label);
    svg.text("soft small", (scale.middle(), 14.0), Anchor::Middle, &label);
    let band = 1.0 + findings.relevant_difference_ratio;
    svg.rectangle("band", (scale.x(1.0 / band), TOP), (scale.x(band), bottom));
    for tick in scale.ticks() {
        let x = scale.x(tick);
        svg.line("rule", (x, TOP), (x, bottom));
        let text = format!("{tick}×");
        svg.text("soft small", (x, TOP - 10.0), Anchor::Middle, &text);
    }
    svg.line("axis", (scale.x(1.0), TOP), (scale.x(1.0), bottom));
    let mut tier = None;
    for (index, row) in rows.iter().enumerate() {
        let top = TOP + ROW * index as f64;
        if index > 0 && row.tier() != tier {
            svg.line("rule", (0.0, top), (WIDTH, top));
        }
        tier = row.tier();
        draw(&mut svg, &scale, row, top + ROW / 2.0, metric.better);
    }
    Some(svg.finish())
}

fn draw(svg: &mut Svg, scale: &Scale, row: &TreatmentFindings, y: f64, better: Better) {
    let name = match row.tier() {
        Some(tier) => format!("{tier}  {}", row.title),
        None => row.title.clone(),
    };
    svg.text("", (4.0, y + 4.5), Anchor::Start, &cut(&name, LETTERS));
    let label = match &row.to_baseline {
        Some(ratio) => text(ratio),
        None => "baseline".to_owned(),
    };
    svg.text("soft", (WIDTH - 4.0, y + 4.5), Anchor::End, &label);
    let class = row
        .to_baseline
        .as_ref()
        .map_or("dot", |ratio| side(ratio, better));
    let ratio = row.to_baseline.as_ref().map_or(1.0, |ratio| ratio.ratio);
    if let Some((low, high)) = row.to_baseline.as_ref().and_then(RatioEstimate::interval) {
        svg.line(class, (scale.x(low), y), (scale.x(high), y));
    }
    let dot = if row.tier().is_some() { class } else { "open" };
    svg.dot(dot, (scale.x(ratio), y));
}

fn text(ratio: &RatioEstimate) -> String {
    match ratio.interval() {
        Some((low, high)) => {
            format!(
                "{} ({})",
                units::ratio(ratio.ratio),
                units::range(low, high)
            )
        }
        None => units::ratio(ratio.ratio),
    }
}

/// Blue or orange where the interval leaves out 1.
fn side(ratio: &RatioEstimate, better: Better) -> &'static str {
    match ratio.interval() {
        Some((low, high)) if low > 1.0 || high < 1.0 => {
            if (ratio.ratio < 1.0) == (better != Better::Higher) {
                "better"
            } else {
                "worse"
            }
        }
        _ => "dot",
    }
}

/// Ratios on a scale of logarithms.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// Wide enough for the baseline, the band around it, and every interval whose ends are not far from all dots.
    fn of(rows: &[&TreatmentFindings], band: f64) -> Scale {
        let ratios: Vec<&RatioEstimate> = rows
            .iter()
            .filter_map(|row| row.to_baseline.as_ref())
            .collect();
        let edge = (1.0 + band).ln() * 1.2;
        let span = |ends: &mut dyn Iterator<Item = f64>| {
            ends.fold((-edge, edge), |(low, high), end| {
                (low.min(end.ln()), high.max(end.ln()))
            })
        };
        let dots = span(&mut ratios.iter().map(|ratio| ratio.ratio));
        let intervals = ratios.iter().filter_map(|ratio| ratio.interval());
        let ends = span(&mut intervals.flat_map(|(low, high)| [low, high]));
        let low = ends.0.max(dots.0 - FARTHEST.ln()).min(dots.0);
        let high = ends.1.min(dots.1 + FARTHEST.ln()).max(dots.1);
        let room = (high - low) * 0.03;
        Scale {
            low: low - room,
            high: high + room,
        }
    }

    /// What lies beyond the scale is drawn to its edge.
    fn x(&self, ratio: f64) -> f64 {
        let log = ratio.ln().clamp(self.low, self.high);
        LEFT + (WIDTH - LEFT - RIGHT) * (log - self.low) / (self.high - self.low)
    }

    fn middle(&self) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) / 2.0
    }

    /// Even steps where the scale is short, 1, 2 and 5 of each power of ten where it is long.
    fn ticks(&self) -> Vec<f64> {
        let (low, high) = (self.low.exp(), self.high.exp());
        let rounded = |value: f64| (value * 1e6).round() / 1e6;
        if high / low > 6.0 {
            let powers = -6..=6;
            let all =
                powers.flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)));
            return all
                .map(rounded)
                .filter(|tick| (low..=high).contains(tick))
                .collect();
        }
        let steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0];
        let fits = |step: &&f64| (high - low) / **step < TICKS as f64;
        let step = steps.iter().find(fits).unwrap_or(&2.0);
        let first = (low / step).ceil() as i64;
        let last = (high / step).floor() as i64;
        (first..=last)
            .map(|count| rounded(count as f64 * step))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_baseline_is_always_on_the_scale_and_mostly_a_tick() {
        for (low, high) in [(0.9, 1.1), (0.4, 1.3), (0.98, 9.0), (0.001, 1.2)] {
            let scale = Scale {
                low: f64::ln(low),
                high: f64::ln(high),
            };
            let ticks = scale.ticks();
            assert!((2..=14).contains(&ticks.len()), "{low} {high} {ticks:?}");
            assert!(ticks.contains(&1.0), "{low} {high} {ticks:?}");
        }
    }
}
