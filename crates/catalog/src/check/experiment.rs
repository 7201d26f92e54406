//! `experiment.toml`: its treatments and the figures of its design.

use std::path::{Component, Path};

use super::{claims, loads};
use crate::fault::{Fault, choose};
use crate::pool::pool_per_worker;
use crate::source::{Source, Step, Step::Item, Step::Key};
use crate::{
    Catalog, DatabaseSetting, EXPERIMENT_SCHEMA, ExperimentManifest, LookupError,
    TreatmentManifest, Workload,
};

/// Ends of the names of metrics.
const UNITS: [&str; 6] = ["_us", "_ns", "_per_s", "_bytes", "_ratio", "_count"];

pub(crate) fn experiment(manifest: &ExperimentManifest, known: &Catalog, source: &mut Source) {
    source.check_schema(&manifest.schema, EXPERIMENT_SCHEMA);
    super::said(
        &[("title", &manifest.title), ("question", &manifest.question)],
        source,
    );
    let names = manifest.treatment.iter().map(|entry| entry.name.as_str());
    super::distinct("treatment", "name", names, source);
    let ids = manifest.claim.iter().map(|claim| claim.id.as_str());
    super::distinct("claim", "id", ids, source);
    if manifest.treatment.is_empty() {
        source.wrong(&[Key("treatment")], "there is no treatment", "add one");
    }
    for (key, name) in [("baseline", &manifest.baseline), ("twin", &manifest.twin)] {
        treatment_name(manifest, name, &[Key(key)], source);
    }
    ranges(manifest, source);
    metric(&manifest.primary_metric, &[Key("primary_metric")], source);
    for (index, entry) in manifest.treatment.iter().enumerate() {
        treatment(entry, [Key("treatment"), Item(index)], known, source);
        if let Some(after) = &entry.after {
            let steps = [Key("treatment"), Item(index), Key("after")];
            treatment_name(manifest, after, &steps, source);
        }
    }
    loads::loads(manifest, source);
    ladder(manifest, source);
    claims::claims(manifest, source);
}

/// What is wrong with the stacks and workloads that an experiment names, each once.
pub(crate) fn causes(manifest: &ExperimentManifest, known: &Catalog) -> Vec<Fault> {
    let mut causes: Vec<Fault> = Vec::new();
    for entry in &manifest.treatment {
        let errors = [
            known.stack(&entry.stack).err(),
            known.workload(&entry.workload).err(),
        ];
        for error in errors.into_iter().flatten() {
            if let LookupError::Damaged(faults) = error {
                let new = |fault: &Fault| !causes.contains(fault);
                let faults: Vec<Fault> = faults.into_iter().filter(new).collect();
                causes.extend(faults);
            }
        }
    }
    causes
}

