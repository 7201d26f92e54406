//! What if a setting were another: treatments entered a second time with one change.

use std::str::FromStr;

use catalog::{ExperimentManifest, TreatmentManifest};

use crate::error::LabError;
use crate::resolve::Chosen;

/// A change to try: `KEY=VALUE` for every treatment, `TREATMENT:KEY=VALUE` for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhatIf {
    /// The one treatment; `None`: every one.
    pub treatment: Option<String>,
    /// `db_pool`, `db_pool_idle`, `workers`, `launch`, or the name of an environment variable.
    pub key: String,
    /// What it is set to.
    pub value: String,
}

impl FromStr for WhatIf {
    type Err = String;

    /// # Errors
    /// What it should look like.
    fn from_str(text: &str) -> Result<WhatIf, String> {
        let wrong = || {
            format!(
                "'{text}' should be like db_pool=10 or axum:workers=2; keys are db_pool, db_pool_idle, workers, \
                 launch and names of environment variables in capitals"
            )
        };
        let (left, value) = text.split_once('=').ok_or_else(wrong)?;
        let (treatment, key) = match left.split_once(':') {
            Some((treatment, key)) => (Some(treatment.to_owned()), key),
            None => (None, left),
        };
        let known = ["db_pool", "db_pool_idle", "workers", "launch"].contains(&key);
        let variable = key.starts_with(|c: char| c.is_ascii_uppercase())
            && key
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        if !(known || variable) || value.is_empty() || treatment.as_deref() == Some("") {
            return Err(wrong());
        }
        Ok(WhatIf {
            treatment,
            key: key.to_owned(),
            value: value.to_owned(),
        })
    }
}

impl WhatIf {
    /// Name of a treatment with the change: `axum+db_pool=10`, as far as a file name can hold it.
    pub fn name_of(&self, treatment: &str) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let value: String = self
            .value
            .chars()
            .take(24)
            .map(|c| if plain(c) { c } else { '_' })
            .collect();
        format!("{treatment}+{}={value}", self.key)
    }

    /// A treatment with the change; `None` where it already is so.
    fn applied(&self, to: &TreatmentManifest) -> Result<Option<TreatmentManifest>, LabError> {
        let mut changed = to.clone();
        let number = || {
            self.value.parse::<u32>().map_err(|_| {
                LabError::Usage(format!(
                    "--what-if {}={}: give a whole number",
                    self.key, self.value
                ))
            })
        };
        match self.key.as_str() {
            "db_pool" => {
                let size = number()?;
                // Idle connections were all of the pool unless the experiment said otherwise, and are never more.
                let follows = to.db_pool_idle.is_none() || to.db_pool_idle == to.db_pool_size;
                changed.db_pool_size = Some(size);
                changed.db_pool_idle = match follows {
                    true => None,
                    false => to.db_pool_idle.map(|idle| idle.min(size)),
                };
            }
            "db_pool_idle" => changed.db_pool_idle = Some(number()?),
            "workers" => changed.workers = number()?,
            "launch" => changed.launch.clone_from(&self.value),
            variable => {
                let value = self.value.clone();
                changed.env.insert(variable.to_owned(), value);
            }
        }
        if changed == *to {
            return Ok(None);
        }
        changed.name = self.name_of(&to.name);
        changed.after = None;
        Ok(Some(changed))
    }
}

/// Which treatment is a change of which other: `(name, original)`.
pub type Variants = Vec<(String, String)>;

/// Adds to an experiment the treatments with the changes.
///
/// # Errors
/// When a change names no treatment, makes no sense, or changes nothing.
pub fn with_changes(
    manifest: &mut ExperimentManifest,
    changes: &[WhatIf],
) -> Result<Variants, LabError> {
    let originals = manifest.treatment.clone();
    let mut variants = Variants::new();
    for change in changes {
        let meant = |entry: &&TreatmentManifest| {
            change
                .treatment
                .as_ref()
                .is_none_or(|name| *name == entry.name)
        };
        let mut any = false;
        for original in originals.iter().filter(meant) {
            if let Some(changed) = change.applied(original)? {
                variants.push((changed.name.clone(), original.name.clone()));
                manifest.treatment.push(changed);
                any = true;
            }
        }
        if !any {
            let names: Vec<&str> = originals.iter().map(|entry| entry.name.as_str()).collect();
            return Err(LabError::Usage(format!(
                "--what-if {}={} changes nothing; treatments are {}",
                change.key,
                change.value,
                names.join(", ")
            )));
        }
    }
    Ok(variants)
}

