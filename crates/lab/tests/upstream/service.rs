//! A service of this checkout, started on a database of its own and a stand-in for its upstream.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use catalog::{Catalog, Stack, TreatmentManifest, Workload};
use lab::postgres::{self, Postgres, PostgresError};
use lab::prepare::{PrepareError, Prepared, Preparer, Settings, service_environment};
use lab::standin::{Behaviour, StandIn};
use lab::supervise::{Child, Spec, Supervisor};
use lab::verify::wait_ready;
use load::{Answer, exchange, request_bytes};

/// No answer is waited for longer: whatever a service waits for, its own limits are far shorter.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);
const READY_WITHIN: Duration = Duration::from_secs(60);
const STOP_GRACE: Duration = Duration::from_secs(5);
/// Connections of a whole service.
pub const POOL: u32 = 4;

/// The checkout that this test belongs to.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the checkout")
}

fn required() -> Vec<String> {
    let names = env::var("BANCADA_REQUIRE").unwrap_or_default();
    names
        .split(',')
        .map(|name| name.trim().to_owned())
        .collect()
}

/// What all services share.
pub struct Bench<'a> {
    pub supervisor: &'a Supervisor,
    pub postgres: Postgres,
    pub logs: PathBuf,
}

impl<'a> Bench<'a> {
    /// `None`, said aloud, on a machine without PostgreSQL where that is allowed.
    pub fn new(supervisor: &'a Supervisor, logs: &Path) -> Option<Bench<'a>> {
        let settings = postgres::Settings {
            cache: root().join(".bancada"),
            root: root(),
            max_connections: 50,
            env: env::vars().collect(),
            ..postgres::Settings::default()
        };
        match Postgres::start(supervisor, &settings, &mut |_| {}) {
            Err(PostgresError::NoServer { reason })
                if !required().contains(&"postgres".to_owned()) =>
            {
                eprintln!("skipped: {reason}");
                None
            }
            started => Some(Bench {
                supervisor,
                postgres: started.expect("a server"),
                logs: logs.to_owned(),
            }),
        }
    }

    /// Every stack that keeps the ranked contract of a workload with that upstream, prepared.
    pub fn prepared(&self, catalog: &Catalog, upstream: &str) -> Vec<(Prepared, Workload)> {
        let has_upstream =
            |workload: &&Workload| workload.manifest.upstream.as_deref() == Some(upstream);
        let served = |stack: &Stack| {
            let mut workloads = catalog.workloads.iter().filter(has_upstream);
            workloads
                .find(|workload| stack.manifest.workloads.contains(&workload.name))
                .cloned()
        };
        let settings = Settings {
            cache: root().join(".bancada"),
            environment: env::vars().collect(),
            python: env::var_os("BANCADA_PYTHON").map(PathBuf::from),
            require: required(),
        };
        let stop = AtomicBool::new(false);
        let mut preparer = Preparer::new(self.supervisor, settings, &stop).expect("a cache");
        let ranked = catalog.stacks.iter().filter(|stack| stack.manifest.ranked);
        let mut prepared = Vec::new();
        for (stack, workload) in ranked.filter_map(|stack| Some((stack, served(stack)?))) {
            match preparer.prepare(stack, &mut |_| {}) {
                Ok(one) => prepared.push((one, workload)),
                Err(PrepareError::Skipped { reason, .. }) => {
                    eprintln!("skipped: {}: {reason}", stack.name);
                }
                Err(error) => panic!("{}: {error}", stack.name),
            }
        }
        prepared
    }

    /// Starts a service in a launch mode with a number of workers.
    pub fn start(
        &mut self,
        prepared: &Prepared,
        workload: &Workload,
        mode: &str,
        workers: u32,
    ) -> Service {
        let name = &prepared.stack.name;
        let sql = workload
            .manifest
            .database
            .iter()
            .map(|file| workload.folder.join(file));
        let sql: Vec<PathBuf> = sql.collect();
        self.postgres
            .build_template(&workload.name, &sql)
            .expect("a template");
        let database = format!("upstream {name}");
        let database_url = self.postgres.restore(&database, &workload.name, None);
        let database_url = database_url.expect("a database");
        let upstream = workload.manifest.upstream.as_deref().expect("an upstream");
        let standin = StandIn::start(upstream, Behaviour::default()).expect("a stand-in");
        let addr = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let addr = addr.expect("a free port");
        let launch = prepared.launch(mode).expect("a launch mode");
        let treatment = TreatmentManifest {
            name: "upstream".to_owned(),
            stack: name.clone(),
            workload: workload.name.clone(),
            launch: mode.to_owned(),
            workers,
            db_pool_size: Some(POOL),
            db_pool_idle: None,
            env: BTreeMap::new(),
            path: None,
            feed: None,
            database_settings: BTreeMap::new(),
            after: None,
        };
        let mut env = service_environment(&launch.env, &treatment);
        env.insert("HOST".to_owned(), addr.ip().to_string());
        env.insert("PORT".to_owned(), addr.port().to_string());
        env.insert("DATABASE_URL".to_owned(), database_url.clone());
        env.extend([standin.variable()]);
        let child = self.supervisor.spawn(&Spec {
            name: name.clone(),
            log: self.logs.join(format!("{name}.log")),
            program: launch.program,
            args: launch.args,
            cwd: launch.cwd,
            env: env.into_iter().collect(),
            ..Spec::default()
        });
        let child = child.expect("a service");
        let ready = wait_ready(addr, "/health", READY_WITHIN, &mut || child.exited());
        ready.unwrap_or_else(|error| panic!("{name}: {error}: {:?}", child.log_tail(5)));
        Service {
            name: format!("{name} ({mode}) with {workers} worker(s)"),
            addr,
            database,
            standin,
            database_url,
            child,
        }
    }
}

/// A service that answers.
pub struct Service {
    /// For messages.
    pub name: String,
    addr: SocketAddr,
    /// Its database, as the server knows it.
    pub database: String,
    pub standin: StandIn,
    pub database_url: String,
    child: Child,
}

impl Service {
    pub fn get(&self, target: &str) -> Answer {
        let request = request_bytes("GET", target, &self.addr.to_string(), &[], None);
        exchange(self.addr, &request, ANSWER_LIMIT).unwrap_or_else(|error| {
            panic!(
                "{}: {target}: {error}: {:?}",
                self.name,
                self.child.log_tail(5)
            )
        })
    }