/// Notes a name that no metric can have: those end in their unit.
pub(super) fn metric(name: &str, steps: &[Step<'_>], source: &mut Source) {
    let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let unit = UNITS.iter().any(|unit| name.ends_with(unit));
    if !unit || !name.bytes().all(letters) {
        source.wrong(
            steps,
            format!("`{name}` is not the name of a metric"),
            format!("give one that ends in its unit: {}", UNITS.join(", ")),
        );
    }
}

pub(super) fn treatment_name(
    manifest: &ExperimentManifest,
    name: &str,
    steps: &[Step<'_>],
    source: &mut Source,
) {
    let names = manifest.treatment.iter().map(|entry| entry.name.as_str());
    if !names.clone().any(|other| other == name) {
        let problem = format!("there is no treatment `{name}`");
        source.wrong(steps, problem, choose(name, names));
    }
}

fn ranges(manifest: &ExperimentManifest, source: &mut Source) {
    let difference = manifest.relevant_difference_ratio;
    if !(difference > 0.0 && difference < 1.0) {
        source.wrong(
            &[Key("relevant_difference_ratio")],
            format!("{difference} is not a difference that can be looked for"),
            "give a ratio above 0 and below 1, for instance 0.05 for five per cent",
        );
    }
    let half_width = manifest.target_half_width_ratio;
    if !(half_width > 0.0 && half_width < 1.0) {
        source.wrong(
            &[Key("target_half_width_ratio")],
            format!("{half_width} is not a half-width that can be aimed at"),
            "give a ratio above 0 and below 1, for instance 0.03 for three per cent",
        );
    }
    let rate = manifest.rate_ratio_of_slowest;
    if !(rate > 0.0 && rate <= 1.0) {
        source.wrong(
            &[Key("rate_ratio_of_slowest")],
            format!("{rate} is not a share of a capacity"),
            "give a ratio above 0 and at most 1",
        );
    }
    let (slice, warm_up) = (manifest.slice_s, manifest.warm_up_cap_s);
    if !(slice > 0.0 && slice <= 3600.0) {
        let problem = format!("{slice} s is not the length of a slice");
        source.wrong(&[Key("slice_s")], problem, "give seconds above 0");
    }
    if !(0.0..=3600.0).contains(&warm_up) {
        let problem = format!("{warm_up} s is not the length of a warm-up");
        source.wrong(&[Key("warm_up_cap_s")], problem, "give seconds, 0 or more");
    }
    for (key, zero) in [
        ("connections", manifest.connections == 0),
        ("budget_s", manifest.budget_s == 0),
        ("min_blocks", manifest.min_blocks == 0),
        ("open_slices", manifest.open_slices == 0),
        ("closed_slices", manifest.closed_slices == 0),
    ] {
        if zero {
            source.wrong(
                &[Key(key)],
                "nothing would be measured with 0",
                "give 1 or more",
            );
        }
    }
    if manifest.max_blocks < manifest.min_blocks {
        source.wrong(
            &[Key("max_blocks")],
            format!(
                "{} blocks at most are fewer than the {} at least",
                manifest.max_blocks, manifest.min_blocks
            ),
            "raise max_blocks or lower min_blocks",
        );
    }
}

fn treatment(
    entry: &TreatmentManifest,
    [list, item]: [Step<'_>; 2],
    known: &Catalog,
    source: &mut Source,
) {
    let part =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte);
    let first = entry
        .name
        .starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    if !first || entry.name.len() > 40 || !entry.name.bytes().all(part) {
        source.wrong(
            &[list, item, Key("name")],
            format!("`{}` cannot name the files of a trial", entry.name),
            "give at most 40 of a to z, 0 to 9, -, _ and ., a letter or digit first",
        );
    }
    if entry.workers == 0 {
        source.wrong(
            &[list, item, Key("workers")],
            "a service needs a worker",
            "give 1 or more",
        );
    }
    super::own_environment(&entry.env, &[list, item], source);
    let stack = known.stack(&entry.stack);
    if let Err(error) = &stack {
        reference(error, &[list, item, Key("stack")], source);
    }
    let workload = known.workload(&entry.workload);
    if let Err(error) = &workload {
        reference(error, &[list, item, Key("workload")], source);
    }
    if let Ok(stack) = stack {
        let manifest = &stack.manifest;
        if !manifest.launch.contains_key(&entry.launch) {
            source.wrong(
                &[list, item, Key("launch")],
                format!(
                    "the stack `{}` has no launch mode `{}`",
                    entry.stack, entry.launch
                ),
                choose(&entry.launch, manifest.launch.keys().map(String::as_str)),
            );
        }
        if workload.is_ok() && !manifest.workloads.contains(&entry.workload) {
            source.wrong(
                &[list, item, Key("workload")],
                format!(
                    "the stack `{}` does not serve `{}`",
                    entry.stack, entry.workload
                ),
                choose(
                    &entry.workload,
                    manifest.workloads.iter().map(String::as_str),
                ),
            );
        }
    }
    if let Some(path) = &entry.path {
        super::target(path, &[list, item, Key("path")], source);
        if entry.feed.is_some() {
            source.wrong(
                &[list, item, Key("path")],
                "a feed gives every request target",
                "keep `path` or `feed`",
            );
        }
    }
    database_settings(entry, [list, item], source);
    if let Ok(workload) = workload {
        feed(entry, workload, [list, item], source);
        if workload.manifest.database.is_empty() && !entry.database_settings.is_empty() {
            source.wrong(
                &[list, item, Key("database_settings")],
                format!("the workload `{}` has no database", entry.workload),
                "remove it",
            );
        }
        pool(
            entry,
            !workload.manifest.database.is_empty(),
            [list, item],
            source,
        );
    }
}

fn reference(error: &LookupError, steps: &[Step<'_>], source: &mut Source) {
    match error {
        LookupError::Unknown { kind, name, remedy } => {
            source.wrong(steps, format!("there is no {kind} `{name}`"), remedy);
        }
        LookupError::Damaged(faults) => {
            let place = faults.first().map(|fault| fault.path.display().to_string());
            source.wrong(
                steps,
                "something is wrong with it",
                format!("correct {}", place.unwrap_or_default()),
            );
        }
    }
}

fn pool(
    entry: &TreatmentManifest,
    has_database: bool,
    [list, item]: [Step<'_>; 2],
    source: &mut Source,
) {
    let figures = [
        ("db_pool_size", entry.db_pool_size),
        ("db_pool_idle", entry.db_pool_idle),
    ];
    for (key, connections) in figures {
        let steps = [list, item, Key(key)];
        let Some(connections) = connections else {
            continue;
        };
        if !has_database {
            source.wrong(
                &steps,
                format!("the workload `{}` has no database", entry.workload),
                "remove it",
            );
        } else if let Err(error) = pool_per_worker(connections, entry.workers) {
            source.wrong(&steps, error.to_string(), error.remedy());
        }
    }
    match (has_database, entry.db_pool_size, entry.db_pool_idle) {
        (true, None, _) => source.wrong(
            &[list, item, Key("db_pool_size")],
            format!("the workload `{}` has a database", entry.workload),
            "add the connections of the whole service",
        ),
        (true, Some(0), _) => source.wrong(
            &[list, item, Key("db_pool_size")],
            "a pool of 0 connections can answer nothing",
            "give 1 or more for each worker",
        ),
        (true, Some(size), Some(idle)) if idle > size => source.wrong(
            &[list, item, Key("db_pool_idle")],
            format!("{idle} idle connections do not fit into a pool of {size}"),
            format!("give at most {size}"),
        ),
        _ => {}
    }
}

/// Notes rungs that are each above the other.
fn ladder(manifest: &ExperimentManifest, source: &mut Source) {
    let below = |name: &str| {
        let entry = manifest.treatment.iter().find(|entry| entry.name == name);
        entry.and_then(|entry| entry.after.as_deref())
    };
    for (index, entry) in manifest.treatment.iter().enumerate() {
        let mut rung = entry.after.as_deref();
        // No ladder has more rungs than there are treatments.
        for _ in 0..manifest.treatment.len() {
            if rung == Some(&entry.name) {
                source.wrong(
                    &[Key("treatment"), Item(index), Key("after")],
                    format!("`{}` would stand on itself", entry.name),
                    "name the rung below, or remove it from the lowest",
                );
                break;
            }
            rung = rung.and_then(below);
        }
    }
}

fn feed(
    entry: &TreatmentManifest,
    workload: &Workload,
    [list, item]: [Step<'_>; 2],
    source: &mut Source,
) {
    let Some(file) = &entry.feed else { return };
    let plain = Path::new(file)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let text = std::fs::read_to_string(workload.folder.join(file));
    match text {
        Ok(text) if plain && !text.trim().is_empty() => {
            for line in text.lines().filter(|line| !super::is_target(line)).take(1) {
                source.wrong(
                    &[list, item, Key("feed")],
                    format!("`{file}` has a line `{}`", line.escape_debug()),
                    "give one request target a line, starting with /",
                );
            }
        }
        _ => source.wrong(
            &[list, item, Key("feed")],
            format!(
                "there is no feed `{file}` in the workload `{}`",
                entry.workload
            ),
            "add the file there or correct the name",
        ),
    }
}

/// Settings that the bench itself must have in its hands.
const OWN_SETTINGS: [&str; 6] = [
    "port",
    "listen_addresses",
    "unix_socket_directories",
    "data_directory",
    "config_file",
    "hba_file",
];

fn database_settings(entry: &TreatmentManifest, [list, item]: [Step<'_>; 2], source: &mut Source) {
    let part =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.".contains(&byte);
    for (name, value) in &entry.database_settings {
        let steps = [list, item, Key("database_settings"), Key(name)];
        if OWN_SETTINGS.contains(&name.as_str()) {
            source.wrong(&steps, "the bench sets it", "remove it");
        } else if name.is_empty() || !name.bytes().all(part) {
            source.wrong(
                &steps,
                "it is not the name of a PostgreSQL setting",
                "give one as `SHOW ALL` names it",
            );
        }
        if value.to_string().contains(['\n', '\0']) {
            source.wrong(&steps, "it has a line end in it", "give one line");
        }
        let least_one = match value {
            DatabaseSetting::Whole(number) => *number >= 1 && *number <= 10_000,
            _ => false,
        };
        if name == "max_connections" && !least_one {
            source.wrong(
                &steps,
                format!("{value} is not a number of connections"),
                "give a whole number from 1 to 10000",
            );
        }
    }
}
