//! How many connections a service may have.
//!
//! Every service of a block has a database of its own on one server. Each is given what a server of its own
//! would give it: the usual `max_connections`, less those kept back, as the connection limit of its database.

use std::collections::BTreeMap;

use catalog::{Experiment, TreatmentManifest, pool_overflow};

use crate::error::LabError;

/// `max_connections` that every service is given: PostgreSQL's own default.
pub const MAX_CONNECTIONS: u32 = 100;
/// Connections kept back from it: `superuser_reserved_connections`, PostgreSQL's own default.
pub const RESERVED_CONNECTIONS: u32 = 3;

/// Connections that the database of a treatment takes: what a server of its own would leave it. A treatment's own
/// `max_connections` needs no server of its own, because the connection limit of its database is the same bound, met
/// with the same refusal (SQLSTATE 53300).
pub fn connection_limit(treatment: &TreatmentManifest) -> u32 {
    let max_connections = treatment.max_connections().unwrap_or(MAX_CONNECTIONS);
    max_connections.saturating_sub(RESERVED_CONNECTIONS)
}

/// Settings of a treatment's database besides `max_connections`.
pub fn settings(treatment: &TreatmentManifest) -> BTreeMap<String, String> {
    let settings = treatment.database_settings.iter();
    settings
        .filter(|(name, _)| *name != "max_connections")
        .map(|(name, value)| (name.clone(), value.to_string()))
        .collect()
}

/// Why a treatment's pool is more than its database takes; such a one runs only where the experiment allows it.
pub fn overflow(treatment: &TreatmentManifest) -> Option<String> {
    let max_connections = treatment.max_connections().unwrap_or(MAX_CONNECTIONS);
    pool_overflow(
        treatment.db_pool_size?,
        max_connections,
        RESERVED_CONNECTIONS,
    )
    .err()
    .map(|error| format!("{error}; allow_pool_overflow let it start"))
}

/// `max_connections` of a private server for services with these limits, of which so many are up at once, with
/// room for Bancada itself.
pub fn max_connections_for(mut limits: Vec<u32>, at_once: usize) -> u32 {
    limits.sort_unstable_by(|a, b| b.cmp(a));
    let together: u32 = limits.iter().take(at_once).sum();
    together + RESERVED_CONNECTIONS + 10
}

/// Refuses pools that together are more than an external server admits.
///
/// # Errors
/// The arithmetic.
pub fn check_sum(
    mut pools: Vec<(String, u32)>,
    at_once: usize,
    max_connections: u32,
    reserved: u32,
) -> Result<(), LabError> {
    pools.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    pools.truncate(at_once);
    let together: u32 = pools.iter().map(|(_, size)| size).sum();
    let left = max_connections.saturating_sub(reserved);
    if together <= left {
        return Ok(());
    }
    let sum: Vec<String> = pools
        .iter()
        .map(|(name, size)| format!("{name} {size}"))
        .collect();
    Err(LabError::Usage(format!(
        "the pools of the services that are up at once need {together} connections ({}), and the server admits {left} \
         ({max_connections} max_connections − {reserved} reserved or in use); make them smaller, raise max_connections \
         or say design = \"solo_trials\"",
        sum.join(" + ")
    )))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_room_for_the_largest_that_are_up_at_once() {
        assert_eq!(
            max_connections_for(vec![97, 197, 97], 9),
            97 + 197 + 97 + 13
        );
        assert_eq!(max_connections_for(vec![97, 197, 97], 1), 197 + 13);
    }

    #[test]
    fn pools_that_do_not_fit_together_are_refused_with_the_sum_and_fit_one_at_a_time() {
        let pools = || vec![("a".to_owned(), 60), ("b".to_owned(), 40)];
        let error = check_sum(pools(), 9, 100, 4).unwrap_err();
        assert!(error.is_usage());
        assert!(
            error
                .to_string()
                .contains("need 100 connections (a 60 + b 40), and the server admits 96")
        );
        assert!(check_sum(pools(), 1, 100, 4).is_ok());
        assert!(check_sum(pools(), 9, 104, 4).is_ok());
    }
}
