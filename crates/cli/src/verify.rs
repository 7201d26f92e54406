//! `bancada verify`: holds stacks against the contracts of the workloads they serve.

mod compared;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use catalog::{Catalog, Stack, Workload};
use clap::{Args, ValueEnum};
use lab::postgres::{self, Postgres, PostgresError};
use lab::prepare::{PrepareError, Prepared, Preparer};
use lab::supervise::Supervisor;
use lab::verify::{CaseResult, CellResult, verify_cell};
use serde_json::{Value, json};

use self::compared::{Compared, compared};
use crate::context::Context;
use crate::exit::{INTERRUPTED, Usage};
use crate::interrupt;
use crate::prepare::{chosen, prepare_shown, show_faults};

/// Arguments of `bancada verify`.
#[derive(Args)]
#[command(after_help = "Examples:
  bancada verify                      every stack on every workload it serves
  bancada verify STACK                one stack on all of them
  bancada verify --workload WORKLOAD --format json")]
pub struct VerifyArgs {
    /// Stacks, as `bancada list stacks` names them; all unless given.
    stacks: Vec<String>,
    /// Workload, as `bancada list workloads` names it; all that a stack serves unless given.
    #[arg(long, value_name = "WORKLOAD")]
    workload: Vec<String>,
    /// Launch mode, all that differ unless given; stacks that do not have it are left out.
    #[arg(long, value_name = "MODE")]
    launch: Option<String>,
    /// How to print what was found.
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Terminal,
    Json,
}

/// Connections of the private server: one service at a time, and Bancada's own.
const MAX_CONNECTIONS: u32 = 50;
/// The launch mode that an experiment uses unless it says otherwise.
const DEFAULT_MODE: &str = "default";
/// The word for PostgreSQL in `BANCADA_REQUIRE`.
const POSTGRES: &str = "postgres";

/// A stack on a workload, and what was found.
struct Cell {
    stack: String,
    launch: String,
    ranked: bool,
    workload: String,
    found: Found,
}

#[derive(Clone)]
enum Found {
    Tried(CellResult),
    Skipped(String),
    Failed(String),
}

/// Verifies, and says what was found.
pub fn verify(args: VerifyArgs, context: &Context) -> anyhow::Result<ExitCode> {
    let catalog = Catalog::scan(&context.root);
    let stacks = chosen(&catalog, &args.stacks)?;
    let stacks: Vec<&Stack> = stacks
        .into_iter()
        .filter(|stack| !modes(stack, args.launch.as_deref()).is_empty())
        .collect();
    let workloads = workloads(&catalog, &args.workload)?;
    if let (true, Some(mode)) = (stacks.is_empty(), &args.launch) {
        let message = format!("no stack has a launch mode `{mode}`; look into their stack.toml");
        return Err(Usage(message).into());
    }
    let stop = interrupt::stop_flag()?;
    let supervisor = crate::supervisor::start(context)?;
    let mut bench = Bench {
        context,
        supervisor: &supervisor,
        stop: &stop,
        postgres: None,
    };
    let cells = bench.verify(&stacks, &workloads, args.launch.as_deref())?;
    bench.close()?;
    let compared = compared(&workloads, &cells);
    show(&cells, &compared, args.format)?;
    if stop.load(Ordering::Relaxed) {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let named: Vec<String> = [args.stacks, args.workload].concat();
    let sound = show_faults(&catalog, &named);
    let failed = cells.iter().any(|cell| cell.is_failure())
        || compared.iter().any(|one| !one.disagreements.is_empty());
    Ok(if failed || !sound {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// The launch mode that was asked for, else every mode that differs from those before it, `default` first.
fn modes<'a>(stack: &'a Stack, asked: Option<&str>) -> Vec<&'a str> {
    let all = &stack.manifest.launch;
    let mut names: Vec<&String> = all.keys().collect();
    names.sort_by_key(|name| *name != DEFAULT_MODE);
    let mut modes: Vec<&String> = Vec::new();
    for name in names {
        let wanted = asked.map_or_else(
            || modes.iter().all(|other| all[*other] != all[name]),
            |asked| asked == name,
        );
        if wanted {
            modes.push(name);
        }
    }
    modes.into_iter().map(String::as_str).collect()
}

fn workloads<'a>(catalog: &'a Catalog, names: &[String]) -> anyhow::Result<Vec<&'a Workload>> {
    if names.is_empty() {
        return Ok(catalog.workloads.iter().collect());
    }
    Ok(names
        .iter()
        .map(|name| catalog.workload(name))
        .collect::<Result<_, _>>()?)
}

