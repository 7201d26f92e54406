//! A comparison of two runs as people read it: on a terminal, in Markdown, as JSON.

use record::metric;

use crate::compare::{Change, Comparison, JudgedChange, TreatmentChange};
use crate::paint::{Paint, Painter};
use crate::table::{Align, Cell, Column, Table};
use crate::text::{paragraph, plain};
use crate::units;

/// Differences shown on a terminal; the JSON has all.
const DIFFERENCES_SHOWN_COUNT: usize = 24;
const NARROWEST_COLUMNS: usize = 60;

/// `bancada.compare/1`, indented, with a line end.
pub fn compare_json(comparison: &Comparison) -> String {
    let mut text = serde_json::to_string_pretty(comparison)
        .expect("a comparison holds only strings, numbers and lists, with string keys");
    text.push('\n');
    text
}

/// For a terminal of `columns`. With `colour` it differs in colour alone.
pub fn compare_terminal(comparison: &Comparison, columns: usize, colour: bool) -> String {
    let columns = columns.max(NARROWEST_COLUMNS);
    let painter = Painter { colour };
    let mut out = paragraph("", &heading(comparison), columns);
    for line in sides(comparison) {
        out.push_str(&paragraph("", &line, columns));
    }
    out.push('\n');
    for line in paragraph("", &plain(&comparison.summary), columns).lines() {
        out.push_str(&painter.paint(Paint::Strong, line));
        out.push('\n');
    }
    out.push('\n');
    for treatment in &comparison.treatments {
        let paint = treatment
            .through_baseline
            .as_ref()
            .map_or(Paint::Plain, paint_of);
        for line in paragraph("  ", &plain(&verdict_line(treatment)), columns).lines() {
            out.push_str(&painter.paint(paint, line));
            out.push('\n');
        }
    }
    out.push('\n');
    out.push_str(&drawn(comparison).draw(columns, painter));
    out.push('\n');
    for caveat in &comparison.caveats {
        out.push_str(&paragraph("Note: ", &plain(caveat), columns));
    }
    out.push_str(&rest(comparison, columns));
    out
}

/// For a pull request.
pub fn compare_markdown(comparison: &Comparison) -> String {
    let mut out = format!("### {}\n\n", cell(&heading(comparison)));
    for line in sides(comparison) {
        out.push_str(&format!("{}  \n", cell(&line)));
    }
    out.push_str(&format!("\n**{}**\n\n", cell(&comparison.summary)));
    for treatment in &comparison.treatments {
        out.push_str(&format!("- {}\n", cell(&verdict_line(treatment))));
    }
    let rows = table(comparison);
    for (index, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row.iter().map(|text| cell(text)).collect();
        let lead = if index == 0 { "\n" } else { "" };
        out.push_str(&format!("{lead}| {} |\n", cells.join(" | ")));
        if index == 0 {
            let rules: Vec<&str> = (0..row.len())
                .map(|at| if at == 0 { "---" } else { "---:" })
                .collect();
            out.push_str(&format!("| {} |\n", rules.join(" | ")));
        }
    }
    out.push('\n');
    for caveat in &comparison.caveats {
        out.push_str(&format!("> {}\n>\n", cell(caveat)));
    }
    if !comparison.not_compared.is_empty() {
        out.push_str("\n**Not compared**\n\n");
        for one in &comparison.not_compared {
            out.push_str(&format!(
                "- {}: {}\n",
                cell(&one.treatment),
                cell(&one.reason)
            ));
        }
    }
    out.push_str("\n<details><summary>What differs between the runs</summary>\n\n");
    if comparison.differences.is_empty() {
        out.push_str("Nothing that the runs recorded.\n");
    } else {
        out.push_str("| what | first | second |\n| --- | --- | --- |\n");
    }
    for one in &comparison.differences {
        out.push_str(&format!(
            "| {} {} | {} | {} |\n",
            cell(&one.area),
            cell(&one.key),
            cell(one.before.as_deref().unwrap_or("–")),
            cell(one.after.as_deref().unwrap_or("–"))
        ));
    }
    out.push_str("\n</details>\n");
    out
}

fn heading(comparison: &Comparison) -> String {
    format!("{} against {}", comparison.after.run, comparison.before.run)
}

fn sides(comparison: &Comparison) -> [String; 2] {
    let said = |which: &str, side: &crate::compare::Side| {
        format!(
            "{which} {} ({}), {}",
            side.run,
            plain(&side.title),
            side.started_at
        )
    };
    [
        said("first: ", &comparison.before),
        said("second:", &comparison.after),
    ]
}

