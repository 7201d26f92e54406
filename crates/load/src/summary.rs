//! The document `bancada.load/1`: what a run showed, for people and programs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::audit::{self, Finding};
use crate::export;
use crate::observation::Observations;
use crate::outcome::Outcome;
use crate::plan::{Dispatch, Pacing};
use crate::run::Plan;
use crate::schedule::{Arrivals, Stage};
use crate::slo::{Slo, SloFinding};
use crate::times::Times;

/// Name and version of the format.
pub const SCHEMA: &str = "bancada.load/1";

/// What a run showed. What was not measured is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("$id" = "bancada.load/1"))]
pub struct Summary {
    /// Always `bancada.load/1`.
    pub schema: String,
    /// How the kernel was asked: `epoll` or `io_uring`.
    pub engine: String,
    /// How requests were paced.
    #[serde(rename = "loop")]
    pub pacing: Loop,
    /// Measured time, warm-up excluded.
    pub window_s: f64,
    /// Arrivals scheduled per second, over the time in which they were; open loop only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered_load_per_s: Option<f64>,
    /// Answers per second, right or wrong.
    pub completion_rate_per_s: f64,
    /// Answers per second that met the expectation.
    pub goodput_per_s: f64,
    /// Requests scheduled in the window by how they ended; `ok` always, others when not zero.
    pub outcomes: BTreeMap<String, u64>,
    /// Answers among them by status.
    pub status: BTreeMap<String, u64>,
    /// done − sent over every request sent.
    pub service_time_ns: Times,
    /// done − scheduled over every request scheduled; open loop only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_time_ns: Option<Times>,
    /// Service time of good answers alone.
    pub good_service_time_ns: Times,
    /// Response time of good answers alone; open loop only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub good_response_time_ns: Option<Times>,
    /// sent − scheduled; open loop only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_delay_ns: Option<Times>,
    /// Age of the requests that did not end well; absent when there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_time_ns: Option<Times>,
    /// Connections.
    pub connections: ConnectionsSummary,
    /// Bytes of HTTP messages in the window.
    pub bytes: BytesSummary,
    /// What the generator itself used.
    pub generator: Generator,
    /// Checks of the generator on itself.
    pub audit: Vec<Finding>,
    /// Whether to trust the figures, in one line.
    pub verdict: String,
    /// Objectives and whether they were met; absent without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slo: Vec<SloFinding>,
    /// Whether it was stopped before its end; absent when it was not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// HdrHistogram V2 deflate in base64, by name, when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histograms: Option<BTreeMap<String, String>>,
}

/// How requests were paced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Loop {
    /// A connection sends again when its answer is in.
    Closed {
        /// Connections; the most there were.
        concurrency_count: u32,
        /// Pause between an answer and the next request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        think_time_s: Option<f64>,
        /// Users, each with a connection of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        users_count: Option<u32>,
        /// Time over which they began.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ramp_up_s: Option<f64>,
        /// Requests that each was to send.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        requests_per_user_count: Option<u64>,
        /// Connections over time.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stages: Option<Vec<StageSummary>>,
    },
    /// Requests follow a schedule.
    Open {
        /// Mean rate of the schedule.
        arrival_rate_per_s: f64,
        /// `constant` or `poisson`.
        arrivals: String,
        /// `per_connection`, `shared` or `unbounded`.
        dispatch: String,
        /// Connections opened before the start.
        connections_count: u32,
        /// Rates over time; absent for a constant one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stages: Option<Vec<StageSummary>>,
    },
}

/// One stage of rates (per second) or connections.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageSummary {
    /// Level at its start.
    pub from: f64,
    /// Level at its end.
    pub to: f64,
    /// Its length.
    pub duration_s: f64,
}

/// Connections of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectionsSummary {
    /// Opened, from the start.
    pub opened_count: u64,
    /// Open when the run ended.
    pub open_at_end_count: u64,
    /// Fewest answers on any connection, those on connections that took its place included.
    pub least_completed_count: u64,
    /// Most answers on any connection, those on connections that took its place included.
    pub most_completed_count: u64,
}

/// Bytes of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BytesSummary {
    /// From the target.
    pub received_count: u64,
    /// To the target.
    pub sent_count: u64,
}

/// What the generator itself used.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Generator {
    /// CPU time of its threads in the window.
    pub cpu_s: f64,
    /// Time in which they asked for events in vain; absent unless they never sleep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub polled_s: Option<f64>,
    /// Its threads.
    pub threads_count: u32,
    /// CPU time per answer in the window, polling in vain apart; absent without answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_per_request_us: Option<f64>,
}