/// What the cells share. The server is started for the first that needs it.
struct Bench<'a> {
    context: &'a Context,
    supervisor: &'a Supervisor,
    stop: &'a AtomicBool,
    postgres: Option<Result<Postgres, Found>>,
}

impl Bench<'_> {
    fn verify(
        &mut self,
        stacks: &[&Stack],
        workloads: &[&Workload],
        launch: Option<&str>,
    ) -> anyhow::Result<Vec<Cell>> {
        let mut preparer =
            Preparer::new(self.supervisor, self.context.prepare_settings(), self.stop)?;
        let mut cells = Vec::new();
        for stack in stacks {
            let served = workloads
                .iter()
                .filter(|workload| stack.manifest.workloads.contains(&workload.name));
            let prepared = prepare_shown(&mut preparer, stack);
            if let Err(PrepareError::Interrupted) = prepared {
                return Ok(cells);
            }
            let modes = modes(stack, launch);
            for (workload, mode) in
                served.flat_map(|served| modes.iter().map(move |mode| (served, *mode)))
            {
                if self.stop.load(Ordering::Relaxed) {
                    return Ok(cells);
                }
                let found = match &prepared {
                    Ok(prepared) => self.cell(prepared, workload, mode)?,
                    Err(PrepareError::Skipped { reason, .. }) => Found::Skipped(reason.clone()),
                    Err(error) => Found::Failed(error.to_string()),
                };
                cells.push(Cell {
                    stack: stack.name.clone(),
                    launch: mode.to_owned(),
                    ranked: stack.manifest.ranked,
                    workload: workload.name.clone(),
                    found,
                });
            }
        }
        Ok(cells)
    }

    fn cell(
        &mut self,
        prepared: &Prepared,
        workload: &Workload,
        launch: &str,
    ) -> anyhow::Result<Found> {
        let supervisor = self.supervisor;
        let logs = self.context.cache.canonicalize()?.join("logs");
        let postgres = match workload.manifest.database.is_empty() {
            true => None,
            false => match self.database(workload)? {
                Ok(postgres) => Some(postgres),
                Err(found) => return Ok(found),
            },
        };
        Ok(
            match verify_cell(supervisor, postgres, prepared, workload, launch, &logs) {
                Ok(result) => Found::Tried(result),
                Err(error) => Found::Failed(error.to_string()),
            },
        )
    }

    /// The server with the workload's template, or why there is none.
    fn database(&mut self, workload: &Workload) -> anyhow::Result<Result<&mut Postgres, Found>> {
        let started = match self.postgres.take() {
            Some(started) => started,
            None => self.start_postgres()?,
        };
        match self.postgres.insert(started) {
            Ok(postgres) => {
                let sql: Vec<PathBuf> = workload
                    .manifest
                    .database
                    .iter()
                    .map(|file| workload.folder.join(file))
                    .collect();
                let built = postgres.build_template(&workload.name, &sql);
                Ok(built
                    .map(|()| postgres)
                    .map_err(|error| Found::Failed(error.to_string())))
            }
            Err(found) => Ok(Err(found.clone())),
        }
    }

    #[expect(
        clippy::print_stderr,
        reason = "what the server says of itself is for the person who waits"
    )]
    fn start_postgres(&self) -> anyhow::Result<Result<Postgres, Found>> {
        let settings = postgres::Settings {
            max_connections: MAX_CONNECTIONS,
            ..self.context.postgres_settings()
        };
        let is_required = self.context.require.iter().any(|name| name == POSTGRES);
        match Postgres::start(self.supervisor, &settings, &mut |message| {
            eprintln!("note: {message}")
        }) {
            Err(error @ PostgresError::NoServer { .. }) if !is_required => {
                Ok(Err(Found::Skipped(error.to_string())))
            }
            started => Ok(Ok(started?)),
        }
    }

    fn close(self) -> anyhow::Result<()> {
        if let Some(Ok(postgres)) = self.postgres {
            postgres.stop()?;
        }
        Ok(())
    }
}