/// The verdict with the ratio behind it.
fn verdict_line(treatment: &TreatmentChange) -> String {
    match &treatment.through_baseline {
        Some(judged) => format!("{}: {}", judged.sentence, change_text(&judged.change)),
        None => format!(
            "{}: unpaired {}",
            treatment.title,
            change_text(&treatment.unpaired)
        ),
    }
}

fn paint_of(judged: &JudgedChange) -> Paint {
    use crate::compare::Ahead;
    use crate::findings::Verdict;
    match (judged.verdict, judged.ahead) {
        (Verdict::Faster { .. }, Ahead::After) => Paint::Good,
        (Verdict::Faster { .. }, Ahead::Before) => Paint::Bad,
        _ => Paint::Plain,
    }
}

fn change_text(change: &Change) -> String {
    let range = change
        .low_ratio
        .zip(change.high_ratio)
        .map_or(String::new(), |(low, high)| {
            format!(" ({})", units::range(low, high))
        });
    format!("{}{range}", units::ratio(change.ratio))
}

fn table(comparison: &Comparison) -> Vec<Vec<String>> {
    let known = metric(&comparison.metric);
    let title = known.map_or(comparison.metric.as_str(), |metric| metric.title);
    let unit = known.map_or("", |metric| metric.unit);
    let baseline = comparison.baseline_title().unwrap_or("a baseline");
    let mut rows = vec![vec![
        "treatment".to_owned(),
        format!("{title}, first"),
        "second".to_owned(),
        "second/first, unpaired".to_owned(),
        format!("ratio to {baseline}, second/first"),
        "blocks".to_owned(),
    ]];
    for treatment in &comparison.treatments {
        let is_baseline = comparison.baseline.as_ref() == Some(&treatment.name);
        let through = match &treatment.through_baseline {
            Some(judged) => change_text(&judged.change),
            None if is_baseline => "baseline".to_owned(),
            None => "–".to_owned(),
        };
        let blocks = &treatment.unpaired;
        rows.push(vec![
            plain(&treatment.title),
            units::with_unit(unit, treatment.before_figure),
            units::with_unit(unit, treatment.after_figure),
            change_text(&treatment.unpaired),
            through,
            format!(
                "{} + {}",
                blocks.before_blocks_count, blocks.after_blocks_count
            ),
        ]);
    }
    rows
}

/// The same for a terminal: what a column holds above which of the runs it is of.
fn drawn(comparison: &Comparison) -> Table {
    let mut rows = table(comparison);
    let headings = rows.remove(0);
    let column = |at: usize, heading: [&str; 2], align| Column {
        heading: heading.map(str::to_owned),
        align,
        cells: rows.iter().map(|row| Cell::new(row[at].clone())).collect(),
    };
    let (title, _) = headings[1].rsplit_once(", ").unwrap_or((&headings[1], ""));
    let (baseline, _) = headings[4].rsplit_once(", ").unwrap_or((&headings[4], ""));
    Table {
        lead: vec![column(0, ["treatment", ""], Align::Left)],
        columns: vec![
            column(1, [title, "first"], Align::Right),
            column(2, [title, "second"], Align::Right),
            column(3, ["unpaired", "second/first"], Align::Right),
            column(4, [baseline, "second/first"], Align::Right),
            column(5, ["blocks", ""], Align::Right),
        ],
    }
}

fn rest(comparison: &Comparison, columns: usize) -> String {
    let mut out = String::new();
    for one in &comparison.not_compared {
        let line = format!("{}: {}", plain(&one.treatment), plain(&one.reason));
        out.push_str(&paragraph("Not compared: ", &line, columns));
    }
    if comparison.differences.is_empty() {
        out.push_str("\nNothing else that the runs recorded differs.\n");
        return out;
    }
    out.push_str("\nWhat differs between the runs\n");
    for one in comparison.differences.iter().take(DIFFERENCES_SHOWN_COUNT) {
        let line = format!(
            "{} {}: {} → {}",
            plain(&one.area),
            plain(&one.key),
            plain(one.before.as_deref().unwrap_or("–")),
            plain(one.after.as_deref().unwrap_or("–"))
        );
        out.push_str(&paragraph("  ", &line, columns));
    }
    let more = comparison
        .differences
        .len()
        .saturating_sub(DIFFERENCES_SHOWN_COUNT);
    if more > 0 {
        out.push_str(&format!("  … and {more} more with --format json\n"));
    }
    out
}

/// Text that stays in its cell and is no markup.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for character in plain(text).chars() {
        match character {
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' => {
                out.push('\\');
                out.push(character);
            }
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            _ => out.push(character),
        }
    }
    out
}
