//! `bancada gate`: does a change make a service slower? For a pipeline, so the answer is the exit code.

mod judge;
mod text;
mod unit;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use catalog::Catalog;
use clap::Args;
use lab::{Choices, CommandPlan, CommandRequest, CommandService, EndedBy, Lab};
use record::Event;
use report::CompareChoices;

use self::judge::{Gate, Outcome};
use crate::compare::{Format, compared};
use crate::context::Context;
use crate::exit::{INTERRUPTED, Usage};
use crate::interrupt;
use crate::output;
use crate::progress::Progress;

pub use self::unit::with_unit;

/// Arguments of `bancada gate`.
#[derive(Args)]
#[command(after_help = "Examples:
  bancada gate --before './old/server' --after './new/server' --path /users
  bancada gate --before 'cd old && ./serve' --after 'cd new && ./serve' --path /search --method POST \\
      --header 'Content-Type: application/json' --body '{\"text\":\"x\"}' --max-slower 10% --format markdown
  bancada gate BEFORE_RUN AFTER_RUN               two runs, held against each other through their baseline
  bancada gate BEFORE_RUN AFTER_RUN --baseline axum       through a treatment that did not change

Each command is started with PORT in its environment, many times over, and must answer there. Exit code 0: not
shown to be slower by more than --max-slower. 1: slower by at least that, or it could not be measured because it
did not start, answered wrongly or exited, where the one before did not. Undecided, and slower by what may be too
small to matter, are 0 with a warning, and 1 with --strict.")]
pub struct GateArgs {
    /// The run before the change: its folder, its name, or `latest`.
    #[arg(requires = "after_run", conflicts_with_all = ["before", "after"])]
    before_run: Option<String>,
    /// The run after it.
    after_run: Option<String>,
    /// Command that starts the service as it was.
    #[arg(long, value_name = "COMMAND", required_unless_present = "before_run", requires_all = ["after", "path"])]
    before: Option<String>,
    /// Command that starts the service as it is now.
    #[arg(long, value_name = "COMMAND", requires = "before")]
    after: Option<String>,
    /// What is asked: a path with its query.
    #[arg(long, value_name = "PATH", requires = "before")]
    path: Option<String>,
    /// Method of the request.
    #[arg(long, default_value = "GET", requires = "before")]
    method: String,
    /// Header field of the request, `Name: value`; may be repeated.
    #[arg(long, value_name = "FIELD", value_parser = header, requires = "before")]
    header: Vec<(String, String)>,
    /// Body of the request.
    #[arg(long, value_name = "TEXT", requires = "before")]
    body: Option<String>,
    /// Keep-alive connections.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=10_000), requires = "before")]
    connections: u32,
    /// Measuring time after which no new block starts.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = load::notation::duration, requires = "before")]
    budget: Duration,
    /// Longest wait for the first right answer of a start.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = load::notation::duration, requires = "before")]
    ready_within: Duration,
    /// How much slower it may become, which is also the smallest difference that matters [default: 5%, for two runs their own]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    max_slower: Option<f64>,
    /// What is judged: a metric with a better direction [default: CPU time per good answer, for two runs their own]
    #[arg(long, value_name = "METRIC")]
    metric: Option<String>,
    /// Treatment of both runs to hold the others against, one that did not change [default: the first run's baseline]
    #[arg(long, value_name = "TREATMENT", requires = "before_run")]
    baseline: Option<String>,
    /// Seed of every random order; drawn and recorded unless given.
    #[arg(long)]
    seed: Option<u64>,
    /// Fail, too, when nothing can be decided, or when it is slower by what may be too small to matter.
    #[arg(long)]
    strict: bool,
    /// Plain lines instead of the live view.
    #[arg(long)]
    plain: bool,
    /// How the result is drawn; `markdown` is a comment for a pull request.
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
    /// File to write it to, instead of standard output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Smallest difference that matters unless given.
const MAX_SLOWER: f64 = 0.05;
/// Seconds of open loop that a block of two commands measures.
const OPEN_S: f64 = 0.72;
/// What is judged unless given.
const METRIC: &str = "service_cpu_per_good_answer_us";

/// Measures or compares, prints what it found, and says it with the exit code.
///
/// # Errors
/// When a run is not there, a command does not start or answers wrongly, or the bench fails.
pub fn gate(args: GateArgs, context: &Context) -> anyhow::Result<ExitCode> {
    refuse_metric(&args)?;
    output::check(args.output.as_deref())?;
    let gate = match (&args.before_run, &args.after_run, &args.before, &args.after) {
        (Some(before), Some(after), _, _) => {
            let choices = CompareChoices {
                metric: args.metric.clone(),
                baseline: args.baseline.clone(),
                relevant_difference_ratio: args.max_slower,
            };
            Gate::of_runs(&compared(before, after, &choices, Some(context))?)
        }
        (_, _, Some(before), Some(after)) => match measured(&args, before, after, context)? {
            Some(gate) => gate,
            None => return Ok(ExitCode::from(INTERRUPTED)),
        },
        _ => {
            let message = "give two runs, or --before COMMAND --after COMMAND --path PATH";
            return Err(Usage(message.to_owned()).into());
        }
    };
    let drawn = match args.format {
        Format::Terminal => text::terminal(&gate, args.strict),
        Format::Markdown => text::markdown(&gate, args.strict),
        Format::Json => text::json(&gate, args.strict),
    };
    output::put(&drawn, args.output.as_deref())?;
    Ok(exit(gate.outcome, args.strict))
}

fn exit(outcome: Outcome, strict: bool) -> ExitCode {
    if outcome.fails(strict) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn refuse_metric(args: &GateArgs) -> Result<(), Usage> {
    let Some(name) = args.metric.as_deref() else {
        return Ok(());
    };
    if args.before.is_some() && name.contains("_p99_") {
        let needed = load::TAIL_SAMPLES_MIN * 100;
        let message = format!(
            "--metric {name} is not judged between two commands: a p99 takes {needed} answers, and a block measures \
             {OPEN_S} s (4 slices of 0.2 s, the first tenth of each left out), so a block would show it only where \
             each service is asked {:.0} times a second; give response_p90_ns",
            needed as f64 / OPEN_S
        );
        return Err(Usage(message));
    }
    let judged: Vec<&str> = record::METRICS
        .iter()
        .filter(|metric| metric.better != record::Better::Neither)
        // Those of two runs come from all blocks together, and no block has one to compare by.
        .filter(|metric| !metric.name.contains("_p99_"))
        .map(|metric| metric.name)
        .collect();
    if judged.contains(&name) {
        return Ok(());
    }
    Err(Usage(format!(
        "--metric {name} is not one that can be judged: give one of {}",
        judged.join(", ")
    )))
}

/// Measures both commands. `None`: it was interrupted.
#[expect(
    clippy::print_stderr,
    reason = "where the run is stored is not part of the result"
)]
fn measured(
    args: &GateArgs,
    before: &str,
    after: &str,
    context: &Context,
) -> anyhow::Result<Option<Gate>> {
    let plan = plan(args, before, after)?;
    let choices = Choices {
        budget_s: Some(args.budget.as_secs().max(1)),
        seed: args.seed.unwrap_or_else(crate::run::drawn_seed),
        strict: true,
        ..Choices::default()
    };
    // Nothing of the catalogue takes part, so its faults are nobody's business here.
    let catalog = Catalog::default();
    let stop = interrupt::stop_flag()?;
    let supervisor = crate::supervisor::start(context)?;
    let mut progress = Progress::new(context, None, choices.seed, args.plain, &stop);
    let mut tell = |event: Event| progress.show(&event);
    let mut lab = Lab {
        root: context.root.clone(),
        cache: context.cache.clone(),
        runs: context.runs.clone(),
        database_url: None,
        postgres_bin: None,
        prepare: context.prepare_settings(),
        catalog: &catalog,
        supervisor: &supervisor,
        stop: &stop,
        tell: &mut tell,
    };
    let ended = lab.run_commands(&plan, &choices);
    progress.finish();
    let ended = match ended {
        Err(error) if stop.load(Ordering::Relaxed) => {
            eprintln!("{error}");
            return Ok(None);
        }
        ended => ended?,
    };
    let findings = report::read(&ended.dir)?;
    report::save(&ended.dir, &findings)?;
    eprintln!("Run directory: {}", crate::run::shown(ended.dir.path()));
    if let Some(failure) = ended.failure {
        return Err(failure.into());
    }
    if ended.by == EndedBy::Interrupted {
        eprintln!("Interrupted: there is no verdict");
        return Ok(None);
    }
    let run = ended.dir.run()?;
    Ok(Some(Gate::of_pair(&findings, &run)))
}

