//! One experiment over its runs: `bancada.history/1`.

use std::collections::BTreeMap;

use record::Run;
use report::{Figure, Findings, RatioEstimate};
use serde::Serialize;

use crate::place::{Folders, RunId};
use crate::reading::run_and_trials;
use crate::shelf::Shelf;

/// Runs that are looked at, the newest.
const RUNS_AT_MOST: usize = 40;

/// Every treatment's ratio and figure in each run, oldest run first.
#[derive(Debug, Serialize)]
pub struct History {
    schema: &'static str,
    experiment: String,
    runs: Vec<Then>,
    /// Runs that asked something else than the newest.
    left_out_count: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Then {
    run: String,
    started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_by: Option<String>,
    primary_metric: String,
    baseline: String,
    blocks_count: usize,
    /// Figures of runs on unlike machines do not compare; ratios may.
    machine: String,
    treatments: Vec<Treatment>,
}

#[derive(Debug, Serialize)]
struct Treatment {
    name: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_baseline: Option<RatioEstimate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    figure: Option<Figure>,
}

impl History {
    /// Of the newest runs of an experiment, as far as they asked what the newest of them did. It reads from disk.
    pub fn of(folders: &Folders, shelf: &Shelf, experiment: &str) -> History {
        let ids = shelf.of_experiment(experiment);
        let mut notices = Vec::new();
        if ids.len() > RUNS_AT_MOST {
            notices.push(format!(
                "the newest {RUNS_AT_MOST} of {} runs are shown",
                ids.len()
            ));
        }
        let mut runs = Vec::new();
        let mut newest = None;
        let mut left_out_count = 0;
        for id in ids.iter().take(RUNS_AT_MOST) {
            match run_and_trials(folders, id) {
                Ok((run, trials)) => {
                    let asked = Asked::by(&run);
                    if *newest.get_or_insert_with(|| asked.clone()) != asked {
                        left_out_count += 1;
                        continue;
                    }
                    let findings = Findings::of(&run, &trials, &BTreeMap::new());
                    runs.push(Then::of(id, &run, findings));
                }
                Err(problem) => notices.push(format!("{id}: {}", problem.message)),
            }
        }
        if left_out_count > 0 {
            notices.push(format!(
                "left out: {left_out_count} with another metric or baseline than the newest run, or of another address or request"
            ));
        }
        runs.reverse();
        History {
            schema: "bancada.history/1",
            experiment: experiment.to_owned(),
            runs,
            left_out_count,
            notices,
        }
    }
}

/// What a run's ratios are ratios of: only where all of it is the same do they share an axis. Every gate is of the
/// experiment `gate`, and every run of addresses of the experiment `urls`, whatever they asked.
#[derive(Clone, PartialEq, Eq)]
struct Asked {
    metric: String,
    baseline: String,
    url: Option<String>,
    request: Option<String>,
}

impl Asked {
    fn by(run: &Run) -> Asked {
        let baseline = run.treatments.iter().find(|one| one.name == run.baseline);
        Asked {
            metric: run.primary_metric.clone(),
            baseline: run.baseline.clone(),
            url: baseline.and_then(|one| one.url.clone()),
            request: baseline.and_then(|one| one.facts.get("request").cloned()),
        }
    }
}

impl Then {
    fn of(id: &RunId, run: &Run, findings: Findings) -> Then {
        let primary = findings.primary_metric.clone();
        let treatments = findings
            .treatments
            .into_iter()
            .map(|mut treatment| Treatment {
                tier: treatment.tier(),
                figure: treatment.figures.remove(&primary),
                to_baseline: treatment.to_baseline,
                name: treatment.name,
                title: treatment.title,
            });
        Then {
            run: id.to_string(),
            started_at: findings.started_at,
            ended_by: findings.ended_by,
            baseline: findings.baseline,
            blocks_count: findings.blocks_count,
            machine: machine(run),
            treatments: treatments.collect(),
            primary_metric: primary,
        }
    }
}

/// The processor, and how many of them.
fn machine(run: &Run) -> String {
    let environment = &run.environment;
    let model = environment.cpu_model.as_deref();
    let model = model.unwrap_or("processor not recorded");
    format!("{} × {model}", environment.cpus_count)
}
