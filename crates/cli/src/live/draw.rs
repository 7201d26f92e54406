//! One frame of the live view. Pure: state, times and a frame come in.
//!
//! What there is no room for is left out from the right and from below, the question last; nothing is lost by it,
//! for all of it is in the run directory and in the report that follows.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Gauge, Paragraph, Wrap};
use record::{TrialStatus, metric};
use report::{RatioEstimate, Verdict};

use super::state::{Cell, LiveState};
use crate::gate::with_unit;

/// Clocks at the time of drawing.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Seconds since the view was opened.
    pub elapsed_s: f64,
    /// Seconds since the last block ended.
    pub since_block_s: f64,
}

/// Rows below which the second panel is left out.
const ROWS_FOR_INTERVALS: u16 = 16;
/// Columns of the interval's drawing at least.
const PLOT_COLUMNS: usize = 16;
/// Columns below which lines say less.
const NARROW: u16 = 60;
const SPARKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws the frame.
pub fn draw(frame: &mut Frame, state: &LiveState, times: &Times) {
    let area = frame.area();
    let [head, clock, body, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(1),
    ])
    .areas(area);
    frame.render_widget(Paragraph::new(headline(state)), head);
    draw_clock(frame, clock, state, times);
    if state.block == 0 {
        draw_steps(frame, body, state);
    } else {
        draw_blocks(frame, body, state);
    }
    let hint = match &state.ended_by {
        Some(by) => format!("ended by {by}; the report follows"),
        None => "Ctrl-C ends; what is measured stays".to_owned(),
    };
    frame.render_widget(Paragraph::new(hint.dark_gray()), foot);
}

fn headline(state: &LiveState) -> Line<'static> {
    let findings = state.findings.as_ref();
    let title = findings.map_or("Bancada".to_owned(), |findings| safe(&findings.title));
    let question = findings.map_or(String::new(), |findings| safe(&findings.question));
    Line::from(vec![
        Span::from(title).bold(),
        Span::from(format!("  {question}")).dark_gray(),
    ])
}

/// Block, time gone and time left, as a bar over the budget.
fn draw_clock(frame: &mut Frame, area: Rect, state: &LiveState, times: &Times) {
    let budget_s = state
        .findings
        .as_ref()
        .map(|findings| findings.design.budget_s as f64);
    let left_s = state
        .remaining_s
        .or(budget_s.filter(|_| state.block > 0))
        .map(|left| {
            (left
                - if state.remaining_s.is_some() {
                    times.since_block_s
                } else {
                    0.0
                })
            .max(0.0)
        });
    let block = match state.block {
        0 => "preparing".to_owned(),
        block => format!("block {block} of ≤{}", state.blocks_at_most),
    };
    let left = left_s.map_or(String::new(), |left| format!(" · ≤{} left", span(left)));
    let slices = match state.slices {
        (_, 0) => String::new(),
        (done, of) => format!(" · slice {done}/{of}"),
    };
    let label = match area.width {
        0..NARROW if state.block > 0 => format!("{}/≤{}{left}", state.block, state.blocks_at_most),
        _ => format!("{block}{slices} · {}{left}", span(times.elapsed_s)),
    };
    let share = match (left_s, budget_s) {
        (Some(left), Some(budget)) if budget > 0.0 => (1.0 - left / budget).clamp(0.0, 1.0),
        _ => 0.0,
    };
    let gauge = Gauge::default()
        .ratio(share)
        .label(label)
        .gauge_style(Style::new().fg(Color::Blue).bg(Color::Reset));
    frame.render_widget(gauge, area);
}

/// What is done before the first block, the newest step last.
fn draw_steps(frame: &mut Frame, area: Rect, state: &LiveState) {
    let room = usize::from(area.height);
    let lines: Vec<Line> = state
        .steps
        .iter()
        .map(|step| Line::from(safe(step)))
        .chain(state.notices.iter().map(|notice| note(notice)))
        .collect();
    let from = lines.len().saturating_sub(room);
    frame.render_widget(Paragraph::new(lines[from..].to_vec()), area);
}

fn draw_blocks(frame: &mut Frame, area: Rect, state: &LiveState) {
    let rows = state.treatments.len() as u16;
    let with_intervals = area.height >= ROWS_FOR_INTERVALS && has_ratios(state);
    let (grid_rows, interval_rows) = match with_intervals {
        true => {
            let each = ((area.height - 3) / 2).max(4);
            (
                (rows + 2).min(each),
                (judged(state).len() as u16 + 2).min(each),
            )
        }
        false => ((rows + 2).min(area.height), 0),
    };
    let [grid, now, intervals, notices] = Layout::vertical([
        Constraint::Length(grid_rows),
        Constraint::Length(1),
        Constraint::Length(interval_rows),
        Constraint::Min(0),
    ])
    .areas(area);
    draw_grid(frame, grid, state);
    frame.render_widget(Paragraph::new(now_line(state, now.width)), now);
    if with_intervals {
        draw_intervals(frame, intervals, state);
    }
    draw_notices(frame, notices, state);
}

