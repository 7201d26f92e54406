//! `bancada prepare`: builds or installs stacks.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

use catalog::{Catalog, Stack};
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use lab::prepare::{PrepareError, Prepared, Preparer, Progress};
use serde::Serialize;
use serde_json::json;

use crate::context::Context;
use crate::exit::INTERRUPTED;
use crate::interrupt;

/// Arguments of `bancada prepare`.
#[derive(Args)]
#[command(after_help = "Examples:
  bancada prepare                           all stacks
  bancada prepare ONE ANOTHER               two of those that `bancada list stacks` shows
  BANCADA_REQUIRE=go,node bancada prepare   fail where go or node is missing, instead of skipping")]
pub struct PrepareArgs {
    /// Stacks, as `bancada list stacks` names them; all unless given.
    stacks: Vec<String>,
    /// How to print what became of them.
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Terminal,
    Json,
}

/// What became of one stack.
#[derive(Serialize)]
struct Outcome {
    stack: String,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    versions: BTreeMap<String, String>,
    warnings: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ready,
    Skipped,
    Failed,
}

/// Prepares the stacks and says what became of each.
pub fn prepare(args: PrepareArgs, context: &Context) -> anyhow::Result<ExitCode> {
    let catalog = Catalog::scan(&context.root);
    let stacks = chosen(&catalog, &args.stacks)?;
    let stop = interrupt::stop_flag()?;
    let supervisor = crate::supervisor::start(context)?;
    let mut preparer = Preparer::new(&supervisor, context.prepare_settings(), &stop)?;
    let mut outcomes = Vec::new();
    for stack in stacks {
        match prepare_shown(&mut preparer, stack) {
            Err(PrepareError::Interrupted) => return Ok(ExitCode::from(INTERRUPTED)),
            prepared => outcomes.push(outcome(stack, prepared)),
        }
    }
    show(&outcomes, args.format)?;
    let sound = show_faults(&catalog, &args.stacks);
    let failed = outcomes
        .iter()
        .any(|outcome| outcome.status == Status::Failed);
    Ok(if failed || !sound {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// The stacks of these names, all that are sound when there are none.
pub fn chosen<'a>(catalog: &'a Catalog, names: &[String]) -> anyhow::Result<Vec<&'a Stack>> {
    if names.is_empty() {
        return Ok(catalog.stacks.iter().collect());
    }
    Ok(names
        .iter()
        .map(|name| catalog.stack(name))
        .collect::<Result<_, _>>()?)
}

/// Says what is wrong with stacks and workloads, when all were meant; whether nothing is.
#[expect(clippy::print_stderr, reason = "mistakes are not part of the table")]
pub fn show_faults(catalog: &Catalog, names: &[String]) -> bool {
    let ours = |folder: &str| ["stacks", "workloads"].contains(&folder);
    let is_ours = |fault: &&catalog::Fault| {
        fault
            .path
            .iter()
            .next()
            .is_some_and(|part| ours(&part.to_string_lossy()))
    };
    let faults: Vec<_> = catalog
        .faults
        .iter()
        .filter(is_ours)
        .filter(|_| names.is_empty())
        .collect();
    for fault in &faults {
        eprintln!("error: {fault}");
    }
    faults.is_empty()
}

/// Prepares one stack, with a line on standard error that follows what happens.
pub fn prepare_shown(preparer: &mut Preparer, stack: &Stack) -> Result<Prepared, PrepareError> {
    let line = Line::new(&stack.name);
    preparer.prepare(stack, &mut |progress| line.show(&progress))
}

/// A spinner in a terminal; elsewhere a plain line for each thing that begins or ends.
struct Line {
    name: String,
    spinner: Option<ProgressBar>,
}

impl Line {
    fn new(name: &str) -> Line {
        let spinner = std::io::stderr()
            .is_terminal()
            .then(ProgressBar::new_spinner);
        if let Some(spinner) = &spinner {
            spinner.enable_steady_tick(Duration::from_millis(120));
            spinner.set_message(name.to_owned());
        }
        Line {
            name: name.to_owned(),
            spinner,
        }
    }

    #[expect(
        clippy::print_stderr,
        reason = "progress is for the person who waits, not for the pipe"
    )]
    fn show(&self, progress: &Progress) {
        match &self.spinner {
            Some(spinner) => spinner.set_message(format!("{}: {progress}", self.name)),
            None if matches!(progress, Progress::Running { .. }) => {}
            None => eprintln!("{}: {progress}", self.name),
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some(spinner) = &self.spinner {
            spinner.finish_and_clear();
        }
    }
}

fn outcome(stack: &Stack, prepared: Result<Prepared, PrepareError>) -> Outcome {
    let (status, reason, versions, warnings) = match prepared {
        Ok(prepared) => (Status::Ready, None, prepared.facts, prepared.warnings),
        Err(PrepareError::Skipped { reason, .. }) => {
            (Status::Skipped, Some(reason), BTreeMap::new(), Vec::new())
        }
        Err(error) => (
            Status::Failed,
            Some(error.to_string()),
            BTreeMap::new(),
            Vec::new(),
        ),
    };
    Outcome {
        stack: stack.name.clone(),
        status,
        reason,
        versions,
        warnings,
    }
}

#[expect(
    clippy::print_stdout,
    reason = "what became of the stacks is the command's output"
)]
fn show(outcomes: &[Outcome], format: Format) -> anyhow::Result<()> {
    if format == Format::Json {
        let document = json!({ "schema": "bancada.prepare/1", "stacks": outcomes });
        println!("{}", serde_json::to_string_pretty(&document)?);
        return Ok(());
    }
    let width = outcomes
        .iter()
        .map(|outcome| outcome.stack.len())
        .max()
        .unwrap_or(0);
    for outcome in outcomes {
        let versions: Vec<String> = outcome
            .versions
            .iter()
            .map(|(tool, version)| with_name(tool, version))
            .collect();
        let (status, detail) = match outcome.status {
            Status::Ready => ("ready  ", versions.join(", ")),
            Status::Skipped => ("skipped", outcome.reason.clone().unwrap_or_default()),
            Status::Failed => ("failed ", outcome.reason.clone().unwrap_or_default()),
        };
        println!("{:width$}  {status}  {detail}", outcome.stack);
        for warning in &outcome.warnings {
            println!("{:width$}           note: {warning}", "");
        }
    }
    Ok(())
}

/// Most tools say their name with their version; the others get it.
fn with_name(tool: &str, version: &str) -> String {
    match version.to_lowercase().contains(tool) {
        true => version.to_owned(),
        false => format!("{tool} {version}"),
    }
}
