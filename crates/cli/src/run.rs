//! `bancada run`: prepare, verify, measure, compare, report.

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use catalog::Catalog;
use clap::Args;
use lab::{Choices, Ended, EndedBy, Lab, RunningService, WhatIf};
use record::{Event, RunDir};
use serde::Serialize;

use crate::context::Context;
use crate::exit::{INTERRUPTED, Usage};
use crate::interrupt;
use crate::page;
use crate::progress::Progress;
use crate::report::{Format, draw};

/// The experiment a newcomer sees.
const FIRST: &str = "first-look";

/// Arguments of `bancada run`.
#[derive(Args)]
#[command(after_help = "Examples:
  bancada run                              the first look: four stacks on a real PostgreSQL
  bancada run first-look --budget 3m       the same, in less time and with wider intervals
  bancada run --resume latest              go on where a run was interrupted
  bancada run first-look --what-if db_pool=20          each stack a second time, with another pool
  bancada run first-look --with wrk        the experiment's own command of wrk beside our engine
  bancada run --replay runs/2026-01-31T1200-first-look  the same experiment here, verdict by verdict
  bancada run --url http://127.0.0.1:8001/ --url http://127.0.0.1:8002/   services already running")]
pub struct RunArgs {
    /// Experiment, as `bancada list experiments` names it.
    #[arg(conflicts_with_all = ["url", "resume"])]
    experiment: Option<String>,
    /// Compare services that are already running; give it twice or more.
    #[arg(long, value_name = "URL", conflicts_with = "resume")]
    url: Vec<String>,
    /// Go on with a run that ended early: its name, its folder, or `latest`.
    #[arg(long, value_name = "RUN")]
    resume: Option<String>,
    /// Try a change: each treatment is entered a second time with it (`TREATMENT:KEY=VALUE`: that one). Keys are
    /// db_pool, db_pool_idle, workers, launch, and environment variables. Repeatable.
    #[arg(long, value_name = "KEY=VALUE", conflicts_with_all = ["url", "resume", "replay"])]
    what_if: Vec<WhatIf>,
    /// Run another load generator beside ours, as the experiment's [[tool]] says. Repeatable.
    #[arg(long, value_name = "TOOL", conflicts_with_all = ["url", "resume"])]
    with: Vec<String>,
    /// Repeat the experiment that a run directory holds, and say verdict by verdict whether it replicates.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["url", "resume", "experiment"])]
    replay: Option<String>,
    /// Measuring time after which no new block starts, instead of the experiment's own.
    #[arg(long, value_name = "TIME", value_parser = load::notation::duration)]
    budget: Option<Duration>,
    /// Seed of every random order; drawn and recorded unless given.
    #[arg(long)]
    seed: Option<u64>,
    /// Fail when a treatment cannot take part, or a trial ends INVALID.
    #[arg(long)]
    strict: bool,
    /// Plain lines instead of the live view.
    #[arg(long)]
    plain: bool,
    /// How the report is drawn.
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
    /// Let --url point beyond loopback and private addresses.
    #[arg(long)]
    i_may_load_this_host: bool,
}

