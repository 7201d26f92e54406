//! A summary as text: what people read, and paste into issues.

use std::fmt::Write as _;

use crate::audit::CheckStatus;
use crate::distribution::Percentile;
use crate::notation::time;
use crate::summary::{Loop, StageSummary, Summary};
use crate::times::Times;

/// The summary of a run against `url`, at most 80 columns of plain text.
pub fn terminal(url: &str, summary: &Summary) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write(&mut out, url, summary);
    out
}

fn write(out: &mut String, url: &str, summary: &Summary) -> std::fmt::Result {
    writeln!(out, "{url}")?;
    for line in pacing(summary).lines() {
        wrapped(out, line, 2)?;
    }
    writeln!(out)?;
    if let Some(offered) = summary.offered_load_per_s {
        writeln!(out, "  offered load      {} arrivals/s", number(offered))?;
    }
    writeln!(
        out,
        "  completion rate   {} answers/s",
        number(summary.completion_rate_per_s)
    )?;
    writeln!(
        out,
        "  goodput           {} good answers/s",
        number(summary.goodput_per_s)
    )?;
    writeln!(out)?;
    times(out, summary)?;
    writeln!(out)?;
    labelled(out, "outcomes", &counts(&summary.outcomes))?;
    if !summary.status.is_empty() {
        labelled(out, "status", &counts(&summary.status))?;
    }
    labelled(out, "connections", &connections(summary))?;
    let bytes = &summary.bytes;
    let (received, sent) = (bytes.received_count, bytes.sent_count);
    labelled(out, "bytes", &format!("{received} received, {sent} sent"))?;
    labelled(out, "generator", &generator(summary))?;
    for finding in summary
        .audit
        .iter()
        .filter(|finding| finding.status != CheckStatus::Pass)
    {
        let word = if finding.status == CheckStatus::Fail {
            "fail"
        } else {
            "warn"
        };
        labelled(out, &format!("audit, {word}"), &finding.detail)?;
    }
    for finding in &summary.slo {
        let word = if finding.met { "met" } else { "broken" };
        labelled(out, word, &format!("{}: {}", finding.slo, finding.detail))?;
    }
    if summary.interrupted {
        writeln!(out, "  stopped before its end")?;
    }
    writeln!(out)?;
    wrapped(out, &summary.verdict, 4)
}

fn connections(summary: &Summary) -> String {
    let seen = &summary.connections;
    let (least, most) = (seen.least_completed_count, seen.most_completed_count);
    let mut said = format!(
        "{} opened, {} open at the end, {least} to {most} answers each",
        seen.opened_count, seen.open_at_end_count
    );
    let places = summary.pacing.places();
    if places.is_some_and(|places| seen.opened_count > u64::from(places)) {
        said += ", those of what took its place included";
    }
    said
}

fn generator(summary: &Summary) -> String {
    let generator = &summary.generator;
    let mut said = format!(
        "{:.2} s CPU on {}",
        generator.cpu_s,
        threads(generator.threads_count)
    );
    if let Some(polled_s) = generator.polled_s {
        said += &format!(", {polled_s:.2} s of it polled in vain");
    }
    if let Some(us) = generator.cpu_per_request_us {
        said += &format!(", {us:.2} µs per answer");
    }
    format!("{said} ({})", summary.engine)
}

/// A line with a label in front, its further lines below what it says.
fn labelled(out: &mut String, label: &str, said: &str) -> std::fmt::Result {
    wrapped(out, &format!("{label:<17} {said}"), 20)
}

/// Columns of a terminal that everyone has.
const COLUMNS: usize = 80;

/// Writes a line with its words wrapped, further lines further in.
fn wrapped(out: &mut String, line: &str, further: usize) -> std::fmt::Result {
    let mut column = 2;
    write!(out, "  ")?;
    // Runs of blanks align columns: only single blanks between words may become line ends.
    for (place, word) in line.split(' ').enumerate() {
        let length = word.chars().count();
        if place > 0 && column + 1 + length > COLUMNS {
            write!(out, "\n{:further$}", "")?;
            column = further;
        } else if place > 0 {
            write!(out, " ")?;
            column += 1;
        }
        column += length;
        write!(out, "{word}")?;
    }
    writeln!(out)
}

fn threads(count: u32) -> String {
    if count == 1 {
        "1 thread".to_owned()
    } else {
        format!("{count} threads")
    }
}

