//! The private server: its data folder, its start, its recovery, its end.

use std::fs::{self, DirBuilder, File};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use postgres::Config;
use rustix::fs::{FlockOperation, flock};

use super::admin::connect;
use super::find::Programs;
use super::home::Home;
use super::{PostgresError, configuration};
use crate::supervise::{Child, Spec, Supervisor};

/// Who owns the server's own databases and makes the others.
pub(super) const SUPERUSER: &str = "bancada";
/// Written when a data folder is whole.
const COMPLETE: &str = "complete";
/// More Bancadas than this at a time on one checkout are a mistake.
const CLUSTERS_MAX: u32 = 16;
const INITDB_LIMIT: Duration = Duration::from_secs(120);
/// Recovery after a crash reads the whole log again.
const READY_LIMIT: Duration = Duration::from_secs(120);
/// Time in which a server that nobody supervises any more is expected to be gone.
const LEFTOVER_LIMIT: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_millis(5);
const STOP_GRACE: Duration = Duration::from_secs(20);

/// A server with a data folder that no other Bancada uses meanwhile.
#[derive(Debug)]
pub(super) struct Cluster {
    programs: Programs,
    home: Home,
    folder: PathBuf,
    max_connections: u32,
    cpus: Vec<u32>,
    port: u16,
    child: Option<Child>,
    /// Held as long as this lives: the lock goes with the process, however that ends.
    _lock: File,
}

impl Cluster {
    /// Takes the first data folder that is free and starts a server on it. A folder that is not whole, of another
    /// version, or on which the server does not start is made anew: it holds nothing that cannot be built again.
    pub(super) fn start(
        supervisor: &Supervisor,
        home: &Home,
        programs: Programs,
        max_connections: u32,
        cpus: &[u32],
        notice: &mut dyn FnMut(String),
    ) -> Result<Cluster, PostgresError> {
        let (folder, lock) = take_folder(home)?;
        let mut cluster = Cluster {
            programs,
            home: home.clone(),
            folder,
            max_connections,
            cpus: cpus.to_vec(),
            port: 0,
            child: None,
            _lock: lock,
        };
        cluster.await_quiet()?;
        if !cluster.is_whole() {
            cluster.initialise(supervisor)?;
        }
        if let Err(error) = cluster.launch(supervisor) {
            notice(format!(
                "the database server did not start, its data is made anew: {error}"
            ));
            cluster.initialise(supervisor)?;
            cluster.launch(supervisor)?;
        }
        Ok(cluster)
    }

    /// Starts it again if it is gone; whether that was so.
    pub(super) fn revive(&mut self, supervisor: &Supervisor) -> Result<bool, PostgresError> {
        let Some(child) = &self.child else {
            return Ok(false);
        };
        if child.exited().is_none() {
            return Ok(false);
        }
        child.stop(Duration::ZERO)?;
        self.child = None;
        self.await_quiet()?;
        self.launch(supervisor)?;
        Ok(true)
    }

