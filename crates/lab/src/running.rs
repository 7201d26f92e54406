//! Compares services that are already running: the same slices and statistics, without starts.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use jiff::Timestamp;
use load::{StatusRule, exchange, request_bytes};
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
use crate::treatment::{Entry, Origin, Question};
use crate::{pilot, warm};

/// What is printed beside every figure of such a run.
const CAVEAT: &str = "one start, no replication of the start";
/// Share of the slowest pilot capacity at which the open slices are offered.
const RATE_RATIO: f64 = 0.5;
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// Arrivals that the open slices of a block hold at least: a median needs 200, and not all fall into the window.
const ARRIVALS_MIN: f64 = 250.0;
/// Longest slice: what comes in between two slices of a pair divides out of their ratio less and less.
const SLICE_MAX_S: f64 = 10.0;

/// A service that is already running.
#[derive(Clone, Debug)]
pub struct RunningService {
    /// As the user wrote it.
    pub url: String,
    /// Where it listens.
    pub addr: SocketAddr,
    /// Value of the Host header.
    pub host: String,
    /// Request target.
    pub path: String,
}

impl Lab<'_> {
    /// Compares running services; the first is the baseline and the twin.
    ///
    /// # Errors
    /// When one of them does not answer, or the bench fails.
    pub fn run_urls(
        &mut self,
        services: &[RunningService],
        choices: &Choices,
    ) -> Result<Ended, LabError> {
        let placement = Placement::of_this_machine();
        let mut entries = Vec::new();
        for (place, service) in services.iter().enumerate() {
            entries.push(entry(place, service)?);
        }
        let mut run = blank_run(&placement, choices);
        let mut hands = Hands {
            supervisor: self.supervisor,
            postgres: None,
            placement: &placement,
            logs: &self.cache,
            ready_within: ANSWER_WITHIN,
            tell: &mut *self.tell,
        };
        let mut bench = Bench::new(&placement, None, Foreign::Unjudged, choices.seed, self.stop)?;
        sound(&mut bench, &mut hands, &mut run.design, &entries)?;
        with_twin(&mut entries, "url-1", |entry| &mut entry.treatment);
        run.treatments = entries
            .iter()
            .map(|entry| entry.treatment.clone())
            .collect();
        if bench.is_stopped() {
            return Err(LabError::Failed(
                "interrupted before anything was measured".to_owned(),
            ));
        }
        let dir = RunDir::create(&self.runs, &run.experiment, Timestamp::now())?;
        run.run = dir.name();
        dir.write_run(&run)?;
        bench.begin(Duration::ZERO);
        let ended = run_blocks(&mut bench, &mut hands, &dir, &mut run, &entries);
        concluded(dir, &mut run, ended)
    }
}

fn entry(place: usize, service: &RunningService) -> Result<Entry, LabError> {
    let request = request_bytes("GET", &service.path, &service.host, &[], None);
    let ask = || exchange(service.addr, &request, ANSWER_WITHIN);
    let failed = |error: load::ExchangeError| LabError::Failed(format!("{}: {error}", service.url));
    let (first, second) = (ask().map_err(failed)?, ask().map_err(failed)?);
    if !(200..300).contains(&first.status) {
        return Err(LabError::Failed(format!(
            "{} answers with status {}, not a success",
            service.url, first.status
        )));
    }
    let mut question = Question::same(request, &service.host, StatusRule::Exact(first.status));
    let length = first.body.len() as u64;
    question.expectation.body_bytes = (length == second.body.len() as u64).then_some(length);
    let facts = BTreeMap::from([("body_bytes".to_owned(), length.to_string())]);
    let treatment = Treatment {
        name: format!("url-{}", place + 1),
        twin_of: None,
        title: service.url.clone(),
        stack: None,
        workload: None,
        url: Some(service.url.clone()),
        launch: None,
        after: None,
        what_if_of: None,
        ranked: true,
        settings: BTreeMap::new(),
        database_settings: BTreeMap::new(),
        facts,
    };
    Ok(Entry {
        treatment,
        question,
        origin: Origin::Running(service.addr),
    })
}

