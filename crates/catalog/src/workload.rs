//! `workload.toml`: the request that load sends, and the data it is answered from.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Value of `schema` in a `workload.toml`.
pub const WORKLOAD_SCHEMA: &str = "bancada.workload/1";

/// What `workloads/<name>/workload.toml` says. The folder's name is the workload's name.
///
/// A workload is a request, its data and its contract together. Services that keep a source's own
/// peculiarities (other fields, another query) answer to another contract, and so to a workload of their
/// own, `<name>-published`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkloadManifest {
    /// Always `bancada.workload/1`.
    pub schema: String,
    /// How reports name it.
    pub title: String,
    /// One sentence: what the request asks of a service.
    pub asks: String,
    /// Where it comes from and what was corrected.
    pub origin: Option<String>,
    /// Request method.
    pub method: String,
    /// Request target, unless `feed` gives many.
    pub path: String,
    /// Request headers besides `Host` and `Content-Length`.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Request body.
    pub body: Option<String>,
    /// File with one request target a line, cycled through in order.
    pub feed: Option<String>,
    /// Status of a good answer.
    #[serde(default = "ok")]
    pub expect_status: u16,
    /// SQL files that build the database, in order. None: the workload has no database.
    #[serde(default)]
    pub database: Vec<String>,
    /// SQL statements one request should cost.
    pub statements_per_request: Option<f64>,
    /// Rows one request should read or write.
    pub rows_per_request: Option<f64>,
    /// Upstream service it calls, by name: a stand-in's address reaches the service as `<NAME>_URL`.
    pub upstream: Option<String>,
    /// Milliseconds from a call of the stand-in to its answer: the median. None: it answers at once.
    pub upstream_delay_ms: Option<f64>,
    /// Milliseconds that 99 of 100 of its answers stay below; log-normal with the median. None: all take the median.
    pub upstream_delay_p99_ms: Option<f64>,
    /// Share of calls, 0 to 1, that the stand-in answers with a 502.
    pub upstream_failure_ratio: Option<f64>,
    /// Calls that the stand-in takes in any one second; it cuts off those above.
    pub upstream_rate_limit_per_s: Option<u32>,
}

fn ok() -> u16 {
    200
}
