//! A run directory in, its findings out; and the files that a report leaves in it.

use std::collections::BTreeMap;

use record::{Histograms, RecordError, RunDir, Trial};

use crate::{Findings, Verdicts, beside, curves, markdown_with, svg_percentiles, svg_tiers};

/// Works out the findings of a run from its directory alone.
///
/// # Errors
/// When the directory is damaged, foreign or unsafe to read.
pub fn read(directory: &RunDir) -> Result<Findings, RecordError> {
    let run = directory.run()?;
    let trials = directory.trials()?;
    let histograms = histograms(directory, &trials.trials)?;
    let mut findings = Findings::of(&run, &trials.trials, &histograms);
    findings.notices.extend(trials.notices);
    findings.tools = beside::tools(&directory.tool_trials()?);
    Ok(findings)
}

/// The distributions of every trial.
pub(crate) fn histograms(
    directory: &RunDir,
    trials: &[Trial],
) -> Result<BTreeMap<String, Histograms>, RecordError> {
    let read = |trial: &Trial| {
        let name = trial.trial.clone();
        Ok((name, directory.read_histograms(&trial.trial)?))
    };
    trials.iter().map(read).collect()
}

/// A chart that goes with the Markdown report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// Name of its file beside `report.md`.
    pub file: &'static str,
    /// What it shows, in words.
    pub title: &'static str,
    /// The drawing.
    pub svg: String,
}

/// The static charts of a run: those that there are figures for.
///
/// # Errors
/// When the directory is damaged, foreign or unsafe to read.
pub fn charts(directory: &RunDir, findings: &Findings) -> Result<Vec<Chart>, RecordError> {
    let trials = directory.trials()?.trials;
    let histograms = histograms(directory, &trials)?;
    let curves = curves::curves(&directory.run()?, &trials, &histograms);
    let chart = |file, title, svg: Option<String>| svg.map(|svg| Chart { file, title, svg });
    let tiers = chart(
        "report-tiers.svg",
        "Ratios to the baseline with their intervals",
        svg_tiers::tiers(findings),
    );
    let percentiles = chart(
        "report-percentiles.svg",
        "Response times over percentiles",
        svg_percentiles::percentiles(findings, &curves),
    );
    Ok(tiers.into_iter().chain(percentiles).collect())
}

/// Writes `verdicts.json`, `trials.csv`, and `report.md` with its charts beside the run.
///
/// # Errors
/// When one of them cannot be written; each is written whole or not at all.
pub fn save(directory: &RunDir, findings: &Findings) -> Result<(), RecordError> {
    directory.write_json("verdicts.json", &Verdicts::of(findings))?;
    directory.write_trials_csv(&directory.trials()?.trials)?;
    let charts = charts(directory, findings)?;
    for chart in &charts {
        directory.write_file(chart.file, chart.svg.as_bytes())?;
    }
    let text = markdown_with(findings, &charts);
    directory.write_file("report.md", text.as_bytes())
}