/// Treatments down, blocks across, and beside them what was last seen.
fn draw_grid(frame: &mut Frame, area: Rect, state: &LiveState) {
    let mut block = Block::new()
        .borders(Borders::TOP)
        .border_style(Color::DarkGray)
        .title(Line::from(legend(area.width)).dark_gray());
    let inner = block.inner(area);
    let columns = usize::from(inner.width);
    let wide = columns >= 76;
    let rows = usize::from(inner.height.saturating_sub(u16::from(wide)));
    let hidden = state.treatments.len().saturating_sub(rows);
    if hidden > 0 {
        let said = format!(" {hidden} more not shown ");
        block = block.title(Line::from(said).right_aligned().dark_gray());
    }
    frame.render_widget(block, area);
    let titles = state
        .treatments
        .iter()
        .map(|name| state.title(name).chars().count());
    let name_columns = titles.max().unwrap_or(8).min(columns / 3).max(6);
    let table_columns = if wide { 34 } else { 0 };
    let spark_columns = if columns >= 120 { 24 } else { 0 };
    let room = columns
        .saturating_sub(name_columns + 1 + table_columns + spark_columns)
        .max(1);
    let first = (state.block as usize).saturating_sub(room) as u32 + 1;
    let last = (first + room as u32 - 1).min(state.blocks_at_most.max(state.block));
    let mut lines = Vec::new();
    if wide {
        let gap = " ".repeat(room + spark_columns);
        let head = format!(
            "{:name_columns$} {gap}{:>12}{:>11}{:>11}",
            "", "closed loop", "p50", "p90"
        );
        lines.push(Line::from(head).dark_gray());
    }
    for name in shown(state, rows) {
        let mut spans = vec![Span::from(format!(
            "{} ",
            fitted(state.title(name), name_columns)
        ))];
        let mut cells = String::new();
        for block in first..=last {
            let (mark, style) = mark(state, name, block);
            cells.push(mark);
            spans.push(Span::styled(mark.to_string(), style));
        }
        spans.push(Span::from(
            " ".repeat(room.saturating_sub(cells.chars().count())),
        ));
        if spark_columns > 0 {
            spans.push(Span::from(sparkline(state, name, spark_columns)).cyan());
        }
        if wide {
            spans.push(Span::from(last_seen(state, name)));
        }
        lines.push(Line::from(spans));
    }
    frame.render_widget(Paragraph::new(lines), inner);
}

fn legend(columns: u16) -> String {
    match columns {
        0..NARROW => " ■ valid ▲ degraded ✗ invalid ".to_owned(),
        NARROW..110 => " ■ VALID ▲ DEGRADED ✗ INVALID – void ▒ measuring ".to_owned(),
        _ => " blocks: ■ VALID  ▲ DEGRADED  ✗ INVALID  – void  ▒ measuring  ◌ starting  · to come "
            .to_owned(),
    }
}

/// The treatments there is room for: a window around the one under load.
fn shown(state: &LiveState, rows: usize) -> &[String] {
    let names = &state.treatments;
    let rows = rows.clamp(1, names.len().max(1));
    let current = state.current.as_ref().map(|current| &current.treatment);
    let at = names
        .iter()
        .position(|name| Some(name) == current)
        .unwrap_or(0);
    let from = at
        .saturating_sub(rows - 1)
        .min(names.len() - rows.min(names.len()));
    &names[from..(from + rows).min(names.len())]
}

fn mark(state: &LiveState, name: &str, block: u32) -> (char, Style) {
    let coloured = |colour: Color| Style::new().fg(colour);
    match state.cell(name, block) {
        Cell::Ended(_) if state.is_void(block) => ('–', coloured(Color::DarkGray)),
        Cell::Ended(TrialStatus::Valid) => ('■', coloured(Color::Green)),
        Cell::Ended(TrialStatus::Degraded) => ('▲', coloured(Color::Yellow)),
        Cell::Ended(TrialStatus::Invalid) => ('✗', coloured(Color::Red)),
        Cell::Measuring => {
            let current = state.current.as_ref();
            let under_load = current.is_some_and(|current| current.treatment == name);
            let style = coloured(Color::Cyan);
            (
                '▒',
                if under_load {
                    style.add_modifier(Modifier::BOLD)
                } else {
                    style
                },
            )
        }
        Cell::Starting => ('◌', coloured(Color::Cyan)),
        Cell::Waiting => ('·', coloured(Color::DarkGray)),
    }
}

