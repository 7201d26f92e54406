//! One stack held against the contract of one workload, from start to stop.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::time::Duration;

use catalog::{TreatmentManifest, Workload};

use super::asked::Asked;
use super::behaviour::check_behaviour;
use super::contract::{CaseResult, check_cases, check_contract};
use super::differential::{self, Reply};
use super::ready::wait_ready;
use super::work::{self, Work};
use crate::postgres::{Postgres, PostgresError};
use crate::prepare::{PrepareError, Prepared, service_environment};
use crate::standin::{Behaviour, StandIn, StandInError};
use crate::supervise::{Child, Spec, SuperviseError, Supervisor};

/// Longest wait for a service to say that it is ready.
const READY_WITHIN: Duration = Duration::from_secs(60);
/// Time a service has to stop by itself after SIGTERM.
const STOP_GRACE: Duration = Duration::from_secs(5);
/// How long after a wrong answer the service's own end may become known.
const NEWS_WITHIN: Duration = Duration::from_secs(2);
/// Connections of the service: enough for what a contract asks, one after the other.
const POOL: u32 = 4;
/// Value of the Host header where it does not matter.
const HOST: &str = "localhost";
/// Lines of a service's own output that a message repeats.
const LOG_LINES: usize = 3;

/// How a stack did on a workload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellResult {
    /// The cases, as far as the service got.
    pub cases: Vec<CaseResult>,
    /// What was wrong with the service beyond its answers: not ready, ended, did not stop.
    pub broken: Vec<String>,
    /// What one request costs the database, where that was counted.
    pub work: Option<Work>,
    /// What could not be checked, and why.
    pub not_checked: Vec<String>,
    /// Replies to the requests of the differential check, in their order; none where the cases failed.
    pub replies: Vec<Reply>,
}

impl CellResult {
    /// Whether everything was right.
    pub fn passed(&self) -> bool {
        self.broken.is_empty()
            && !self.cases.is_empty()
            && self.cases.iter().all(|case| case.passed)
    }

    /// Sends what all services of the workload are compared by. A failure is one whatever the others do.
    fn compare(&mut self, addr: SocketAddr, workload: &Workload) {
        let drawn = differential::draw(workload);
        self.replies = differential::replies(addr, &drawn);
        let failed = differential::failures(&drawn, &self.replies);
        self.cases.push(CaseResult {
            name: "no drawn request makes it fail".to_owned(),
            passed: failed.is_empty(),
            detail: failed.join("; "),
        });
    }
}

