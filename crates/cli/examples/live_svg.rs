//! The live view of a stored run as a picture: `docs/images/live.svg` is made with
//!
//! `cargo run -p bancada --example live_svg -- RUN_FOLDER BLOCK > docs/images/live.svg`
//!
//! It replays the trials of the run up to the middle of BLOCK through the view's own state and drawing, at 110 × 28.
#![allow(
    dead_code,
    clippy::print_stdout,
    reason = "the picture is what it is for"
)]

use std::collections::BTreeMap;
use std::path::Path;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use record::{Event, RunDir, Trial};
use report::Findings;

#[path = "../src/live/draw.rs"]
mod draw;
#[path = "../src/live/replay.rs"]
mod replay;
#[path = "../src/live/state.rs"]
mod state;
#[path = "../src/gate/unit.rs"]
mod unit;

/// What the drawing knows of the gate: how figures are written.
mod gate {
    pub use crate::unit::with_unit;
}

use draw::{Times, draw as draw_frame};
use state::LiveState;

const COLUMNS: u16 = 110;
const ROWS: u16 = 28;
const CELL_WIDTH: f64 = 8.4;
const CELL_HEIGHT: f64 = 18.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let usage = "give the folder of a run and the number of a block";
    let folder = args.next().ok_or(usage)?;
    let block: u32 = args.next().ok_or(usage)?.parse()?;
    let dir = RunDir::open(Path::new(&folder))?;
    let run = dir.run()?;
    let trials = dir.trials()?.trials;
    let mut state = LiveState::default();
    state.set_findings(Findings::of(&run, &[], &BTreeMap::new()));
    for one in 1..block {
        replay::block(&run, &trials, one)
            .iter()
            .for_each(|event| state.apply(event));
    }
    let so_far: Vec<Trial> = trials
        .iter()
        .filter(|trial| trial.block < block)
        .cloned()
        .collect();
    state.set_findings(Findings::of(&run, &so_far, &BTreeMap::new()));
    let last = replay::block(&run, &trials, block);
    let measured: Vec<&Event> = last
        .iter()
        .take_while(|event| !matches!(event, Event::TrialEnded { .. }))
        .collect();
    measured[..measured.len() * 2 / 3]
        .iter()
        .for_each(|event| state.apply(event));
    let elapsed_s = trials
        .iter()
        .filter(|trial| trial.block <= block)
        .flat_map(|trial| &trial.slices)
        .map(|slice| slice.at_s)
        .fold(0.0, f64::max);
    let times = Times {
        elapsed_s,
        since_block_s: 12.0,
    };
    let mut terminal = Terminal::new(TestBackend::new(COLUMNS, ROWS))?;
    terminal.draw(|frame| draw_frame(frame, &state, &times))?;
    println!("{}", svg(terminal.backend().buffer()));
    Ok(())
}

/// One text element for each stretch of cells of one style.
fn svg(buffer: &Buffer) -> String {
    let (width, height) = (
        f64::from(COLUMNS) * CELL_WIDTH,
        f64::from(ROWS) * CELL_HEIGHT,
    );
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-12 -12 {} {}\" role=\"img\" font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\">\
         <title>The live view of a run in a terminal</title>\
         <rect x=\"-12\" y=\"-12\" width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#16181d\"/>\n",
        width + 24.0,
        height + 24.0
    );
    for row in 0..ROWS {
        let mut column = 0;
        while column < COLUMNS {
            let first = &buffer[(column, row)];
            let mut text = String::new();
            let start = column;
            while column < COLUMNS && style(&buffer[(column, row)]) == style(first) {
                text.push_str(buffer[(column, row)].symbol());
                column += 1;
            }
            out.push_str(&stretch(start, row, &text, style(first)));
        }
    }
    out.push_str("</svg>");
    out
}

type Look = (Color, Color, bool);

fn style(cell: &Cell) -> Look {
    (cell.fg, cell.bg, cell.modifier.contains(Modifier::BOLD))
}

fn stretch(column: u16, row: u16, text: &str, (front, back, bold): Look) -> String {
    let (x, y) = (f64::from(column) * CELL_WIDTH, f64::from(row) * CELL_HEIGHT);
    let width = text.chars().count() as f64 * CELL_WIDTH;
    let mut out = String::new();
    if back != Color::Reset {
        out.push_str(&format!("<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{CELL_HEIGHT}\" fill=\"{}\"/>", hex(back)));
    }
    if text.trim().is_empty() {
        return out;
    }
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let weight = if bold { " font-weight=\"700\"" } else { "" };
    out.push_str(&format!(
        "<text x=\"{x:.1}\" y=\"{:.1}\" fill=\"{}\"{weight} xml:space=\"preserve\" textLength=\"{width:.1}\" lengthAdjust=\"spacingAndGlyphs\">{text}</text>\n",
        y + 13.5,
        hex(front)
    ));
    out
}

fn hex(colour: Color) -> &'static str {
    match colour {
        Color::Green => "#5fd38d",
        Color::Yellow => "#e6c35c",
        Color::Red => "#f2777a",
        Color::Cyan => "#6cc7e0",
        Color::Blue => "#3b6fd6",
        Color::DarkGray => "#8a909c",
        _ => "#e4e6eb",
    }
}
