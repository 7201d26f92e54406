//! What the catalogue holds, and why something cannot be had from it.

use std::path::{Path, PathBuf};

use crate::fault::{Fault, choose};
use crate::pool::pool_overflow;
use crate::source::{Source, Step, Step::Item, Step::Key};
use crate::{Case, Contract, ExperimentManifest, StackManifest, WorkloadManifest};

/// A folder under `stacks/`.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// Name of the folder.
    pub name: String,
    /// The folder.
    pub folder: PathBuf,
    /// Its `stack.toml`.
    pub manifest: StackManifest,
}

/// A folder under `workloads/`.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Name of the folder.
    pub name: String,
    /// The folder.
    pub folder: PathBuf,
    /// Its `workload.toml`.
    pub manifest: WorkloadManifest,
    /// Its `contract.toml`.
    pub contract: Contract,
    /// Its `bad-input.toml`: more cases, of what no client should send; none without that file.
    pub bad_input: Vec<Case>,
}

/// A folder under `experiments/`.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// Name of the folder.
    pub name: String,
    /// The folder.
    pub folder: PathBuf,
    /// Its `experiment.toml`.
    pub manifest: ExperimentManifest,
}

impl Experiment {
    /// Its pools that a server does not admit, each service on its own; none where it allows overflow.
    ///
    /// For `max_connections`, which a treatment's own `database_settings` come before, and `reserved` see
    /// [`pool_overflow`].
    pub fn pool_faults(&self, max_connections: u32, reserved: u32) -> Vec<Fault> {
        if self.manifest.allow_pool_overflow {
            return Vec::new();
        }
        let treatments = self.manifest.treatment.iter().enumerate();
        let refused = treatments.filter_map(|(index, treatment)| {
            let max_connections = treatment.max_connections().unwrap_or(max_connections);
            let error = pool_overflow(treatment.db_pool_size?, max_connections, reserved).err()?;
            let steps = [Key("treatment"), Item(index), Key("db_pool_size")];
            Some(self.fault(&steps, error.to_string(), error.remedy()))
        });
        refused.collect()
    }

    /// The metrics it names that are not among the `known` ones.
    pub fn metric_faults(&self, known: &[&str]) -> Vec<Fault> {
        let claims = self.manifest.claim.iter().enumerate();
        let claimed = claims.filter_map(|(index, claim)| {
            let steps = vec![Key("claim"), Item(index), Key("metric")];
            Some((steps, claim.metric.as_ref()?))
        });
        let published = self.manifest.published.iter().enumerate();
        let published = published.map(|(index, row)| {
            let steps = vec![Key("published"), Item(index), Key("metric")];
            (steps, &row.metric)
        });
        std::iter::once((vec![Key("primary_metric")], &self.manifest.primary_metric))
            .chain(claimed)
            .chain(published)
            .filter(|(_, name)| !known.contains(&name.as_str()))
            .map(|(steps, name)| {
                let remedy = choose(name, known.iter().copied());
                self.fault(&steps, format!("there is no metric `{name}`"), remedy)
            })
            .collect()
    }

    fn fault(&self, steps: &[Step<'_>], problem: String, remedy: String) -> Fault {
        let root = self.folder.ancestors().nth(2).unwrap_or(Path::new(""));
        let path = Path::new("experiments")
            .join(&self.name)
            .join("experiment.toml");
        match Source::read(root, &path) {
            Ok(source) => source.fault(steps, problem, remedy),
            Err(fault) => fault,
        }
    }
}

/// Why an entry cannot be had by its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// There is no such folder.
    #[error("there is no {kind} `{name}`; {remedy}")]
    Unknown {
        /// `stack`, `workload` or `experiment`.
        kind: &'static str,
        /// What was asked for.
        name: String,
        /// The nearest name, else all names.
        remedy: String,
    },
    /// It is there, but something is wrong with it.
    #[error("{}", lines(.0))]
    Damaged(Vec<Fault>),
}

fn lines(faults: &[Fault]) -> String {
    let lines: Vec<String> = faults.iter().map(Fault::to_string).collect();
    lines.join("\n")
}
