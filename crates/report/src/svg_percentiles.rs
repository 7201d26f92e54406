//! Response times over percentiles, as a static chart.

use record::RESPONSE_TAG;

use crate::curves::Curve;
use crate::findings::Findings;
use crate::svg::{Anchor, Svg, cut};
use crate::{prose, units};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 44.0;
/// Lines in colour; the others are grey.
const COLOURED_COUNT: usize = 6;
const NAMED: [(f64, &str); 6] = [
    (0.0, "0"),
    (0.5, "p50"),
    (0.9, "p90"),
    (0.99, "p99"),
    (0.999, "p99.9"),
    (0.9999, "p99.99"),
];

/// A line a treatment, in the order of the findings; `None` when there is none.
pub(crate) fn percentiles(findings: &Findings, curves: &[Curve]) -> Option<String> {
    let of = |name: &str| {
        let mut own = curves
            .iter()
            .filter(|curve| curve.histogram == RESPONSE_TAG);
        own.find(|curve| curve.treatment == name && curve.quantiles_ratio.len() > 1)
    };
    let lines: Vec<&Curve> = findings
        .treatments
        .iter()
        .filter_map(|row| of(&row.name))
        .collect();
    let frame = Frame::of(&lines)?;
    let label = "Response time at the equal arrival rate over percentiles";
    let mut svg = Svg::new(WIDTH, HEIGHT, label);
    svg.text("soft small", (4.0, 16.0), Anchor::Start, label);
    axes(&mut svg, &frame);
    // Grey lines first, so that none covers a coloured one.
    for (index, curve) in lines.iter().enumerate().rev() {
        let class = match index {
            0..COLOURED_COUNT => format!("s{index}"),
            _ => "other".to_owned(),
        };
        svg.path(&class, &frame.points(curve));
    }
    names(&mut svg, &frame, findings, &lines);
    Some(svg.finish())
}

fn axes(svg: &mut Svg, frame: &Frame) {
    for tick in frame.ticks() {
        let y = frame.y(tick);
        svg.line("rule", (LEFT, y), (WIDTH - RIGHT, y));
        let text = units::with_unit("ns", tick)
            .replace(".00 ", " ")
            .replace(".0 ", " ");
        svg.text("soft small", (LEFT - 8.0, y + 4.0), Anchor::End, &text);
    }
    for (quantile, name) in NAMED {
        if quantile <= frame.last {
            let at = (frame.x(quantile), HEIGHT - BOTTOM + 18.0);
            svg.text("soft small", at, Anchor::Middle, name);
        }
    }
}

/// Names at the ends of the coloured lines, kept apart.
fn names(svg: &mut Svg, frame: &Frame, findings: &Findings, lines: &[&Curve]) {
    let end = |curve: &Curve| curve.times_ns.last().map_or(0.0, |time| frame.y(*time));
    let mut named: Vec<(f64, usize)> = lines
        .iter()
        .take(COLOURED_COUNT)
        .enumerate()
        .map(|(index, curve)| (end(curve), index))
        .collect();
    named.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut ceiling = f64::NEG_INFINITY;
    for (y, index) in named {
        let y = y.max(ceiling + 16.0);
        ceiling = y;
        let title = cut(&prose::title(findings, &lines[index].treatment), 20);
        let x = WIDTH - RIGHT + 12.0;
        svg.line(&format!("s{index}"), (x, y), (x + 14.0, y));
        svg.text("", (x + 22.0, y + 4.5), Anchor::Start, &title);
    }
}

/// Shares of requests and times on their scales.
struct Frame {
    last: f64,
    low_ns: f64,
    high_ns: f64,
}

impl Frame {
    fn of(lines: &[&Curve]) -> Option<Frame> {
        let times = || lines.iter().flat_map(|curve| &curve.times_ns).copied();
        let last = lines
            .iter()
            .filter_map(|curve| curve.quantiles_ratio.last());
        let frame = Frame {
            last: last.copied().fold(0.0, f64::max),
            low_ns: times().fold(f64::INFINITY, f64::min).max(1.0),
            high_ns: times().fold(0.0, f64::max),
        };
        (frame.high_ns > frame.low_ns && frame.last > 0.0).then_some(frame)
    }

    /// Even in the logarithm of the share that was slower.
    fn x(&self, quantile: f64) -> f64 {
        let place = |quantile: f64| -(1.0 - quantile).max(1e-12).ln();
        LEFT + (WIDTH - LEFT - RIGHT) * place(quantile) / place(self.last)
    }

    fn y(&self, time_ns: f64) -> f64 {
        let (low, high) = (self.low_ns.ln(), self.high_ns.ln());
        let share = (time_ns.max(1.0).ln() - low) / (high - low);
        HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share
    }

    fn points(&self, curve: &Curve) -> Vec<(f64, f64)> {
        let both = curve.quantiles_ratio.iter().zip(&curve.times_ns);
        both.map(|(quantile, time)| (self.x(*quantile), self.y(*time)))
            .collect()
    }

    fn ticks(&self) -> Vec<f64> {
        let digits: &[f64] = match (self.high_ns / self.low_ns).log10() {
            decades if decades > 4.0 => &[1.0],
            decades if decades > 2.0 => &[1.0, 3.0],
            _ => &[1.0, 2.0, 5.0],
        };
        let all =
            (0..=12).flat_map(|power| digits.iter().map(move |digit| digit * 10_f64.powi(power)));
        all.filter(|tick| (self.low_ns..=self.high_ns).contains(tick))
            .collect()
    }
}