/// Runs, reports, and says how it ended.
pub fn run(args: RunArgs, context: &Context) -> anyhow::Result<ExitCode> {
    let catalog = Catalog::scan(&context.root);
    let mut choices = Choices {
        budget_s: args.budget.map(|budget| budget.as_secs().max(1)),
        seed: args.seed.unwrap_or_else(drawn_seed),
        strict: args.strict,
        what_if: args.what_if.clone(),
        with: args.with.clone(),
        replay_of: None,
    };
    let replayed = args
        .replay
        .as_deref()
        .map(|name| own_run(name, context))
        .transpose()?;
    let resumed = args
        .resume
        .as_deref()
        .map(|name| own_run(name, context))
        .transpose()?;
    let urls = parse_urls(&args.url, args.i_may_load_this_host)?;
    let experiment = match (&args.experiment, urls.is_empty()) {
        (Some(name), _) => Some(catalog.experiment(name)?),
        (None, true) if resumed.is_none() && replayed.is_none() => Some(catalog.experiment(FIRST)?),
        _ => None,
    };
    let mut again = replayed.as_ref().map(lab::experiment_of).transpose()?;
    if let Some(again) = &mut again {
        // What its tools read is not part of a run directory.
        again.folder = context.root.join("experiments").join(&again.name);
    }
    choices.replay_of = replayed.as_ref().map(RunDir::name);
    let changed = replayed
        .as_ref()
        .map(|original| lab::changes_since(original, &catalog))
        .transpose()?
        .unwrap_or_default();
    let experiment = again.as_ref().or(experiment);
    let stop = interrupt::stop_flag()?;
    let supervisor = crate::supervisor::start(context)?;
    // Before measuring: what is built then would disturb it, and a reader who asked for a page learns now.
    let template = page::template_under(context, &supervisor, &stop);
    let template = match template {
        Err(error) if args.format == Format::Html => return Err(error),
        template => template.map_err(no_page).ok(),
    };
    let mut progress = Progress::new(context, resumed.clone(), choices.seed, args.plain, &stop);
    if let (Some(original), false) = (&replayed, changed.is_empty()) {
        let message = changed_since(original, &changed);
        progress.show(&Event::Noticed { message });
    }
    let mut tell = |event: Event| progress.show(&event);
    let mut lab = Lab {
        root: context.root.clone(),
        cache: context.cache.clone(),
        runs: context.runs.clone(),
        database_url: context.database_url.clone(),
        postgres_bin: context.postgres_bin.clone(),
        prepare: context.prepare_settings(),
        catalog: &catalog,
        supervisor: &supervisor,
        stop: &stop,
        tell: &mut tell,
    };
    let ended = match (resumed, experiment) {
        (Some(dir), _) => lab.resume(dir, &choices),
        (None, Some(experiment)) => lab.run_experiment(experiment, &choices),
        (None, None) => lab.run_urls(&urls, &choices),
    };
    progress.finish();
    let ended = match ended {
        Err(error) if stop.load(Ordering::Relaxed) => return Ok(interrupted(&error)),
        ended => ended?,
    };
    let code = conclude(&ended, args.strict, args.format)?;
    if let Some(original) = &replayed {
        conclude_replay(original, &ended.dir, &changed, args.format)?;
    }
    if let Some(template) = &template {
        let html = page::html(&ended.dir, template)?;
        ended.dir.write_file(page::FILE, html.as_bytes())?;
    }
    Ok(code)
}

/// Says why there will be no page; everything else goes on without it.
#[expect(clippy::print_stderr, reason = "a note that is not part of the report")]
fn no_page(error: anyhow::Error) {
    eprintln!("note: {error:#}");
}

/// `replay.json`: the comparison, and what of the catalogue had changed in between.
#[derive(Serialize)]
struct ReplayDocument<'a> {
    #[serde(flatten)]
    replay: &'a report::Replay,
    changed: &'a [String],
}

/// Stores and prints, verdict by verdict, what became of the run that was repeated.
#[expect(clippy::print_stdout, reason = "it is part of the report")]
#[expect(clippy::print_stderr, reason = "a JSON report is one document")]
fn conclude_replay(
    original: &RunDir,
    here: &RunDir,
    changed: &[String],
    format: Format,
) -> anyhow::Result<()> {
    let replay = report::replay(&report::read(original)?, &report::read(here)?);
    let document = ReplayDocument {
        replay: &replay,
        changed,
    };
    here.write_json("replay.json", &document)?;
    let mut text = report::replay_text(&replay).trim_end().to_owned();
    if !changed.is_empty() {
        text.push_str(&format!("\nnote: {}", changed_since(original, changed)));
    }
    match format {
        Format::Json => eprintln!("\n{text}"),
        Format::Terminal | Format::Markdown | Format::Html => println!("\n{text}"),
    }
    Ok(())
}

