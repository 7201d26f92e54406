//! How many connections a service may have.
//!
//! Every service of a block has a database of its own on one server. Each is given what a server of its own
//! would give it: the usual `max_connections`, less those kept back, as the connection limit of its database.

use catalog::{Experiment, pool_overflow};

use crate::error::LabError;
use crate::resolve::Chosen;

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
/// The arithmetic, with the treatment it is about.
pub fn check_pools(chosen: &[Chosen], experiment: &Experiment, _external: Option<&str>) -> Result<(), LabError> {
    for one in chosen {
        let Some(pool) = one.manifest.db_pool_size.filter(|_| !experiment.manifest.allow_pool_overflow) else { continue };
        pool_overflow(pool, MAX_CONNECTIONS, RESERVED_CONNECTIONS).map_err(
            |error| {
                let file = experiment.folder.join("experiment.toml");
                LabError::Usage(format!("{}: treatment {}: db_pool_size: {error}", file.display(), one.treatment.name))
            },
        )?;
    }
    Ok(())
}
