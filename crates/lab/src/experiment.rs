//! An experiment from the catalogue, from preparation to the last block.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use catalog::{Catalog, Experiment};
use jiff::Timestamp;
use record::{Event, Run, RunDir, Skipped};

use crate::admit::admit;
use crate::block::{Hands, now};
use crate::environment::environment;
use crate::error::LabError;
use crate::measure::Bench;
use crate::place::Placement;
use crate::postgres::{Postgres, PostgresError, Settings};
use crate::prepare::{self, PrepareError, Preparer, Progress};
use crate::protocol::{EndedBy, run_blocks};
use crate::recorded::{
    catalog_as_run, is_unchanged, may_go_on, measured_before, recorded, recorded_experiment,
    twin_name,
};
use crate::resolve::{Chosen, choose, design, with_twin};
use crate::supervise::Supervisor;
use crate::treatment::{Entry, Origin};
use crate::{database, entry};

/// The word for PostgreSQL among what must not be skipped.
const POSTGRES: &str = "postgres";

/// Where and with what a run is made.
pub struct Lab<'a> {
    /// The checkout.
    pub root: PathBuf,
    /// Builds, tools, logs, the private PostgreSQL.
    pub cache: PathBuf,
    /// Where run directories go.
    pub runs: PathBuf,
    /// Server to use instead of a private one.
    pub database_url: Option<String>,
    /// Folder of PostgreSQL server programs to use.
    pub postgres_bin: Option<PathBuf>,
    /// How stacks are prepared.
    pub prepare: prepare::Settings,
    /// The catalogue.
    pub catalog: &'a Catalog,
    /// Starts and stops processes.
    pub supervisor: &'a Supervisor,
    /// Set when somebody wants the run to end.
    pub stop: &'a AtomicBool,
    /// Who is told.
    pub tell: &'a mut dyn FnMut(Event),
}

/// What the caller may choose about a run.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// Seconds of measuring, instead of the experiment's own.
    pub budget_s: Option<u64>,
    /// Seed of every random order.
    pub seed: u64,
    /// A treatment that cannot take part fails the run.
    pub strict: bool,
}

/// A run that ended, however.
pub struct Ended {
    /// Its directory.
    pub dir: RunDir,
    /// Why it ended.
    pub by: EndedBy,
}