fn plan(args: &GateArgs, before: &str, after: &str) -> Result<CommandPlan, Usage> {
    let path = args.path.clone().unwrap_or_else(|| "/".to_owned());
    if !path.starts_with('/') || path.contains(char::is_whitespace) {
        return Err(Usage(format!(
            "--path {path} should begin with / and hold no blank"
        )));
    }
    if args.method.is_empty() || !args.method.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Err(Usage(format!(
            "--method {} should be capital letters, like POST",
            args.method
        )));
    }
    let service = |name: &str, command: &str| CommandService {
        name: name.to_owned(),
        command: command.to_owned(),
    };
    Ok(CommandPlan {
        name: "gate".to_owned(),
        title: "Gate".to_owned(),
        question: format!("Is {} {path} slower after the change?", args.method),
        services: vec![service(judge::BEFORE, before), service(judge::AFTER, after)],
        request: CommandRequest {
            method: args.method.clone(),
            path,
            headers: args.header.clone(),
            body: args.body.clone().map(String::into_bytes),
        },
        cwd: std::env::current_dir().map_err(|error| Usage(error.to_string()))?,
        connections_count: args.connections,
        ready_within: args.ready_within,
        primary_metric: args.metric.clone().unwrap_or_else(|| METRIC.to_owned()),
        relevant_difference_ratio: args.max_slower.unwrap_or(MAX_SLOWER),
    })
}