/// Refuses a change that its stack or its pool does not take.
///
/// # Errors
/// Which change of which treatment, and why.
pub(crate) fn check_changes(chosen: &[Chosen]) -> Result<(), LabError> {
    for one in chosen
        .iter()
        .filter(|one| one.treatment.what_if_of.is_some())
    {
        let refuse = |reason: String| {
            let name = &one.treatment.name;
            Err(LabError::Usage(format!("--what-if: {name}: {reason}")))
        };
        let manifest = one.manifest;
        let launches = &one.stack.manifest.launch;
        if !launches.contains_key(&manifest.launch) {
            let all: Vec<&str> = launches.keys().map(String::as_str).collect();
            return refuse(format!(
                "{} has no launch mode {}; it has {}",
                one.stack.name,
                manifest.launch,
                all.join(", ")
            ));
        }
        if manifest.workers == 0 {
            return refuse("a service needs a worker".to_owned());
        }
        let has_database = !one.workload.manifest.database.is_empty();
        let pools = [manifest.db_pool_size, manifest.db_pool_idle];
        for size in pools.into_iter().flatten() {
            if !has_database {
                return refuse(format!("{} has no database", one.workload.name));
            }
            if let Err(error) = catalog::pool_per_worker(size, manifest.workers) {
                return refuse(format!("{error}; {}", error.remedy()));
            }
        }
        if manifest.db_pool_size == Some(0) || manifest.db_pool_idle > manifest.db_pool_size {
            return refuse("its pool is smaller than it can be".to_owned());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn treatment(name: &str) -> TreatmentManifest {
        TreatmentManifest {
            name: name.to_owned(),
            stack: "s".to_owned(),
            workload: "w".to_owned(),
            launch: "default".to_owned(),
            workers: 1,
            db_pool_size: Some(10),
            db_pool_idle: None,
            env: BTreeMap::new(),
            path: None,
            feed: None,
            database_settings: BTreeMap::new(),
            after: None,
        }
    }

    #[test]
    fn a_change_is_of_every_treatment_or_of_the_one_it_names() {
        let all: WhatIf = "db_pool=20".parse().unwrap();
        assert_eq!((all.treatment, all.key.as_str()), (None, "db_pool"));
        let one: WhatIf = "axum:TOKIO_WORKER_THREADS=2".parse().unwrap();
        assert_eq!(one.treatment.as_deref(), Some("axum"));
        assert_eq!(one.name_of("axum"), "axum+TOKIO_WORKER_THREADS=2");
        for wrong in [
            "db_pool",
            "pool=3",
            "=3",
            "db_pool=",
            ":workers=2",
            "path=/x",
        ] {
            assert!(wrong.parse::<WhatIf>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_change_makes_a_second_treatment_and_leaves_the_first() {
        let change: WhatIf = "db_pool=20".parse().unwrap();
        let changed = change.applied(&treatment("a")).unwrap().unwrap();
        assert_eq!(
            (changed.name.as_str(), changed.db_pool_size),
            ("a+db_pool=20", Some(20))
        );
        let same: WhatIf = "db_pool=10".parse().unwrap();
        assert_eq!(same.applied(&treatment("a")).unwrap(), None);
        let word: WhatIf = "workers=two".parse().unwrap();
        assert!(word.applied(&treatment("a")).unwrap_err().is_usage());
    }

    #[test]
    fn a_name_can_name_files_whatever_the_value() {
        let change: WhatIf = "RUSTFLAGS=-C target/cpu=é".parse().unwrap();
        assert_eq!(change.name_of("a"), "a+RUSTFLAGS=-C_target_cpu__");
    }
}
