//! A run as it stands: what a browser that comes late is told first (`bancada.live/1`).

use std::collections::BTreeMap;

use record::{Event, Run, Trial};
use serde::Serialize;

/// Notices that are kept, the newest.
const NOTICES: usize = 50;

/// Everything that has happened so far, in short.
#[derive(Clone, Debug, Serialize)]
pub struct State {
    schema: &'static str,
    /// Name of the experiment.
    experiment: String,
    /// The run, once it has a directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<About>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<Step>,
    notices: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<Block>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<Current>,
    /// Answers per second of each treatment's last slice.
    completion_rates_per_s: BTreeMap<String, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining_s: Option<f64>,
    /// Without slices and without the checks that passed.
    trials: Vec<Trial>,
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<Over>,
}

#[derive(Clone, Debug, Serialize)]
struct About {
    title: String,
    question: String,
    started_at: String,
    baseline: String,
    primary_metric: String,
    blocks_at_most_count: u32,
    budget_s: u64,
    treatments: Vec<Named>,
}

#[derive(Clone, Debug, Serialize)]
struct Named {
    name: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    twin_of: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
struct Step {
    step: String,
    detail: String,
}

#[derive(Clone, Debug, Serialize)]
struct Block {
    block: u32,
    blocks_at_most_count: u32,
    order: Vec<String>,
    slices_done_count: u32,
    slices_in_block_count: u32,
}

#[derive(Clone, Debug, Serialize)]
struct Current {
    treatment: String,
    phase: String,
}

/// How a run ended, or why it failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// As `ended_by` of the run.
    EndedBy(String),
    /// What went wrong.
    Failed(String),
}

impl State {
    /// Nothing has happened yet.
    pub fn new(experiment: &str) -> State {
        State {
            schema: "bancada.live/1",
            experiment: experiment.to_owned(),
            run: None,
            about: None,
            step: None,
            notices: Vec::new(),
            block: None,
            current: None,
            completion_rates_per_s: BTreeMap::new(),
            remaining_s: None,
            trials: Vec::new(),
            over: None,
        }
    }

    /// The run has a directory.
    pub fn describe(&mut self, id: String, run: &Run) {
        self.run = Some(id);
        self.about = Some(About {
            title: run.title.clone(),
            question: run.question.clone(),
            started_at: run.started_at.clone(),
            baseline: run.baseline.clone(),
            primary_metric: run.primary_metric.clone(),
            blocks_at_most_count: run.design.max_blocks_count,
            budget_s: run.design.budget_s,
            treatments: run
                .treatments
                .iter()
                .map(|treatment| Named {
                    name: treatment.name.clone(),
                    title: treatment.title.clone(),
                    twin_of: treatment.twin_of.clone(),
                })
                .collect(),
        });
    }

    /// The run's name and place, once it has a directory.
    pub fn run(&self) -> Option<&str> {
        self.run.as_deref()
    }

    /// Trials that have ended.
    pub fn trials_count(&self) -> usize {
        self.trials.len()
    }

    /// Whether and how it ended.
    pub fn over(&self) -> Option<&Over> {
        self.over.as_ref()
    }

    /// It is over; the first reason stays.
    pub fn end(&mut self, over: Over) {
        self.current = None;
        self.over.get_or_insert(over);
    }

    /// Something happened.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::StepBegan { step, detail } => {
                self.step = Some(Step {
                    step: step.clone(),
                    detail: detail.clone(),
                });
            }
            Event::Noticed { message } => {
                self.notices.push(message.clone());
                let surplus = self.notices.len().saturating_sub(NOTICES);
                self.notices.drain(..surplus);
            }
            Event::BlockBegan {
                block,
                blocks_at_most,
                order,
            } => {
                self.step = None;
                self.block = Some(Block {
                    block: *block,
                    blocks_at_most_count: *blocks_at_most,
                    order: order.clone(),
                    slices_done_count: 0,
                    slices_in_block_count: 0,
                });
            }
            Event::TreatmentBegan {
                treatment, phase, ..
            } => {
                self.current = Some(Current {
                    treatment: treatment.clone(),
                    phase: phase.clone(),
                });
            }
            Event::SliceEnded {
                treatment,
                completion_rate_per_s,
                slices_done,
                slices_in_block,
                ..
            } => {
                self.completion_rates_per_s
                    .insert(treatment.clone(), *completion_rate_per_s);
                if let Some(block) = &mut self.block {
                    block.slices_done_count = *slices_done;
                    block.slices_in_block_count = *slices_in_block;
                }
            }
            Event::TrialEnded { trial } => self.trials.push(in_short(trial)),
            Event::BlockEnded { remaining_s, .. } => {
                self.current = None;
                self.remaining_s = Some(*remaining_s);
            }
            // Over is only what the record says, or whoever made the run: this comes just before.
            Event::RunEnded { .. } => self.current = None,
        }
    }
}

/// The trial without its slices and without the checks that passed: what a live view shows of it.
pub fn in_short(trial: &Trial) -> Trial {
    let mut short = trial.clone();
    short.slices.clear();
    short
        .audit
        .retain(|line| line.status != record::AuditStatus::Pass);
    short
}
