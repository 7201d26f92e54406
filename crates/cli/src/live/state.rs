//! What the live view knows: events folded into a picture. Pure.

use std::collections::{BTreeMap, VecDeque};

use record::{Event, TrialStatus};
use report::Findings;

/// Steps and rates that are remembered.
const STEPS: usize = 50;
const RATES: usize = 60;

/// Where one treatment is in one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Not begun.
    Waiting,
    /// Being started and warmed.
    Starting,
    /// Started; its slices come and go.
    Measuring,
    /// Stored, with its status.
    Ended(TrialStatus),
}

/// What was last seen of a treatment under load.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Answers per second, slice by slice, the newest last.
    pub rates_per_s: VecDeque<f64>,
    /// Answers per second in the closed loop.
    pub closed_rate_per_s: Option<f64>,
    /// Median response time at the equal arrival rate.
    pub response_p50_ns: Option<f64>,
    /// Ninth decile.
    pub response_p90_ns: Option<f64>,
}

/// What is under load now.
#[derive(Clone, Debug, PartialEq)]
pub struct Current {
    /// Treatment by name.
    pub treatment: String,
    /// What is done with it.
    pub doing: String,
    /// Answers per second in the last slice; none while it starts.
    pub rate_per_s: Option<f64>,
}

/// The whole picture.
#[derive(Clone, Debug, Default)]
pub struct LiveState {
    /// Steps before the first block, the newest last.
    pub steps: VecDeque<String>,
    /// What a reader should know, in order.
    pub notices: Vec<String>,
    /// Treatments by name, in the order of the run, else of the first block.
    pub treatments: Vec<String>,
    /// Every cell that has begun, by treatment and block.
    pub cells: BTreeMap<(String, u32), Cell>,
    /// Block that goes on, 0 before the first.
    pub block: u32,
    /// Blocks planned at most.
    pub blocks_at_most: u32,
    /// Slices of the block that ended, and how many it has.
    pub slices: (u32, u32),
    /// What is under load.
    pub current: Option<Current>,
    /// By treatment.
    pub seen: BTreeMap<String, Seen>,
    /// Seconds of budget left when the last block ended.
    pub remaining_s: Option<f64>,
    /// What the run has shown so far.
    pub findings: Option<Findings>,
    /// Why the run ended.
    pub ended_by: Option<String>,
}

impl LiveState {
    /// Takes an event in.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::StepBegan { step, detail } => {
                self.steps.push_back(format!("{step}: {detail}"));
                if self.steps.len() > STEPS {
                    self.steps.pop_front();
                }
            }
            Event::Noticed { message } => self.notices.push(message.clone()),
            Event::BlockBegan {
                block,
                blocks_at_most,
                order,
            } => self.block_began(*block, *blocks_at_most, order),
            Event::TreatmentBegan {
                block,
                treatment,
                phase,
            } => {
                // Treatments are started one after another: who came before is up and idle.
                for ((_, of), cell) in &mut self.cells {
                    if of == block && *cell == Cell::Starting {
                        *cell = Cell::Measuring;
                    }
                }
                self.cells
                    .insert((treatment.clone(), *block), Cell::Starting);
                self.current = Some(Current {
                    treatment: treatment.clone(),
                    doing: phase.clone(),
                    rate_per_s: None,
                });
            }
            Event::SliceEnded { .. } => self.slice_ended(event),
            Event::TrialEnded { trial } => {
                let key = (trial.treatment.clone(), trial.block);
                self.cells.insert(key, Cell::Ended(trial.status));
                if trial.status != TrialStatus::Valid {
                    let status = format!("{:?}", trial.status).to_uppercase();
                    let reasons = trial.reasons.join("; ");
                    self.notices
                        .push(format!("{} is {status}: {reasons}", trial.trial));
                }
                let seen = self.seen.entry(trial.treatment.clone()).or_default();
                let figure = |name: &str| trial.metrics.get(name).copied();
                seen.response_p50_ns = figure("response_p50_ns").or(seen.response_p50_ns);
                seen.response_p90_ns = figure("response_p90_ns").or(seen.response_p90_ns);
                seen.closed_rate_per_s = figure("completion_rate_per_s").or(seen.closed_rate_per_s);
            }
            Event::BlockEnded { remaining_s, .. } => {
                self.remaining_s = Some(*remaining_s);
                self.current = None;
            }
            Event::RunEnded { ended_by } => self.ended_by = Some(ended_by.clone()),
        }
    }

    /// Takes in what the run has shown so far.
    pub fn set_findings(&mut self, findings: Findings) {
        let names = findings
            .treatments
            .iter()
            .map(|treatment| treatment.name.clone());
        // Findings are in the order of ranks, which changes; rows must not jump. New names only.
        for name in names {
            if !self.treatments.contains(&name) {
                self.treatments.push(name);
            }
        }
        self.findings = Some(findings);
    }

    /// How a treatment is called.
    pub fn title<'a>(&'a self, name: &'a str) -> &'a str {
        let findings = self.findings.as_ref();
        findings
            .and_then(|findings| findings.treatment(name))
            .map_or(name, |treatment| treatment.title.as_str())
    }

    /// One cell.
    pub fn cell(&self, treatment: &str, block: u32) -> Cell {
        let found = self.cells.get(&(treatment.to_owned(), block));
        found.copied().unwrap_or(Cell::Waiting)
    }

    /// Whether a block was made void.
    pub fn is_void(&self, block: u32) -> bool {
        let findings = self.findings.as_ref();
        findings.is_some_and(|findings| {
            let mut voided = findings.audit.voided_blocks.iter();
            voided.any(|voided| voided.block == block)
        })
    }

    /// Every notice as a line, for the time after the view.
    pub fn into_notices(self) -> Vec<String> {
        self.notices
    }

    fn block_began(&mut self, block: u32, at_most: u32, order: &[String]) {
        self.block = block;
        self.blocks_at_most = at_most;
        self.slices = (0, 0);
        for name in order {
            if !self.treatments.contains(name) {
                self.treatments.push(name.clone());
            }
        }
    }

    fn slice_ended(&mut self, event: &Event) {
        let Event::SliceEnded {
            block,
            treatment,
            load,
            completion_rate_per_s,
            response_p50_ns,
            response_p90_ns,
            slices_done,
            slices_in_block,
        } = event
        else {
            return;
        };
        for ((_, of), cell) in &mut self.cells {
            if of == block && *cell == Cell::Starting {
                *cell = Cell::Measuring;
            }
        }
        self.slices = (*slices_done, *slices_in_block);
        let seen = self.seen.entry(treatment.clone()).or_default();
        seen.rates_per_s.push_back(*completion_rate_per_s);
        if seen.rates_per_s.len() > RATES {
            seen.rates_per_s.pop_front();
        }
        if load == "closed" {
            seen.closed_rate_per_s = Some(*completion_rate_per_s);
        }
        seen.response_p50_ns = response_p50_ns.map(|ns| ns as f64).or(seen.response_p50_ns);
        seen.response_p90_ns = response_p90_ns.map(|ns| ns as f64).or(seen.response_p90_ns);
        self.current = Some(Current {
            treatment: treatment.clone(),
            doing: format!("{load} slice"),
            rate_per_s: Some(*completion_rate_per_s),
        });
    }
}