/// What a repetition does not share with its original.
fn changed_since(original: &RunDir, changed: &[String]) -> String {
    format!(
        "changed since {}, so that a verdict may differ for that reason: {}",
        original.name(),
        changed.join(", ")
    )
}

/// Ends a run that was interrupted before it had anything to report.
#[expect(clippy::print_stderr, reason = "why there is no report")]
fn interrupted(error: &lab::LabError) -> ExitCode {
    eprintln!("{error}");
    ExitCode::from(INTERRUPTED)
}

/// Prints the report, stores its files, and chooses the exit code.
#[expect(clippy::print_stdout, reason = "the report is the command's output")]
#[expect(
    clippy::print_stderr,
    reason = "where the run is stored is not part of the report"
)]
fn conclude(ended: &Ended, strict: bool, format: Format) -> anyhow::Result<ExitCode> {
    let (dir, by) = (&ended.dir, ended.by);
    let findings = report::read(dir)?;
    report::save(dir, &findings)?;
    println!("{}", draw(&findings, format, true).trim_end());
    eprintln!("Run directory: {}", shown(dir.path()));
    if let Some(failure) = &ended.failure {
        eprintln!("error: {failure}");
        if findings.design.kind != "running_services" {
            eprintln!(
                "What was measured before is kept; go on with: bancada run --resume {}",
                dir.name()
            );
        }
        return Ok(ExitCode::FAILURE);
    }
    if by == EndedBy::Interrupted {
        if findings.design.kind == "running_services" {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        eprintln!(
            "Interrupted; go on with: bancada run --resume {}",
            dir.name()
        );
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let spoilt =
        !findings.skipped.is_empty() || findings.treatments.iter().any(|one| one.invalid_count > 0);
    let is_usable = |one: &report::TreatmentFindings| one.valid_count + one.degraded_count > 0;
    let is_ranked = |one: &report::TreatmentFindings| one.tier().is_some();
    // Where none is to be ranked a usable trial is enough; any other run has no answer without a rank.
    let ranks = dir.run()?.treatments.iter().any(|one| one.ranked);
    let nothing = match ranks {
        true => !findings.treatments.iter().any(is_ranked),
        false => !findings.treatments.iter().any(is_usable),
    };
    Ok(if nothing || (strict && spoilt) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// A run of this checkout's own, by folder, by name under `runs/`, or the latest there.
fn own_run(name: &str, context: &Context) -> anyhow::Result<RunDir> {
    let latest = || {
        let listed = record::list_runs(&context.runs).ok()?;
        listed
            .into_iter()
            .rev()
            .find(|listed| listed.run.is_ok())
            .map(|listed| listed.path)
    };
    let path = match name {
        "latest" => latest(),
        _ if Path::new(name).is_dir() => Some(Path::new(name).to_path_buf()),
        _ => Some(context.runs.join(name)).filter(|path| path.is_dir()),
    };
    match path {
        Some(path) => Ok(RunDir::open(&path)?),
        None => Err(Usage(format!(
            "there is no run {name} to go on with: `bancada list runs` shows what there is"
        ))
        .into()),
    }
}

fn parse_urls(urls: &[String], public_too: bool) -> anyhow::Result<Vec<RunningService>> {
    if urls.len() == 1 {
        return Err(Usage(
            "one --url has nothing to be compared with: give another, or use `bancada load`"
                .to_owned(),
        )
        .into());
    }
    let running = |text: &String| -> anyhow::Result<RunningService> {
        let url: load::Url = text.parse()?;
        Ok(RunningService {
            url: text.clone(),
            addr: url.resolve(public_too)?,
            host: url.authority,
            path: url.target,
        })
    };
    urls.iter().map(running).collect()
}

/// A seed nobody chose.
pub fn drawn_seed() -> u64 {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    since.as_nanos() as u64 ^ u64::from(std::process::id()) << 40
}

/// A path as short as the working directory allows.
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here)
        .unwrap_or(path)
        .display()
        .to_string()
}
