//! The findings on a terminal of 80 columns or more.

use std::fmt::Write;

use record::TrialStatus;

use crate::findings::{Findings, TreatmentFindings};
use crate::paint::{Paint, Painter};
use crate::sections::{self, Section};
use crate::table::Table;
use crate::text::{self, counted, paragraph, plain};
use crate::{fairness, figures_table, limiter, plot, prose, terminal_sections};

/// Longer lists are in the Markdown report, whole.
const PAIRS_SHOWN_COUNT: usize = 12;
const DOUBTS_SHOWN_COUNT: usize = 8;
const NARROWEST_COLUMNS: usize = 60;

/// Draws a report `columns` wide. With `colour` it differs in colour alone.
pub fn terminal(findings: &Findings, columns: usize, colour: bool) -> String {
    let page = Page {
        findings,
        columns: columns.max(NARROWEST_COLUMNS),
        painter: Painter { colour },
    };
    let parts = [
        page.head(),
        page.ranked(),
        page.unranked(),
        page.verdicts(),
        page.limiters(),
        page.sections(sections::after_verdicts(findings, page.columns)),
        page.audit(),
        page.skipped(),
        page.exploratory(),
        page.sections(sections::costs(findings)),
        page.sections(fairness::sections(findings)),
        page.setup(),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// The head and the figures alone: what a run shows after each block.
pub fn provisional(findings: &Findings, columns: usize, colour: bool) -> String {
    let page = Page {
        findings,
        columns: columns.max(NARROWEST_COLUMNS),
        painter: Painter { colour },
    };
    let parts = [page.state(), page.ranked(), page.control()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

struct Page<'a> {
    findings: &'a Findings,
    columns: usize,
    painter: Painter,
}

impl Page<'_> {
    fn head(&self) -> String {
        let findings = self.findings;
        let mut out = String::new();
        out.push_str(&self.heading(&plain(&findings.title)));
        out.push_str(&paragraph("", &plain(&findings.question), self.columns));
        out.push('\n');
        out.push_str(&self.state());
        out
    }

    /// The answer, with whatever limits it.
    fn state(&self) -> String {
        let findings = self.findings;
        let mut out = String::new();
        if let Some(reason) = &findings.provisional {
            out.push_str(&self.painted(Paint::Warning, "PROVISIONAL: ", &plain(reason)));
        }
        out.push_str(&self.painted(Paint::Strong, "", &plain(&findings.answer)));
        if let Some(caveat) = &findings.caveat {
            out.push_str(&self.painted(Paint::Warning, "Note: ", &plain(caveat)));
        }
        for notice in &findings.notices {
            out.push_str(&self.painted(Paint::Warning, "Left out: ", &plain(notice)));
        }
        out
    }

    fn ranked(&self) -> String {
        let rows = self.rows(|treatment| treatment.tier().is_some());
        if rows.is_empty() {
            return String::new();
        }
        let mut table = Table {
            lead: figures_table::lead(&rows),
            columns: figures_table::figures(self.findings, &rows),
        };
        let room = table.room(self.columns).unwrap_or(0);
        // The two columns between the drawing and its neighbour are taken from the room.
        if let Some(drawing) = plot::column(self.findings, &rows, room.saturating_sub(2)) {
            table.columns.push(drawing);
        }
        let mut out = table.draw(self.columns, self.painter);
        let explanation = prose::explanation(self.findings);
        out.push('\n');
        out.push_str(&self.painted(Paint::Faint, "", &explanation));
        out
    }

    fn unranked(&self) -> String {
        let rows = self.rows(|treatment| treatment.tier().is_none());
        if rows.is_empty() {
            return String::new();
        }
        let mut out = self.heading("Shown, not ranked");
        let table = Table {
            lead: figures_table::lead(&rows),
            columns: figures_table::figures(self.findings, &rows),
        };
        out.push_str(&table.draw(self.columns, self.painter));
        for row in rows {
            let reason = prose::unranked(row).unwrap_or_default();
            let line = format!("{}: {}", plain(&row.title), plain(reason));
            out.push_str(&paragraph("  ", &line, self.columns));
        }
        out
    }

    fn verdicts(&self) -> String {
        let pairs = prose::pairs(self.findings);
        if pairs.is_empty() {
            return String::new();
        }
        let mut out = self.heading(&prose::verdicts_heading(self.findings));
        for pair in pairs.iter().take(PAIRS_SHOWN_COUNT) {
            out.push_str(&paragraph(
                "  ",
                &plain(&prose::verdict(pair)),
                self.columns,
            ));
        }
        if pairs.len() > PAIRS_SHOWN_COUNT {
            let more = counted(pairs.len() - PAIRS_SHOWN_COUNT, "more pair");
            let _ = writeln!(out, "  … and {more} in verdicts.json");
        }
        out
    }

    fn limiters(&self) -> String {
        let lines = limiter::lines(self.findings);
        if lines.is_empty() {
            return String::new();
        }
        let mut out = self.heading(limiter::HEADING);
        for line in lines {
            out.push_str(&paragraph("  ", &plain(&line), self.columns));
        }
        out
    }

    fn sections(&self, sections: Vec<Section>) -> String {
        let drawn = sections
            .into_iter()
            .map(|section| terminal_sections::draw(section, self.columns, self.painter));
        let drawn: Vec<String> = drawn.filter(|drawn| !drawn.is_empty()).collect();
        drawn.join("\n")
    }

    fn control(&self) -> String {
        paragraph(
            "Control: ",
            &plain(&prose::control(self.findings)),
            self.columns,
        )
    }

    fn audit(&self) -> String {
        let audit = &self.findings.audit;
        let mut out = self.heading("Can this run be trusted?");
        out.push_str(&paragraph(
            "  Control: ",
            &plain(&prose::control(self.findings)),
            self.columns,
        ));
        out.push_str(&paragraph(
            "  Trials: ",
            &prose::trials(self.findings),
            self.columns,
        ));
        if let Some(order) = &audit.order {
            let order = plain(&order.sentence);
            out.push_str(&paragraph("  Order: ", &order, self.columns));
        }
        let doubts = prose::doubts(self.findings);
        for doubt in doubts.iter().take(DOUBTS_SHOWN_COUNT) {
            let paint = match doubt.status {
                TrialStatus::Invalid => Paint::Bad,
                _ => Paint::Warning,
            };
            let label = format!("    {}: ", prose::status(doubt.status));
            out.push_str(&self.painted(paint, &label, &plain(&doubt.sentence())));
        }
        if doubts.len() > DOUBTS_SHOWN_COUNT {
            let more = counted(doubts.len() - DOUBTS_SHOWN_COUNT, "more reason");
            let _ = writeln!(out, "    … and {more} in report.md");
        }
        for voided in &audit.voided_blocks {
            let label = format!("    block {} void: ", voided.block);
            out.push_str(&paragraph(&label, &plain(&voided.reason), self.columns));
        }
        out
    }

    fn skipped(&self) -> String {
        if self.findings.skipped.is_empty() {
            return String::new();
        }
        let mut out = self.heading("Skipped");
        for skipped in &self.findings.skipped {
            let line = format!("{}: {}", plain(&skipped.treatment), plain(&skipped.reason));
            out.push_str(&paragraph("  ", &line, self.columns));
        }
        out
    }

    fn exploratory(&self) -> String {
        let rows = self.rows(|treatment| {
            self.findings
                .exploratory
                .iter()
                .any(|found| found.treatment == treatment.name)
        });
        if rows.is_empty() {
            return String::new();
        }
        let baseline = plain(&prose::title(self.findings, &self.findings.baseline));
        let mut out = self.heading("Exploratory");
        let note = format!(
            "Ratios to {baseline}. Each 95 % interval stands alone: among many, some mislead."
        );
        out.push_str(&paragraph("", &note, self.columns));
        let mut lead = figures_table::lead(&rows);
        lead.retain(|column| column.heading[0] != "tier");
        let columns = figures_table::exploratory(self.findings, &rows);
        out.push_str(&Table { lead, columns }.draw(self.columns, self.painter));
        out
    }

    fn setup(&self) -> String {
        let mut out = self.heading("Setup");
        let lines = [
            prose::design(self.findings),
            prose::environment(self.findings),
        ]
        .concat();
        for (label, text) in lines {
            out.push_str(&paragraph(
                &format!("  {label}: "),
                &plain(&text),
                self.columns,
            ));
        }
        out
    }

    fn rows(&self, wanted: impl Fn(&TreatmentFindings) -> bool) -> Vec<&TreatmentFindings> {
        let all = self.findings.treatments.iter();
        all.filter(|treatment| wanted(treatment)).collect()
    }

    fn heading(&self, title: &str) -> String {
        let lines = text::wrap(title, self.columns);
        let painted = lines
            .iter()
            .map(|line| self.painter.paint(Paint::Strong, line) + "\n");
        painted.collect()
    }

    /// A paragraph in one colour: its label, or all of it when it has none.
    fn painted(&self, paint: Paint, label: &str, text: &str) -> String {
        let whole = paragraph(label, text, self.columns);
        if label.is_empty() {
            let lines = whole.lines();
            return lines
                .map(|line| self.painter.paint(paint, line) + "\n")
                .collect();
        }
        let indent = label.len() - label.trim_start().len();
        let (space, rest) = whole.split_at(indent);
        let (word, rest) = rest.split_at(label.trim().len());
        format!("{space}{}{rest}", self.painter.paint(paint, word))
    }
}
