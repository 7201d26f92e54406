//! `bancada compare`: two runs held against each other, from their directories alone.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use report::{
    CompareChoices, Comparison, Recorded, compare_json, compare_markdown, compare_terminal,
};

use crate::context::Context;
use crate::exit::Usage;
use crate::report::find;
use crate::screen;

/// Arguments of `bancada compare`.
#[derive(Args)]
#[command(after_help = "Examples:
  bancada compare 2026-03-24T101530-first-look latest
  bancada compare BEFORE AFTER --format markdown      for a pull request
  bancada compare BEFORE AFTER --baseline axum --metric response_p50_ns

Two runs are not measured together: verdicts are about each treatment's ratio to a treatment that both runs
share, which was paired within its own run. Absolute figures are shown as unpaired, and decide nothing.")]
pub struct CompareArgs {
    /// The earlier run: its folder, its name, or `latest`.
    before: String,
    /// The later run.
    after: String,
    /// Treatment of both runs to hold the others against, instead of the first run's baseline.
    #[arg(long, value_name = "TREATMENT")]
    baseline: Option<String>,
    /// Metric, instead of the runs' own primary one.
    #[arg(long, value_name = "METRIC")]
    metric: Option<String>,
    /// How to draw it.
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
    /// File to write it to, instead of standard output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// How a comparison is drawn.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person, as wide as the terminal.
    Terminal,
    /// For a pull request.
    Markdown,
    /// For a program.
    Json,
}

/// Compares, and prints what it found.
///
/// # Errors
/// When a run is not there or damaged, or nothing in the two can be compared.
pub fn compare(args: CompareArgs, context: Option<&Context>) -> anyhow::Result<ExitCode> {
    let choices = CompareChoices {
        metric: args.metric.clone(),
        baseline: args.baseline.clone(),
        relevant_difference_ratio: None,
    };
    let comparison = compared(&args.before, &args.after, &choices, context)?;
    let text = draw(&comparison, args.format, args.output.is_none());
    match &args.output {
        Some(path) => std::fs::write(path, text)
            .with_context(|| format!("cannot write {}", path.display()))?,
        // A reader that has gone away is no failure of ours.
        None => drop(std::io::stdout().write_all(text.as_bytes())),
    }
    Ok(ExitCode::SUCCESS)
}

/// Finds two runs and holds the second against the first.
pub fn compared(
    before: &str,
    after: &str,
    choices: &CompareChoices,
    context: Option<&Context>,
) -> anyhow::Result<Comparison> {
    let read =
        |run: &str| -> anyhow::Result<Recorded> { Ok(Recorded::read(&find(run, context)?)?) };
    let (before, after) = (read(before)?, read(after)?);
    Ok(Comparison::of(&before, &after, choices).map_err(|error| Usage(error.to_string()))?)
}

/// Draws a comparison. `to_screen`: it is printed, not stored.
pub fn draw(comparison: &Comparison, format: Format, to_screen: bool) -> String {
    match format {
        Format::Markdown => compare_markdown(comparison),
        Format::Json => compare_json(comparison),
        Format::Terminal => {
            compare_terminal(comparison, screen::columns(), screen::colour() && to_screen)
        }
    }
}
