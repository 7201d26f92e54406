//! An experiment from the catalogue, from preparation to the last block.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use catalog::{Catalog, DesignKind, Experiment};
use jiff::Timestamp;
use record::{Event, Run, RunDir};

use crate::admit::admit;
use crate::block::{Hands, now};
use crate::environment::environment;
use crate::error::LabError;
use crate::measure::{Bench, Foreign};
use crate::place::Placement;
use crate::plan::{Prospect, last_spread};
use crate::postgres::Postgres;
use crate::prepare;
use crate::protocol::{EndedBy, run_blocks};
use crate::recorded::{
    catalog_as_run, is_unchanged, may_go_on, measured_before, recorded, recorded_experiment,
    taking_part, twin_name,
};
use crate::resolve::{Chosen, choose, design, with_twin};
use crate::supervise::Supervisor;
use crate::tools::{Tool, run_tools};
use crate::treatment::Entry;
use crate::what_if::{WhatIf, check_changes, with_changes};
use crate::{database, groups, tools};

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
    /// Changes to try: each treatment is entered a second time with each.
    pub what_if: Vec<WhatIf>,
    /// Other load generators to run beside ours, by name.
    pub with: Vec<String>,
    /// The run whose experiment is repeated.
    pub replay_of: Option<String>,
}

/// What the caller chose, with the tools that were found for it.
struct Wanted<'a> {
    choices: &'a Choices,
    tools: &'a [Tool],
}

/// A run that ended, however.
pub struct Ended {
    /// Its directory.
    pub dir: RunDir,
    /// Why it ended.
    pub by: EndedBy,
    /// What went wrong, where that ended it. What was measured before is stored.
    pub failure: Option<LabError>,
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
        let mut experiment = experiment.clone();
        let variants = with_changes(&mut experiment.manifest, &choices.what_if)?;
        let experiment = &experiment;
        let mut chosen =
            choose(self.catalog, experiment).map_err(|error| LabError::Usage(error.to_string()))?;
        for one in &mut chosen {
            let original = variants
                .iter()
                .find(|(name, _)| *name == one.treatment.name);
            one.treatment.what_if_of = original.map(|(_, original)| original.clone());
        }
        check_changes(&chosen)?;
        database::check_pools(experiment)?;
        let tools = tools::find(experiment, &choices.with, &self.prepare.environment)?;
        let placement = Placement::of_this_machine();
        let design = design(
            &experiment.manifest,
            &placement,
            choices.seed,
            choices.budget_s,
        );
        let mut skipped = Vec::new();
        let mut entries = self.prepare(&chosen, design.keep_alive, &mut skipped)?;
        let at_once = at_once(&design);
        let mut postgres =
            self.start_postgres(&chosen, &mut entries, &placement, at_once, &mut skipped)?;
        let mut run = self.new_run(experiment, design, &chosen, postgres.as_ref());
        run.skipped = skipped;
        run.replay_of.clone_from(&choices.replay_of);
        let ended = self.measure(
            None,
            &mut run,
            &mut entries,
            &chosen,
            postgres.as_mut(),
            &Wanted {
                choices,
                tools: &tools,
            },
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
        let chosen = taking_part(chosen, &run);
        is_unchanged(&dir, &run, &experiment, &chosen)?;
        let placement = Placement {
            service_cpus: run.design.service_cpus.clone(),
            bench_cpus: run.design.bench_cpus.clone(),
        };
        let mut skipped = Vec::new();
        let mut entries = self.prepare(&chosen, run.design.keep_alive, &mut skipped)?;
        let at_once = at_once(&run.design);
        let mut postgres =
            self.start_postgres(&chosen, &mut entries, &placement, at_once, &mut skipped)?;
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
            &Wanted {
                choices,
                tools: &[],
            },
        )?;
        if let Some(postgres) = postgres {
            postgres.stop()?;
        }
        Ok(ended)
    }

    /// Auditions and measures. A run has a directory from the moment there is something to keep.
    fn measure(
        &mut self,
        dir: Option<RunDir>,
        run: &mut Run,
        entries: &mut Vec<Entry>,
        chosen: &[Chosen],
        postgres: Option<&mut Postgres>,
        wanted: &Wanted,
    ) -> Result<Ended, LabError> {
        let Wanted { choices, tools } = wanted;
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
            match self.database_url {
                None => Foreign::Limit,
                Some(_) => Foreign::Unjudged,
            },
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
                divide(&mut run.design, run.treatments.len());
                begin(&self.runs, run, chosen)?
            }
        };
        tell_plan(&mut hands, run, &self.runs);
        // What a resumed run measured before counts against its budget and goes on in its clock.
        bench.begin(measured_before(&dir)?);
        let ended = run_blocks(&mut bench, &mut hands, &dir, run, entries);
        if ended.is_ok()
            && let Err(error) = run_tools(&mut bench, &mut hands, &dir, run, entries, tools)
        {
            // The run itself is whole: what was measured of it does not depend on them.
            let message = format!("other load generators were not run to the end: {error}");
            (hands.tell)(Event::Noticed { message });
        }
        concluded(dir, run, ended)
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
            replay_of: None,
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

/// Says before the first block what the run will be able to see, and how long it takes at most.
fn tell_plan(hands: &mut Hands, run: &Run, runs: &Path) {
    let prospect = Prospect::of(&run.design, &run.treatments);
    let measured = last_spread(runs, &run.experiment);
    (hands.tell)(Event::StepBegan {
        step: "plan".to_owned(),
        detail: format!(
            "about {} blocks of {:.0} s within {} s of measuring, {} of each treatment; {}",
            prospect.blocks,
            prospect.block_s,
            run.design.budget_s,
            prospect.blocks_per_treatment,
            prospect.visible(measured.as_ref())
        ),
    });
}

/// A run that failed after something was measured has ended, with what was measured.
///
/// # Errors
/// When nothing was measured.
pub(crate) fn concluded(
    dir: RunDir,
    run: &mut Run,
    ended: Result<EndedBy, LabError>,
) -> Result<Ended, LabError> {
    let error = match ended {
        Ok(by) => {
            return Ok(Ended {
                dir,
                by,
                failure: None,
            });
        }
        Err(error) => error,
    };
    if dir.trials()?.trials.is_empty() {
        return Err(error);
    }
    run.ended_at = Some(now());
    run.ended_by = Some(EndedBy::Failed.word().to_owned());
    dir.write_run(run)?;
    Ok(Ended {
        dir,
        by: EndedBy::Failed,
        failure: Some(error),
    })
}

/// Services of a design that are up at once, at most.
fn at_once(design: &record::Design) -> usize {
    match design.kind == DesignKind::SoloTrials.word() {
        true => 1,
        false => groups::SERVICES_AT_ONCE,
    }
}

/// Divides what is too much for one block into groups. A block then holds one group, so that there are more of them.
fn divide(design: &mut record::Design, treatments: usize) {
    let solo = design.kind == DesignKind::SoloTrials.word();
    if treatments > groups::SERVICES_AT_ONCE && !solo {
        design.services_at_once_count = Some(groups::SERVICES_AT_ONCE as u32);
        let groups = groups::groups_count(treatments, groups::SERVICES_AT_ONCE) as u32;
        design.max_blocks_count = design.max_blocks_count.saturating_mul(groups);
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
