//! The table of figures, cell by cell, for whichever renderer draws it.

use record::{Better, Metric, metric};

use crate::findings::{Figure, Findings, RatioEstimate, TreatmentFindings};
use crate::paint::Paint;
use crate::table::{Align, Cell, Column};
use crate::units::{self, Scale};

/// What stands where nothing was measured.
pub(crate) const ABSENT: &str = "–";

/// Metrics the table shows besides the primary one, in order.
const SHOWN: &[&str] = &[
    "completion_rate_per_s",
    "response_p50_ns",
    "response_p90_ns",
    "response_p99_ns",
    "memory_peak_bytes",
    "first_answer_ns",
];

/// Metrics whose interval stands beside the figure; the others have theirs in the JSON.
const WITH_INTERVAL: &[&str] = &["completion_rate_per_s"];

/// Metrics that stand only in the exploratory table, besides those of the main one.
const EXPLORED: &[&str] = &["database_cpu_per_good_answer_us"];

/// The columns that name a row: tier and title.
pub(crate) fn lead(rows: &[&TreatmentFindings]) -> Vec<Column> {
    let tier = |row: &&TreatmentFindings| match row.tier() {
        Some(tier) => Cell::new(tier.to_string()),
        None => Cell::new(""),
    };
    let mut columns = Vec::new();
    if rows.iter().any(|row| row.tier().is_some()) {
        columns.push(Column {
            heading: ["tier".to_owned(), String::new()],
            align: Align::Right,
            cells: rows.iter().map(tier).collect(),
        });
    }
    columns.push(Column {
        heading: ["treatment".to_owned(), String::new()],
        align: Align::Left,
        cells: rows.iter().map(|row| title(row)).collect(),
    });
    columns
}

fn title(row: &TreatmentFindings) -> Cell {
    // One mark per trial that was not VALID would hide the name; the audit has them all.
    let mark = if row.degraded_count + row.invalid_count > 0 {
        " *"
    } else {
        ""
    };
    let paint = if row.tier() == Some(1) {
        Paint::Strong
    } else {
        Paint::Plain
    };
    Cell::painted(crate::text::plain(&row.title) + mark, paint)
}

/// The columns with figures.
pub(crate) fn figures(findings: &Findings, rows: &[&TreatmentFindings]) -> Vec<Column> {
    let mut columns = Vec::new();
    columns.extend(metric_column(&findings.primary_metric, rows, true));
    columns.extend(ratio_column(findings, rows));
    for name in SHOWN {
        if *name != findings.primary_metric {
            columns.extend(metric_column(name, rows, WITH_INTERVAL.contains(name)));
        }
    }
    columns.extend(rank_column(rows));
    columns
}

fn metric_column(name: &str, rows: &[&TreatmentFindings], interval: bool) -> Option<Column> {
    let metric = metric(name)?;
    let figures: Vec<Option<&Figure>> = rows.iter().map(|row| row.figures.get(name)).collect();
    let estimates: Vec<f64> = figures
        .iter()
        .flatten()
        .map(|figure| figure.estimate)
        .collect();
    // A tail percentile that nobody has enough samples for is shown as absent beside its siblings.
    let siblings = name.starts_with("response_p")
        && rows
            .iter()
            .any(|row| row.figures.contains_key("response_p50_ns"));
    if estimates.is_empty() && !siblings {
        return None;
    }
    let scale = units::scale_for(metric.unit, &in_one_unit(name, rows));
    let cells = figures.iter().map(|figure| match figure {
        Some(figure) => Cell::new(figure_text(figure, scale, interval)),
        None => Cell::painted(ABSENT, Paint::Faint),
    });
    Some(Column {
        heading: [
            metric.title.to_owned(),
            unit_line(metric, &scale, &estimates),
        ],
        align: Align::Right,
        cells: cells.collect(),
    })
}

/// The figures whose unit a column shares: percentiles of one kind are read side by side.
fn in_one_unit(name: &str, rows: &[&TreatmentFindings]) -> Vec<f64> {
    let kind = |name: &str| name.split_once("_p").map(|(kind, _)| kind.to_owned());
    let family = |other: &str| {
        other == name || (name.starts_with("response_p") && kind(other) == kind(name))
    };
    let figures = rows.iter().flat_map(|row| &row.figures);
    figures
        .filter(|(other, _)| family(other))
        .map(|(_, figure)| figure.estimate)
        .collect()
}

