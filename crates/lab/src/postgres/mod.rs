//! PostgreSQL: a private server found or fetched and run below the guardian, or an external one; databases
//! built once per workload as templates, and restored from them.
//!
//! The private server listens on loopback only and trusts whoever can connect there; it holds nothing but
//! generated data. Services connect as a role without privileges, so that the connections which a server
//! reserves for superusers are not theirs.

mod activity;
mod admin;
mod cluster;
mod configuration;
mod error;
mod external;
mod fetch;
mod find;
mod home;
mod template;
mod unpack;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

pub use activity::{Activity, Backends};
pub use error::PostgresError;

use crate::supervise::Supervisor;
use admin::{Admin, identifier};
use cluster::Cluster;
use find::Programs;
use home::Home;

/// How every database that Bancada makes is called, also on an external server.
const PREFIX: &str = "bancada_";
/// The role that services connect as, on a private server.
const SERVICE_ROLE: &str = "bancada_service";
/// In place of a folder of programs: those that are fetched, even if others are installed.
const FETCHED: &str = "fetch";

/// Where the server comes from and where it may run.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The project's cache folder: fetched programs and the cluster.
    pub cache: PathBuf,
    /// The checkout.
    pub root: PathBuf,
    /// Folder of server programs to use instead of searching; the word `fetch`: the pinned ones, even if others
    /// are installed.
    pub bin: Option<PathBuf>,
    /// `DATABASE_URL`: a server to use instead of a private one.
    pub external_url: Option<String>,
    /// `max_connections` of the private server.
    pub max_connections: u32,
    /// CPUs the server may run on; empty: any.
    pub cpus: Vec<u32>,
    /// Bancada's own environment: `PATH` finds programs and package clients, which get all of it.
    pub env: Vec<(String, String)>,
}

impl Settings {
    /// A program on the `PATH`.
    fn on_path(&self, program: &str) -> Option<PathBuf> {
        let path = self
            .env
            .iter()
            .find_map(|(name, value)| (name == "PATH").then_some(value))?;
        std::env::split_paths(path)
            .map(|folder| folder.join(program))
            .find(|file| file.is_file())
    }
}

/// A running server.
pub struct Postgres {
    admin: Admin,
    place: Place,
    version: String,
    settings: BTreeMap<String, String>,
    max_connections: u32,
    reserved_connections: u32,
    counts_statements: bool,
    watching: activity::Shared,
}

enum Place {
    Private(Box<Cluster>),
    External { url: String },
}

impl Postgres {
    /// Starts a private server, or connects to the external one. `notice` hears what a user should know.
    ///
    /// # Errors
    /// When there are no programs, the server does not start, or the external one cannot be used; each says why.
    pub fn start(
        supervisor: &Supervisor,
        settings: &Settings,
        notice: &mut dyn FnMut(String),
    ) -> Result<Postgres, PostgresError> {
        let (mut admin, place) = match &settings.external_url {
            Some(url) => (external::open(url)?, Place::External { url: url.clone() }),
            None => {
                let home = Home::choose(&settings.cache, &settings.root)?;
                let programs = programs(supervisor, &home, settings, notice)?;
                let cluster = Cluster::start(
                    supervisor,
                    &home,
                    programs,
                    settings.max_connections,
                    &settings.cpus,
                    notice,
                )?;
                (
                    Admin::new(cluster.config()),
                    Place::Private(Box::new(cluster)),
                )
            }
        };
        if let Place::Private(_) = place {
            make_role(&mut admin)?;
        }
        let mut client = admin.connect()?;
        let asked = PostgresError::sql("read its settings");
        let said = || -> Result<_, postgres::Error> {
            let version: String = client.query_one("SHOW server_version", &[])?.get(0);
            let (max, reserved) = configuration::connections(&mut client)?;
            Ok((
                version,
                max,
                reserved,
                configuration::recorded(&mut client)?,
            ))
        }();
        let (version, max_connections, reserved, settings) = said.map_err(asked)?;
        if let Place::Private(_) = place {
            // Fails where the build does not bring it; the question after it then fails too.
            let _ = client.batch_execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
        }
        let counts_statements = client
            .batch_execute("SELECT 1 FROM pg_stat_statements LIMIT 1")
            .is_ok();
        let kept = u32::from(matches!(place, Place::External { .. }));
        Ok(Postgres {
            watching: activity::Shared::new(admin.config()),
            admin,
            place,
            version: version
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .to_owned(),
            settings,
            max_connections,
            reserved_connections: reserved + kept,
            counts_statements,
        })
    }

