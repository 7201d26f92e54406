//! The document that the HTML page draws (`bancada.page/1`): the findings with everything behind them.
//!
//! It comes from the run directory alone and holds no clock and no path, so that the same run gives the same bytes.
//! Where the run holds more than a page can carry, the page says what it leaves out.

use std::collections::{BTreeMap, BTreeSet};

use record::{METRICS, Metric, RecordError, Run, RunDir, Treatment};
use serde::Serialize;
use serde_json::Value;

use crate::curves::{self, Curve};
use crate::page_samples::{self, TrialSamples};
use crate::page_trials;
use crate::saved;

/// Handlers of one stack: text by the path within its folder.
type Sources = BTreeMap<String, BTreeMap<String, String>>;

/// A handler that is longer is cut, with a notice.
const SOURCE_LIMIT_CHARACTERS: usize = 24_000;
/// All handlers together; those that come later are left out, with a notice.
const SOURCES_LIMIT_CHARACTERS: usize = 400_000;

/// Everything the page draws.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Page {
    /// Always `bancada.page/1`.
    pub schema: &'static str,
    /// What the run showed (`bancada.report/1`), figures to nine digits.
    pub findings: Value,
    /// The table of metrics: titles, units, directions.
    pub metrics: Vec<Metric>,
    /// Treatments as the run lists them, the twin included.
    pub treatments: Vec<Treatment>,
    /// Catalogue entries as run.
    pub catalog: BTreeMap<String, Value>,
    /// Every trial; slices and audit lines in short form, figures to nine digits.
    pub trials: Vec<Value>,
    /// Percentile curves by treatment and histogram.
    pub curves: Vec<Curve>,
    /// Time series by trial.
    pub samples: BTreeMap<String, TrialSamples>,
    /// Handlers by stack and file.
    pub sources: Sources,
    /// What was left out to keep the page small.
    pub left_out: Vec<String>,
}

/// Reads a run directory into the document of its page.
///
/// # Errors
/// When the directory is damaged, foreign or unsafe to read.
pub fn page(directory: &RunDir) -> Result<Page, RecordError> {
    let run = directory.run()?;
    let trials = directory.trials()?.trials;
    let findings = saved::read(directory)?;
    let histograms = saved::histograms(directory, &trials)?;
    let mut samples = BTreeMap::new();
    for trial in &trials {
        let name = &trial.trial;
        samples.insert(name.clone(), directory.samples(name)?);
    }
    let mut left_out = Vec::new();
    let sources = sources(directory, &run, &mut left_out)?;
    let samples = page_samples::thinned(samples, &mut left_out);
    Ok(Page {
        schema: "bancada.page/1",
        metrics: METRICS.to_vec(),
        curves: curves::curves(&run, &trials, &histograms),
        trials: trials.iter().map(page_trials::short).collect(),
        treatments: run.treatments,
        catalog: run.catalog,
        findings: page_trials::rounded(serde_json::to_value(findings).unwrap_or_default(), 9),
        samples,
        sources,
        left_out,
    })
}

/// Handlers of the stacks of a run, as its own catalogue entries name them.
fn sources(
    directory: &RunDir,
    run: &Run,
    left_out: &mut Vec<String>,
) -> Result<Sources, RecordError> {
    let stacks: BTreeSet<&String> = run
        .treatments
        .iter()
        .filter_map(|treatment| treatment.stack.as_ref())
        .collect();
    let mut found = Sources::new();
    let mut room = SOURCES_LIMIT_CHARACTERS;
    for stack in stacks {
        for handler in handlers(run, stack) {
            let Some(text) = directory.source(stack, &handler)? else {
                continue;
            };
            if room == 0 {
                left_out.push(format!("{stack}/{handler}: the page has no room for it"));
                continue;
            }
            let kept = text.chars().take(SOURCE_LIMIT_CHARACTERS.min(room));
            let kept: String = kept.collect();
            if kept.len() < text.len() {
                left_out.push(format!("{stack}/{handler}: its end is left out"));
            }
            room = room.saturating_sub(kept.chars().count());
            found
                .entry(stack.clone())
                .or_default()
                .insert(handler, kept);
        }
    }
    Ok(found)
}

fn handlers(run: &Run, stack: &str) -> Vec<String> {
    let entry = run.catalog.get(&format!("stack/{stack}"));
    let listed = entry.and_then(|entry| entry.get("sources")?.as_array());
    let texts = listed.into_iter().flatten().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}
