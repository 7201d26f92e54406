//! `stack.toml`: one service, in one language, with the ways it can be built and served.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Value of `schema` in a `stack.toml`.
pub const STACK_SCHEMA: &str = "bancada.stack/1";

/// What a stack may need: the tools that can be looked for.
pub const TOOLS: [&str; 6] = ["cargo", "go", "node", "npm", "uv", "python3"];

/// What `stacks/<name>/stack.toml` says. The folder's name is the stack's name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StackManifest {
    /// Always `bancada.stack/1`.
    pub schema: String,
    /// How reports name it, for instance `Axum + SQLx`.
    pub title: String,
    /// Programming language, in lower case.
    pub language: String,
    /// Web framework, or the library that takes its place.
    pub framework: String,
    /// HTTP server where it is not the framework's own.
    pub server: Option<String>,
    /// Database driver, where the stack has one.
    pub driver: Option<String>,
    /// What turns values into JSON.
    pub serializer: Option<String>,
    /// Tools the stack is built with, by the names `bancada doctor` lists (`cargo`, `go`, `node`, `npm`, `uv`).
    /// Where one is missing the stack is skipped with that reason.
    pub needs: Vec<String>,
    /// Commands, each a program and its arguments, run in order in the stack's folder to build or install it.
    ///
    /// What they install goes to the folder named by `BANCADA_BUILD`; its `bin/` comes first on the launch `PATH`.
    /// `CARGO_INSTALL_ROOT`, `GOBIN` and `UV_PROJECT_ENVIRONMENT` already point there.
    pub prepare: Vec<Vec<String>>,
    /// Path that answers 200 once the service is ready.
    #[serde(default = "health")]
    pub health: String,
    /// Workloads the service implements.
    pub workloads: Vec<String>,
    /// What `WORKERS` counts in this stack.
    pub workers: WorkerKind,
    /// False for a variant that is tuned or follows an article's own peculiarities: shown, never ranked.
    #[serde(default = "yes")]
    pub ranked: bool,
    /// For a variant that is not ranked: what it does differently.
    pub differs: Option<String>,
    /// What the service leaves out that others do (for instance `response validation`), for the fairness sheet.
    #[serde(default)]
    pub skips: Vec<String>,
    /// Handler files, relative to the folder, copied into a run's `sources/`.
    pub sources: Vec<String>,
    /// Named ways to serve it; an experiment chooses one, `default` unless it says otherwise.
    pub launch: BTreeMap<String, Launch>,
}

/// One way to start the service. It reads its settings from the environment (`PORT`, `WORKERS`, …).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// Program and arguments, started in the stack's folder.
    pub command: Vec<String>,
    /// Environment this mode needs besides what every service is given.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// What one unit of `WORKERS` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WorkerKind {
    /// A process of its own, with its share of the connection pool.
    Processes,
    /// A thread of one process that shares one pool.
    Threads,
}

fn health() -> String {
    "/health".to_owned()
}

fn yes() -> bool {
    true
}
