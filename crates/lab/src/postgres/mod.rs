//! PostgreSQL: a private server found or fetched and run below the guardian, or an external one; databases
//! built once per workload as templates, and restored from them.

mod error;

use std::collections::BTreeMap;
use std::path::PathBuf;

pub use error::PostgresError;

use crate::supervise::Supervisor;

/// Where the server comes from and where it may run.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The project's cache folder: fetched programs and the cluster.
    pub cache: PathBuf,
    /// The checkout.
    pub root: PathBuf,
    /// Folder of server programs to use instead of searching.
    pub bin: Option<PathBuf>,
    /// `DATABASE_URL`: a server to use instead of a private one.
    pub external_url: Option<String>,
    /// `max_connections` of the private server.
    pub max_connections: u32,
    /// CPUs the server may run on; empty: any.
    pub cpus: Vec<u32>,
}

/// A running server.
#[derive(Debug)]
pub struct Postgres {
    version: String,
    settings: BTreeMap<String, String>,
}

impl Postgres {
    /// Starts or connects.
    ///
    /// # Errors
    /// When there is none.
    pub fn start(
        _supervisor: &Supervisor,
        _settings: &Settings,
        _notice: &mut dyn FnMut(String),
    ) -> Result<Postgres, PostgresError> {
        Err(PostgresError::NoServer {
            reason: "not yet".to_owned(),
        })
    }

    /// Builds a workload's template unless it is there, from these SQL files in order.
    ///
    /// # Errors
    /// When a statement fails.
    pub fn build_template(
        &mut self,
        _workload: &str,
        _sql: &[PathBuf],
    ) -> Result<(), PostgresError> {
        Ok(())
    }

    /// Makes a database afresh from a workload's template, and returns the `DATABASE_URL` for a service.
    ///
    /// # Errors
    /// When the template is missing or the server refuses.
    pub fn restore(
        &mut self,
        database: &str,
        _workload: &str,
        _connection_limit: Option<u32>,
    ) -> Result<String, PostgresError> {
        Ok(database.to_owned())
    }

    /// Drops a database made by [`Postgres::restore`], with its connections.
    ///
    /// # Errors
    /// When the server refuses.
    pub fn drop_database(&mut self, _database: &str) -> Result<(), PostgresError> {
        Ok(())
    }

    /// Connections the server takes.
    pub fn max_connections(&self) -> u32 {
        0
    }

    /// Of these, how many are reserved for superusers.
    pub fn reserved_connections(&self) -> u32 {
        0
    }

    /// "18.6".
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Settings that matter to a measurement, by name.
    pub fn settings(&self) -> &BTreeMap<String, String> {
        &self.settings
    }

    /// Process id of the private server.
    pub fn pid(&self) -> Option<u32> {
        None
    }

    /// Writes all dirty pages now, so that it does not happen inside a window. An external server that does
    /// not allow it is left alone.
    ///
    /// # Errors
    /// When the server is gone.
    pub fn checkpoint(&mut self) -> Result<(), PostgresError> {
        Ok(())
    }

    /// Statements executed and rows returned or changed in a database so far; `None` without
    /// `pg_stat_statements`.
    pub fn statements(&mut self, _database: &str) -> Option<(u64, u64)> {
        None
    }

    /// Stops the private server.
    ///
    /// # Errors
    /// When it does not stop.
    pub fn stop(self) -> Result<(), PostgresError> {
        Ok(())
    }
}