impl Lab<'_> {
    /// Runs an experiment.
    ///
    /// # Errors
    /// When it asks for what cannot be (nothing was started then), or the bench fails.
    pub fn run_experiment(
        &mut self,
        experiment: &Experiment,
        choices: &Choices,
    ) -> Result<Ended, LabError> {
        let chosen =
            choose(self.catalog, experiment).map_err(|error| LabError::Usage(error.to_string()))?;
        database::check_pools(experiment)?;
        let placement = Placement::of_this_machine();
        let design = design(
            &experiment.manifest,
            &placement,
            choices.seed,
            choices.budget_s,
        );
        let mut skipped = Vec::new();
        let mut entries = self.prepare(&chosen, &mut skipped)?;
        let mut postgres = self.start_postgres(&chosen, &mut entries, &placement, &mut skipped)?;
        let mut run = self.new_run(experiment, design, &chosen, postgres.as_ref());
        run.skipped = skipped;
        let ended = self.measure(
            None,
            &mut run,
            &mut entries,
            &chosen,
            postgres.as_mut(),
            choices,
        )?;
        if let Some(postgres) = postgres {
            postgres.stop()?;
        }
        Ok(ended)
    }

    /// Goes on with a run that ended early: the same treatments, orders and rates, from the next block on.
    ///
    /// # Errors
    /// When its stacks can no longer be prepared, or the bench fails.
    pub fn resume(&mut self, dir: RunDir, choices: &Choices) -> Result<Ended, LabError> {
        let mut run = dir.run()?;
        may_go_on(&run)?;
        let experiment = recorded_experiment(&run)?;
        if let Some(budget_s) = choices.budget_s {
            run.design.budget_s = budget_s;
        }
        let chosen = choose(self.catalog, &experiment)
            .map_err(|error| LabError::Usage(error.to_string()))?;
        let chosen: Vec<Chosen> = chosen
            .into_iter()
            .filter(|one| {
                run.skipped
                    .iter()
                    .all(|skipped| skipped.treatment != one.treatment.name)
            })
            .collect();
        is_unchanged(&dir, &run, &experiment, &chosen)?;
        let placement = Placement {
            service_cpus: run.design.service_cpus.clone(),
            bench_cpus: run.design.bench_cpus.clone(),
        };
        let mut skipped = Vec::new();
        let mut entries = self.prepare(&chosen, &mut skipped)?;
        let mut postgres = self.start_postgres(&chosen, &mut entries, &placement, &mut skipped)?;
        if let Some(skipped) = skipped.first() {
            return Err(LabError::Failed(format!(
                "{} took part before and cannot now: {}",
                skipped.treatment, skipped.reason
            )));
        }
        let ended = self.measure(
            Some(dir),
            &mut run,
            &mut entries,
            &chosen,
            postgres.as_mut(),
            choices,
        )?;
        if let Some(postgres) = postgres {
            postgres.stop()?;
        }
        Ok(ended)
    }

    /// Prepares the stacks. A treatment whose stack cannot be had on this machine is skipped.
    fn prepare(
        &mut self,
        chosen: &[Chosen],
        skipped: &mut Vec<Skipped>,
    ) -> Result<Vec<Entry>, LabError> {
        let mut preparer = Preparer::new(self.supervisor, self.prepare.clone(), self.stop)?;
        let mut entries = Vec::new();
        for one in chosen {
            let mut tell = |progress: Progress| {
                if let Some(detail) = told(&one.stack.name, &progress) {
                    (self.tell)(Event::StepBegan {
                        step: "prepare".to_owned(),
                        detail,
                    });
                }
            };
            match preparer.prepare(one.stack, &mut tell) {
                Ok(prepared) => entries.push(entry::of(one, &prepared)?),
                Err(PrepareError::Skipped { reason, .. }) => {
                    (self.tell)(Event::Noticed {
                        message: format!("{} is skipped: {reason}", one.treatment.title),
                    });
                    skipped.push(Skipped {
                        treatment: one.treatment.name.clone(),
                        reason,
                    });
                }
                Err(error) => return Err(error.into()),
            }
        }
        some_left(&entries, skipped)?;
        Ok(entries)
    }

    /// Starts the database server, if a workload needs one. Where none can be had, the treatments that need
    /// it are skipped.
    fn start_postgres(
        &mut self,
        chosen: &[Chosen],
        entries: &mut Vec<Entry>,
        placement: &Placement,
        skipped: &mut Vec<Skipped>,
    ) -> Result<Option<Postgres>, LabError> {
        let needs =
            |entry: &Entry| matches!(&entry.origin, Origin::Started(one) if one.database.is_some());
        if !entries.iter().any(needs) {
            return Ok(None);
        }
        (self.tell)(Event::StepBegan {
            step: "database".to_owned(),
            detail: "PostgreSQL".to_owned(),
        });
        let settings = Settings {
            cache: self.cache.clone(),
            root: self.root.clone(),
            bin: self.postgres_bin.clone(),
            external_url: self.database_url.clone(),
            max_connections: database::max_connections_for(entries.len() + 1),
            cpus: placement.bench_cpus.clone(),
            env: self.prepare.environment.clone().into_iter().collect(),
        };
        let mut notice = |message| (self.tell)(Event::Noticed { message });
        let mut postgres = match Postgres::start(self.supervisor, &settings, &mut notice) {
            Err(PostgresError::NoServer { reason }) if !self.is_required(POSTGRES) => {
                let without = entries.extract_if(.., |entry| needs(entry));
                skipped.extend(without.map(|entry| Skipped {
                    treatment: entry.treatment.name,
                    reason: format!("there is no PostgreSQL: {reason}"),
                }));
                return some_left(entries, skipped).map(|()| None);
            }
            started => started?,
        };
        let mut workloads: Vec<_> = chosen
            .iter()
            .map(|one| one.workload)
            .filter(|workload| !workload.manifest.database.is_empty())
            .collect();
        workloads.sort_by_key(|workload| &workload.name);
        workloads.dedup_by_key(|workload| &workload.name);
        for workload in workloads {
            let sql: Vec<PathBuf> = workload
                .manifest
                .database
                .iter()
                .map(|file| workload.folder.join(file))
                .collect();
            postgres.build_template(&workload.name, &sql)?;
        }
        Ok(Some(postgres))
    }

    fn is_required(&self, name: &str) -> bool {
        self.prepare.require.iter().any(|required| required == name)
    }

    /// Auditions and measures. A run has a directory from the moment there is something to keep.
    fn measure(
        &mut self,
        dir: Option<RunDir>,
        run: &mut Run,
        entries: &mut Vec<Entry>,
        chosen: &[Chosen],
        postgres: Option<&mut Postgres>,
        choices: &Choices,
    ) -> Result<Ended, LabError> {
        let placement = Placement {
            service_cpus: run.design.service_cpus.clone(),
            bench_cpus: run.design.bench_cpus.clone(),
        };
        let logs = self.cache.join("logs");
        let database_pid = postgres.as_ref().and_then(|postgres| postgres.pid());
        let mut hands = Hands {
            supervisor: self.supervisor,
            postgres,
            placement: &placement,
            logs: &logs,
            ready_within: Duration::from_secs(recorded(run, "ready_within_s").unwrap_or(60)),
            tell: &mut *self.tell,
        };
        let mut bench = Bench::new(
            &placement,
            database_pid,
            self.database_url.is_none(),
            run.design.seed,
            self.stop,
        )?;
        admit(&mut bench, &mut hands, run, entries, chosen, choices.strict)?;
        if bench.is_stopped() {
            return Err(LabError::Failed(
                "interrupted before anything was measured".to_owned(),
            ));
        }
        with_twin(entries, &twin_name(run), |entry| &mut entry.treatment);
        let dir = match dir {
            Some(dir) => dir,
            None => {
                run.treatments = entries
                    .iter()
                    .map(|entry| entry.treatment.clone())
                    .collect();
                begin(&self.runs, run, chosen)?
            }
        };
        // What a resumed run measured before counts against its budget and goes on in its clock.
        bench.begin(measured_before(&dir)?);
        let by = run_blocks(&mut bench, &mut hands, &dir, run, entries)?;
        Ok(Ended { dir, by })
    }

    fn new_run(
        &self,
        experiment: &Experiment,
        design: record::Design,
        chosen: &[Chosen],
        postgres: Option<&Postgres>,
    ) -> Run {
        let mut environment = environment(BTreeMap::new());
        if let Some(postgres) = postgres {
            environment
                .versions
                .insert("postgresql".to_owned(), postgres.version().to_owned());
            environment.database_settings = postgres.settings().clone();
        }
        let manifest = &experiment.manifest;
        Run {
            schema: Run::SCHEMA.to_owned(),
            run: String::new(),
            experiment: experiment.name.clone(),
            title: manifest.title.clone(),
            question: manifest.question.clone(),
            bancada_version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: now(),
            ended_at: None,
            ended_by: None,
            caveat: None,
            baseline: manifest.baseline.clone(),
            primary_metric: manifest.primary_metric.clone(),
            relevant_difference_ratio: manifest.relevant_difference_ratio,
            design,
            treatments: Vec::new(),
            skipped: Vec::new(),
            voided_blocks: Vec::new(),
            environment,
            catalog: catalog_as_run(experiment, chosen),
        }
    }
}

