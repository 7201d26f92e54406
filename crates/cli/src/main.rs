//! `bancada`: the only place that reads arguments, prints and chooses exit codes.
//!
//! Exit codes: 0 done, 1 failed or a threshold broken, 2 wrong usage, 130 interrupted.

mod begun;
mod compare;
mod completions;
mod context;
mod doctor;
mod exit;
mod findings;
mod gate;
mod interrupt;
mod list;
mod live;
mod load;
mod new;
mod output;
mod page;
mod plan;
mod prepare;
mod prices;
mod progress;
mod report;
mod run;
mod screen;
mod serve;
mod supervisor;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::context::Context;

/// The test bench for web stacks.
///
/// Puts equivalent HTTP services on one bench, loads them honestly, and gives a verdict you can defend.
#[derive(Parser)]
#[command(
    name = "bancada",
    version,
    propagate_version = true,
    after_help = "Examples:
  bancada run                      compare four stacks on a real PostgreSQL, in minutes
  bancada load http://127.0.0.1:8000/ -c 50 -d 10s
  bancada report latest            the last run's report again
  bancada doctor                   what this machine lacks"
)]
struct Cli {
    /// Checkout to work in, instead of the one around the working directory.
    #[arg(long, global = true, value_name = "FOLDER")]
    root: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Prepare, verify, measure, compare and report.
    Run(run::RunArgs),
    /// Say what a run would do, how long it would take, and what it could see.
    Plan(plan::PlanArgs),
    /// List stacks, workloads, experiments or runs.
    List(list::ListArgs),
    /// Build or install stacks.
    Prepare(prepare::PrepareArgs),
    /// Hold stacks against the contracts of the workloads they serve.
    Verify(verify::VerifyArgs),
    /// Load one address: the engine alone.
    Load(Box<load::LoadArgs>),
    /// Print a run's report from its directory.
    Report(report::ReportArgs),
    /// Hold two runs against each other.
    Compare(compare::CompareArgs),
    /// Make a stack, a workload or an experiment, ready to edit.
    New(new::NewArgs),
    /// Say, with the exit code, whether a change made a service slower.
    Gate(Box<gate::GateArgs>),
    /// Show runs, live progress and the catalogue in a browser.
    Serve(serve::ServeArgs),
    /// Say what this machine lacks, and what would disturb a measurement.
    Doctor(doctor::DoctorArgs),
    /// Print a completion script for a shell.
    Completions(completions::CompletionsArgs),
    /// Watches over the processes that a run starts.
    #[command(name = "__guardian", hide = true)]
    Guardian {
        /// Where a view that was killed left word of the terminal it had.
        state: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let found = || Context::find(cli.root.as_deref());
    let ended = match cli.command {
        Command::Guardian { state } => return supervisor::guardian(state.as_deref()),
        Command::Run(args) => found().and_then(|context| run::run(args, &context)),
        Command::Plan(args) => found().and_then(|context| plan::plan(args, &context)),
        Command::List(args) => found().and_then(|context| list::list(args, &context)),
        Command::Prepare(args) => found().and_then(|context| prepare::prepare(args, &context)),
        Command::Verify(args) => found().and_then(|context| verify::verify(args, &context)),
        Command::Load(args) => load::load(*args),
        Command::Report(args) => report::report(args, found().ok().as_ref()),
        Command::Compare(args) => compare::compare(args, found().ok().as_ref()),
        Command::New(args) => found().and_then(|context| new::new(args, &context)),
        Command::Gate(args) => found().and_then(|context| gate::gate(*args, &context)),
        Command::Serve(args) => found().and_then(|context| serve::serve(args, &context)),
        Command::Doctor(args) => found().and_then(|context| doctor::doctor(args, &context)),
        Command::Completions(args) => completions::completions(args),
    };
    exit::code(ended)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    #[test]
    fn every_command_has_help_with_examples() {
        let mut cli = Cli::command();
        let shown: Vec<&mut clap::Command> = cli
            .get_subcommands_mut()
            .filter(|command| !command.is_hide_set())
            .collect();
        assert!(shown.len() > 10);
        for command in shown {
            let help = command.render_long_help().to_string();
            assert!(
                help.contains("Examples:\n"),
                "{}: {help}",
                command.get_name()
            );
        }
    }
}
