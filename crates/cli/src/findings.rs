//! `bancada report --findings`: the page that tells all committed results.

use catalog::Catalog;
use record::RunDir;
use report::{CommittedRun, ExperimentResults};

use crate::context::Context;

/// `FINDINGS.md` of a checkout, from the run directories under `experiments/*/results/`.
///
/// # Errors
/// When an experiment or a committed run cannot be read: a page that left it out would mislead.
pub fn page(context: &Context) -> anyhow::Result<String> {
    let catalog = Catalog::scan(&context.root);
    if let Some(fault) = catalog.faults.first() {
        anyhow::bail!("{fault}");
    }
    let mut results = Vec::new();
    for experiment in &catalog.experiments {
        let mut runs = Vec::new();
        for listed in record::list_runs(&experiment.folder.join("results"))? {
            listed.run?;
            runs.push(CommittedRun {
                path: format!("experiments/{}/results/{}", experiment.name, listed.name),
                findings: report::read(&RunDir::open(&listed.path)?)?,
            });
        }
        // Folders are named by date and machine; what ran last tells more than what sorts last.
        runs.sort_by(|one, other| one.findings.started_at.cmp(&other.findings.started_at));
        results.push(ExperimentResults {
            name: experiment.name.clone(),
            title: experiment.manifest.title.clone(),
            question: experiment.manifest.question.clone(),
            claims_count: experiment.manifest.claim.len(),
            runs,
        });
    }
    Ok(report::overview(&results))
}
