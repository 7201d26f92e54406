//! What differs between two runs besides their figures: machine, versions, design, settings.

use std::collections::{BTreeMap, BTreeSet};

use record::{Run, Treatment};
use serde::Serialize;
use serde_json::Value;

/// One thing that is not the same in both runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What it belongs to: `bancada`, `machine`, `versions`, `database`, `design`, `treatment <name>` or a catalogue entry.
    pub area: String,
    /// Its key.
    pub key: String,
    /// In the first run; absent where that has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// In the second run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// Keys of a design that differ from run to run by themselves, or are results of it.
const OWN_TO_A_RUN: [&str; 2] = ["seed", "pilot_capacity_per_s"];

/// Everything that differs, in the order of reading.
pub(crate) fn differences(before: &Run, after: &Run) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut add = |area: &str, one: BTreeMap<String, String>, other: BTreeMap<String, String>| {
        let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
        for key in keys {
            let (before, after) = (one.get(key).cloned(), other.get(key).cloned());
            if before != after {
                found.push(Difference {
                    area: area.to_owned(),
                    key: key.clone(),
                    before,
                    after,
                });
            }
        }
    };
    let version = |run: &Run| BTreeMap::from([("version".to_owned(), run.bancada_version.clone())]);
    add("bancada", version(before), version(after));
    add("machine", machine(before), machine(after));
    let (one, other) = (&before.environment, &after.environment);
    add("versions", one.versions.clone(), other.versions.clone());
    add(
        "database",
        one.database_settings.clone(),
        other.database_settings.clone(),
    );
    add("design", design(before), design(after));
    for treatment in before.treatments.iter().filter(|one| one.twin_of.is_none()) {
        let same = |other: &&Treatment| other.name == treatment.name;
        if let Some(other) = after.treatments.iter().find(same) {
            let area = format!("treatment {}", treatment.name);
            add(&area, described(treatment), described(other));
        }
    }
    let entries = before
        .catalog
        .iter()
        .filter(|(name, _)| !name.starts_with("experiment/"));
    for (name, entry) in entries {
        if let Some(other) = after.catalog.get(name) {
            add(name, flat(entry, &[]), flat(other, &[]));
        }
    }
    found
}

fn machine(run: &Run) -> BTreeMap<String, String> {
    let mut value = serde_json::to_value(&run.environment).unwrap_or_default();
    if let Value::Object(entries) = &mut value {
        entries.remove("versions");
        entries.remove("database_settings");
    }
    flat(&value, &["warnings"])
}

fn design(run: &Run) -> BTreeMap<String, String> {
    flat(
        &serde_json::to_value(&run.design).unwrap_or_default(),
        &OWN_TO_A_RUN,
    )
}

fn described(treatment: &Treatment) -> BTreeMap<String, String> {
    let mut entries = treatment.settings.clone();
    entries.extend(treatment.facts.clone());
    entries.extend(
        treatment
            .launch
            .iter()
            .map(|mode| ("launch".to_owned(), mode.clone())),
    );
    entries.extend(
        treatment
            .stack
            .iter()
            .map(|stack| ("stack".to_owned(), stack.clone())),
    );
    entries
}

/// The entries of an object as text, but for some keys.
fn flat(value: &Value, without: &[&str]) -> BTreeMap<String, String> {
    let entries = value.as_object().into_iter().flatten();
    entries
        .filter(|(key, _)| !without.contains(&key.as_str()))
        .map(|(key, value)| {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            (key.clone(), text)
        })
        .collect()
}
