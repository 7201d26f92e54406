//! From an experiment in the catalogue to the treatments of a run, the twin included.

use std::collections::BTreeMap;

use catalog::{
    Catalog, Experiment, ExperimentManifest, LookupError, Stack, TreatmentManifest, Workload,
};
use record::{Design, Treatment};

use crate::design::twin_of;
use crate::measure::DISCARD_RATIO;
use crate::place::Placement;

/// A treatment with the entries of the catalogue that it is made of.
#[derive(Clone, Debug)]
pub struct Chosen<'a> {
    /// As it is recorded.
    pub treatment: Treatment,
    /// Its stack.
    pub stack: &'a Stack,
    /// Its workload.
    pub workload: &'a Workload,
    /// Its part of the experiment.
    pub manifest: &'a TreatmentManifest,
}

/// The treatments of an experiment in its order, without the twin.
///
/// # Errors
/// When a stack or workload is unknown or damaged.
pub fn choose<'a>(
    catalog: &'a Catalog,
    experiment: &'a Experiment,
) -> Result<Vec<Chosen<'a>>, LookupError> {
    let manifests = &experiment.manifest.treatment;
    let alone = |manifest: &TreatmentManifest| {
        manifests
            .iter()
            .filter(|other| other.stack == manifest.stack)
            .count()
            == 1
    };
    manifests
        .iter()
        .map(|manifest| {
            let stack = catalog.stack(&manifest.stack)?;
            let workload = catalog.workload(&manifest.workload)?;
            let title = match alone(manifest) {
                true => stack.manifest.title.clone(),
                false => format!("{} ({})", stack.manifest.title, manifest.name),
            };
            let treatment = treatment(manifest, title, stack.manifest.ranked);
            Ok(Chosen {
                treatment,
                stack,
                workload,
                manifest,
            })
        })
        .collect()
}

fn treatment(manifest: &TreatmentManifest, title: String, ranked: bool) -> Treatment {
    let mut settings: BTreeMap<String, String> = manifest.env.clone();
    settings.insert("WORKERS".to_owned(), manifest.workers.to_string());
    if let Some(pool) = manifest.db_pool_size {
        settings.insert("DB_POOL_SIZE".to_owned(), pool.to_string());
        settings.insert(
            "DB_POOL_IDLE".to_owned(),
            manifest.db_pool_idle.unwrap_or(pool).to_string(),
        );
    }
    Treatment {
        name: manifest.name.clone(),
        twin_of: None,
        title,
        stack: Some(manifest.stack.clone()),
        workload: Some(manifest.workload.clone()),
        url: None,
        launch: Some(manifest.launch.clone()),
        after: manifest.after.clone(),
        what_if_of: None,
        ranked,
        settings,
        database_settings: manifest
            .database_settings
            .iter()
            .map(|(name, value)| (name.clone(), value.to_string()))
            .collect(),
        facts: BTreeMap::new(),
    }
}

/// Adds the run's control: the named treatment a second time, or the first where that one is not there.
pub fn with_twin<T: Clone>(
    entries: &mut Vec<T>,
    twin: &str,
    treatment: impl Fn(&mut T) -> &mut Treatment,
) {
    let names: Vec<String> = entries
        .iter_mut()
        .map(|entry| treatment(entry).name.clone())
        .collect();
    let place = names.iter().position(|name| name == twin).unwrap_or(0);
    if let Some(original) = entries.get(place) {
        let mut copy = original.clone();
        let second = twin_of(treatment(&mut copy));
        *treatment(&mut copy) = second;
        entries.push(copy);
    }
}

/// The design that a manifest states.
pub fn design(
    manifest: &ExperimentManifest,
    placement: &Placement,
    seed: u64,
    budget_s: Option<u64>,
) -> Design {
    Design {
        kind: manifest.design.word().to_owned(),
        seed,
        budget_s: budget_s.unwrap_or(manifest.budget_s),
        min_blocks_count: manifest.min_blocks,
        max_blocks_count: manifest.max_blocks,
        target_half_width_ratio: manifest.target_half_width_ratio,
        slice_s: manifest.slice_s,
        discard_ratio: DISCARD_RATIO,
        open_slices_count: manifest.open_slices,
        closed_slices_count: manifest.closed_slices,
        warm_up_cap_s: manifest.warm_up_cap_s,
        connections_count: manifest.connections,
        keep_alive: manifest.keep_alive,
        concurrencies: manifest.concurrencies.clone(),
        own_capacity_ratios: manifest.own_capacity_ratios.clone(),
        objective: manifest.objective.clone(),
        cold_requests_count: manifest.cold_requests,
        users_count: manifest.users,
        ramp_up_s: manifest.ramp_up_s,
        requests_per_user_count: manifest
            .users
            .map(|_| manifest.requests_per_user.unwrap_or(1)),
        services_at_once_count: None,
        arrival_rate_per_s: None,
        pilot_capacity_per_s: BTreeMap::new(),
        service_cpus: placement.service_cpus.clone(),
        bench_cpus: placement.bench_cpus.clone(),
    }
}
