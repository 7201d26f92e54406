//! The three folders, scanned: entries that are sound, and what is wrong with the others.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::check;
use crate::entry::{Experiment, LookupError, Stack, Workload};
use crate::fault::{Fault, choose};
use crate::source::Source;
use crate::{Case, Contract, WorkloadManifest};

/// Everything that can be run, as the folders under a root describe it. Entries are in order of name.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// Sound stacks.
    pub stacks: Vec<Stack>,
    /// Sound workloads.
    pub workloads: Vec<Workload>,
    /// Sound experiments.
    pub experiments: Vec<Experiment>,
    /// What is wrong with entries that are not in the lists.
    pub faults: Vec<Fault>,
    folders: Folders,
    /// Faults of stacks and workloads, by the experiment that names them.
    causes: BTreeMap<String, Vec<Fault>>,
}

/// Names of all folders, sound or not: a reference to a damaged entry is not a misspelt one.
#[derive(Clone, Debug, Default)]
struct Folders {
    stacks: Vec<String>,
    workloads: Vec<String>,
    experiments: Vec<String>,
}

impl Catalog {
    /// Reads `stacks/`, `workloads/` and `experiments/` below `root`.
    ///
    /// Never fails: what is wrong is in [`Catalog::faults`], and what is sound can still be used.
    pub fn scan(root: &Path) -> Catalog {
        let mut catalog = Catalog {
            folders: Folders {
                stacks: folders(&root.join("stacks")),
                workloads: folders(&root.join("workloads")),
                experiments: folders(&root.join("experiments")),
            },
            ..Catalog::default()
        };
        catalog.scan_workloads(root);
        catalog.scan_stacks(root);
        catalog.scan_experiments(root);
        catalog
    }

    /// The stack of that name.
    ///
    /// # Errors
    /// When there is none, or it is damaged.
    pub fn stack(&self, name: &str) -> Result<&Stack, LookupError> {
        let found = self.stacks.iter().find(|stack| stack.name == name);
        found.ok_or_else(|| self.missing("stack", "stacks", name, &self.folders.stacks))
    }

    /// The workload of that name.
    ///
    /// # Errors
    /// When there is none, or it is damaged.
    pub fn workload(&self, name: &str) -> Result<&Workload, LookupError> {
        let found = self.workloads.iter().find(|entry| entry.name == name);
        found.ok_or_else(|| self.missing("workload", "workloads", name, &self.folders.workloads))
    }

    /// The experiment of that name.
    ///
    /// # Errors
    /// When there is none, or it, or a stack or workload it uses, is damaged.
    pub fn experiment(&self, name: &str) -> Result<&Experiment, LookupError> {
        let found = self.experiments.iter().find(|entry| entry.name == name);
        found.ok_or_else(|| {
            self.missing("experiment", "experiments", name, &self.folders.experiments)
        })
    }

    fn missing(
        &self,
        kind: &'static str,
        folder: &str,
        name: &str,
        names: &[String],
    ) -> LookupError {
        let here = Path::new(folder).join(name);
        let faults = self
            .faults
            .iter()
            .filter(|fault| fault.path.starts_with(&here));
        let mut faults: Vec<Fault> = faults.cloned().collect();
        if kind == "experiment" {
            faults.extend(self.causes.get(name).cloned().unwrap_or_default());
        }
        if names.iter().any(|other| other == name) {
            return LookupError::Damaged(faults);
        }
        LookupError::Unknown {
            kind,
            name: name.to_owned(),
            remedy: choose(name, names.iter().map(String::as_str)),
        }
    }

    fn scan_workloads(&mut self, root: &Path) {
        for name in self.folders.workloads.clone() {
            let folder = Path::new("workloads").join(&name);
            let manifest = self.entry(root, &folder.join("workload.toml"), check::workload);
            let contract = self.entry(root, &folder.join("contract.toml"), check::contract);
            let bad_input = self.bad_input(root, &folder);
            if let (Some(manifest), Some(contract), Some(bad_input)) =
                (manifest, contract, bad_input)
            {
                if let Some(fault) = self.uncovered(root, &folder, &manifest, &contract) {
                    self.faults.push(fault);
                    continue;
                }
                self.workloads.push(Workload {
                    folder: root.join(folder),
                    name,
                    manifest,
                    contract,
                    bad_input,
                });
            }
        }
    }

    /// The cases of `bad-input.toml`, none without that file; `None` when something is wrong with it.
    fn bad_input(&mut self, root: &Path, folder: &Path) -> Option<Vec<Case>> {
        let file = folder.join("bad-input.toml");
        if !root.join(&file).exists() {
            return Some(Vec::new());
        }
        let battery: Contract = self.entry(root, &file, check::contract)?;
        Some(battery.case)
    }

    fn scan_stacks(&mut self, root: &Path) {
        for name in self.folders.stacks.clone() {
            let folder = Path::new("stacks").join(&name);
            let workloads = self.folders.workloads.clone();
            let check = |manifest: &_, source: &mut _| {
                check::stack(&name, manifest, &workloads, source);
            };
            if let Some(manifest) = self.entry(root, &folder.join("stack.toml"), check) {
                self.stacks.push(Stack {
                    folder: root.join(folder),
                    name,
                    manifest,
                });
            }
        }
    }

    fn scan_experiments(&mut self, root: &Path) {
        for name in self.folders.experiments.clone() {
            let folder = Path::new("experiments").join(&name);
            let known = self.clone();
            let mut causes = Vec::new();
            let check = |manifest: &_, source: &mut _| {
                check::experiment(manifest, &known, source);
                causes = check::causes(manifest, &known);
            };
            let entry = self.entry(root, &folder.join("experiment.toml"), check);
            self.causes.insert(name.clone(), causes);
            if let Some(manifest) = entry {
                self.experiments.push(Experiment {
                    folder: root.join(folder),
                    name,
                    manifest,
                });
            }
        }
    }

    /// What load sends must be among what the contract checks: nothing else checks an answer in full.
    fn uncovered(
        &self,
        root: &Path,
        folder: &Path,
        manifest: &WorkloadManifest,
        contract: &Contract,
    ) -> Option<Fault> {
        let mut source = Source::read(root, &folder.join("workload.toml")).ok()?;
        check::covered(manifest, contract, &mut source);
        source.faults.pop()
    }

    /// The manifest at `path`, when nothing is wrong with it.
    fn entry<T: serde::de::DeserializeOwned>(
        &mut self,
        root: &Path,
        path: &Path,
        check: impl FnOnce(&T, &mut Source),
    ) -> Option<T> {
        let read = Source::read(root, path)
            .and_then(|source| source.parse().map(|manifest: T| (source, manifest)));
        match read {
            Ok((mut source, manifest)) => {
                check(&manifest, &mut source);
                let sound = source.faults.is_empty();
                self.faults.append(&mut source.faults);
                sound.then_some(manifest)
            }
            Err(fault) => {
                self.faults.push(fault);
                None
            }
        }
    }
}

/// Names of the folders in `folder`, sorted; hidden ones are left out.
fn folders(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    names
}