/// Makes the run's directory and stores what is known of it.
fn begin(runs: &Path, run: &mut Run, chosen: &[Chosen]) -> Result<RunDir, LabError> {
    let dir = RunDir::create(runs, &run.experiment, Timestamp::now())?;
    run.run = dir.name();
    run.started_at = now();
    dir.write_run(run)?;
    for one in chosen {
        let stack = one.stack;
        dir.copy_sources(&stack.name, &stack.folder, &stack.manifest.sources)?;
    }
    Ok(dir)
}

fn some_left(entries: &[Entry], skipped: &[Skipped]) -> Result<(), LabError> {
    if !entries.is_empty() {
        return Ok(());
    }
    let reasons: Vec<&str> = skipped
        .iter()
        .map(|skipped| skipped.reason.as_str())
        .collect();
    let reasons = reasons.join("; ");
    Err(LabError::Failed(format!(
        "no treatment can be measured on this machine: {reasons}"
    )))
}

/// A step of preparation in words; none for what a bar shows by moving.
fn told(stack: &str, progress: &Progress) -> Option<String> {
    match progress {
        Progress::Installing { tool } => Some(format!("{stack}: installing {tool}")),
        Progress::Command {
            line,
            number,
            count,
        } => Some(format!("{stack}: {line} ({number} of {count})")),
        Progress::Done { elapsed } => {
            Some(format!("{stack}: done in {:.0} s", elapsed.as_secs_f64()))
        }
        Progress::Running { .. } | Progress::UpToDate => None,
    }
}