fn unit_line(metric: &Metric, scale: &Scale, estimates: &[f64]) -> String {
    if estimates.is_empty() || metric.unit == "per_s" {
        return String::new();
    }
    scale.sign.to_owned()
}

fn figure_text(figure: &Figure, scale: Scale, interval: bool) -> String {
    let estimate = units::digits(figure.estimate / scale.divisor);
    match figure.low.zip(figure.high) {
        Some((low, high)) if interval && low > 0.0 => {
            let reach = units::reach(low / scale.divisor, high / scale.divisor);
            format!("{estimate} {reach:>6}")
        }
        _ => estimate,
    }
}

fn ratio_column(findings: &Findings, rows: &[&TreatmentFindings]) -> Option<Column> {
    let better = metric(&findings.primary_metric)?.better;
    rows.iter().find(|row| row.to_baseline.is_some())?;
    let cells = rows.iter().map(|row| {
        if row.name == findings.baseline {
            return Cell::painted("baseline", Paint::Faint);
        }
        match &row.to_baseline {
            Some(ratio) => Cell::painted(ratio_text(ratio), side(ratio, better)),
            None => Cell::painted(ABSENT, Paint::Faint),
        }
    });
    Some(Column {
        heading: ["vs baseline".to_owned(), "ratio".to_owned()],
        align: Align::Right,
        cells: cells.collect(),
    })
}

/// A ratio with its interval, without the sign that the heading carries.
pub(crate) fn ratio_text(ratio: &RatioEstimate) -> String {
    let estimate = units::digits(ratio.ratio);
    match ratio.interval() {
        Some((low, high)) => format!("{estimate} ({})", units::range(low, high)),
        None => estimate,
    }
}

/// Good or bad only where the interval excludes 1.
pub(crate) fn side(ratio: &RatioEstimate, better: Better) -> Paint {
    let Some((low, high)) = ratio.interval() else {
        return Paint::Plain;
    };
    match better {
        Better::Lower if high < 1.0 => Paint::Good,
        Better::Lower if low > 1.0 => Paint::Bad,
        Better::Higher if low > 1.0 => Paint::Good,
        Better::Higher if high < 1.0 => Paint::Bad,
        _ => Paint::Plain,
    }
}

fn rank_column(rows: &[&TreatmentFindings]) -> Option<Column> {
    use crate::findings::Standing::Ranked;
    rows.iter().find(|row| row.tier().is_some())?;
    let cells = rows.iter().map(|row| match row.standing {
        Ranked {
            rank_low,
            rank_high,
            ..
        } if rank_low == rank_high => Cell::new(rank_low.to_string()),
        Ranked {
            rank_low,
            rank_high,
            ..
        } => Cell::new(format!("{rank_low}–{rank_high}")),
        _ => Cell::new(""),
    });
    Some(Column {
        heading: ["rank".to_owned(), String::new()],
        align: Align::Right,
        cells: cells.collect(),
    })
}

/// Ratios to the baseline on the metrics that are not the primary one, a column a metric.
pub(crate) fn exploratory(findings: &Findings, rows: &[&TreatmentFindings]) -> Vec<Column> {
    let mut names: Vec<&str> = Vec::new();
    for found in &findings.exploratory {
        let shown =
            SHOWN.contains(&found.metric.as_str()) || EXPLORED.contains(&found.metric.as_str());
        if shown && !names.contains(&found.metric.as_str()) {
            names.push(&found.metric);
        }
    }
    let column = |name: &str| {
        let metric = metric(name)?;
        let cells = rows.iter().map(|row| {
            let found = findings
                .exploratory
                .iter()
                .find(|found| found.metric == name && found.treatment == row.name);
            match found {
                Some(found) => {
                    Cell::painted(ratio_text(&found.ratio), side(&found.ratio, metric.better))
                }
                None => Cell::painted(ABSENT, Paint::Faint),
            }
        });
        Some(Column {
            heading: [metric.title.to_owned(), "ratio".to_owned()],
            align: Align::Right,
            cells: cells.collect(),
        })
    };
    names.into_iter().filter_map(column).collect()
}
