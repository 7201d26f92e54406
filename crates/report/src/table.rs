//! A table that fits its terminal: columns that find no room go to a second table below,
//! with the leading columns repeated, so that nothing is cut off.

use crate::paint::{Paint, Painter};
use crate::text::{width, width as text_width, wrap};

const GAP: usize = 2;

/// Which side a column's text keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// One cell.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    text: String,
    paint: Paint,
}

impl Cell {
    /// A cell of plain text.
    pub(crate) fn new(text: impl Into<String>) -> Cell {
        Cell::painted(text, Paint::Plain)
    }

    /// What it says.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// A cell with a colour.
    pub(crate) fn painted(text: impl Into<String>, paint: Paint) -> Cell {
        Cell {
            text: text.into(),
            paint,
        }
    }
}

/// One column: its name, the line below the name (a unit), and a cell a row.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Name and unit.
    pub(crate) heading: [String; 2],
    /// Which side its text keeps to.
    pub(crate) align: Align,
    /// One a row.
    pub(crate) cells: Vec<Cell>,
}

impl Column {
    /// Columns it takes when nothing is wrapped.
    fn width(&self) -> usize {
        let headings = self.heading.iter().map(|line| width(line));
        let cells = self.cells.iter().map(|cell| width(&cell.text));
        headings.chain(cells).max().unwrap_or(0)
    }
}

/// A table: `lead` names the rows and is repeated, its last column may be wrapped.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Columns that name a row.
    pub(crate) lead: Vec<Column>,
    /// Columns with its figures.
    pub(crate) columns: Vec<Column>,
}

impl Table {
    /// Columns left on the right when everything stands side by side; `None` when it does not fit.
    pub(crate) fn room(&self, columns: usize) -> Option<usize> {
        let all = self.lead.iter().chain(&self.columns);
        let taken: usize = all.map(|column| column.width() + GAP).sum();
        columns.checked_sub(taken)
    }

    /// Draws it, `columns` wide at most where the words allow.
    pub(crate) fn draw(&self, columns: usize, painter: Painter) -> String {
        let mut lead_widths: Vec<usize> = self.lead.iter().map(Column::width).collect();
        let all: usize = self.columns.iter().map(|column| column.width() + GAP).sum();
        if let Some(last) = lead_widths.last_mut() {
            // Names give way before figures are moved to a second table, but never below a third.
            let others = all + self.lead.len() * GAP;
            let wanted = columns.saturating_sub(others).max(columns / 4).max(16);
            *last = (*last).min(wanted);
        }
        let lead_width: usize = lead_widths.iter().map(|width| width + GAP).sum();
        let mut out = String::new();
        for part in parts(&self.columns, columns.saturating_sub(lead_width)) {
            if !out.is_empty() {
                out.push('\n');
            }
            self.draw_part(&lead_widths, part, painter, &mut out);
        }
        out
    }

    fn draw_part(&self, lead: &[usize], part: &[Column], painter: Painter, out: &mut String) {
        let shown: Vec<(&Column, usize)> = self
            .lead
            .iter()
            .zip(lead.iter().copied())
            .chain(part.iter().map(|column| (column, column.width())))
            .collect();
        for line in 0..2 {
            let cells = shown.iter().map(|(column, width)| {
                let paint = [Paint::Strong, Paint::Faint][line];
                pad(&column.heading[line], *width, column.align, paint, painter)
            });
            push_line(cells, out);
        }
        let rows = self.lead.first().map_or(0, |column| column.cells.len());
        for row in 0..rows {
            self.draw_row(row, &shown, painter, out);
        }
    }

    fn draw_row(&self, row: usize, shown: &[(&Column, usize)], painter: Painter, out: &mut String) {
        let wrapped: Vec<Vec<String>> = shown
            .iter()
            .map(|(column, width)| match column.align {
                Align::Left if text_width(&column.cells[row].text) > *width => {
                    wrap(&column.cells[row].text, *width)
                }
                _ => vec![column.cells[row].text.clone()],
            })
            .collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(1);
        for line in 0..height {
            let cells = shown.iter().zip(&wrapped).map(|((column, width), lines)| {
                let text = lines.get(line).map_or("", String::as_str);
                pad(text, *width, column.align, column.cells[row].paint, painter)
            });
            push_line(cells, out);
        }
    }
}

/// Columns in as many parts as they need to fit; each part has at least one.
fn parts(columns: &[Column], room: usize) -> Vec<&[Column]> {
    let mut parts = Vec::new();
    let mut from = 0;
    let mut taken = 0;
    for (index, column) in columns.iter().enumerate() {
        let needed = column.width() + if index == from { 0 } else { GAP };
        if index > from && taken + needed > room {
            parts.push(&columns[from..index]);
            from = index;
            taken = column.width();
        } else {
            taken += needed;
        }
    }
    parts.push(&columns[from..]);
    parts
}

fn push_line(cells: impl Iterator<Item = String>, out: &mut String) {
    let cells: Vec<String> = cells.collect();
    let line = cells.join(&" ".repeat(GAP));
    let line = line.trim_end();
    if !line.is_empty() {
        out.push_str(line);
        out.push('\n');
    }
}

fn pad(text: &str, columns: usize, align: Align, paint: Paint, painter: Painter) -> String {
    let blank = " ".repeat(columns.saturating_sub(width(text)));
    let text = painter.paint(paint, text);
    match align {
        Align::Left => text + &blank,
        Align::Right => blank + &text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, align: Align, cells: &[&str]) -> Column {
        Column {
            heading: [name.to_owned(), String::new()],
            align,
            cells: cells.iter().copied().map(Cell::new).collect(),
        }
    }

    fn table() -> Table {
        Table {
            lead: vec![column(
                "name",
                Align::Left,
                &["a short one", "a rather long name of a thing"],
            )],
            columns: (0..6)
                .map(|index| column(&format!("figure {index}"), Align::Right, &["1.00", "22.0"]))
                .collect(),
        }
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_no_cell_is_lost() {
        for columns in [40, 60, 80, 100, 160] {
            let drawn = table().draw(columns, Painter { colour: false });
            assert!(
                drawn.lines().all(|line| width(line) <= columns),
                "{columns}\n{drawn}"
            );
            assert_eq!(drawn.matches("22.0").count(), 6, "{columns}\n{drawn}");
            assert!(drawn.contains("figure 5"));
        }
    }

    #[test]
    fn colour_changes_nothing_but_colour() {
        let mut table = table();
        table.columns[0].cells[0].paint = Paint::Good;
        let bare = table.draw(80, Painter { colour: false });
        let coloured = table.draw(80, Painter { colour: true });
        assert_ne!(bare, coloured);
        let stripped: String = anstyle_free(&coloured);
        assert_eq!(bare, stripped);
    }

    fn anstyle_free(text: &str) -> String {
        let mut out = String::new();
        let mut inside = false;
        for character in text.chars() {
            match character {
                '\u{1b}' => inside = true,
                'm' if inside => inside = false,
                _ if !inside => out.push(character),
                _ => {}
            }
        }
        out
    }
}
