//! The load engine: a plan in, observations out. See `docs/load-engine.md`.
//!
//! A [`Session`] is one engine thread: it opens connections to [`Target`]s and drives one of them
//! at a time for one [`Slice`], which gives [`Observations`].

mod audit;
mod awake;
mod check;
mod distribution;
mod engine;
mod error;
mod exchange;
pub mod export;
pub mod http1;
pub mod notation;
mod observation;
mod outcome;
mod pacer;
mod plan;
mod priority;
mod requests;
mod run;
pub mod schedule;
pub mod simulated;
mod slo;
mod summary;
mod target;
mod template;
mod terminal;
mod times;
pub mod transport;
mod url;

pub use audit::{Check, CheckStatus, Finding, audit, verdict};
pub use awake::{Awake, idle_cpus_poll};
pub use distribution::{Distribution, Percentile, TAIL_SAMPLES_MIN};
pub use engine::{Counts, Edge, EngineOptions, Session, TargetId, check_cpus};
pub use error::LoadError;
pub use exchange::{Answer, ExchangeError, exchange};
pub use observation::{ByEnding, Bytes, Connections, Observations};
pub use outcome::{Outcome, OutcomeCounts};
pub use plan::{Dispatch, Pacing, Slice};
pub use priority::{GrantedPriority, Priority};
pub use requests::{FeedOrder, Requests, request_bytes};
pub use run::{Plan, Progress, run};
pub use schedule::{Arrivals, Rate, Share, Stage};
pub use slo::{Slo, SloFinding};
pub use summary::{ConnectionsSummary, Generator, Loop, SCHEMA, Summary};
pub use target::{Expectation, JsonField, StatusRule, Target};
pub use terminal::terminal;
pub use times::{Percentiles, Times};
pub use url::{Url, is_public};
