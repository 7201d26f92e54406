//! What one request costs the database, held against what the contract says it reads.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use catalog::Workload;
use load::{Requests, exchange};

use super::contract::CaseResult;
use crate::postgres::Postgres;

/// Requests that the cost of one is taken from.
const REQUESTS_COUNT: usize = 200;
const SEED: u64 = 1;
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// A service may answer before its last statement is counted.
const COUNTED_TRIES: u32 = 50;
const COUNTED_WITHIN: Duration = Duration::from_millis(20);
/// Largest difference from the contract, as a share.
const TOLERANCE_RATIO: f64 = 0.005;
/// Share of statements that may be planned again where they are prepared: the first few of each connection are.
const PLANNED_RATIO: f64 = 0.5;

/// Cost of one request, counted by the server (`pg_stat_statements`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// SELECT, INSERT, UPDATE, DELETE, MERGE and WITH statements; no transaction control, no settings, nothing that
    /// asks the system catalogue: drivers and pools send such on their own account.
    pub statements_per_request: f64,
    /// Rows these returned or changed.
    pub rows_per_request: f64,
    /// Whether most of them were executed without being planned again, as prepared statements are.
    pub is_prepared: Option<bool>,
}

impl Work {
    /// What is worth recording of it.
    pub fn facts(&self) -> BTreeMap<String, String> {
        let mut facts = BTreeMap::from([
            (
                "statements_per_request".to_owned(),
                self.statements_per_request.to_string(),
            ),
            (
                "rows_per_request".to_owned(),
                self.rows_per_request.to_string(),
            ),
        ]);
        let prepared = self
            .is_prepared
            .map(|prepared| if prepared { "yes" } else { "no" });
        facts.extend(prepared.map(|word| ("prepared_statements".to_owned(), word.to_owned())));
        facts
    }

    /// Holds the cost against what a workload says a request costs.
    ///
    /// # Errors
    /// Which of the two differs by more than half a per cent.
    pub fn judge(&self, workload: &Workload) -> Result<(), String> {
        let manifest = &workload.manifest;
        let rules = [
            (
                "statements",
                manifest.statements_per_request,
                self.statements_per_request,
            ),
            ("rows", manifest.rows_per_request, self.rows_per_request),
        ];
        let wrong = rules.into_iter().filter_map(|(what, wanted, got)| {
            let wanted = wanted?;
            let differs = (got - wanted).abs() > TOLERANCE_RATIO * wanted;
            differs.then(|| format!("{got} {what} a request instead of {wanted}"))
        });
        match wrong.collect::<Vec<_>>().join(", ") {
            wrong if wrong.is_empty() => Ok(()),
            wrong => Err(wrong),
        }
    }

    /// The verdict as a case among others.
    pub fn case(&self, workload: &Workload) -> CaseResult {
        let held = self.judge(workload);
        CaseResult {
            name: "each request costs the database what the contract says".to_owned(),
            passed: held.is_ok(),
            detail: held.err().unwrap_or_default(),
        }
    }
}

/// Sends what load would send, and counts what that costs in a database; see [`Postgres::count_plans`].
///
/// # Errors
/// Why it could not be measured.
pub fn measure(
    postgres: &mut Postgres,
    database: &str,
    addr: SocketAddr,
    requests: &Requests,
) -> Result<Work, String> {
    let counted = |postgres: &mut Postgres| {
        let missing = || "the server has no pg_stat_statements".to_owned();
        let counted = postgres.statements(database).ok_or_else(missing)?;
        Ok::<_, String>((counted, postgres.plans(database)))
    };
    let (before, plans_before) = settled(postgres, &counted)?;
    for request in requests.first(REQUESTS_COUNT, SEED) {
        exchange(addr, &request, ANSWER_LIMIT).map_err(|error| error.to_string())?;
    }
    let (after, plans_after) = settled(postgres, &counted)?;
    let statements = after.0.saturating_sub(before.0) as f64;
    let plans = plans_after
        .zip(plans_before)
        .map(|(after, before)| after.saturating_sub(before));
    Ok(Work {
        statements_per_request: statements / REQUESTS_COUNT as f64,
        rows_per_request: after.1.saturating_sub(before.1) as f64 / REQUESTS_COUNT as f64,
        is_prepared: plans
            .filter(|_| statements > 0.0)
            .map(|plans| (plans as f64) < PLANNED_RATIO * statements),
    })
}

type Counted = ((u64, u64), Option<u64>);

/// The counts, when two readings in a row agree.
fn settled(
    postgres: &mut Postgres,
    counted: &dyn Fn(&mut Postgres) -> Result<Counted, String>,
) -> Result<Counted, String> {
    let mut last = counted(postgres)?;
    for _ in 0..COUNTED_TRIES {
        thread::sleep(COUNTED_WITHIN);
        let now = counted(postgres)?;
        if now == last {
            break;
        }
        last = now;
    }
    Ok(last)
}
