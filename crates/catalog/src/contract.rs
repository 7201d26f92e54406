//! `contract.toml`: what every service of a workload must answer. `bad-input.toml`, beside it, has the same form.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Value of `schema` in a `contract.toml`.
pub const CONTRACT_SCHEMA: &str = "bancada.contract/1";

/// What `workloads/<name>/contract.toml` says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// Always `bancada.contract/1`.
    pub schema: String,
    /// The cases, sent in order.
    pub case: Vec<Case>,
}

/// One request and what must come back. Exactly one of `status` and `status_class` is given,
/// and at most one of `json`, `json_file`, `text` and `bytes_file`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The law in words.
    pub name: String,
    /// Request method.
    #[serde(default = "get")]
    pub method: String,
    /// Request target, sent exactly as written.
    pub path: String,
    /// Request headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Request body, sent exactly as written.
    pub body: Option<String>,
    /// The one status that is right.
    pub status: Option<u16>,
    /// The statuses that are right, as `4xx`; `<500` for any that is not the service's own fault.
    pub status_class: Option<String>,
    /// Response headers, by lower-case name: the value must start with this text.
    #[serde(default)]
    pub response_headers: BTreeMap<String, String>,
    /// The body as a JSON value: equal whatever the order of keys.
    pub json: Option<String>,
    /// File, beside the contract, that holds the body as a JSON value.
    pub json_file: Option<String>,
    /// The body, byte for byte.
    pub text: Option<String>,
    /// File, beside the contract, that holds the body byte for byte.
    pub bytes_file: Option<String>,
    /// How often in a row the request is sent; every answer must be right.
    #[serde(default = "once")]
    pub times: u32,
}

fn get() -> String {
    "GET".to_owned()
}

fn once() -> u32 {
    1
}
