//! How many connections a service may have.
//!
//! Every service of a block has a database of its own on one server. Each is given what a server of its own
//! would give it: the usual `max_connections`, less those kept back, as the connection limit of its database.

use catalog::Experiment;

use crate::error::LabError;

/// `max_connections` that every service is given: PostgreSQL's own default.
pub const MAX_CONNECTIONS: u32 = 100;
/// Connections kept back from it: `superuser_reserved_connections`, PostgreSQL's own default.
pub const RESERVED_CONNECTIONS: u32 = 3;

/// Connections one service may have on the private server.
pub const CONNECTION_LIMIT: u32 = MAX_CONNECTIONS - RESERVED_CONNECTIONS;

/// `max_connections` of a private server that so many services share, with room for Bancada itself.
pub fn max_connections_for(services: usize) -> u32 {
    MAX_CONNECTIONS * (services as u32).max(1) + RESERVED_CONNECTIONS + 10
}

/// Refuses pools above what the database admits, before anything is started.
///
/// # Errors
/// File, line, key and the arithmetic, for every treatment that asks for too much.
pub fn check_pools(experiment: &Experiment) -> Result<(), LabError> {
    let faults = experiment.pool_faults(MAX_CONNECTIONS, RESERVED_CONNECTIONS);
    if faults.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    Err(LabError::Usage(lines.join("\n")))
}
