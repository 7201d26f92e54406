//! Compares services that are given as commands: no catalogue entry, one request, started fresh in every block.
//!
//! What an experiment does for stacks this does for two builds of one service: the same blocks, slices, twin and
//! audit. There is no contract: what the first command answers is what a good answer is, and each one's own length
//! is held against it under load.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use load::{StatusRule, request_bytes};
use record::{Design, Event, Run, RunDir, Treatment};

use crate::block::{Hands, now, start};
use crate::design::of_slices_alone;
use crate::environment::environment;
use crate::error::LabError;
use crate::experiment::{Choices, Ended, Lab, concluded};
use crate::measure::{Bench, Foreign};
use crate::place::Placement;
use crate::protocol::run_blocks;
use crate::resolve::with_twin;
use crate::treatment::{DatabaseWork, Entry, Launchable, Origin, Question};
use crate::{pilot, verify, warm};

/// Share of the slowest pilot capacity at which the open slices are offered.
const RATE_RATIO: f64 = 0.5;
/// Value of the Host header.
const HOST: &str = "localhost";
/// Every so manyth body is compared in full while under load; status and length always.
const BODY_SAMPLE_EVERY: u32 = 16;

/// A service as a command.
#[derive(Clone, Debug)]
pub struct CommandService {
    /// Name within the run.
    pub name: String,
    /// Command line for `sh -c`; it gets `PORT` and `HOST` in its environment.
    pub command: String,
}

/// The one request that load sends.
#[derive(Clone, Debug)]
pub struct CommandRequest {
    /// Method.
    pub method: String,
    /// Request target, with its query.
    pub path: String,
    /// Header fields besides those that HTTP needs.
    pub headers: Vec<(String, String)>,
    /// Body; `None` without one.
    pub body: Option<Vec<u8>>,
}

/// What is compared, and by which rules.
#[derive(Clone, Debug)]
pub struct CommandPlan {
    /// Folder name of the run's question, for its directory.
    pub name: String,
    /// Title of the run.
    pub title: String,
    /// The question.
    pub question: String,
    /// The services; the first is baseline and twin.
    pub services: Vec<CommandService>,
    /// What they are asked.
    pub request: CommandRequest,
    /// Folder they are started in.
    pub cwd: PathBuf,
    /// Keep-alive connections, and so the closed loop's concurrency.
    pub connections_count: u32,
    /// Longest wait for a first right answer.
    pub ready_within: Duration,
    /// Metric that the verdict is about.
    pub primary_metric: String,
    /// Smallest difference that matters.
    pub relevant_difference_ratio: f64,
}

impl Lab<'_> {
    /// Compares commands.
    ///
    /// # Errors
    /// When one of them does not answer as it should, or the bench fails.
    pub fn run_commands(
        &mut self,
        plan: &CommandPlan,
        choices: &Choices,
    ) -> Result<Ended, LabError> {
        let placement = Placement::of_this_machine();
        let mut entries: Vec<Entry> = plan
            .services
            .iter()
            .map(|service| self.command_entry(plan, service))
            .collect();
        let mut run = blank_run(plan, &placement, choices);
        let logs = self.cache.join("logs");
        std::fs::create_dir_all(&logs).map_err(LabError::system("making the folder of logs"))?;
        let mut hands = Hands {
            supervisor: self.supervisor,
            postgres: None,
            placement: &placement,
            logs: &logs,
            ready_within: plan.ready_within,
            tell: &mut *self.tell,
        };
        let mut bench = Bench::new(&placement, None, Foreign::Usual, choices.seed, self.stop)?;
        let mut slowest = f64::INFINITY;
        for entry in &mut entries {
            if bench.is_stopped() {
                break;
            }
            let capacity = audition(&mut bench, &mut hands, &run.design, entry)?;
            slowest = slowest.min(capacity);
            let name = entry.treatment.name.clone();
            run.design.pilot_capacity_per_s.insert(name, capacity);
        }
        if bench.is_stopped() {
            return Err(LabError::Failed(
                "interrupted before anything was measured".to_owned(),
            ));
        }
        run.design.arrival_rate_per_s = Some((slowest * RATE_RATIO).max(1.0).round());
        with_twin(&mut entries, &run.baseline, |entry| &mut entry.treatment);
        run.treatments = entries
            .iter()
            .map(|entry| entry.treatment.clone())
            .collect();
        let dir = RunDir::create(&self.runs, &run.experiment, Timestamp::now())?;
        run.run = dir.name();
        run.started_at = now();
        dir.write_run(&run)?;
        bench.begin(Duration::ZERO);
        let ended = run_blocks(&mut bench, &mut hands, &dir, &mut run, &entries);
        concluded(dir, &mut run, ended)
    }

    fn command_entry(&self, plan: &CommandPlan, service: &CommandService) -> Entry {
        let request = &plan.request;
        let bytes = request_bytes(
            &request.method,
            &request.path,
            HOST,
            &request.headers,
            request.body.as_deref(),
        );
        let facts = BTreeMap::from([
            ("command".to_owned(), service.command.clone()),
            (
                "request".to_owned(),
                format!("{} {}", request.method, request.path),
            ),
        ]);
        Entry {
            treatment: Treatment {
                name: service.name.clone(),
                twin_of: None,
                title: service.name.clone(),
                stack: None,
                workload: None,
                url: None,
                launch: None,
                after: None,
                what_if_of: None,
                ranked: true,
                settings: BTreeMap::new(),
                database_settings: BTreeMap::new(),
                facts,
            },
            question: Question::same(bytes, HOST, StatusRule::Success),
            origin: Origin::Started(Box::new(Launchable {
                program: PathBuf::from("/bin/sh"),
                args: vec!["-c".to_owned(), service.command.clone()],
                cwd: plan.cwd.clone(),
                env: self.prepare.environment.clone(),
                work: DatabaseWork::default(),
                database: None,
                connection_limit: 0,
                database_settings: BTreeMap::new(),
                overflow: None,
                upstream: None,
            })),
        }
    }
}