/// Why a stack could not be tried at all.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// Its program is not there.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// It could not be started or stopped.
    #[error(transparent)]
    Supervise(#[from] SuperviseError),
    /// Its database could not be made.
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    /// The upstream that the workload calls could not be stood in for.
    #[error(transparent)]
    StandIn(#[from] StandInError),
    /// The workload has a database, and there is no server.
    #[error("{0} has a database, and there is no PostgreSQL")]
    NoDatabase(String),
    /// No port for it.
    #[error("there is no free port on 127.0.0.1: {0}")]
    Port(io::Error),
}

/// Starts the service on a database of its own, holds it against the contract, and stops it.
///
/// `postgres` must hold the workload's template where the workload has a database.
///
/// # Errors
/// When the bench fails. What the service does wrong is in the result.
pub fn verify_cell(
    supervisor: &Supervisor,
    mut postgres: Option<&mut Postgres>,
    prepared: &Prepared,
    workload: &Workload,
    launch: &str,
    logs: &Path,
) -> Result<CellResult, VerifyError> {
    let addr = free_addr().map_err(VerifyError::Port)?;
    let database = format!("verify {}", prepared.stack.name);
    let database_url = match (
        workload.manifest.database.is_empty(),
        postgres.as_deref_mut(),
    ) {
        (true, _) => None,
        (false, Some(postgres)) => {
            let url = postgres.restore(&database, &workload.name, None)?;
            postgres.count_plans(&database);
            Some(url)
        }
        (false, None) => return Err(VerifyError::NoDatabase(workload.name.clone())),
    };
    let start = prepared.launch(launch)?;
    let has_database = database_url.is_some();
    let mut env = service_environment(
        &start.env,
        &treatment(prepared, workload, launch, has_database),
    );
    env.insert("HOST".to_owned(), addr.ip().to_string());
    env.insert("PORT".to_owned(), addr.port().to_string());
    env.extend(database_url.map(|url| ("DATABASE_URL".to_owned(), url)));
    let upstream = workload.manifest.upstream.as_deref();
    let standin = upstream.map(|name| StandIn::start(name, Behaviour::default()));
    let standin = standin.transpose()?;
    env.extend(standin.as_ref().map(StandIn::variable));
    let name = format!("{} on {}", prepared.stack.name, workload.name);
    let child = supervisor.spawn(&Spec {
        log: logs.join(format!(
            "verify-{}-{}.log",
            prepared.stack.name, workload.name
        )),
        program: start.program,
        args: start.args,
        cwd: start.cwd,
        env: env.into_iter().collect(),
        name,
        ..Spec::default()
    })?;
    let mut result = examine(&child, addr, prepared, workload);
    if let (Some(postgres), true) = (postgres, has_database && result.passed()) {
        count_work(&mut result, postgres, &database, addr, workload);
    }
    // Nobody is held against a service that is never ranked, and some of these answer bad requests never.
    if result.passed() && prepared.stack.manifest.ranked {
        result.compare(addr, workload);
    }
    // News of an end takes a moment, and an end explains a wrong answer.
    let ended = match result.cases.iter().all(|case| case.passed) {
        true => child.exited(),
        false => child.wait(NEWS_WITHIN),
    };
    let stopped = child.stop(STOP_GRACE)?;
    if let (Some(how), true) = (&ended, result.broken.is_empty()) {
        result.broken.push(format!(
            "it ended while it was asked ({how}){}",
            printed(&child)
        ));
    }
    if ended.is_none() && !stopped.in_time {
        result.broken.push(format!(
            "it did not stop within {} s of SIGTERM",
            STOP_GRACE.as_secs()
        ));
    }
    if !stopped.left_behind.is_empty() {
        let count = stopped.left_behind.len();
        result.broken.push(format!(
            "it left {count} process(es) behind that had left its group"
        ));
    }
    Ok(result)
}

/// The contract and the bad input; of a ranked stack also how it speaks HTTP, where an answer is always the same.
fn examine(
    child: &Child,
    addr: SocketAddr,
    prepared: &Prepared,
    workload: &Workload,
) -> CellResult {
    let mut result = CellResult::default();
    if let Err(not_ready) = wait_ready(
        addr,
        &prepared.stack.manifest.health,
        READY_WITHIN,
        &mut || child.exited(),
    ) {
        result.broken.push(format!("{not_ready}{}", printed(child)));
        return result;
    }
    result.cases = check_contract(addr, &workload.contract, &workload.folder);
    result
        .cases
        .extend(check_cases(addr, &workload.bad_input, &workload.folder));
    if !prepared.stack.manifest.ranked || !workload.manifest.database.is_empty() {
        return result;
    }
    match Asked::of(workload, HOST) {
        Ok(asked) => result.cases.extend(check_behaviour(addr, &asked.request)),
        Err(error) => result.broken.push(error.to_string()),
    }
    result
}

fn count_work(
    result: &mut CellResult,
    postgres: &mut Postgres,
    database: &str,
    addr: SocketAddr,
    workload: &Workload,
) {
    let asked = Asked::of(workload, HOST).map_err(|error| error.to_string());
    match asked.and_then(|asked| work::measure(postgres, database, addr, &asked.requests)) {
        Ok(work) => {
            result.cases.push(work.case(workload));
            result.work = Some(work);
        }
        Err(reason) => result.not_checked.push(format!("database work: {reason}")),
    }
}

/// One worker, and a pool where there is a database.
fn treatment(
    prepared: &Prepared,
    workload: &Workload,
    launch: &str,
    has_database: bool,
) -> TreatmentManifest {
    TreatmentManifest {
        name: "verify".to_owned(),
        stack: prepared.stack.name.clone(),
        workload: workload.name.clone(),
        launch: launch.to_owned(),
        workers: 1,
        db_pool_size: has_database.then_some(POOL),
        db_pool_idle: None,
        env: BTreeMap::new(),
        path: None,
        feed: None,
        database_settings: BTreeMap::new(),
        after: None,
    }
}

/// The last lines of the service's output as the end of a sentence, with the file that has them all.
fn printed(child: &Child) -> String {
    match child.log_tail(LOG_LINES) {
        lines if lines.is_empty() => String::new(),
        lines => format!(": {} [{}]", lines.join(" | "), child.log().display()),
    }
}

fn free_addr() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}
