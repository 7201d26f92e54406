//! Settings of the server: what a private one is started with, and what a record says of any.

use std::collections::BTreeMap;

use postgres::Client;

/// What a private server is started with, besides the defaults.
///
/// `fsync` is off: the data is generated and can be built again, restoring a database for every start would wait
/// for the disk 300 times, and the disk's flushes would be noise in a comparison of services. A killed server loses
/// nothing by it; what a crash of the machine left is not used. Work in the background that would fall into one
/// window and not into another is moved between windows: vacuum runs when a template is built, a checkpoint when
/// the protocol asks for it.
pub(super) fn private(
    port: u16,
    max_connections: u32,
    count_statements: bool,
) -> Vec<(&'static str, String)> {
    let mut settings = vec![
        ("listen_addresses", "127.0.0.1".to_owned()),
        ("port", port.to_string()),
        // The path of a socket is short, that of a cache folder need not be.
        ("unix_socket_directories", String::new()),
        ("max_connections", max_connections.to_string()),
        ("shared_buffers", "128MB".to_owned()),
        ("fsync", "off".to_owned()),
        ("synchronous_commit", "on".to_owned()),
        ("autovacuum", "off".to_owned()),
        ("checkpoint_timeout", "1h".to_owned()),
        ("max_wal_size", "4GB".to_owned()),
        ("logging_collector", "off".to_owned()),
        ("log_checkpoints", "off".to_owned()),
        ("lc_messages", "C".to_owned()),
        ("timezone", "UTC".to_owned()),
    ];
    if count_statements {
        settings.push(("shared_preload_libraries", "pg_stat_statements".to_owned()));
        settings.push(("pg_stat_statements.track_utility", "off".to_owned()));
        settings.push(("pg_stat_statements.save", "off".to_owned()));
    }
    settings
}

/// Recorded whatever they are.
const ALWAYS: [&str; 12] = [
    "autovacuum",
    "checkpoint_timeout",
    "effective_cache_size",
    "fsync",
    "full_page_writes",
    "jit",
    "max_connections",
    "max_wal_size",
    "shared_buffers",
    "shared_preload_libraries",
    "synchronous_commit",
    "work_mem",
];

/// Not recorded: they change with every start, or tell of the machine's folders.
const NEVER: [&str; 5] = [
    "listen_addresses",
    "port",
    "unix_socket_directories",
    "application_name",
    "client_encoding",
];

/// The settings of a server that matter to a measurement: some always, others where they are not the default.
pub(super) fn recorded(client: &mut Client) -> Result<BTreeMap<String, String>, postgres::Error> {
    let query = "SELECT name, current_setting(name) FROM pg_settings
        WHERE (name = ANY($1) OR source IN ('command line', 'configuration file', 'global', 'database', 'user'))
          AND name <> ALL($2) AND category !~ '^(File Locations|Reporting and Logging|Client Connection Defaults / Locale)'
          AND current_setting(name) NOT LIKE '%/%'";
    let rows = client.query(query, &[&ALWAYS.as_slice(), &NEVER.as_slice()])?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// `max_connections`, and how many of them only superusers and reserved roles may use.
pub(super) fn connections(client: &mut Client) -> Result<(u32, u32), postgres::Error> {
    // Version 16 brought the second kind of reservation.
    let query = "SELECT current_setting('max_connections')::bigint,
        current_setting('superuser_reserved_connections')::bigint
        + coalesce(current_setting('reserved_connections', true)::bigint, 0)";
    let row = client.query_one(query, &[])?;
    let count = |column| u32::try_from(row.get::<_, i64>(column)).unwrap_or(0);
    Ok((count(0), count(1)))
}
