//! The levels of load as tables, one a kind of load, for whichever renderer draws them.

use record::metric;

use crate::figures_table::{ABSENT, ratio_text, side};
use crate::findings::{Figure, Findings, LevelFindings, LevelTreatment, Scaling};
use crate::paint::Paint;
use crate::table::{Align, Cell, Column};
use crate::text::plain;
use crate::units::{self, Scale};

/// Figures shown beside the one that leads, where they were measured.
const BESIDE: &[(&str, &[&str])] = &[
    ("open", &["response_p50_ns", "response_p99_ns"]),
    ("users", &["closed_service_p50_ns", "response_p50_ns"]),
];

/// The levels of one kind of load.
pub(crate) struct Family<'a> {
    /// What it is called.
    pub(crate) title: String,
    /// Columns that name a row.
    pub(crate) lead: Vec<Column>,
    /// Columns with figures.
    pub(crate) columns: Vec<Column>,
    /// Sentences below the table.
    pub(crate) notes: Vec<String>,
    /// The levels themselves.
    pub(crate) levels: Vec<&'a LevelFindings>,
}

/// Every kind of load that was measured, in the order of the findings.
pub(crate) fn families(findings: &Findings) -> Vec<Family<'_>> {
    let mut kinds: Vec<&str> = Vec::new();
    for level in &findings.levels {
        if !kinds.contains(&level.load.as_str()) {
            kinds.push(&level.load);
        }
    }
    kinds
        .into_iter()
        .map(|kind| family(findings, kind))
        .collect()
}

fn family<'a>(findings: &'a Findings, kind: &str) -> Family<'a> {
    let levels: Vec<&LevelFindings> = findings
        .levels
        .iter()
        .filter(|level| level.load == kind)
        .collect();
    let rows = rows(&levels);
    let mut columns = Vec::new();
    for level in &levels {
        columns.extend(level_columns(findings, level, &rows));
    }
    if kind == "cold" {
        columns.extend(steady_columns(findings, &levels, &rows));
    }
    let mut notes = failures(&levels);
    notes.extend(told(&levels));
    if kind == "closed" {
        notes.extend(findings.scaling.iter().map(scaling));
    }
    let name = |row: &(&str, &str)| Cell::new(plain(row.1));
    Family {
        title: title(findings, kind),
        lead: vec![Column {
            heading: ["treatment".to_owned(), String::new()],
            align: Align::Left,
            cells: rows.iter().map(name).collect(),
        }],
        columns,
        notes,
        levels,
    }
}

/// Treatments of any of the levels, by name and title, the ranked ones in the order of the findings.
fn rows<'a>(levels: &[&'a LevelFindings]) -> Vec<(&'a str, &'a str)> {
    let mut rows: Vec<(&str, &str)> = Vec::new();
    for treatment in levels.iter().flat_map(|level| &level.treatments) {
        if !rows.iter().any(|(name, _)| *name == treatment.name) {
            rows.push((&treatment.name, &treatment.title));
        }
    }
    rows
}

fn title(findings: &Findings, kind: &str) -> String {
    match kind {
        "closed" => "Completion rate over concurrency (closed loop)".to_owned(),
        "open" => "Response time over each one's own capacity (open loop)".to_owned(),
        "capacity" => match &findings.design.objective {
            Some(objective) => format!("Capacity under the objective {}", plain(objective)),
            None => "Capacity under the objective".to_owned(),
        },
        "cold" => "The cold start, and without it".to_owned(),
        "users" => "Users that come and go (ramp)".to_owned(),
        other => format!("Load {}", plain(other)),
    }
}

/// What a level is, as the head of its column.
fn heading(level: &LevelFindings) -> String {
    let first = level.treatments.first();
    let concurrency = first.and_then(|found| found.concurrency_count);
    let share = first.and_then(|found| found.capacity_ratio);
    match (level.load.as_str(), concurrency, share) {
        ("closed", Some(count), _) => format!("at {count}"),
        ("open", _, Some(_)) => {
            let digits: String = level.level.chars().filter(char::is_ascii_digit).collect();
            match digits.is_empty() {
                true => plain(&level.level),
                false => format!("at {digits} %"),
            }
        }
        _ => plain(&level.level),
    }
}