/// `5%`, `2.5 %` or `0.05`.
fn share(text: &str) -> Result<f64, String> {
    let wrong = || format!("'{text}' should be a share like 5% or 0.05, above 0 and at most 100%");
    let (number, divisor) = match text.trim().strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    let value = number.trim().parse::<f64>().map_err(|_| wrong())? / divisor;
    if value > 0.0 && value <= 1.0 {
        Ok(value)
    } else {
        Err(wrong())
    }
}

/// `Name: value`.
pub fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once(':')
        .ok_or_else(|| format!("'{text}' should be like 'Name: value'"))?;
    let sound = !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_graphic())
        && !value.contains(['\r', '\n', '\0']);
    if sound {
        Ok((name.to_owned(), value.trim().to_owned()))
    } else {
        Err(format!("'{text}' is not a header field"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_per_cent_or_a_number_and_never_nothing() {
        assert_eq!(
            (share("5%"), share("2.5 %"), share("0.1")),
            (Ok(0.05), Ok(0.025), Ok(0.1))
        );
        for wrong in ["0", "-5%", "150%", "five", "", "nan"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_header_field_cannot_smuggle_another() {
        assert_eq!(header("A: b: c"), Ok(("A".to_owned(), "b: c".to_owned())));
        for wrong in ["no colon", ": x", "A: b\r\nC: d", "A b: c"] {
            assert!(header(wrong).is_err(), "{wrong}");
        }
    }
}