fn sound(
    bench: &mut Bench,
    hands: &mut Hands,
    design: &mut Design,
    entries: &[Entry],
) -> Result<(), LabError> {
    let cap = Duration::from_secs_f64(design.warm_up_cap_s);
    for entry in entries {
        (hands.tell)(Event::StepBegan {
            step: "pilot".to_owned(),
            detail: entry.treatment.title.clone(),
        });
        let mut sut = start(bench, hands, entry, &entry.treatment.name)?;
        warm::warm_up(bench, &mut sut, design.connections_count, cap)?;
        let capacity = pilot::capacity_per_s(bench, &sut, design)?;
        sut.stop(&mut bench.session);
        design
            .pilot_capacity_per_s
            .insert(entry.treatment.name.clone(), capacity);
    }
    let slowest = design
        .pilot_capacity_per_s
        .values()
        .copied()
        .fold(f64::INFINITY, f64::min);
    if slowest <= 0.0 && !bench.is_stopped() {
        return Err(LabError::Failed(
            "a service gave no good answer in the closed loop of the pilot".to_owned(),
        ));
    }
    let rate = (slowest * RATE_RATIO).max(1.0).round();
    design.arrival_rate_per_s = Some(rate);
    let usual_s = design.slice_s;
    design.slice_s = slice_s(design, rate)?;
    if design.slice_s > usual_s {
        let slices = design.open_slices_count + design.closed_slices_count;
        (hands.tell)(Event::Noticed {
            message: format!(
                "at {rate} arrivals/s slices last {:.1} s, so that a block has {ARRIVALS_MIN} arrivals: about {:.0} s a block of a budget of {} s",
                design.slice_s,
                design.slice_s * f64::from(slices) * (entries.len() + 1) as f64,
                design.budget_s
            ),
        });
    }
    Ok(())
}

/// Length of a slice, in seconds: the design's own, or what gives the open slices of a block their arrivals.
fn slice_s(design: &Design, rate_per_s: f64) -> Result<f64, LabError> {
    let slices = f64::from(design.open_slices_count);
    let kept_ratio = 1.0 - design.discard_ratio;
    let needed_s = ARRIVALS_MIN / (slices * kept_ratio * rate_per_s);
    if needed_s > SLICE_MAX_S {
        return Err(LabError::Failed(format!(
            "the slowest service takes {rate_per_s} arrivals/s at half of its capacity: {slices} open slices of \
             {SLICE_MAX_S} s, of which {:.0} % count, hold {:.0} arrivals, and a median in every block needs \
             {ARRIVALS_MIN}. Ask for something that takes less time, or measure the service alone with `bancada load`",
            kept_ratio * 100.0,
            slices * SLICE_MAX_S * kept_ratio * rate_per_s
        )));
    }
    // Whole tenths, so that the length reads well where it is printed.
    Ok(design
        .slice_s
        .max((needed_s * 10.0).ceil() / 10.0)
        .min(SLICE_MAX_S))
}

fn blank_run(placement: &Placement, choices: &Choices) -> Run {
    Run {
        schema: Run::SCHEMA.to_owned(),
        run: String::new(),
        experiment: "urls".to_owned(),
        title: "Running services".to_owned(),
        question: "Which of these running services answers sooner?".to_owned(),
        bancada_version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: now(),
        ended_at: None,
        ended_by: None,
        replay_of: None,
        caveat: Some(CAVEAT.to_owned()),
        baseline: "url-1".to_owned(),
        // The services' own processes are not known, so their CPU time is not either.
        primary_metric: "response_p50_ns".to_owned(),
        relevant_difference_ratio: 0.05,
        design: Design {
            budget_s: choices.budget_s.unwrap_or(180),
            service_cpus: Vec::new(),
            ..of_slices_alone("running_services", choices.seed, placement)
        },
        treatments: Vec::new(),
        skipped: Vec::new(),
        voided_blocks: Vec::new(),
        environment: environment(BTreeMap::new()),
        catalog: BTreeMap::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::tests::design;

    #[test]
    fn a_slow_service_gets_slices_in_which_a_median_can_be_told() {
        let design = Design {
            slice_s: 0.5,
            ..design(1)
        };
        assert_eq!(slice_s(&design, 10_000.0).unwrap(), 0.5);
        for rate in [7.0, 10.0, 33.0, 100.0, 138.0, 139.0] {
            let length_s = slice_s(&design, rate).unwrap();
            let arrivals = length_s * rate * 4.0 * 0.9;
            assert!(
                arrivals >= 249.99 && length_s <= SLICE_MAX_S,
                "{rate}: {arrivals}"
            );
        }
        let refused = slice_s(&design, 6.0).unwrap_err().to_string();
        assert!(refused.contains("hold 216 arrivals"), "{refused}");
    }
}
