//! What a run directory says of the experiment it belongs to, so that it can be gone on with.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use catalog::{Catalog, Experiment};
use record::{Run, RunDir};

use crate::environment::environment;
use crate::error::LabError;
use crate::resolve::{Chosen, choose};

/// The experiment as it was when the run began.
///
/// # Errors
/// When the run does not hold it.
pub fn recorded_experiment(run: &Run) -> Result<Experiment, LabError> {
    let recorded = run.catalog.get(&format!("experiment/{}", run.experiment));
    let damaged = || {
        LabError::Usage(format!(
            "run {} does not hold its experiment, so it can be neither resumed nor repeated",
            run.run
        ))
    };
    let manifest =
        serde_json::from_value(recorded.ok_or_else(damaged)?.clone()).map_err(|_| damaged())?;
    Ok(Experiment {
        name: run.experiment.clone(),
        folder: PathBuf::new(),
        manifest,
    })
}

/// The experiment that a run directory holds, to be run again: its manifest, with the folder of its files where that
/// is among `experiments/` too.
///
/// # Errors
/// When the directory cannot be read, or does not hold its experiment.
pub fn experiment_of(dir: &RunDir) -> Result<Experiment, LabError> {
    let run = dir.run()?;
    recorded_experiment(&run)
}

/// A key of the experiment as it was when the run began.
pub fn recorded<T: serde::de::DeserializeOwned>(run: &Run, key: &str) -> Option<T> {
    let experiment = run.catalog.get(&format!("experiment/{}", run.experiment))?;
    serde_json::from_value(experiment.get(key)?.clone()).ok()
}

/// The treatment that is entered twice.
pub fn twin_name(run: &Run) -> String {
    recorded(run, "twin").unwrap_or_default()
}

/// Share of the slowest capacity at which all are loaded.
pub fn rate_ratio(run: &Run) -> f64 {
    recorded(run, "rate_ratio_of_slowest").unwrap_or(0.5)
}

/// Measuring time that the stored trials took.
///
/// # Errors
/// When they cannot be read.
pub fn measured_before(dir: &RunDir) -> Result<Duration, LabError> {
    let trials = dir.trials()?.trials;
    let ends = trials
        .iter()
        .flat_map(|trial| &trial.slices)
        .map(|slice| slice.at_s + slice.window_s);
    Ok(Duration::from_secs_f64(ends.fold(0.0, f64::max)))
}

/// The manifests that a run is made of, by kind and name.
pub fn catalog_as_run(
    experiment: &Experiment,
    chosen: &[Chosen],
) -> BTreeMap<String, serde_json::Value> {
    let mut entries = BTreeMap::new();
    let mut add = |key: String, manifest: serde_json::Result<serde_json::Value>| {
        // Manifests came from TOML, so they are plain data and always have a JSON form.
        entries.insert(key, manifest.unwrap_or_default());
    };
    add(
        format!("experiment/{}", experiment.name),
        serde_json::to_value(&experiment.manifest),
    );
    for one in chosen {
        add(
            format!("stack/{}", one.stack.name),
            serde_json::to_value(&one.stack.manifest),
        );
        add(
            format!("workload/{}", one.workload.name),
            serde_json::to_value(&one.workload.manifest),
        );
    }
    entries
}

/// Whether a run can be gone on with: it ended early, and on this machine.
///
/// # Errors
/// Why not.
pub fn may_go_on(run: &Run) -> Result<(), LabError> {
    let refuse = |reason: String| Err(LabError::Usage(format!("run {}: {reason}", run.run)));
    if run.design.kind == "running_services" {
        return refuse("services that were already running cannot be gone on with".to_owned());
    }
    if let Some(by @ ("precision" | "blocks")) = run.ended_by.as_deref() {
        return refuse(format!(
            "it ended by {by}, so that there is nothing to go on with"
        ));
    }
    let (then, now) = (&run.environment, environment(BTreeMap::new()));
    if (&then.cpu_model, then.cpus_count) != (&now.cpu_model, now.cpus_count) {
        return refuse("it was made on another machine; start a new one".to_owned());
    }
    Ok(())
}

/// Whether the catalogue still says what the run was begun with, handlers included.
///
/// # Errors
/// What has changed.
pub fn is_unchanged(
    dir: &RunDir,
    run: &Run,
    experiment: &Experiment,
    chosen: &[Chosen],
) -> Result<(), LabError> {
    match changes(dir, run, experiment, chosen).first() {
        None => Ok(()),
        Some(what) => Err(LabError::Usage(format!(
            "{what} has changed since run {} was begun; start a new one",
            run.run
        ))),
    }
}

/// What the catalogue says otherwise than when a run was begun, of what its treatments are made of: `stack/NAME`,
/// `workload/NAME`, and handlers as `STACK/FILE`. A repetition measures what there is today.
///
/// # Errors
/// When the directory cannot be read or does not hold its experiment, or a stack or workload is there no more.
pub fn changes_since(dir: &RunDir, catalog: &Catalog) -> Result<Vec<String>, LabError> {
    let run = dir.run()?;
    let experiment = recorded_experiment(&run)?;
    let chosen =
        choose(catalog, &experiment).map_err(|error| LabError::Usage(error.to_string()))?;
    Ok(changes(dir, &run, &experiment, &taking_part(chosen, &run)))
}

/// Without what the run had to leave out.
pub fn taking_part<'a>(chosen: Vec<Chosen<'a>>, run: &Run) -> Vec<Chosen<'a>> {
    let is_skipped = |one: &Chosen| {
        let mut skipped = run.skipped.iter();
        skipped.any(|skipped| skipped.treatment == one.treatment.name)
    };
    chosen.into_iter().filter(|one| !is_skipped(one)).collect()
}

fn changes(dir: &RunDir, run: &Run, experiment: &Experiment, chosen: &[Chosen]) -> Vec<String> {
    // The experiment is the run's own: only what it is made of may have changed.
    let own = format!("experiment/{}", experiment.name);
    let manifests = catalog_as_run(experiment, chosen).into_iter();
    let mut changed: Vec<String> = manifests
        .filter(|(entry, manifest)| *entry != own && run.catalog.get(entry) != Some(manifest))
        .map(|(entry, _)| entry)
        .collect();
    let mut handlers = BTreeSet::new();
    for stack in chosen.iter().map(|one| one.stack) {
        for handler in &stack.manifest.sources {
            let kept = dir.path().join("sources").join(&stack.name);
            let (then, now) = (
                fs::read(kept.join(handler)),
                fs::read(stack.folder.join(handler)),
            );
            if !matches!((then, now), (Ok(then), Ok(now)) if then == now) {
                handlers.insert(format!("{}/{handler}", stack.name));
            }
        }
    }
    changed.extend(handlers);
    changed
}