    /// Starts the private server again, on its data, if it was killed; whether that was so. Connections of services
    /// are lost then.
    ///
    /// # Errors
    /// When it does not start.
    pub fn revive(&mut self, supervisor: &Supervisor) -> Result<bool, PostgresError> {
        let Place::Private(cluster) = &mut self.place else {
            return Ok(false);
        };
        let revived = cluster.revive(supervisor)?;
        self.admin = Admin::new(cluster.config());
        self.watching = activity::Shared::new(self.admin.config());
        Ok(revived)
    }

    /// Builds a workload's template unless it is there, from these SQL files in order.
    ///
    /// # Errors
    /// When a file cannot be read or a statement fails, with file and line.
    pub fn build_template(&mut self, workload: &str, sql: &[PathBuf]) -> Result<(), PostgresError> {
        let source = template::Source::read(sql)?;
        let owner = self.owner();
        template::build(&mut self.admin, workload, &source, owner)
    }

    /// Makes a database afresh from a workload's template, and returns the `DATABASE_URL` for a service. Whoever is
    /// connected to an earlier one of this name is thrown out. `connection_limit`: how many may connect at a time.
    ///
    /// # Errors
    /// When the template is missing or the server refuses.
    pub fn restore(
        &mut self,
        database: &str,
        workload: &str,
        connection_limit: Option<u32>,
    ) -> Result<String, PostgresError> {
        let database = template::database_name(database);
        let owner = self.owner();
        template::restore(
            &mut self.admin,
            &database,
            workload,
            owner,
            connection_limit,
        )?;
        Ok(match &self.place {
            // Drivers differ in what they do when TLS is neither asked for nor forbidden.
            Place::Private(cluster) => {
                format!(
                    "postgresql://{SERVICE_ROLE}@127.0.0.1:{}/{database}?sslmode=disable",
                    cluster.port()
                )
            }
            Place::External { url } => external::url_of(url, &database),
        })
    }

    /// Gives a database made by [`Postgres::restore`] settings of its own, which its sessions start with.
    ///
    /// # Errors
    /// When the server refuses one: some can only be set for all of a server.
    pub fn configure(
        &mut self,
        database: &str,
        settings: &BTreeMap<String, String>,
    ) -> Result<(), PostgresError> {
        let name = template::database_name(database);
        template::configure(&mut self.admin, &name, settings.iter())
    }

    /// Whether it is a server that was there before.
    pub fn is_external(&self) -> bool {
        matches!(self.place, Place::External { .. })
    }

    /// Drops a database made by [`Postgres::restore`], with its connections.
    ///
    /// # Errors
    /// When the server refuses.
    pub fn drop_database(&mut self, database: &str) -> Result<(), PostgresError> {
        template::drop_database(&mut self.admin, &template::database_name(database))
    }

    /// Connections the server takes.
    pub fn max_connections(&self) -> u32 {
        self.max_connections
    }

    /// Of these, how many services cannot have: reserved by the server, and the one that Bancada itself holds on an
    /// external server.
    pub fn reserved_connections(&self) -> u32 {
        self.reserved_connections
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
        match &self.place {
            Place::Private(cluster) => cluster.pid(),
            Place::External { .. } => None,
        }
    }

    /// Process ids of the server's processes that answer one database's connections now; none for an external server.
    ///
    /// # Errors
    /// When the server is gone.
    pub fn backends(&mut self, database: &str) -> Result<Vec<u32>, PostgresError> {
        if self.pid().is_none() {
            return Ok(Vec::new());
        }
        let query = "SELECT pid FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend' ORDER BY pid";
        let name = template::database_name(database);
        let rows = self.admin.connect()?.query(query, &[&name]);
        let rows = rows.map_err(PostgresError::sql("read pg_stat_activity"))?;
        Ok(rows
            .iter()
            .filter_map(|row| u32::try_from(row.get::<_, i32>(0)).ok())
            .collect())
    }

    /// A way to look at a service's database while it is under load. All of them share one connection.
    pub fn activity(&self, database: &str) -> Activity {
        self.watching
            .activity(template::database_name(database), self.counts_statements)
    }

    /// Writes all dirty pages now, so that it does not happen inside a window. An external server that does
    /// not allow it is left alone.
    ///
    /// # Errors
    /// When the server is gone.
    pub fn checkpoint(&mut self) -> Result<(), PostgresError> {
        match (self.admin.execute("CHECKPOINT"), &self.place) {
            (Err(_), Place::External { .. }) => self.admin.execute("SELECT 1"),
            (result, _) => result,
        }
    }