fn last_seen(state: &LiveState, name: &str) -> String {
    let seen = state.seen.get(name).cloned().unwrap_or_default();
    let time = |ns: Option<f64>| ns.map_or("–".to_owned(), |ns| with_unit("ns", ns));
    let rate = seen
        .closed_rate_per_s
        .map_or("–".to_owned(), |rate| with_unit("per_s", rate));
    format!(
        "{rate:>12}{:>11}{:>11}",
        time(seen.response_p50_ns),
        time(seen.response_p90_ns)
    )
}

/// Rates of the last slices, the largest at full height.
fn sparkline(state: &LiveState, name: &str, columns: usize) -> String {
    let rates = state.seen.get(name).map(|seen| &seen.rates_per_s);
    let rates: Vec<f64> = rates.into_iter().flatten().copied().collect();
    let rates = &rates[rates.len().saturating_sub(columns - 2)..];
    let most = rates.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let bars: String = rates
        .iter()
        .map(|rate| SPARKS[((rate / most) * 7.0).round().clamp(0.0, 7.0) as usize])
        .collect();
    format!("{bars:>width$}  ", width = columns - 2)
}

/// What goes on this moment.
fn now_line(state: &LiveState, columns: u16) -> Line<'static> {
    let Some(current) = &state.current else {
        return Line::from(String::new());
    };
    let seen = state.seen.get(&current.treatment);
    let p50 = seen.and_then(|seen| seen.response_p50_ns);
    let rate = current.rate_per_s.map_or(String::new(), |rate| {
        format!(" {}", with_unit("per_s", rate))
    });
    let p50 = match (current.rate_per_s, p50) {
        (Some(_), Some(ns)) => format!(" · p50 {}", with_unit("ns", ns)),
        _ => String::new(),
    };
    let title = state.title(&current.treatment);
    let (title, doing) = match columns {
        0..NARROW if !rate.is_empty() => {
            let room =
                usize::from(columns).saturating_sub(2 + rate.chars().count() + p50.chars().count());
            (
                fitted(title, room.max(6)).trim_end().to_owned(),
                String::new(),
            )
        }
        _ => (safe(title), format!(" {}", safe(&current.doing))),
    };
    Line::from(vec![
        Span::from("▶ ").cyan(),
        Span::from(title).bold(),
        Span::from(format!("{doing}{rate}{p50}")),
    ])
}

/// Treatments with a ratio to the baseline, and what is said of it.
fn judged(state: &LiveState) -> Vec<(&str, &RatioEstimate, &'static str)> {
    let Some(findings) = &state.findings else {
        return Vec::new();
    };
    let word = |name: &str| {
        let pair = findings.pairs.iter().find(|pair| {
            let both = [pair.treatment.as_str(), pair.against.as_str()];
            both.contains(&name) && both.contains(&findings.baseline.as_str())
        });
        let ahead = pair.is_some_and(|pair| pair.treatment == name);
        match pair.map(|pair| pair.verdict) {
            Some(Verdict::Faster { .. }) if ahead => "better by at least something",
            Some(Verdict::Faster { .. }) => "worse by at least something",
            Some(Verdict::PracticallyEqual) => "practically equal",
            Some(Verdict::FasterMaybeTooSmall) => "different, may be too small",
            Some(Verdict::Undecided { .. }) => "undecided",
            None => "not ranked",
        }
    };
    findings
        .treatments
        .iter()
        .filter_map(|treatment| {
            let ratio = treatment.to_baseline.as_ref()?;
            Some((treatment.title.as_str(), ratio, word(&treatment.name)))
        })
        .collect()
}

fn has_ratios(state: &LiveState) -> bool {
    !judged(state).is_empty()
}

