//! What a service's connections do in the server right now, over one connection of our own.

use std::sync::{Arc, Mutex, PoisonError};

use postgres::{Client, Config};

use super::admin::connect;
use crate::sample::process_cpu_ns;

/// Connections of one database at one instant, by what they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backends {
    /// All of them.
    pub total_count: u32,
    /// Running a statement, waiting within it or not.
    pub active_count: u32,
    /// Between two statements of a transaction.
    pub in_transaction_count: u32,
    /// Of the active: waiting for nothing, but perhaps for a CPU.
    pub running_count: u32,
    /// Of the active: waiting for a lock that another transaction holds.
    pub lock_count: u32,
    /// Of the active: waiting for a lock inside the server.
    pub lwlock_count: u32,
    /// Of the active: waiting for a disk.
    pub io_count: u32,
    /// Of the active: waiting for the client to send or to take.
    pub client_count: u32,
}

impl Backends {
    /// Connections that somebody has in hand.
    pub fn in_use_count(self) -> u32 {
        self.active_count + self.in_transaction_count
    }
}

/// Asks the server about one database. Clones share one connection, which is opened when it is first needed.
#[derive(Clone)]
pub struct Activity {
    database: String,
    counts_statements: bool,
    shared: Shared,
}

/// The connection of all [`Activity`] of a server.
#[derive(Clone)]
pub(super) struct Shared(Arc<Mutex<State>>);

struct State {
    config: Config,
    open: Option<Open>,
}

struct Open {
    client: Client,
    pid: u32,
}

const ACTIVITY: &str = "SELECT count(*), count(*) FILTER (WHERE state = 'active'),
    count(*) FILTER (WHERE state LIKE 'idle in transaction%'),
    count(*) FILTER (WHERE state = 'active' AND wait_event_type IS NULL),
    count(*) FILTER (WHERE state = 'active' AND wait_event_type = 'Lock'),
    count(*) FILTER (WHERE state = 'active' AND wait_event_type = 'LWLock'),
    count(*) FILTER (WHERE state = 'active' AND wait_event_type = 'IO'),
    count(*) FILTER (WHERE state = 'active' AND wait_event_type = 'Client')
    FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend' AND pid <> pg_backend_pid()";

/// Left out are transaction control, settings, and whatever asks the system catalogue or calls the server's own
/// functions (`pg_…`): drivers and pools send such on their own account.
pub(super) const STATEMENTS: &str =
    "SELECT coalesce(sum(calls), 0)::bigint, coalesce(sum(rows), 0)::bigint
    FROM pg_stat_statements AS seen JOIN pg_database AS base ON base.oid = seen.dbid
    WHERE base.datname = $1 AND seen.query ~* '^\\s*(select|insert|update|delete|merge|with)\\y'
      AND seen.query !~* '\\ypg_'";

impl Shared {
    pub(super) fn new(config: Config) -> Shared {
        Shared(Arc::new(Mutex::new(State { config, open: None })))
    }

    pub(super) fn activity(&self, database: String, counts_statements: bool) -> Activity {
        Activity {
            database,
            counts_statements,
            shared: self.clone(),
        }
    }

    /// Runs one query; a connection that was lost is opened anew the next time.
    fn ask(&self, query: &str, database: &str) -> Option<postgres::Row> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.open.is_none() {
            let mut client = connect(&state.config).ok()?;
            let pid: i32 = client
                .query_one("SELECT pg_backend_pid()", &[])
                .ok()?
                .get(0);
            state.open = Some(Open {
                client,
                pid: u32::try_from(pid).ok()?,
            });
        }
        let row = state
            .open
            .as_mut()
            .and_then(|open| open.client.query_one(query, &[&database]).ok());
        if row.is_none() {
            state.open = None;
        }
        row
    }
}

impl Activity {
    /// What the database's connections do now; `None` when the server cannot be asked.
    pub fn backends(&self) -> Option<Backends> {
        let row = self.shared.ask(ACTIVITY, &self.database)?;
        let count = |column| u32::try_from(row.get::<_, i64>(column)).unwrap_or(0);
        Some(Backends {
            total_count: count(0),
            active_count: count(1),
            in_transaction_count: count(2),
            running_count: count(3),
            lock_count: count(4),
            lwlock_count: count(5),
            io_count: count(6),
            client_count: count(7),
        })
    }

    /// Statements executed in the database so far, and rows they returned or changed; `None` without
    /// `pg_stat_statements`.
    pub fn statements(&self) -> Option<(u64, u64)> {
        if !self.counts_statements {
            return None;
        }
        let row = self.shared.ask(STATEMENTS, &self.database)?;
        let count = |column| u64::try_from(row.get::<_, i64>(column)).ok();
        Some((count(0)?, count(1)?))
    }

    /// CPU time that answering this connection took so far: none of the services'. `None` before it is open, and
    /// for a server that is not on this machine.
    pub fn own_cpu_ns(&self) -> Option<u64> {
        let state = self.shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        process_cpu_ns(state.open.as_ref()?.pid)
    }
}

impl std::fmt::Debug for Activity {
    /// Without the connection: its configuration may hold a password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Activity")
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}
