//! The ladder as a table, a waterfall in text, and a Mermaid flowchart.

use record::metric;

use crate::figures_table::ABSENT;
use crate::findings::{Added, Ladder, Rung};
use crate::paint::Paint;
use crate::table::{Align, Cell, Column};
use crate::text::{plain, width};
use crate::units;

/// What the intervals of the ladder are.
pub(crate) const EXPLANATION: &str = "A layer is the difference of two treatments in the same block, and its range \
the 95 % interval of the mean of those differences. What slows a whole block does not divide out of a difference as \
it does out of a ratio: the machine's drift is in the ranges.";

/// Columns that name a rung.
pub(crate) fn lead(ladder: &Ladder) -> Vec<Column> {
    let name = |rung: &Rung| Cell::new(label(rung));
    vec![Column {
        heading: ["layer".to_owned(), String::new()],
        align: Align::Left,
        cells: ladder.rungs.iter().map(name).collect(),
    }]
}

fn label(rung: &Rung) -> String {
    match rung.after {
        Some(_) => format!("+ {}", plain(&rung.title)),
        None => plain(&rung.title),
    }
}

/// Columns with figures: up to here, added, and how many times the rung below.
pub(crate) fn columns(ladder: &Ladder) -> Vec<Column> {
    let unit = metric(&ladder.metric).map_or("us", |metric| metric.unit);
    let absent = || Cell::painted(ABSENT, Paint::Faint);
    let total = |rung: &Rung| match &rung.total {
        Some(total) => Cell::new(units::with_unit(unit, total.estimate)),
        None => absent(),
    };
    let added = |rung: &Rung| match (&rung.added, &rung.after) {
        (Some(added), _) => Cell::painted(added_text(added, unit), paint(added)),
        (None, Some(_)) => absent(),
        (None, None) => Cell::new(""),
    };
    let share = |rung: &Rung| {
        let below = rung
            .after
            .as_ref()
            .and_then(|after| total_of(ladder, after));
        match below.zip(rung.total.as_ref()) {
            Some((below, total)) => Cell::new(units::ratio(total.estimate / below)),
            None => Cell::new(""),
        }
    };
    let column = |heading: &str, under: &str, cells: Vec<Cell>| Column {
        heading: [heading.to_owned(), under.to_owned()],
        align: Align::Right,
        cells,
    };
    vec![
        column("CPU/answer", "", ladder.rungs.iter().map(total).collect()),
        column("adds", "", ladder.rungs.iter().map(added).collect()),
        column(
            "times",
            "the one below",
            ladder.rungs.iter().map(share).collect(),
        ),
    ]
}

fn total_of(ladder: &Ladder, name: &str) -> Option<f64> {
    let rung = ladder.rungs.iter().find(|rung| rung.treatment == name)?;
    rung.total.as_ref().map(|total| total.estimate)
}

/// What a layer adds, with its interval: `+12.3 µs (11.0 – 13.6)`.
pub(crate) fn added_text(added: &Added, unit: &str) -> String {
    let scale = units::scale_for(unit, &[added.estimate.abs()]);
    let number = |value: f64| match value < 0.0 {
        true => format!("−{}", units::digits(-value / scale.divisor)),
        false => units::digits(value / scale.divisor),
    };
    let sign = if added.estimate < 0.0 { "" } else { "+" };
    let range = added
        .low
        .zip(added.high)
        .map_or(String::new(), |(low, high)| {
            format!(" ({} – {})", number(low), number(high))
        });
    format!("{sign}{} {}{range}", number(added.estimate), scale.sign)
}

/// In colour only where the interval excludes 0.
fn paint(added: &Added) -> Paint {
    match added.low.zip(added.high) {
        Some((low, _)) if low > 0.0 => Paint::Bad,
        Some((_, high)) if high < 0.0 => Paint::Good,
        _ => Paint::Plain,
    }
}

/// Bars from what stood before a layer to what stands after it, `columns` wide at most. A layer that saves is drawn
/// hollow.
pub(crate) fn waterfall(ladder: &Ladder, columns: usize) -> Vec<String> {
    let totals = ladder.rungs.iter().filter_map(|rung| rung.total.as_ref());
    let most = totals.map(|total| total.estimate).fold(0.0_f64, f64::max);
    let names = ladder.rungs.iter().map(|rung| width(&label(rung)));
    let named = names.max().unwrap_or(0).min(columns / 2);
    let room = columns.saturating_sub(named + 2).min(60);
    if most <= 0.0 || room < 10 {
        return Vec::new();
    }
    let place = |value: f64| ((value / most) * room as f64).round() as usize;
    let mut lines = Vec::new();
    for rung in &ladder.rungs {
        let Some(total) = &rung.total else { continue };
        let before = rung
            .after
            .as_ref()
            .and_then(|after| total_of(ladder, after));
        let (from, to) = (place(before.unwrap_or(0.0)), place(total.estimate));
        let (bar, from, to) = match from <= to {
            true => ("█", from, to),
            false => ("░", to, from),
        };
        // A layer too thin for the scale is still there.
        let bar = bar.repeat((to - from).max(1));
        let mut name: String = label(rung);
        if width(&name) > named {
            name = crate::text::wrap(&name, named.saturating_sub(1)).swap_remove(0) + "…";
        }
        let gap = " ".repeat(named.saturating_sub(width(&name)) + 2 + from.min(room - 1));
        lines.push(format!("{name}{gap}{bar}"));
    }
    lines
}

/// The ladder as a flowchart: what each rung costs, and on each arrow what the layer adds.
pub(crate) fn mermaid(ladder: &Ladder) -> String {
    let unit = metric(&ladder.metric).map_or("us", |metric| metric.unit);
    let mut lines = vec!["flowchart BT".to_owned()];
    let node = |name: &str| ladder.rungs.iter().position(|rung| rung.treatment == name);
    for (index, rung) in ladder.rungs.iter().enumerate() {
        let total = rung
            .total
            .as_ref()
            .map_or("not measured".to_owned(), |total| {
                format!("{} an answer", units::with_unit(unit, total.estimate))
            });
        lines.push(format!(
            "    r{index}[\"{}<br/>{total}\"]",
            quoted(&rung.title)
        ));
    }
    for (index, rung) in ladder.rungs.iter().enumerate() {
        if let Some(below) = rung.after.as_ref().and_then(|after| node(after)) {
            let added = rung.added.as_ref();
            let added = added.map_or("?".to_owned(), |added| added_text(added, unit));
            lines.push(format!("    r{below} -->|\"{added}\"| r{index}"));
        }
    }
    lines.join("\n") + "\n"
}

/// A title inside the quotes of a flowchart: nothing in it ends them or becomes markup.
fn quoted(title: &str) -> String {
    let safe = |character: char| match character {
        '"' | '`' => '\'',
        '<' => '‹',
        '>' => '›',
        '#' | '&' | '|' | '\\' | '[' | ']' | '{' | '}' | '*' | '_' => ' ',
        character => character,
    };
    plain(title).chars().map(safe).collect()
}