fn level_columns(findings: &Findings, level: &LevelFindings, rows: &[(&str, &str)]) -> Vec<Column> {
    let cells: Vec<Option<&LevelTreatment>> =
        rows.iter().map(|(name, _)| level.treatment(name)).collect();
    let heading = heading(level);
    let mut columns = Vec::new();
    columns.extend(figure_column(&heading, &level.leading_metric, &cells));
    columns.extend(ratio_column(findings, level, &cells));
    let beside = BESIDE.iter().find(|(kind, _)| *kind == level.load);
    for name in beside.into_iter().flat_map(|(_, names)| names.iter()) {
        if *name != level.leading_metric {
            columns.extend(figure_column(&heading, name, &cells));
        }
    }
    columns
}

fn figure_column(heading: &str, name: &str, cells: &[Option<&LevelTreatment>]) -> Option<Column> {
    let figures: Vec<Option<&Figure>> = cells
        .iter()
        .map(|cell| cell.and_then(|found| found.figures.get(name)))
        .collect();
    column(heading, name, &figures)
}

fn column(heading: &str, name: &str, figures: &[Option<&Figure>]) -> Option<Column> {
    let metric = metric(name)?;
    let values: Vec<f64> = figures
        .iter()
        .flatten()
        .map(|figure| figure.estimate)
        .collect();
    if values.is_empty() {
        return None;
    }
    let scale = units::scale_for(metric.unit, &values);
    let cell = |figure: &Option<&Figure>| match figure {
        Some(figure) => Cell::new(figure_text(figure, scale)),
        None => Cell::painted(ABSENT, Paint::Faint),
    };
    let unit = match metric.unit {
        "per_s" => metric.title.to_owned(),
        _ => format!("{} {}", metric.title, scale.sign),
    };
    Some(Column {
        heading: [heading.to_owned(), unit],
        align: Align::Right,
        cells: figures.iter().map(cell).collect(),
    })
}

fn figure_text(figure: &Figure, scale: Scale) -> String {
    let estimate = units::digits(figure.estimate / scale.divisor);
    match figure.low.zip(figure.high) {
        Some((low, high)) if low > 0.0 => {
            let reach = units::reach(low / scale.divisor, high / scale.divisor);
            format!("{estimate} {reach:>6}")
        }
        _ => estimate,
    }
}

fn ratio_column(
    findings: &Findings,
    level: &LevelFindings,
    cells: &[Option<&LevelTreatment>],
) -> Option<Column> {
    let better = metric(&level.leading_metric)?.better;
    cells
        .iter()
        .flatten()
        .find(|found| found.to_baseline.is_some())?;
    let cell = |found: &Option<&LevelTreatment>| match found {
        Some(found) if found.name == findings.baseline => Cell::painted("baseline", Paint::Faint),
        Some(LevelTreatment {
            to_baseline: Some(ratio),
            ..
        }) => Cell::painted(ratio_text(ratio), side(ratio, better)),
        _ => Cell::painted(ABSENT, Paint::Faint),
    };
    Some(Column {
        heading: ["ratio".to_owned(), String::new()],
        align: Align::Right,
        cells: cells.iter().map(cell).collect(),
    })
}

/// The same when warm: the closed loop at the same concurrency, or else that of the main slices.
fn steady_columns(
    findings: &Findings,
    levels: &[&LevelFindings],
    rows: &[(&str, &str)],
) -> Vec<Column> {
    let concurrency = levels.iter().flat_map(|level| &level.treatments);
    let concurrency = concurrency
        .filter_map(|found| found.concurrency_count)
        .next();
    let warm = findings.levels.iter().find(|level| {
        let first = level.treatments.first();
        level.load == "closed"
            && concurrency.is_some()
            && first.and_then(|found| found.concurrency_count) == concurrency
    });
    if let Some(warm) = warm {
        let cells: Vec<Option<&LevelTreatment>> =
            rows.iter().map(|(name, _)| warm.treatment(name)).collect();
        let mut columns = Vec::new();
        columns.extend(figure_column("warm", &warm.leading_metric, &cells));
        columns.extend(ratio_column(findings, warm, &cells));
        return columns;
    }
    main_columns(findings, levels, rows)
}

