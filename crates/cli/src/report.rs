//! `bancada report`: the report of a run again, from its directory alone.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use record::{Listed, RecordError, RunDir};

use crate::context::Context;
use crate::exit::Usage;
use crate::findings;
use crate::page;
use crate::prices::PriceArgs;
use crate::screen;

/// Arguments of `bancada report`.
#[derive(Args)]
#[command(after_help = "Examples:
  bancada report                                 the latest run, or else a committed one
  bancada report 2026-03-24T101530-first-look    a run by name, committed ones included
  bancada report latest --format markdown        for a pull request
  bancada report latest --format html --output report.html    a page that opens anywhere
  bancada report ./some/folder --format json     for programs, from any folder
  bancada report latest --price-core-hour 0.04 --price-gib-hour 0.005
  bancada report latest --plan-rate 2000 --plan-p99 50ms    which stacks suffice, on how many cores
  bancada report --findings --output FINDINGS.md            what all committed runs show, claim by claim

verdicts.json, trials.csv, report.md and, with --format html, report.html are written into the run directory,
unless it is read-only.")]
pub struct ReportArgs {
    /// Folder of a run, the name of one, or `latest`.
    #[arg(default_value = "latest")]
    run: String,
    /// How to draw it.
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
    /// File to write it to, instead of standard output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Tell what all committed runs of the checkout show, as Markdown, instead of one run.
    #[arg(long, conflicts_with_all = ["run", "format"])]
    findings: bool,
    #[command(flatten)]
    prices: PriceArgs,
}

/// How a report is drawn.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person, as wide as the terminal.
    Terminal,
    /// For a pull request.
    Markdown,
    /// For a program.
    Json,
    /// For a browser: one file, offline.
    Html,
}

/// Draws the report and refreshes the files that go with it. `context` is only needed to find a run by
/// name: with a folder it works anywhere.
///
/// # Errors
/// When there is no such run, it is damaged, or the output cannot be written.
pub fn report(args: ReportArgs, context: Option<&Context>) -> anyhow::Result<ExitCode> {
    if args.findings {
        let context = context.ok_or_else(|| {
            Usage("--findings needs a checkout: work inside one, or give --root".to_owned())
        })?;
        return write(&findings::page(context)?, args.output.as_deref());
    }
    if args.format == Format::Html {
        args.prices.refuse_for_page()?;
    }
    let directory = find(&args.run, context)?;
    let template = match args.format {
        Format::Html => Some(page::template(context)?),
        _ => None,
    };
    let mut findings = report::read(&directory)?;
    refresh(&directory, &findings)?;
    // What a report costs at somebody's prices is that reader's, and is not kept with the run.
    args.prices.put_into(&mut findings)?;
    let text = match &template {
        Some(template) => page::html(&directory, template)?,
        None => draw(&findings, args.format, args.output.is_none()),
    };
    if template.is_some() {
        kept(directory.write_file(page::FILE, text.as_bytes()))?;
    }
    write(&text, args.output.as_deref())
}

fn write(text: &str, output: Option<&Path>) -> anyhow::Result<ExitCode> {
    match output {
        Some(path) => std::fs::write(path, text)
            .with_context(|| format!("cannot write {}", path.display()))?,
        // A reader that has gone away is no failure of ours.
        None => drop(std::io::stdout().write_all(text.as_bytes())),
    }
    Ok(ExitCode::SUCCESS)
}

/// Draws findings as text. `to_screen`: they are printed, not stored.
pub fn draw(findings: &report::Findings, format: Format, to_screen: bool) -> String {
    match format {
        Format::Markdown => report::markdown(findings),
        Format::Json => report::json(findings),
        Format::Terminal | Format::Html => {
            report::terminal(findings, screen::columns(), screen::colour() && to_screen)
        }
    }
}

fn refresh(directory: &RunDir, findings: &report::Findings) -> anyhow::Result<()> {
    kept(report::save(directory, findings))
}

/// A run directory that may only be read is no reason to show nothing.
#[expect(clippy::print_stderr, reason = "a note that is not part of the report")]
fn kept(saved: Result<(), RecordError>) -> anyhow::Result<()> {
    match saved {
        Err(error) if error.is_read_only() => {
            eprintln!("note: {error}; its files stay as they are");
            Ok(())
        }
        saved => Ok(saved?),
    }
}

/// Finds a run by its folder, its name, or as the latest; committed runs included.
pub fn find(run: &str, context: Option<&Context>) -> anyhow::Result<RunDir> {
    if run != "latest" && Path::new(run).is_dir() {
        return Ok(RunDir::open(Path::new(run))?);
    }
    let Some(context) = context else {
        let message = format!(
            "there is no folder {run}: give the folder of a run, or work inside a checkout to name one"
        );
        return Err(Usage(message).into());
    };
    let mut listed = committed(context)?;
    // Runs of this machine come last, so that the latest of them wins.
    listed.extend(record::list_runs(&context.runs)?);
    let found = match run {
        "latest" => listed.into_iter().rev().find(|listed| listed.run.is_ok()),
        name => listed.into_iter().rev().find(|listed| listed.name == name),
    };
    match found {
        Some(listed) => Ok(RunDir::open(&listed.path)?),
        None if run == "latest" => {
            Err(Usage("there is no run yet: `bancada run` makes one".to_owned()).into())
        }
        None => {
            let message = format!("there is no run {run}: `bancada list runs` shows them");
            Err(Usage(message).into())
        }
    }
}

/// Runs that are kept with their experiments, oldest name first.
fn committed(context: &Context) -> anyhow::Result<Vec<Listed>> {
    let experiments = context.root.join("experiments");
    let mut listed = Vec::new();
    for entry in std::fs::read_dir(&experiments)
        .with_context(|| format!("cannot read {}", experiments.display()))?
    {
        listed.extend(record::list_runs(&entry?.path().join("results"))?);
    }
    listed.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(listed)
}
