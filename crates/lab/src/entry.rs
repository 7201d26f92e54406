//! From a prepared stack to a treatment that can be started.

use catalog::Workload;

use crate::database;
use crate::error::LabError;
use crate::handler;
use crate::prepare::{PrepareError, Prepared, service_environment};
use crate::resolve::Chosen;
use crate::standin::Behaviour;
use crate::treatment::{DatabaseWork, Entry, Launchable, Origin, Question, close_header};
use crate::verify::Asked;

/// Value of the Host header in every request to a service that Bancada started.
const HOST: &str = "localhost";

/// The entry of a chosen treatment whose stack is prepared. Without `keep_alive` every request opens a connection.
///
/// # Errors
/// When the launch mode's program is not there.
pub fn of(chosen: &Chosen, prepared: &Prepared, keep_alive: bool) -> Result<Entry, LabError> {
    let failed = |error: PrepareError| LabError::Failed(error.to_string());
    let spec = prepared.launch(&chosen.manifest.launch).map_err(failed)?;
    let upstream = &chosen.workload.manifest.upstream;
    let has_database = !chosen.workload.manifest.database.is_empty();
    let mut treatment = chosen.treatment.clone();
    treatment.facts.extend(prepared.facts.clone());
    let workload = &chosen.workload.name;
    treatment
        .facts
        .extend(handler::facts(chosen.stack, workload));
    Ok(Entry {
        treatment,
        question: question(chosen, keep_alive)?,
        origin: Origin::Started(Box::new(Launchable {
            program: spec.program,
            args: spec.args,
            cwd: spec.cwd,
            env: service_environment(&spec.env, chosen.manifest),
            work: database_work(chosen),
            database: has_database.then(|| chosen.workload.name.clone()),
            connection_limit: database::connection_limit(chosen.manifest),
            database_settings: database::settings(chosen.manifest),
            overflow: database::overflow(chosen.manifest),
            upstream: upstream
                .clone()
                .map(|name| (name, Behaviour::of(&chosen.workload.manifest))),
        })),
    })
}

/// What the workload says of its own requests; of a treatment's other path or feed it says nothing.
fn database_work(chosen: &Chosen) -> DatabaseWork {
    if chosen.manifest.path.is_some() || chosen.manifest.feed.is_some() {
        return DatabaseWork::default();
    }
    let manifest = &chosen.workload.manifest;
    DatabaseWork {
        statements_per_request: manifest.statements_per_request,
        rows_per_request: manifest.rows_per_request,
    }
}

fn question(chosen: &Chosen, keep_alive: bool) -> Result<Question, LabError> {
    let asked = Asked::of(&asked_of(chosen, keep_alive), HOST)
        .map_err(|error| LabError::Usage(error.to_string()))?;
    let mut question = Question::of(asked, HOST);
    question.keep_alive = keep_alive;
    Ok(question)
}

/// The workload as this treatment is asked it.
fn asked_of(chosen: &Chosen, keep_alive: bool) -> Workload {
    let mut workload = chosen.workload.clone();
    let manifest = &mut workload.manifest;
    if let Some(path) = &chosen.manifest.path {
        manifest.path.clone_from(path);
        manifest.feed = None;
    }
    if let Some(feed) = &chosen.manifest.feed {
        manifest.feed = Some(feed.clone());
    }
    if !keep_alive {
        manifest.headers.extend([close_header()]);
    }
    workload
}