impl Cell {
    /// The stack, with its launch mode where that is not the usual one.
    fn name(&self) -> String {
        match self.launch.as_str() {
            DEFAULT_MODE => self.stack.clone(),
            mode => format!("{} ({mode})", self.stack),
        }
    }

    fn is_failure(&self) -> bool {
        match &self.found {
            Found::Tried(result) => !result.passed(),
            Found::Skipped(_) => false,
            Found::Failed(_) => true,
        }
    }

    fn json(&self) -> Value {
        let mut cell =
            json!({ "stack": self.stack, "launch": self.launch, "workload": self.workload });
        let more = match &self.found {
            Found::Tried(result) => json!({
                "status": if result.passed() { "passed" } else { "failed" },
                "cases_count": result.cases.len(),
                "failed": failed(result).map(|case| json!({ "case": case.name, "detail": case.detail })).collect::<Vec<_>>(),
                "broken": result.broken,
                "not_checked": result.not_checked,
                "work": result.work.map(|work| work.facts()),
            }),
            Found::Skipped(reason) => json!({ "status": "skipped", "reason": reason }),
            Found::Failed(reason) => json!({ "status": "failed", "reason": reason }),
        };
        if let (Value::Object(cell), Value::Object(more)) = (&mut cell, more) {
            cell.extend(more);
        }
        cell
    }

    /// A verdict, and lines that explain it.
    fn text(&self) -> (String, Vec<String>) {
        match &self.found {
            Found::Tried(result) if result.passed() => {
                let verdict = format!("passed   {} cases", result.cases.len());
                let left = result.not_checked.iter();
                (
                    verdict,
                    left.map(|reason| format!("not checked: {reason}"))
                        .collect(),
                )
            }
            Found::Tried(result) => {
                let cases = failed(result).map(|case| format!("{}: {}", case.name, case.detail));
                let count = failed(result).count();
                let verdict = format!("FAILED   {count} of {} cases", result.cases.len());
                (
                    verdict,
                    result.broken.iter().cloned().chain(cases).collect(),
                )
            }
            Found::Skipped(reason) => (format!("skipped  {reason}"), Vec::new()),
            Found::Failed(reason) => (format!("FAILED   {reason}"), Vec::new()),
        }
    }
}

fn failed(result: &CellResult) -> impl Iterator<Item = &CaseResult> {
    result.cases.iter().filter(|case| !case.passed)
}

#[expect(
    clippy::print_stdout,
    reason = "what was found is the command's output"
)]
fn show(cells: &[Cell], compared: &[Compared], format: Format) -> anyhow::Result<()> {
    if format == Format::Json {
        let document = json!({
            "schema": "bancada.verify/1",
            "cells": cells.iter().map(Cell::json).collect::<Vec<_>>(),
            "differential": compared.iter().map(Compared::json).collect::<Vec<_>>(),
        });
        println!("{}", serde_json::to_string_pretty(&document)?);
        return Ok(());
    }
    let stacks = cells
        .iter()
        .map(|cell| cell.name().len())
        .max()
        .unwrap_or(0);
    let workloads = cells
        .iter()
        .map(|cell| cell.workload.len())
        .max()
        .unwrap_or(0);
    for cell in cells {
        let (verdict, lines) = cell.text();
        println!(
            "{:stacks$}  {:workloads$}  {verdict}",
            cell.name(),
            cell.workload
        );
        for line in lines {
            println!("    {line}");
        }
    }
    for one in compared {
        let (verdict, lines) = one.text();
        println!(
            "{:stacks$}  {:workloads$}  {verdict}",
            "all",
            one.workload()
        );
        for line in lines {
            println!("    {line}");
        }
    }
    Ok(())
}
