//! What a run needs before anything is measured: stacks that are prepared, and a database server.

use std::path::PathBuf;

use record::{Event, Skipped};

use crate::error::LabError;
use crate::experiment::Lab;
use crate::place::Placement;
use crate::postgres::{Postgres, PostgresError, Settings};
use crate::prepare::{PrepareError, Preparer, Progress};
use crate::resolve::Chosen;
use crate::treatment::{Entry, Origin};
use crate::{database, entry};

/// The word for PostgreSQL among what must not be skipped.
const POSTGRES: &str = "postgres";

impl Lab<'_> {
    /// Prepares the stacks. A treatment whose stack cannot be had on this machine is skipped.
    pub(crate) fn prepare(
        &mut self,
        chosen: &[Chosen],
        keep_alive: bool,
        skipped: &mut Vec<Skipped>,
    ) -> Result<Vec<Entry>, LabError> {
        let mut preparer = Preparer::new(self.supervisor, self.prepare.clone(), self.stop)?;
        let mut entries = Vec::new();
        for one in chosen {
            let mut tell = |progress: Progress| {
                if let Some(detail) = told(&one.stack.name, &progress) {
                    (self.tell)(Event::StepBegan {
                        step: "prepare".to_owned(),
                        detail,
                    });
                }
            };
            match preparer.prepare(one.stack, &mut tell) {
                Ok(prepared) => entries.push(entry::of(one, &prepared, keep_alive)?),
                Err(PrepareError::Skipped { reason, .. }) => {
                    (self.tell)(Event::Noticed {
                        message: format!("{} is skipped: {reason}", one.treatment.title),
                    });
                    skipped.push(Skipped {
                        treatment: one.treatment.name.clone(),
                        reason,
                    });
                }
                Err(error) => return Err(error.into()),
            }
        }
        some_left(&entries, skipped)?;
        Ok(entries)
    }

    /// Starts the database server, if a workload needs one. Where none can be had, the treatments that need
    /// it are skipped.
    pub(crate) fn start_postgres(
        &mut self,
        chosen: &[Chosen],
        entries: &mut Vec<Entry>,
        placement: &Placement,
        at_once: usize,
        skipped: &mut Vec<Skipped>,
    ) -> Result<Option<Postgres>, LabError> {
        let needs =
            |entry: &Entry| matches!(&entry.origin, Origin::Started(one) if one.database.is_some());
        if !entries.iter().any(needs) {
            return Ok(None);
        }
        (self.tell)(Event::StepBegan {
            step: "database".to_owned(),
            detail: "PostgreSQL".to_owned(),
        });
        let with_database = || {
            chosen
                .iter()
                .filter(|one| !one.workload.manifest.database.is_empty())
        };
        let mut limits: Vec<u32> = with_database()
            .map(|one| database::connection_limit(one.manifest))
            .collect();
        // The twin's.
        limits.extend(limits.iter().max().copied());
        let settings = Settings {
            cache: self.cache.clone(),
            root: self.root.clone(),
            bin: self.postgres_bin.clone(),
            external_url: self.database_url.clone(),
            max_connections: database::max_connections_for(limits, at_once),
            cpus: placement.bench_cpus.clone(),
            env: self.prepare.environment.clone().into_iter().collect(),
        };
        let mut notice = |message| (self.tell)(Event::Noticed { message });
        let mut postgres = match Postgres::start(self.supervisor, &settings, &mut notice) {
            Err(PostgresError::NoServer { reason }) if !self.is_required(POSTGRES) => {
                let without = entries.extract_if(.., |entry| needs(entry));
                skipped.extend(without.map(|entry| Skipped {
                    treatment: entry.treatment.name,
                    reason: format!("there is no PostgreSQL: {reason}"),
                }));
                return some_left(entries, skipped).map(|()| None);
            }
            started => started?,
        };
        if postgres.is_external() {
            let pools = with_database()
                .filter_map(|one| Some((one.treatment.name.clone(), one.manifest.db_pool_size?)))
                .collect();
            let reserved = postgres.reserved_connections();
            database::check_sum(pools, at_once, postgres.max_connections(), reserved)?;
        }
        let mut workloads: Vec<_> = with_database().map(|one| one.workload).collect();
        workloads.sort_by_key(|workload| &workload.name);
        workloads.dedup_by_key(|workload| &workload.name);
        for workload in workloads {
            let sql: Vec<PathBuf> = workload
                .manifest
                .database
                .iter()
                .map(|file| workload.folder.join(file))
                .collect();
            postgres.build_template(&workload.name, &sql)?;
        }
        Ok(Some(postgres))
    }

    fn is_required(&self, name: &str) -> bool {
        self.prepare.require.iter().any(|required| required == name)
    }
}

fn some_left(entries: &[Entry], skipped: &[Skipped]) -> Result<(), LabError> {
    if !entries.is_empty() {
        return Ok(());
    }
    let reasons: Vec<&str> = skipped
        .iter()
        .map(|skipped| skipped.reason.as_str())
        .collect();
    let reasons = reasons.join("; ");
    Err(LabError::Failed(format!(
        "no treatment can be measured on this machine: {reasons}"
    )))
}

/// A step of preparation in words; none for what a bar shows by moving.
fn told(stack: &str, progress: &Progress) -> Option<String> {
    match progress {
        Progress::Installing { tool } => Some(format!("{stack}: installing {tool}")),
        Progress::Command {
            line,
            number,
            count,
        } => Some(format!("{stack}: {line} ({number} of {count})")),
        Progress::Done { elapsed } => {
            Some(format!("{stack}: done in {:.0} s", elapsed.as_secs_f64()))
        }
        Progress::Running { .. } | Progress::UpToDate => None,
    }
}
