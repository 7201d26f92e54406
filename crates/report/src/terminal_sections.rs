//! Sections on a terminal.

use crate::paint::{Paint, Painter};
use crate::sections::{Block, Item, Section};
use crate::table::Table;
use crate::text::{self, paragraph, plain};

/// Draws a section; empty where it has nothing that a terminal shows.
pub(crate) fn draw(section: Section, columns: usize, painter: Painter) -> String {
    let body: Vec<String> = section
        .blocks
        .into_iter()
        .map(|block| draw_block(block, columns, painter))
        .filter(|drawn| !drawn.is_empty())
        .collect();
    if body.is_empty() {
        return String::new();
    }
    let heading = text::wrap(&plain(&section.title), columns);
    let heading: String = heading
        .iter()
        .map(|line| painter.paint(Paint::Strong, line) + "\n")
        .collect();
    heading + &body.concat()
}

fn draw_block(block: Block, columns: usize, painter: Painter) -> String {
    match block {
        Block::Paragraph(text) => {
            let whole = paragraph("", &plain(&text), columns);
            let lines = whole.lines();
            lines
                .map(|line| painter.paint(Paint::Faint, line) + "\n")
                .collect()
        }
        Block::Table {
            lead,
            columns: figures,
        } => Table {
            lead,
            columns: figures,
        }
        .draw(columns, painter),
        Block::Items(items) => items
            .iter()
            .map(|item| draw_item(item, columns, painter))
            .collect(),
        Block::Drawing(lines) => lines
            .iter()
            .map(|line| format!("{}\n", plain(line)))
            .collect(),
        Block::Mermaid(_) | Block::Page(_) => String::new(),
    }
}

fn draw_item(item: &Item, columns: usize, painter: Painter) -> String {
    let text = plain(&item.text);
    if item.label.is_empty() {
        return paragraph("  ", &text, columns);
    }
    let label = plain(&item.label);
    let whole = paragraph("  ", &format!("{label}: {text}"), columns);
    // The label may be broken over lines; then it goes without colour.
    match whole.strip_prefix(&format!("  {label}")) {
        Some(rest) => format!("  {}{rest}", painter.paint(item.paint, &label)),
        None => whole,
    }
}