    /// Statements executed and rows returned or changed in a database so far; `None` without
    /// `pg_stat_statements`. Left out are transaction control, settings, and whatever asks the system catalogue
    /// or calls the server's own functions (`pg_…`): drivers and pools send such on their own account.
    pub fn statements(&mut self, database: &str) -> Option<(u64, u64)> {
        if !self.counts_statements {
            return None;
        }
        let name = template::database_name(database);
        let row = self
            .admin
            .connect()
            .ok()?
            .query_one(activity::STATEMENTS, &[&name])
            .ok()?;
        let count = |column| u64::try_from(row.get::<_, i64>(column)).ok();
        Some((count(0)?, count(1)?))
    }

    /// Has the server count how often it plans statements of connections to a database that are opened from now on.
    /// It costs time, so not where anything is measured. An external server that does not allow it counts none.
    pub fn count_plans(&mut self, database: &str) {
        let database = identifier(&template::database_name(database));
        let setting = "pg_stat_statements.track_planning = on";
        let _ = self
            .admin
            .execute(&format!("ALTER DATABASE {database} SET {setting}"));
    }

    /// How often statements, of the kind that [`Postgres::statements`] counts, were planned in a database so far;
    /// `None` where that is not counted.
    pub fn plans(&mut self, database: &str) -> Option<u64> {
        if !self.counts_statements {
            return None;
        }
        let query = "SELECT CASE WHEN EXISTS (SELECT FROM pg_db_role_setting AS own
                JOIN pg_database AS base ON base.oid = own.setdatabase
                WHERE base.datname = $1 AND 'pg_stat_statements.track_planning=on' = ANY(own.setconfig))
              THEN coalesce(sum(plans), 0)::bigint END
            FROM pg_stat_statements AS seen JOIN pg_database AS base ON base.oid = seen.dbid
            WHERE base.datname = $1 AND seen.query ~* '^\\s*(select|insert|update|delete|merge|with)\\y'
              AND seen.query !~* '\\ypg_'";
        let name = template::database_name(database);
        let row = self.admin.connect().ok()?.query_one(query, &[&name]).ok()?;
        u64::try_from(row.get::<_, Option<i64>>(0)?).ok()
    }

    /// Stops the private server; an external one is left as it is, with the databases that were made there.
    ///
    /// # Errors
    /// When it does not stop.
    pub fn stop(mut self) -> Result<(), PostgresError> {
        match &mut self.place {
            Place::Private(cluster) => cluster.stop(),
            Place::External { .. } => Ok(()),
        }
    }

    fn owner(&self) -> Option<&'static str> {
        matches!(self.place, Place::Private(_)).then_some(SERVICE_ROLE)
    }
}

impl fmt::Debug for Postgres {
    /// Without the URL of an external server: it may hold a password.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Postgres")
            .field("version", &self.version)
            .field("pid", &self.pid())
            .finish_non_exhaustive()
    }
}

/// Version and folder of the server programs on this machine that a private server would be run from.
///
/// # Errors
/// Why each place that was looked at gives none.
pub fn installed(supervisor: &Supervisor, settings: &Settings) -> Result<String, String> {
    let home = Home::choose(&settings.cache, &settings.root).map_err(|error| error.to_string())?;
    let found = match &settings.bin {
        Some(bin) => find::given(supervisor, &home, bin).map_err(|error| error.to_string())?,
        None => find::find(supervisor, &home, settings)?,
    };
    Ok(format!(
        "PostgreSQL {} ({})",
        found.version,
        found.bin.display()
    ))
}

/// The programs that were named, else installed ones, else fetched ones.
fn programs(
    supervisor: &Supervisor,
    home: &Home,
    settings: &Settings,
    notice: &mut dyn FnMut(String),
) -> Result<Programs, PostgresError> {
    let searched = match &settings.bin {
        Some(bin) if bin.as_os_str() != FETCHED => return find::given(supervisor, home, bin),
        Some(_) => Err("installed ones were not asked for".to_owned()),
        None => find::find(supervisor, home, settings),
    };
    let not_found = match searched {
        Ok(programs) => return Ok(programs),
        Err(reason) => reason,
    };
    match fetch::fetch(supervisor, home, settings, notice) {
        Ok(bin) => find::given(supervisor, home, &bin),
        Err(PostgresError::NoServer { reason }) => Err(PostgresError::NoServer {
            reason: format!("{not_found}; {reason}"),
        }),
        Err(error) => Err(error),
    }
}

/// The role without privileges, unless an earlier run made it.
fn make_role(admin: &mut Admin) -> Result<(), PostgresError> {
    let query = "SELECT 1 FROM pg_roles WHERE rolname = $1";
    let found = admin
        .connect()?
        .query_opt(query, &[&SERVICE_ROLE])
        .map_err(PostgresError::sql("read pg_roles"))?;
    match found {
        Some(_) => Ok(()),
        None => admin.execute(&format!("CREATE ROLE {} LOGIN", identifier(SERVICE_ROLE))),
    }
}