fn pacing(summary: &Summary) -> String {
    let window = summary.window_s;
    match &summary.pacing {
        Loop::Closed {
            users_count: Some(users),
            ramp_up_s,
            requests_per_user_count,
            think_time_s,
            ..
        } => {
            let over = ramp_up_s.unwrap_or(0.0);
            let each = requests_per_user_count.map(|count| format!(", {count} requests each"));
            let (each, think) = (each.unwrap_or_default(), think(*think_time_s));
            format!(
                "closed loop, {users} users begun over {over} s{each}{think}, {window:.3} s measured"
            )
        }
        Loop::Closed {
            concurrency_count,
            think_time_s,
            stages,
            ..
        } => {
            let (stages, think) = (staged(stages.as_deref()), think(*think_time_s));
            format!(
                "closed loop, {concurrency_count} connections{stages}{think}, {window:.3} s measured"
            )
        }
        Loop::Open {
            arrival_rate_per_s,
            arrivals,
            dispatch,
            connections_count,
            stages,
        } => {
            let mean = if stages.is_some() { " on average" } else { "" };
            format!(
                "open loop, {} {arrivals} arrivals/s{mean}, {dispatch} dispatch,\n\
                 {connections_count} connections{}, {window:.3} s measured",
                number(*arrival_rate_per_s),
                staged(stages.as_deref()),
            )
        }
    }
}

fn think(time_s: Option<f64>) -> String {
    let said = time_s.map(|s| format!(", {} think time", time(s * 1e9)));
    said.unwrap_or_default()
}

fn staged(stages: Option<&[StageSummary]>) -> String {
    match stages {
        None => String::new(),
        Some([_]) => ", 1 stage".to_owned(),
        Some(stages) => format!(", {} stages", stages.len()),
    }
}

/// One row a kind of time, one column a figure.
fn times(out: &mut String, summary: &Summary) -> std::fmt::Result {
    let rows: Vec<(&str, &Times)> = [
        ("service time", Some(&summary.service_time_ns)),
        ("response time", summary.response_time_ns.as_ref()),
        ("send delay", summary.send_delay_ns.as_ref()),
        ("not well ended", summary.failed_time_ns.as_ref()),
    ]
    .into_iter()
    .filter_map(|(name, times)| Some((name, times?)))
    .collect();
    write!(out, "  {:<14}", "")?;
    for (name, _) in &rows {
        write!(out, "{name:>16}")?;
    }
    writeln!(out)?;
    line(out, "mean", &rows, |times| times.mean.map(time))?;
    line(out, "stdev", &rows, |times| times.stdev.map(time))?;
    line(out, "min", &rows, |times| {
        times.min.map(|ns| time(ns as f64))
    })?;
    let labels = summary
        .service_time_ns
        .percentiles
        .iter()
        .map(|(name, label, _)| (name, label));
    for (name, label) in labels.collect::<Vec<_>>() {
        line(out, &format!("{label} %"), &rows, |times| {
            let mut all = times.percentiles.iter();
            match all.find(|(other, _, _)| *other == name)?.2 {
                Percentile::Value(ns) => Some(time(ns as f64)),
                Percentile::AtLeast(ns) => Some(format!("≥ {}", time(ns as f64))),
                Percentile::Absent => None,
            }
        })?;
    }
    line(out, "max", &rows, |times| {
        times.max.map(|ns| time(ns as f64))
    })?;
    let (all, of) = match &summary.response_time_ns {
        Some(response) => (response, "service and response time"),
        None => (&summary.service_time_ns, "service time"),
    };
    match all.answered_count {
        Some(answered) if answered < all.count => {
            let said = format!(
                "mean, stdev, min and max of {of} are of answers alone, which {answered} of {} requests had",
                all.count
            );
            wrapped(out, &said, 2)
        }
        _ => Ok(()),
    }
}

fn line(
    out: &mut String,
    label: &str,
    rows: &[(&str, &Times)],
    figure: impl Fn(&Times) -> Option<String>,
) -> std::fmt::Result {
    let figures: Vec<Option<String>> = rows.iter().map(|(_, times)| figure(times)).collect();
    if figures.iter().all(Option::is_none) {
        return Ok(());
    }
    write!(out, "  {label:<14}")?;
    for figure in figures {
        write!(out, "{:>16}", figure.unwrap_or_else(|| "–".to_owned()))?;
    }
    writeln!(out)
}

fn counts(counts: &std::collections::BTreeMap<String, u64>) -> String {
    let shown = counts.iter().map(|(name, count)| format!("{name} {count}"));
    shown.collect::<Vec<_>>().join(", ")
}

fn number(value: f64) -> String {
    if value < 100.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.0}")
    }
}