    /// How to reach it as its superuser.
    pub(super) fn config(&self) -> Config {
        let mut config = Config::new();
        config
            .host(&Ipv4Addr::LOCALHOST.to_string())
            .port(self.port)
            .user(SUPERUSER)
            .dbname("postgres")
            .application_name("bancada")
            .connect_timeout(Duration::from_secs(5));
        config
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::pid)
    }

    /// Stops it in order: connections are ended and everything is written.
    pub(super) fn stop(&mut self) -> Result<(), PostgresError> {
        if let Some(child) = self.child.take() {
            child.stop(STOP_GRACE)?;
        }
        Ok(())
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// What a data folder that can be used was made by, and since when: the server does not flush to the disk, so
    /// what an earlier boot of the machine left may have holes.
    fn maker(&self) -> String {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        format!("PostgreSQL {} since boot {boot}", self.programs.major)
    }

    fn is_whole(&self) -> bool {
        let says = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
        let version = says(self.data().join("PG_VERSION"));
        says(self.folder.join(COMPLETE)) == self.maker()
            && version.trim() == self.programs.major.to_string()
    }

    /// Waits until nothing runs on the data folder: the guardian of a Bancada that was killed needs a moment.
    /// A process id that is left in the folder is then nobody's and is removed, because another process may have it.
    fn await_quiet(&self) -> Result<(), PostgresError> {
        let data = self.data();
        let deadline = Instant::now() + LEFTOVER_LIMIT;
        while let Some(pid) = process_in(&data) {
            if Instant::now() >= deadline {
                return Err(PostgresError::Occupied { pid, data });
            }
            thread::sleep(LOOK_AGAIN);
        }
        let _ = fs::remove_file(data.join("postmaster.pid"));
        Ok(())
    }

    /// Makes an empty data folder.
    fn initialise(&self, supervisor: &Supervisor) -> Result<(), PostgresError> {
        let data = self.data();
        let complete = self.folder.join(COMPLETE);
        for result in [fs::remove_file(&complete), fs::remove_dir_all(&data)] {
            match result {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(PostgresError::file("remove", &data)(error));
                }
                _ => {}
            }
        }
        DirBuilder::new()
            .mode(0o700)
            .create(&data)
            .map_err(PostgresError::file("make", &data))?;
        self.home.give(&data)?;
        // Systems without the locale C.UTF-8 are rare; sorting by bytes is the same there.
        if self.initdb(supervisor, "C.UTF-8").is_err() {
            self.initdb(supervisor, "C")?;
        }
        fs::write(&complete, self.maker()).map_err(PostgresError::file("write", &complete))
    }

    fn initdb(&self, supervisor: &Supervisor, locale: &str) -> Result<(), PostgresError> {
        let spec = Spec {
            args: vec![
                format!("--pgdata={}", self.data().display()),
                format!("--username={SUPERUSER}"),
                "--auth=trust".to_owned(),
                "--encoding=UTF8".to_owned(),
                format!("--locale={locale}"),
                "--no-sync".to_owned(),
            ],
            ..self.spec("initdb", "initdb.log")
        };
        let finished = supervisor.run(&spec, INITDB_LIMIT)?;
        if finished.success {
            return Ok(());
        }
        Err(PostgresError::Failed {
            program: spec.name,
            status: finished.status.clone(),
            tail: finished.log_tail(3),
            log: finished.log,
        })
    }

    /// Starts the server and waits until it takes connections. Another process may take the port in between: once
    /// more, then.
    fn launch(&mut self, supervisor: &Supervisor) -> Result<(), PostgresError> {
        if self.launch_once(supervisor).is_ok() {
            return Ok(());
        }
        self.await_quiet()?;
        self.launch_once(supervisor)
    }

    fn launch_once(&mut self, supervisor: &Supervisor) -> Result<(), PostgresError> {
        if self.port == 0 || TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).is_err() {
            self.port =
                free_port().map_err(PostgresError::file("listen on", Path::new("127.0.0.1")))?;
        }
        let counts = self.programs.count_statements();
        let configured = configuration::private(self.port, self.max_connections, counts);
        let mut args = vec!["-D".to_owned(), self.data().display().to_string()];
        for (name, value) in configured {
            args.extend(["-c".to_owned(), format!("{name}={value}")]);
        }
        let spec = Spec {
            args,
            cpus: self.cpus.clone(),
            ..self.spec("postgres", "server.log")
        };
        // SIGINT is its "fast shutdown"; SIGTERM waits for the clients (postgres(1)).
        let child = supervisor.spawn_ended_by(&spec, libc::SIGINT)?;
        match self.await_ready(&child) {
            Ok(()) => {
                self.child = Some(child);
                Ok(())
            }
            Err(error) => {
                child.stop(STOP_GRACE)?;
                Err(error)
            }
        }
    }

    fn await_ready(&self, child: &Child) -> Result<(), PostgresError> {
        let deadline = Instant::now() + READY_LIMIT;
        let config = self.config();
        loop {
            let status = match connect(&config) {
                Ok(_) => return Ok(()),
                Err(_) if Instant::now() >= deadline => {
                    format!("took no connection within {} s", READY_LIMIT.as_secs())
                }
                Err(_) => match child.exited() {
                    Some(status) => status,
                    None => {
                        thread::sleep(LOOK_AGAIN);
                        continue;
                    }
                },
            };
            return Err(PostgresError::Failed {
                program: "postgres".to_owned(),
                status,
                tail: child.log_tail(3),
                log: child.log().to_path_buf(),
            });
        }
    }

    fn spec(&self, program: &str, log: &str) -> Spec {
        Spec {
            name: program.to_owned(),
            program: self.programs.bin.join(program),
            cwd: self.folder.clone(),
            env: vec![
                ("LC_ALL".to_owned(), "C".to_owned()),
                ("TZ".to_owned(), "UTC".to_owned()),
            ],
            user: self.home.user,
            log: self.folder.join(log),
            ..Spec::default()
        }
    }
}

impl Drop for Cluster {
    /// Before the lock on the data folder goes.
    fn drop(&mut self) {
        let _ = self.stop();
    }
}

/// The first folder that no living Bancada has locked.
fn take_folder(home: &Home) -> Result<(PathBuf, File), PostgresError> {
    let mut last = None;
    for number in 1..=CLUSTERS_MAX {
        let folder = home.folder.join(format!("cluster-{number}"));
        let made = DirBuilder::new()
            .recursive(true)
            .mode(0o755)
            .create(&folder);
        made.map_err(PostgresError::file("make", &folder))?;
        let path = folder.join("lock");
        let open = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path);
        let file = open.map_err(PostgresError::file("write", &path))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok((folder, file)),
            Err(error) => last = Some(PostgresError::file("lock", &path)(error.into())),
        }
    }
    Err(last.expect("the loop runs at least once"))
}

/// A process whose working folder this is: a server changes to its data folder, and so do all its backends.
fn process_in(data: &Path) -> Option<u32> {
    let data = data.canonicalize().ok()?;
    let is_inside =
        |pid: &u32| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == data);
    crate::supervise::process::all().into_keys().find(is_inside)
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port())
}
