//! A run directory in, its findings out; and the files that a report leaves in it.

use std::collections::BTreeMap;

use record::{Histograms, RecordError, RunDir};

use crate::{Findings, Verdicts, beside, markdown};

/// Works out the findings of a run from its directory alone.
///
/// # Errors
/// When the directory is damaged, foreign or unsafe to read.
pub fn read(directory: &RunDir) -> Result<Findings, RecordError> {
    let run = directory.run()?;
    let trials = directory.trials()?;
    let mut histograms: BTreeMap<String, Histograms> = BTreeMap::new();
    for trial in &trials.trials {
        histograms.insert(
            trial.trial.clone(),
            directory.read_histograms(&trial.trial)?,
        );
    }
    let mut findings = Findings::of(&run, &trials.trials, &histograms);
    findings.notices.extend(trials.notices);
    findings.tools = beside::tools(&directory.tool_trials()?);
    Ok(findings)
}

/// Writes `verdicts.json`, `trials.csv` and `report.md` beside the run.
///
/// # Errors
/// When one of them cannot be written; each is written whole or not at all.
pub fn save(directory: &RunDir, findings: &Findings) -> Result<(), RecordError> {
    directory.write_json("verdicts.json", &Verdicts::of(findings))?;
    directory.write_trials_csv(&directory.trials()?.trials)?;
    directory.write_file("report.md", markdown(findings).as_bytes())
}