impl Summary {
    /// The document of a run on epoll.
    pub fn of(plan: &Plan, seen: &Observations) -> Summary {
        let audit = audit::audit(&plan.slice.pacing, seen);
        let answers = seen.answers_in_window_count;
        Summary {
            schema: SCHEMA.to_owned(),
            engine: "epoll".to_owned(),
            pacing: Loop::of(plan),
            window_s: seen.window_ns as f64 / 1e9,
            offered_load_per_s: seen.open_loop.then(|| seen.offered_load_per_s()),
            completion_rate_per_s: seen.completion_rate_per_s(),
            goodput_per_s: seen.goodput_per_s(),
            outcomes: outcomes(seen),
            status: seen
                .status
                .iter()
                .map(|(status, count)| (status.to_string(), *count))
                .collect(),
            service_time_ns: Times::over_all(&seen.service_time()),
            response_time_ns: seen.response_time().as_ref().map(Times::over_all),
            good_service_time_ns: Times::of(&seen.good_service_time()),
            good_response_time_ns: seen.good_response_time().as_ref().map(Times::of),
            send_delay_ns: seen.send_delay().as_ref().map(Times::of),
            failed_time_ns: (seen.failed_count() > 0).then(|| Times::of(&seen.failed_time())),
            connections: ConnectionsSummary {
                opened_count: seen.connections.opened_count,
                open_at_end_count: seen.connections.open_at_end_count,
                least_completed_count: seen.connections.least_completed_count,
                most_completed_count: seen.connections.most_completed_count,
            },
            bytes: BytesSummary {
                received_count: seen.bytes.received_count,
                sent_count: seen.bytes.sent_count,
            },
            generator: Generator {
                cpu_s: seen.generator_cpu_ns as f64 / 1e9,
                polled_s: plan.busy_poll.then(|| seen.polled_ns as f64 / 1e9),
                threads_count: seen.threads_count,
                cpu_per_request_us: (answers > 0)
                    .then(|| seen.worked_ns() as f64 / 1e3 / answers as f64),
            },
            verdict: audit::verdict(&audit),
            audit,
            slo: Vec::new(),
            interrupted: seen.interrupted,
            histograms: None,
        }
    }

    /// Adds what became of objectives.
    #[must_use]
    pub fn with_slos(mut self, slos: &[Slo]) -> Summary {
        self.slo = slos.iter().map(|slo| slo.judge(&self)).collect();
        self
    }

    /// Adds the histograms themselves.
    #[must_use]
    pub fn with_histograms(mut self, seen: &Observations) -> Summary {
        let encoded = export::histograms(seen)
            .into_iter()
            .map(|(name, times)| (name.to_owned(), export::base64(&times)));
        self.histograms = Some(encoded.collect());
        self
    }
}

fn outcomes(seen: &Observations) -> BTreeMap<String, u64> {
    seen.outcomes
        .iter()
        .filter(|&(outcome, count)| count > 0 || outcome == Outcome::Ok)
        .map(|(outcome, count)| (outcome.name().to_owned(), count))
        .collect()
}

/// Whether the level is the same all the time, so that one number says it.
fn is_flat(stages: &[Stage]) -> bool {
    matches!(stages, [only] if only.from == only.to)
}

fn stages(stages: &[Stage]) -> Vec<StageSummary> {
    let summary = |stage: &Stage| StageSummary {
        from: stage.from,
        to: stage.to,
        duration_s: stage.duration.as_secs_f64(),
    };
    stages.iter().map(summary).collect()
}

impl Loop {
    /// Connections that it keeps at once; `None` where there are as many as it takes.
    pub(crate) fn places(&self) -> Option<u32> {
        match self {
            Loop::Closed {
                concurrency_count, ..
            } => Some(*concurrency_count),
            Loop::Open {
                connections_count,
                dispatch,
                ..
            } => (dispatch != Dispatch::Unbounded.name()).then_some(*connections_count),
        }
    }

    fn of(plan: &Plan) -> Loop {
        let pacing = &plan.slice.pacing;
        let closed = |think_time: std::time::Duration| Loop::Closed {
            concurrency_count: pacing.concurrency(),
            think_time_s: (!think_time.is_zero()).then_some(think_time.as_secs_f64()),
            users_count: None,
            ramp_up_s: None,
            requests_per_user_count: None,
            stages: None,
        };
        match pacing {
            Pacing::Closed { think_time, .. } => closed(*think_time),
            Pacing::ClosedStages {
                stages: levels,
                think_time,
            } => {
                let mut kind = closed(*think_time);
                if let Loop::Closed { stages: shown, .. } = &mut kind {
                    *shown = Some(stages(levels));
                }
                kind
            }
            Pacing::Users {
                users,
                ramp_up,
                requests_per_user,
                think_time,
            } => {
                let mut kind = closed(*think_time);
                if let Loop::Closed {
                    users_count,
                    ramp_up_s,
                    requests_per_user_count,
                    ..
                } = &mut kind
                {
                    *users_count = Some(*users);
                    *ramp_up_s = Some(ramp_up.as_secs_f64());
                    *requests_per_user_count = *requests_per_user;
                }
                kind
            }
            Pacing::Open {
                rate,
                connections,
                dispatch,
            } => {
                let (from, to) = (plan.slice.discard, plan.slice.duration);
                let arrivals = rate.integral(to) - rate.integral(from);
                Loop::Open {
                    arrival_rate_per_s: match rate.stages.as_slice() {
                        [only] if is_flat(&rate.stages) => only.from,
                        _ => arrivals / (to - from).as_secs_f64(),
                    },
                    arrivals: match rate.arrivals {
                        Arrivals::Constant => "constant",
                        Arrivals::Poisson => "poisson",
                    }
                    .to_owned(),
                    dispatch: dispatch.name().to_owned(),
                    connections_count: *connections,
                    stages: (!is_flat(&rate.stages)).then(|| stages(&rate.stages)),
                }
            }
        }
    }
}