/// Ratios to the baseline with their intervals, on one logarithmic scale.
fn draw_intervals(frame: &mut Frame, area: Rect, state: &LiveState) {
    let Some(findings) = &state.findings else {
        return;
    };
    let title = metric(&findings.primary_metric)
        .map_or(findings.primary_metric.as_str(), |metric| metric.title);
    let heading = format!(
        " {title}, ratio to {} after {} block{}: provisional ",
        safe(state.title(&findings.baseline)),
        findings.blocks_count,
        if findings.blocks_count == 1 { "" } else { "s" }
    );
    let block = Block::new()
        .borders(Borders::TOP)
        .border_style(Color::DarkGray)
        .title(Line::from(heading).dark_gray());
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let rows = judged(state);
    let columns = usize::from(inner.width);
    let name_columns = rows
        .iter()
        .map(|(title, _, _)| title.chars().count())
        .max()
        .unwrap_or(0)
        .min(columns / 3);
    let words = if columns >= 110 { 29 } else { 0 };
    let text_columns = 22;
    let plot = columns.saturating_sub(name_columns + text_columns + words + 2);
    let scale = Scale::over(&rows);
    let lines: Vec<Line> = rows
        .iter()
        .take(usize::from(inner.height))
        .map(|(title, ratio, word)| {
            let mut spans = vec![Span::from(format!("{} ", fitted(title, name_columns)))];
            if plot >= PLOT_COLUMNS {
                spans.push(Span::from(scale.bar(ratio, plot)).cyan());
            }
            spans.push(Span::from(format!(" {:<text_columns$}", ratio_text(ratio))));
            if words > 0 {
                spans.push(Span::from((*word).to_owned()));
            }
            Line::from(spans)
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), inner);
}

fn ratio_text(ratio: &RatioEstimate) -> String {
    let range = ratio
        .interval()
        .map_or(String::new(), |(low, high)| match high {
            ..100.0 => format!(" ({low:.2} – {high:.2})"),
            _ => format!(" ({low:.2} – over 100)"),
        });
    format!("{:.2}×{range}", ratio.ratio)
}

/// A logarithmic axis that holds 1 and every interval.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn over(rows: &[(&str, &RatioEstimate, &str)]) -> Scale {
        let ends = rows.iter().flat_map(|(_, ratio, _)| {
            let (low, high) = ratio.interval().unwrap_or((ratio.ratio, ratio.ratio));
            [low.ln(), high.ln()]
        });
        // An interval of two blocks may reach anywhere; beyond a factor of eight its length says nothing more.
        let ends: Vec<f64> = ends
            .map(|end| end.clamp(-2.1, 2.1))
            .chain([-0.05, 0.05])
            .collect();
        Scale {
            low: ends.iter().copied().fold(f64::INFINITY, f64::min),
            high: ends.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    fn place(&self, ratio: f64, columns: usize) -> usize {
        let share = (ratio.ln() - self.low) / (self.high - self.low);
        (share.clamp(0.0, 1.0) * (columns - 1) as f64).round() as usize
    }

    fn bar(&self, ratio: &RatioEstimate, columns: usize) -> String {
        let mut cells = vec![' '; columns];
        cells[self.place(1.0, columns)] = '┊';
        if let Some((low, high)) = ratio.interval() {
            let (from, to) = (self.place(low, columns), self.place(high, columns));
            cells[from..=to].fill('─');
            cells[from] = '├';
            cells[to] = '┤';
        }
        cells[self.place(ratio.ratio, columns)] = '●';
        cells.into_iter().collect()
    }
}

fn draw_notices(frame: &mut Frame, area: Rect, state: &LiveState) {
    if area.height == 0 || state.notices.is_empty() {
        return;
    }
    let room = usize::from(area.height);
    let from = state.notices.len().saturating_sub(room);
    let lines: Vec<Line> = state.notices[from..]
        .iter()
        .map(|notice| note(notice))
        .collect();
    let text = Paragraph::new(lines);
    // Where all of them fit even when wrapped, nothing is cut.
    let wrapped = text.clone().wrap(Wrap { trim: true });
    frame.render_widget(
        if state.notices.len() * 2 <= room {
            wrapped
        } else {
            text
        },
        area,
    );
}

fn note(text: &str) -> Line<'static> {
    Line::from(vec![Span::from("note: ").yellow(), Span::from(safe(text))])
}

/// A name in exactly so many columns.
fn fitted(text: &str, columns: usize) -> String {
    let text = safe(text);
    if text.chars().count() <= columns {
        return format!("{text:columns$}");
    }
    let cut: String = text.chars().take(columns.saturating_sub(1)).collect();
    format!("{cut}…")
}

/// Text that does not move the cursor.
fn safe(text: &str) -> String {
    let one = |character: char| {
        if character.is_control() {
            ' '
        } else {
            character
        }
    };
    text.chars().map(one).collect()
}

fn span(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match seconds / 60 {
        0 => format!("{seconds} s"),
        minutes => format!("{minutes} min {:02} s", seconds % 60),
    }
}
