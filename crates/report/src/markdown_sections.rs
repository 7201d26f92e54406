//! Sections as Markdown.

use crate::markdown::{safe, table};
use crate::sections::{Block, Section};

/// Writes a section with its heading.
pub(crate) fn write(section: Section, out: &mut String) {
    out.push_str(&format!("## {}\n\n", safe(&section.title)));
    for block in section.blocks {
        write_block(block, out);
    }
}

fn write_block(block: Block, out: &mut String) {
    match block {
        Block::Paragraph(text) => out.push_str(&format!("{}\n\n", safe(&text))),
        Block::Table { lead, columns } => table(&lead, &columns, out),
        Block::Items(items) => {
            for item in &items {
                let label = match item.label.as_str() {
                    "" => String::new(),
                    label => format!("**{}**: ", safe(label)),
                };
                out.push_str(&format!("- {label}{}\n", safe(&item.text)));
            }
            if !items.is_empty() {
                out.push('\n');
            }
        }
        Block::Drawing(lines) => {
            let lines: Vec<String> = lines
                .iter()
                .map(|line| line.replace("```", "'''"))
                .collect();
            out.push_str(&format!("```text\n{}\n```\n\n", lines.join("\n")));
        }
        Block::Mermaid(chart) => out.push_str(&format!("```mermaid\n{chart}```\n\n")),
        Block::Page(blocks) => {
            for block in blocks {
                write_block(block, out);
            }
        }
    }
}
