//! The findings as Markdown, whole, fit for a README or a pull request.

use crate::Chart;
use crate::findings::{Findings, TreatmentFindings};
use crate::table::{Align, Column};
use crate::text::plain;
use crate::{fairness, figures_table, limiter, markdown_sections, prose, sections};

/// Width of drawings: what a code block shows without scrolling.
const DRAWING_COLUMNS: usize = 90;

/// The report as Markdown, in words and tables alone.
pub fn markdown(findings: &Findings) -> String {
    markdown_with(findings, &[])
}

/// `report.md`: the same with links to `charts` that stand beside it.
pub fn markdown_with(findings: &Findings, charts: &[Chart]) -> String {
    let mut out = format!(
        "# {}\n\n{}\n\n",
        safe(&findings.title),
        safe(&findings.question)
    );
    if let Some(reason) = &findings.provisional {
        out.push_str(&format!("> **PROVISIONAL**: {}\n\n", safe(reason)));
    }
    out.push_str(&format!("**{}**\n\n", safe(&findings.answer)));
    if let Some(caveat) = &findings.caveat {
        out.push_str(&format!("> Note: {}\n\n", safe(caveat)));
    }
    for notice in &findings.notices {
        out.push_str(&format!("> Left out: {}\n\n", safe(notice)));
    }
    figures(findings, &mut out);
    for chart in charts {
        out.push_str(&format!("![{}]({})\n\n", chart.title, chart.file));
    }
    verdicts(findings, &mut out);
    limiters(findings, &mut out);
    for section in sections::after_verdicts(findings, DRAWING_COLUMNS) {
        markdown_sections::write(section, &mut out);
    }
    audit(findings, &mut out);
    skipped(findings, &mut out);
    exploratory(findings, &mut out);
    for section in sections::costs(findings) {
        markdown_sections::write(section, &mut out);
    }
    for section in fairness::sections(findings) {
        markdown_sections::write(section, &mut out);
    }
    setup(findings, &mut out);
    while out.ends_with("\n\n") {
        out.pop();
    }
    out
}

fn figures(findings: &Findings, out: &mut String) {
    let (ranked, unranked): (Vec<&TreatmentFindings>, Vec<&TreatmentFindings>) = findings
        .treatments
        .iter()
        .partition(|treatment| treatment.tier().is_some());
    if !ranked.is_empty() {
        table(
            &figures_table::lead(&ranked),
            &figures_table::figures(findings, &ranked),
            out,
        );
        out.push_str(&format!("{}\n\n", safe(&prose::explanation(findings))));
    }
    if !unranked.is_empty() {
        out.push_str("## Shown, not ranked\n\n");
        table(
            &figures_table::lead(&unranked),
            &figures_table::figures(findings, &unranked),
            out,
        );
        for treatment in unranked {
            let reason = prose::unranked(treatment).unwrap_or_default();
            out.push_str(&format!("- {}: {}\n", safe(&treatment.title), safe(reason)));
        }
        out.push('\n');
    }
}

fn verdicts(findings: &Findings, out: &mut String) {
    let pairs = prose::pairs(findings);
    if pairs.is_empty() {
        return;
    }
    out.push_str(&format!(
        "## {}\n\n",
        safe(&prose::verdicts_heading(findings))
    ));
    for pair in pairs {
        out.push_str(&format!("- {}\n", safe(&prose::verdict(pair))));
    }
    out.push('\n');
}

fn limiters(findings: &Findings, out: &mut String) {
    let lines = limiter::lines(findings);
    if lines.is_empty() {
        return;
    }
    out.push_str(&format!("## {}\n\n", limiter::HEADING));
    for line in lines {
        out.push_str(&format!("- {}\n", safe(&line)));
    }
    out.push('\n');
}

