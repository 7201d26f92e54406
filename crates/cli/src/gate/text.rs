//! A gate's result as people and programs read it.

use record::metric;
use serde_json::json;

use super::judge::{FigurePair, Gate, Judged, Outcome};
use super::unit::with_unit;

/// Metrics that a reader of a pull request wants to see; the JSON has all.
const SHOWN: [&str; 7] = [
    "service_cpu_per_good_answer_us",
    "completion_rate_per_s",
    "response_p50_ns",
    "response_p90_ns",
    "response_p99_ns",
    "memory_peak_bytes",
    "first_answer_ns",
];

/// `bancada.gate/1`, indented, with a line end.
pub fn json(gate: &Gate, strict: bool) -> String {
    let mut document = json!(gate);
    document["strict"] = json!(strict);
    document["exit_code"] = json!(u8::from(gate.outcome.fails(strict)));
    format!("{document:#}\n")
}

/// For a person.
pub fn terminal(gate: &Gate, strict: bool) -> String {
    let mut out = format!("{}: {}\n", heading(gate, strict), safe(&gate.sentence));
    if gate.runs.len() > 1 {
        for judged in &gate.judged {
            out.push_str(&format!("  {}\n", safe(&judged_line(judged))));
        }
    } else {
        out.push_str(&format!("  {}\n", safe(&basis(gate))));
    }
    for row in rows(gate) {
        out.push_str(&format!(
            "  {:<14} {:>10} {:>10}  {}\n",
            row[0], row[1], row[2], row[3]
        ));
    }
    for note in &gate.notes {
        out.push_str(&format!("  note: {}\n", safe(note)));
    }
    out
}

/// A comment for a pull request.
pub fn markdown(gate: &Gate, strict: bool) -> String {
    let mut out = format!(
        "### {}\n\n**{}**\n\n",
        heading(gate, strict),
        escaped(&gate.sentence)
    );
    if gate.runs.len() > 1 {
        for judged in &gate.judged {
            out.push_str(&format!("- {}\n", escaped(&judged_line(judged))));
        }
    } else {
        out.push_str(&format!("{}\n", escaped(&basis(gate))));
    }
    let rows = rows(gate);
    if let Some((head, rest)) = rows.split_first() {
        out.push_str(&format!(
            "\n| {} |\n| --- | ---: | ---: | ---: |\n",
            head.join(" | ")
        ));
        for row in rest {
            out.push_str(&format!("| {} |\n", row.join(" | ")));
        }
    }
    if !gate.notes.is_empty() {
        out.push('\n');
    }
    for note in &gate.notes {
        out.push_str(&format!("> {}\n>\n", escaped(note)));
    }
    let runs: Vec<String> = gate
        .runs
        .iter()
        .map(|run| format!("`{}`", escaped(run)))
        .collect();
    out.push_str(&format!(
        "\n<sub>Bancada {}; run {}; only the judged figure decides, the others are shown unadjusted.</sub>\n",
        env!("CARGO_PKG_VERSION"),
        runs.join(" against ")
    ));
    out
}

fn heading(gate: &Gate, strict: bool) -> String {
    let word = match (gate.outcome, gate.outcome.fails(strict)) {
        (Outcome::Passed, _) => "gate passed",
        (Outcome::PassedSlower, false) => "gate passed with a warning",
        (Outcome::Undecided, false) => "gate undecided, passed with a warning",
        (Outcome::Undecided, true) => "gate undecided, FAILED because of --strict",
        (Outcome::PassedSlower, true) => "gate FAILED because of --strict",
        (Outcome::Failed, _) => "gate FAILED",
    };
    word.to_owned()
}

fn judged_line(judged: &Judged) -> String {
    format!(
        "{}: {}",
        judged.sentence,
        ratio(judged.ratio, judged.low_ratio, judged.high_ratio)
    )
}

/// What the decision rests on.
fn basis(gate: &Gate) -> String {
    let title = metric(&gate.metric).map_or(gate.metric.as_str(), |metric| metric.title);
    let figure = gate.judged.first().map_or(String::new(), |judged| {
        let blocks = judged.blocks_count;
        format!(
            "after/before {} at 95 % over {blocks} block{}; ",
            ratio(judged.ratio, judged.low_ratio, judged.high_ratio),
            if blocks == 1 { "" } else { "s" }
        )
    });
    let bound = gate.bound_ratio.map_or(String::new(), |bound| {
        format!("; before against itself shows up to {:.1} %", bound * 100.0)
    });
    format!(
        "{title}: {figure}up to {:.1} % slower is allowed{bound}",
        gate.max_slower_ratio * 100.0
    )
}

fn rows(gate: &Gate) -> Vec<[String; 4]> {
    let shown: Vec<[String; 4]> = gate
        .figures
        .iter()
        .filter(|figure| SHOWN.contains(&figure.metric.as_str()) || figure.metric == gate.metric)
        .filter_map(row)
        .collect();
    if shown.is_empty() {
        return shown;
    }
    let head = ["", "before", "after", "after/before"].map(str::to_owned);
    std::iter::once(head).chain(shown).collect()
}

fn row(figure: &FigurePair) -> Option<[String; 4]> {
    let metric = metric(&figure.metric)?;
    let change = figure.ratio.map_or_else(
        || "–".to_owned(),
        |of| ratio(of, figure.low_ratio, figure.high_ratio),
    );
    Some([
        metric.title.to_owned(),
        with_unit(metric.unit, figure.before),
        with_unit(metric.unit, figure.after),
        change,
    ])
}

fn ratio(value: f64, low: Option<f64>, high: Option<f64>) -> String {
    let range = low.zip(high).map_or(String::new(), |(low, high)| {
        format!(" ({low:.3} – {high:.3})")
    });
    format!("{value:.3}×{range}")
}

/// Text that does not move the cursor.
fn safe(text: &str) -> String {
    text.chars()
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect()
}

/// Text that is no markup.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in safe(text).chars() {
        match character {
            '|' | '*' | '`' | '[' | ']' | '\\' => out.extend(['\\', character]),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            _ => out.push(character),
        }
    }
    out
}