    /// Sends a request. Whoever drops the connection has gone away.
    pub fn ask_and_wait_for_nothing(&self, target: &str) -> TcpStream {
        let request = request_bytes("GET", target, &self.addr.to_string(), &[], None);
        let mut stream = TcpStream::connect(self.addr).expect("it listens");
        stream.write_all(&request).expect("it reads");
        stream
    }

    /// All at once, each on a connection of its own; the answers in the order of the targets.
    pub fn get_all(&self, targets: &[String]) -> Vec<Answer> {
        thread::scope(|scope| {
            let asked = targets
                .iter()
                .map(|target| scope.spawn(|| self.get(target)));
            let asked: Vec<_> = asked.collect();
            asked
                .into_iter()
                .map(|one| one.join().expect("an answer"))
                .collect()
        })
    }

    /// Calls of the upstream while `act` runs.
    pub fn calls_of(&self, act: impl FnOnce()) -> u64 {
        let before = self.standin.calls().total_count;
        act();
        self.standin.calls().total_count - before
    }

    /// Sockets of its process and the children of that.
    pub fn sockets_count(&self) -> usize {
        let own = self.child.pid();
        let entries = fs::read_dir("/proc").expect("/proc").flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let family = pids.filter(|&pid: &u32| pid == own || parent(pid) == Some(own));
        let sockets = |pid: u32| {
            let open = fs::read_dir(format!("/proc/{pid}/fd"))
                .into_iter()
                .flatten()
                .flatten();
            open.filter_map(|file| fs::read_link(file.path()).ok())
                .filter(|target| target.to_string_lossy().starts_with("socket:"))
                .count()
        };
        family.map(sockets).sum()
    }

    pub fn stop(self) {
        let stopped = self.child.stop(STOP_GRACE).expect("it can be stopped");
        assert!(stopped.in_time, "{} did not stop in time", self.name);
    }
}

/// The parent of a process; `None` for one that is gone.
fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?
        .1
        .split_whitespace()
        .nth(1)?
        .parse()
        .ok()
}