fn audit(findings: &Findings, out: &mut String) {
    out.push_str("## Can this run be trusted?\n\n");
    out.push_str(&format!("- Control: {}\n", safe(&prose::control(findings))));
    out.push_str(&format!("- Trials: {}\n", safe(&prose::trials(findings))));
    if let Some(order) = &findings.audit.order {
        out.push_str(&format!("- Order: {}\n", safe(&order.sentence)));
    }
    for voided in &findings.audit.voided_blocks {
        out.push_str(&format!(
            "- Block {} void: {}\n",
            voided.block,
            safe(&voided.reason)
        ));
    }
    out.push('\n');
    if !findings.audit.checks.is_empty() {
        out.push_str("| check | pass | warn | fail |\n| :-- | --: | --: | --: |\n");
        for check in &findings.audit.checks {
            let (pass, warn, fail) = (check.pass_count, check.warn_count, check.fail_count);
            out.push_str(&format!(
                "| {} | {pass} | {warn} | {fail} |\n",
                safe(&check.check)
            ));
        }
        out.push('\n');
    }
    if !findings.audit.reasons.is_empty() {
        out.push_str("| trial | status | reasons |\n| :-- | :-- | :-- |\n");
        for found in &findings.audit.reasons {
            let (trial, status) = (safe(&found.trial), prose::status(found.status));
            let reasons = safe(&found.reasons.join("; "));
            out.push_str(&format!("| {trial} | {status} | {reasons} |\n"));
        }
        out.push('\n');
    }
}

fn skipped(findings: &Findings, out: &mut String) {
    if findings.skipped.is_empty() {
        return;
    }
    out.push_str("## Skipped\n\n");
    for skipped in &findings.skipped {
        out.push_str(&format!(
            "- {}: {}\n",
            safe(&skipped.treatment),
            safe(&skipped.reason)
        ));
    }
    out.push('\n');
}

fn exploratory(findings: &Findings, out: &mut String) {
    let rows: Vec<&TreatmentFindings> = findings
        .treatments
        .iter()
        .filter(|row| {
            findings
                .exploratory
                .iter()
                .any(|found| found.treatment == row.name)
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    let baseline = prose::title(findings, &findings.baseline);
    out.push_str(&format!(
        "## Exploratory\n\nRatios to {}. Each 95 % interval stands alone: among many, some mislead.\n\n",
        safe(&baseline)
    ));
    let mut lead = figures_table::lead(&rows);
    lead.retain(|column| column.heading[0] != "tier");
    table(&lead, &figures_table::exploratory(findings, &rows), out);
}

fn setup(findings: &Findings, out: &mut String) {
    out.push_str("## Setup\n\n");
    for (label, text) in [prose::design(findings), prose::environment(findings)].concat() {
        out.push_str(&format!("- {label}: {}\n", safe(&text)));
    }
}

/// Writes a table, its columns side by side.
pub(crate) fn table(lead: &[Column], columns: &[Column], out: &mut String) {
    let all: Vec<&Column> = lead.iter().chain(columns).collect();
    let mut line = |cells: Vec<String>| out.push_str(&format!("| {} |\n", cells.join(" | ")));
    line(all.iter().map(|column| heading(column)).collect());
    let rule = |column: &&Column| match column.align {
        Align::Left => ":--".to_owned(),
        Align::Right => "--:".to_owned(),
    };
    line(all.iter().map(rule).collect());
    let rows = lead.first().map_or(0, |column| column.cells.len());
    for row in 0..rows {
        line(
            all.iter()
                .map(|column| safe(column.cells[row].text()))
                .collect(),
        );
    }
    out.push('\n');
}

fn heading(column: &Column) -> String {
    match column.heading[1].as_str() {
        "" => safe(&column.heading[0]),
        unit => format!("{} ({})", safe(&column.heading[0]), safe(unit)),
    }
}

/// Text from a record, shown as it is: nothing in it becomes markup.
pub(crate) fn safe(text: &str) -> String {
    let mut out = String::new();
    let mut blank = false;
    for character in plain(text).chars() {
        // Runs of blanks align columns on a terminal and mean nothing here.
        if character == ' ' && blank {
            continue;
        }
        blank = character == ' ';
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => {
                out.push('\\');
                out.push(character);
            }
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_record_becomes_markup() {
        assert_eq!(
            safe("<script>x</script> | [a](b) *c*\n# d"),
            "&lt;script&gt;x&lt;/script&gt; \\| \\[a\\](b) \\*c\\* \\# d"
        );
    }
}
