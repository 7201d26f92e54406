//! From a prepared stack to a treatment that can be started.

use crate::error::LabError;
use crate::prepare::{PrepareError, Prepared, service_environment};
use crate::resolve::Chosen;
use crate::standin::Behaviour;
use crate::treatment::{DatabaseWork, Entry, Launchable, Origin, Question};
use crate::verify::Asked;

/// Value of the Host header in every request to a service that Bancada started.
const HOST: &str = "localhost";

/// The entry of a chosen treatment whose stack is prepared.
///
/// # Errors
/// When the launch mode's program is not there.
pub fn of(chosen: &Chosen, prepared: &Prepared) -> Result<Entry, LabError> {
    let failed = |error: PrepareError| LabError::Failed(error.to_string());
    let spec = prepared.launch(&chosen.manifest.launch).map_err(failed)?;
    let upstream = &chosen.workload.manifest.upstream;
    let has_database = !chosen.workload.manifest.database.is_empty();
    let mut treatment = chosen.treatment.clone();
    treatment.facts.extend(prepared.facts.clone());
    Ok(Entry {
        treatment,
        question: question(chosen)?,
        origin: Origin::Started(Box::new(Launchable {
            program: spec.program,
            args: spec.args,
            cwd: spec.cwd,
            env: service_environment(&spec.env, chosen.manifest),
            work: DatabaseWork {
                statements_per_request: chosen.workload.manifest.statements_per_request,
                rows_per_request: chosen.workload.manifest.rows_per_request,
            },
            database: has_database.then(|| chosen.workload.name.clone()),
            upstream: upstream
                .clone()
                .map(|name| (name, Behaviour::of(&chosen.workload.manifest))),
        })),
    })
}

fn question(chosen: &Chosen) -> Result<Question, LabError> {
    let asked =
        Asked::of(chosen.workload, HOST).map_err(|error| LabError::Usage(error.to_string()))?;
    Ok(Question::of(asked, HOST))
}
