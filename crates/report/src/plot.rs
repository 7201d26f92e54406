//! Intervals of ratios as a drawing in text, for terminals with room to spare.

use crate::figures_table::side;
use crate::findings::{Findings, TreatmentFindings};
use crate::paint::Paint;
use crate::table::{Align, Cell, Column};
use record::metric;

/// Narrower than this a drawing shows nothing.
const LEAST_COLUMNS: usize = 21;
const MOST_COLUMNS: usize = 41;

/// Ratios to the baseline on a scale of logarithms, the baseline's 1 as an upright;
/// `None` when `room` is too small or there is nothing to draw.
pub(crate) fn column(
    findings: &Findings,
    rows: &[&TreatmentFindings],
    room: usize,
) -> Option<Column> {
    if room < LEAST_COLUMNS {
        return None;
    }
    let better = metric(&findings.primary_metric)?.better;
    let columns = room.min(MOST_COLUMNS);
    let ends = rows
        .iter()
        .filter_map(|row| row.to_baseline.as_ref()?.interval())
        .flat_map(|(low, high)| [low.ln(), high.ln()]);
    // The scale always holds the baseline, and never shrinks to nothing.
    let (least, most) = ends.fold((-0.05_f64, 0.05_f64), |(least, most), end| {
        (least.min(end), most.max(end))
    });
    let place = |ratio: f64| {
        let share = (ratio.ln() - least) / (most - least);
        (share.clamp(0.0, 1.0) * (columns - 1) as f64).round() as usize
    };
    let cells = rows.iter().map(|row| {
        let mut line = vec![' '; columns];
        let mut paint = Paint::Faint;
        if let Some(ratio) = row.to_baseline.as_ref()
            && let Some((low, high)) = ratio.interval()
        {
            line[place(low)..=place(high)].fill('─');
            line[place(1.0)] = '┊';
            line[place(ratio.ratio)] = '●';
            paint = side(ratio, better);
        } else {
            line[place(1.0)] = '┊';
        }
        let line: String = line.into_iter().collect();
        Cell::painted(line.trim_end(), paint)
    });
    let cells: Vec<Cell> = cells.collect();
    let mark = place(1.0);
    Some(Column {
        heading: [format!("{:>width$}", "1", width = mark + 1), String::new()],
        align: Align::Left,
        cells,
    })
}
