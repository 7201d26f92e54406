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
    /// Of the newest runs of an experiment. It reads from disk.
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
        for id in ids.iter().take(RUNS_AT_MOST) {
            match run_and_trials(folders, id) {
                Ok((run, trials)) => {
                    let findings = Findings::of(&run, &trials, &BTreeMap::new());
                    runs.push(Then::of(id, &run, findings));
                }
                Err(problem) => notices.push(format!("{id}: {}", problem.message)),
            }
        }
        runs.reverse();
        History {
            schema: "bancada.history/1",
            experiment: experiment.to_owned(),
            runs,
            notices,
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