/// Starts a command once: observes its answer, so that load knows a good one, and sounds its capacity.
fn audition(
    bench: &mut Bench,
    hands: &mut Hands,
    design: &Design,
    entry: &mut Entry,
) -> Result<f64, LabError> {
    let name = entry.treatment.name.clone();
    (hands.tell)(Event::StepBegan {
        step: "pilot".to_owned(),
        detail: name.clone(),
    });
    let failed = |reason: String| LabError::Failed(format!("{name}: {reason}"));
    let mut sut =
        start(bench, hands, entry, &format!("audition-{name}")).map_err(|error| match error {
            LabError::Failed(reason) => failed(reason),
            other => other,
        })?;
    let observed = verify::observe(sut.addr, &entry.question.request);
    let cap = Duration::from_secs_f64(design.warm_up_cap_s);
    let capacity = warm::warm_up(bench, &mut sut, design.connections_count, cap)
        .and_then(|_| pilot::capacity_per_s(bench, &sut, design));
    let seen = sut.stop(&mut bench.session);
    let observed = observed.map_err(|error| failed(error.to_string()))?;
    let capacity = capacity?;
    if let Some(broken) = seen.broken.first() {
        return Err(failed(broken.clone()));
    }
    if capacity <= 0.0 && !bench.is_stopped() {
        return Err(failed(
            "gave no good answer in the closed loop of the pilot".to_owned(),
        ));
    }
    let expectation = &mut entry.question.expectation;
    expectation.status = StatusRule::Exact(observed.status);
    expectation.body_bytes = observed.body_bytes_if_stable;
    expectation.body_sha256 = observed.body_sha256_if_stable;
    expectation.sample_every = BODY_SAMPLE_EVERY;
    entry.treatment.facts.extend(observed.facts());
    Ok(capacity)
}

fn blank_run(plan: &CommandPlan, placement: &Placement, choices: &Choices) -> Run {
    Run {
        schema: Run::SCHEMA.to_owned(),
        run: String::new(),
        experiment: plan.name.clone(),
        title: plan.title.clone(),
        question: plan.question.clone(),
        bancada_version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: now(),
        ended_at: None,
        ended_by: None,
        replay_of: None,
        caveat: None,
        baseline: plan
            .services
            .first()
            .map(|service| service.name.clone())
            .unwrap_or_default(),
        primary_metric: plan.primary_metric.clone(),
        relevant_difference_ratio: plan.relevant_difference_ratio,
        design: Design {
            budget_s: choices.budget_s.unwrap_or(60),
            min_blocks_count: 4,
            // Half of what matters, so that a run that is quiet enough can say equal before its time is up.
            target_half_width_ratio: plan.relevant_difference_ratio / 2.0,
            slice_s: 0.2,
            closed_slices_count: 1,
            warm_up_cap_s: 0.8,
            connections_count: plan.connections_count,
            ..of_slices_alone("sliced_blocks", choices.seed, placement)
        },
        treatments: Vec::new(),
        skipped: Vec::new(),
        voided_blocks: Vec::new(),
        environment: environment(BTreeMap::new()),
        catalog: BTreeMap::new(),
    }
}
