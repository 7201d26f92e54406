//! A treatment ready to be measured: what it is asked, what a good answer is, how it is started.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use load::{Answer, Expectation, Requests, StatusRule, Target};
use record::Treatment;

use crate::audit::Promise;
use crate::place::Placement;
use crate::standin::Behaviour;
use crate::supervise::Spec;
use crate::verify::Asked;

/// Header field of every request where a connection carries only one.
pub fn close_header() -> (String, String) {
    ("Connection".to_owned(), "close".to_owned())
}

/// The request that load sends, and what a good answer to it is.
#[derive(Clone, Debug)]
pub struct Question {
    /// The bytes of one request, for a first answer and for verification.
    pub request: Vec<u8>,
    /// What load sends.
    pub requests: Requests,
    /// Value of the Host header.
    pub host: String,
    /// What a good answer is.
    pub expectation: Expectation,
    /// Whether every request is the same, so that every answer may be expected to be.
    pub is_same: bool,
    /// Whether a connection carries more than one request.
    pub keep_alive: bool,
}

impl Question {
    /// What a workload asks. Until an answer was observed, only the status is expected.
    pub fn of(asked: Asked, host: &str) -> Question {
        Question {
            request: asked.request,
            requests: asked.requests,
            host: host.to_owned(),
            expectation: Expectation {
                status: asked.status,
                ..Expectation::default()
            },
            is_same: asked.is_same,
            keep_alive: true,
        }
    }

    /// The same request every time.
    pub fn same(request: Vec<u8>, host: &str, status: StatusRule) -> Question {
        Question::of(
            Asked {
                requests: Requests::same(request.clone()),
                request,
                status,
                is_same: true,
            },
            host,
        )
    }

    /// Whether a single answer is as good as load expects it. Bodies are compared by their length.
    pub fn is_met_by(&self, answer: &Answer) -> bool {
        let length = self
            .expectation
            .body_bytes
            .is_none_or(|wanted| wanted == answer.body.len() as u64);
        self.expectation.status.accepts(answer.status) && length
    }

    pub(crate) fn target(&self, addr: SocketAddr) -> Target {
        let mut target = Target::new(addr, self.host.clone(), self.requests.clone());
        target.expectation = self.expectation.clone();
        target.keep_alive = self.keep_alive;
        target
    }
}

/// A treatment with everything that is needed to measure it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// As it is recorded.
    pub treatment: Treatment,
    /// What it is asked.
    pub question: Question,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a service comes from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// It is started fresh for every trial.
    Started(Box<Launchable>),
    /// It was already running, and stays.
    Running(SocketAddr),
}

/// How a service is started.
#[derive(Clone, Debug)]
pub struct Launchable {
    /// Program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Folder it is started in.
    pub cwd: PathBuf,
    /// Environment, without what only a start knows (`PORT`, `DATABASE_URL`).
    pub env: BTreeMap<String, String>,
    /// What the workload says that one request costs the database.
    pub work: DatabaseWork,
    /// Workload whose database it reads; `None` without one.
    pub database: Option<String>,
    /// Connections its database takes.
    pub connection_limit: u32,
    /// Settings of its database, besides.
    pub database_settings: BTreeMap<String, String>,
    /// Why its pool is more than its database takes, where the experiment wants to see that.
    pub overflow: Option<String>,
    /// Upstream service it calls, and how the stand-in for it behaves; `None` without one.
    pub upstream: Option<(String, Behaviour)>,
}

/// Statements and rows of one request; `None` where the workload does not say.
#[derive(Clone, Copy, Debug, Default)]
pub struct DatabaseWork {
    /// SQL statements.
    pub statements_per_request: Option<f64>,
    /// Rows that they read or write.
    pub rows_per_request: Option<f64>,
}

impl Launchable {
    /// What the audit holds its figures against.
    pub fn promise(&self, treatment: &Treatment, placement: &Placement) -> Promise {
        let pool_size = treatment.settings.get("DB_POOL_SIZE");
        Promise {
            statements_per_request: self.work.statements_per_request,
            rows_per_request: self.work.rows_per_request,
            pool_size: pool_size.and_then(|size| size.parse().ok()),
            connection_limit: self.database.as_ref().map(|_| self.connection_limit),
            bench_cpus_count: placement.bench_cpus.len(),
        }
    }

    /// One start of it.
    pub fn spec(
        &self,
        name: &str,
        addr: SocketAddr,
        database_url: Option<String>,
        placement: &Placement,
        logs: &Path,
    ) -> Spec {
        let mut env = self.env.clone();
        env.insert("HOST".to_owned(), addr.ip().to_string());
        env.insert("PORT".to_owned(), addr.port().to_string());
        if let Some(url) = database_url {
            env.insert("DATABASE_URL".to_owned(), url);
        }
        Spec {
            name: name.to_owned(),
            program: self.program.clone(),
            args: self.args.clone(),
            cwd: self.cwd.clone(),
            env: env.into_iter().collect(),
            cpus: placement.service_cpus.clone(),
            user: None,
            log: logs.join(format!("service-{name}.log")),
        }
    }
}