/// The closed loop of the main slices, on the metric that leads when cold or else on the other rate.
fn main_columns(
    findings: &Findings,
    levels: &[&LevelFindings],
    rows: &[(&str, &str)],
) -> Vec<Column> {
    let leading = levels.iter().map(|level| level.leading_metric.as_str());
    let rates = leading.chain(["completion_rate_per_s"]).find_map(|name| {
        let figures: Vec<Option<&Figure>> = rows
            .iter()
            .map(|(row, _)| findings.treatment(row)?.figures.get(name))
            .collect();
        Some((name, column("warm", name, &figures)?))
    });
    let Some((leading, rates)) = rates else {
        return Vec::new();
    };
    let ratio = |name: &str| {
        let found = findings.exploratory.iter();
        let mut found = found.filter(|found| found.metric == leading && found.treatment == name);
        found.next().map(|found| &found.ratio)
    };
    let cell = |(name, _): &(&str, &str)| match ratio(name) {
        _ if *name == findings.baseline => Cell::painted("baseline", Paint::Faint),
        Some(ratio) => Cell::painted(ratio_text(ratio), side(ratio, record::Better::Higher)),
        None => Cell::painted(ABSENT, Paint::Faint),
    };
    let ratios = Column {
        heading: ["ratio".to_owned(), String::new()],
        align: Align::Right,
        cells: rows.iter().map(cell).collect(),
    };
    vec![rates, ratios]
}

/// Requests that did not end well, wherever there were any.
fn failures(levels: &[&LevelFindings]) -> Vec<String> {
    let mut lines = Vec::new();
    for level in levels {
        for treatment in &level.treatments {
            let (failed, all) = treatment.failed_of();
            if failed > 0 {
                lines.push(format!(
                    "{} {}: {} of {} requests did not end in a good answer ({}).",
                    treatment.title,
                    heading(level),
                    units::grouped(failed as f64),
                    units::grouped(all as f64),
                    units::per_cent(failed as f64 / all as f64)
                ));
            }
        }
    }
    lines
}

fn told(levels: &[&LevelFindings]) -> Vec<String> {
    let mut lines = Vec::new();
    for level in levels {
        for treatment in &level.treatments {
            let counted = |note: &&String| {
                !note.contains("did not end in a good answer") || note.starts_with("INVALID")
            };
            // The requests that failed are counted over all blocks already.
            for note in treatment.notes.iter().filter(counted) {
                lines.push(format!("{}, {}: {note}", treatment.title, heading(level)));
            }
        }
    }
    lines
}

/// The scalability law of one treatment, in a sentence.
fn scaling(found: &Scaling) -> String {
    let knee = found.knee_concurrency_count.map_or(String::new(), |count| {
        format!("; the curve bends at {count}")
    });
    let most = found
        .points
        .last()
        .map_or(0, |point| point.concurrency_count);
    // A peak far beyond what was measured is a guess of the formula.
    let peak = found
        .peak_concurrency_count
        .filter(|peak| *peak <= 2.0 * f64::from(most))
        .map_or(String::new(), |peak| {
            format!("; the highest rate is near {}", units::grouped(peak))
        });
    format!(
        "{}: one connection would do {}/s; contention {}, coherency {}{knee}{peak} (the law is off by {}).",
        found.title,
        units::digits(found.rate_of_one_per_s),
        units::per_cent(found.contention_ratio),
        units::per_cent(found.coherency_ratio),
        units::per_cent(found.error_ratio)
    )
}
