//! A private server starts anywhere, recovers from anything, and restores what services changed.

#![allow(clippy::print_stderr)]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lab::postgres::{Postgres, PostgresError, Settings};
use lab::supervise::Supervisor;
use postgres::{Client, NoTls};
use rustix::process::Signal;
use support::{example, gone, runs, send, supervisor};

/// A cache folder, a folder for the test's files, and a supervisor.
struct Bench {
    cache: PathBuf,
    folder: tempfile::TempDir,
    supervisor: Supervisor,
}

impl Bench {
    /// On a cache that tests share: each takes a data folder that no other uses, whatever was done to it before.
    fn new() -> Bench {
        Bench::on(shared_cache())
    }

    /// On a cache of the test's own.
    fn alone() -> Bench {
        let mut bench = Bench::on(PathBuf::new());
        bench.cache = bench.folder.path().to_owned();
        fs::create_dir_all(bench.cache.join("postgres")).expect("own folder");
        // What one test had to fetch, others find.
        let programs = shared_cache().join("postgres/programs");
        fs::create_dir_all(&programs).expect("the build's own folder");
        symlink(programs, bench.cache.join("postgres/programs")).expect("own folder");
        bench
    }

    fn on(cache: PathBuf) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        // Where root runs this, the server is another user.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o711)).expect("own folder");
        let supervisor = supervisor(&folder);
        Bench {
            cache,
            folder,
            supervisor,
        }
    }

    fn settings(&self) -> Settings {
        Settings {
            cache: self.cache.clone(),
            root: self.cache.clone(),
            max_connections: 20,
            env: std::env::vars().collect(),
            ..Settings::default()
        }
    }

    /// `None`, said aloud, on a machine without PostgreSQL where that is allowed.
    fn start(&self) -> Option<Postgres> {
        unless_missing(Postgres::start(
            &self.supervisor,
            &self.settings(),
            &mut |_| {},
        ))
    }

    fn sql(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).expect("own folder");
        path
    }

    fn data(&self, below: &str) -> PathBuf {
        self.cache.join("postgres/cluster-1/data").join(below)
    }
}

fn shared_cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("postgres-cache")
}

fn is_required(what: &str) -> bool {
    let required = std::env::var("BANCADA_REQUIRE").unwrap_or_default();
    required.split(',').any(|word| word.trim() == what)
}

fn unless_missing(started: Result<Postgres, PostgresError>) -> Option<Postgres> {
    match started {
        Err(PostgresError::NoServer { reason }) if !is_required("postgres") => {
            eprintln!("skipped: {reason}");
            None
        }
        other => Some(other.expect("a server")),
    }
}

fn connect(url: &str) -> Client {
    Client::connect(url, NoTls).expect("a connection")
}

fn count(client: &mut Client, query: &str) -> i64 {
    client.query_one(query, &[]).expect("an answer").get(0)
}

const TWO_ROWS: &str =
    "CREATE TABLE thing (id int PRIMARY KEY);\nINSERT INTO thing VALUES (1), (2);\n";

#[test]
fn a_restored_database_is_as_the_workload_says_whatever_a_service_did_to_it() {
    let bench = Bench::new();
    let Some(mut postgres) = bench.start() else {
        return;
    };
    postgres
        .build_template("things", &[bench.sql("things.sql", TWO_ROWS)])
        .expect("a template");
    let url = postgres
        .restore("service-a", "things", None)
        .expect("a database");
    let mut service = connect(&url);
    service
        .batch_execute("INSERT INTO thing VALUES (3); CREATE TABLE extra ()")
        .expect("it owns the database");
    assert_eq!(
        postgres
            .restore("service-a", "things", None)
            .expect("a database"),
        url
    );
    assert!(
        service.batch_execute("SELECT 1").is_err(),
        "it was thrown out"
    );
    let mut service = connect(&url);
    assert_eq!(count(&mut service, "SELECT count(*) FROM thing"), 2);
    assert_eq!(
        count(
            &mut service,
            "SELECT count(*) FROM pg_class WHERE relname = 'extra'"
        ),
        0
    );
    postgres.checkpoint().expect("a checkpoint");
    drop(service);
    postgres.drop_database("service-a").expect("dropped");
    assert!(Client::connect(&url, NoTls).is_err());
    postgres.stop().expect("stopped");
}

#[test]
fn a_service_has_no_privileges_and_no_more_connections_than_it_was_given() {
    let bench = Bench::new();
    let Some(mut postgres) = bench.start() else {
        return;
    };
    postgres
        .build_template("things", &[bench.sql("things.sql", TWO_ROWS)])
        .expect("a template");
    let url = postgres
        .restore("service-a", "things", Some(2))
        .expect("a database");
    let mut services = [connect(&url), connect(&url)];
    assert!(Client::connect(&url, NoTls).is_err(), "a third one");
    let superuser = "SELECT count(*) FROM pg_roles WHERE rolname = current_user AND rolsuper";
    assert_eq!(count(&mut services[0], superuser), 0);
    assert_eq!(postgres.backends("service-a").expect("an answer").len(), 2);
    let template = url.replace("bancada_service-a", "bancada_template-things");
    assert!(
        Client::connect(&template, NoTls).is_err(),
        "a template is not to be changed"
    );
}

#[test]
fn every_connection_that_is_not_reserved_can_be_had() {
    let bench = Bench::new();
    let Some(mut postgres) = bench.start() else {
        return;
    };
    postgres
        .build_template("things", &[bench.sql("things.sql", TWO_ROWS)])
        .expect("a template");
    let url = postgres
        .restore("service-a", "things", None)
        .expect("a database");
    assert_eq!(
        (postgres.max_connections(), postgres.reserved_connections()),
        (20, 3)
    );
    let services: Vec<Client> = (0..17).map(|_| connect(&url)).collect();
    assert!(
        Client::connect(&url, NoTls).is_err(),
        "one more than {}",
        services.len()
    );
}

#[test]
fn a_template_is_built_once_and_again_when_its_sql_changes() {
    let bench = Bench::new();
    let Some(mut postgres) = bench.start() else {
        return;
    };
    let sql = [bench.sql("things.sql", TWO_ROWS)];
    let made = "SELECT oid::bigint FROM pg_database WHERE datname = 'bancada_template-things'";
    let made_in = |postgres: &mut Postgres| {
        postgres.build_template("things", &sql).expect("a template");
        let url = postgres
            .restore("other", "things", None)
            .expect("a database");
        count(&mut connect(&url), made)
    };
    let first = made_in(&mut postgres);
    assert_eq!(made_in(&mut postgres), first);
    bench.sql("things.sql", "CREATE TABLE thing (id int PRIMARY KEY)");
    assert_ne!(made_in(&mut postgres), first);
}

#[test]
fn a_mistake_in_a_workloads_sql_is_named_by_file_and_line_and_can_be_mended() {
    let bench = Bench::new();
    let Some(mut postgres) = bench.start() else {
        return;
    };
    let sql = [bench.sql(
        "things.sql",
        "CREATE TABLE thing (id int);\n\n-- é\nINSERT INTO thang VALUES (1);\n",
    )];
    let error = postgres
        .build_template("things", &sql)
        .expect_err("no such table")
        .to_string();
    assert!(
        error.contains("things.sql:4: ") && error.contains("thang"),
        "{error}"
    );
    bench.sql("things.sql", TWO_ROWS);
    postgres.build_template("things", &sql).expect("a template");
}

#[test]
fn statements_of_a_workload_are_counted_and_those_of_drivers_are_not() {
    let bench = Bench::new();
    let Some(mut postgres) = bench.start() else {
        return;
    };
    postgres
        .build_template("things", &[bench.sql("things.sql", TWO_ROWS)])
        .expect("a template");
    let url = postgres
        .restore("service-a", "things", None)
        .expect("a database");
    let Some(before) = postgres.statements("service-a") else {
        eprintln!("skipped: this PostgreSQL has no pg_stat_statements");
        return;
    };
    let mut service = connect(&url);
    for _ in 0..5 {
        service
            .batch_execute("BEGIN; SELECT pg_advisory_unlock_all(); RESET ALL")
            .expect("an answer");
        service.query("SELECT id FROM thing", &[]).expect("rows");
        service.batch_execute("COMMIT").expect("an answer");
    }
    let after = postgres.statements("service-a").expect("counted before");
    assert_eq!((after.0 - before.0, after.1 - before.1), (5, 10));
}

#[test]
fn settings_are_recorded_without_folders_of_this_machine() {
    let bench = Bench::new();
    let Some(postgres) = bench.start() else {
        return;
    };
    let settings = postgres.settings();
    assert_eq!(settings["max_connections"], "20");
    assert_eq!(settings["autovacuum"], "off");
    assert_eq!(settings["synchronous_commit"], "on");
    assert!(!settings.contains_key("port"));
    assert!(
        settings.values().all(|value| !value.contains('/')),
        "{settings:?}"
    );
    assert!(
        postgres
            .version()
            .starts_with(|digit: char| digit.is_ascii_digit())
    );
}

#[test]
fn a_killed_server_is_revived_with_its_templates() {
    let bench = Bench::new();
    let Some(mut postgres) = bench.start() else {
        return;
    };
    postgres
        .build_template("things", &[bench.sql("things.sql", TWO_ROWS)])
        .expect("a template");
    assert!(!postgres.revive(&bench.supervisor).expect("it runs"));
    let killed = postgres.pid().expect("a private server");
    send(killed, Signal::KILL);
    gone(killed);
    assert!(support::eventually("noticed", || postgres
        .revive(&bench.supervisor)
        .expect("a start")
        .then_some(true)));
    let url = postgres
        .restore("service-a", "things", None)
        .expect("the template is still there");
    assert_eq!(count(&mut connect(&url), "SELECT count(*) FROM thing"), 2);
}

#[test]
fn a_server_goes_with_its_killed_host_and_the_next_one_starts_on_its_data() {
    let bench = Bench::alone();
    if bench.start().is_none() {
        return;
    }
    let mut host = Command::new(example("database_host"))
        .arg(bench.folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the example");
    let mut line = String::new();
    BufReader::new(host.stdout.take().expect("piped"))
        .read_line(&mut line)
        .expect("a line");
    let server: u32 = line.trim().parse().expect(&line);
    assert!(runs(server));
    let backends = tree_below(server);
    assert!(!backends.is_empty());
    host.kill().expect("it runs");
    host.wait().expect("killed");
    // At once: the one before may still be on its way out.
    let mut postgres = bench.start().expect("there was one before");
    for pid in backends.into_iter().chain([server]) {
        gone(pid);
    }
    postgres
        .build_template("things", &[bench.sql("things.sql", TWO_ROWS)])
        .expect("a template");
}

fn tree_below(pid: u32) -> Vec<u32> {
    lab::sample::Tree::of(pid)
        .pids()
        .into_iter()
        .filter(|&member| member != pid)
        .collect()
}

#[test]
fn data_that_is_broken_half_made_or_of_another_version_is_made_anew() {
    let bench = Bench::alone();
    let Some(postgres) = bench.start() else {
        return;
    };
    postgres.stop().expect("stopped");
    fs::write(bench.data("global/pg_control"), "").expect("own folder");
    let mut notices = Vec::new();
    let postgres = Postgres::start(&bench.supervisor, &bench.settings(), &mut |notice| {
        notices.push(notice)
    });
    postgres.expect("made anew").stop().expect("stopped");
    assert_eq!(notices.len(), 1, "{notices:?}");

    fs::write(bench.data("PG_VERSION"), "9\n").expect("own folder");
    bench.start().expect("made anew").stop().expect("stopped");

    // As if the machine had been started anew.
    let complete = bench.data("../complete");
    let said = fs::read_to_string(&complete).expect("written");
    fs::write(
        &complete,
        said.replace("since boot", "since an earlier boot"),
    )
    .expect("own folder");
    fs::remove_dir_all(bench.data("base")).expect("own folder");
    bench.start().expect("made anew").stop().expect("stopped");
}

#[test]
fn two_servers_at_a_time_have_folders_of_their_own() {
    let bench = Bench::alone();
    let Some(first) = bench.start() else { return };
    let second = bench.start().expect("there was one before");
    assert_ne!(first.pid(), second.pid());
    second.stop().expect("stopped");
    first.stop().expect("stopped");
}

#[test]
fn an_external_server_needs_a_role_that_may_create_databases_and_one_bancada_at_a_time() {
    let bench = Bench::alone();
    let Some(mut private) = bench.start() else {
        return;
    };
    private
        .build_template("things", &[bench.sql("things.sql", TWO_ROWS)])
        .expect("a template");
    let service = private
        .restore("outside", "things", None)
        .expect("a database");
    let admin = service.replace("bancada_service@", "bancada@");
    connect(&admin)
        .batch_execute("CREATE ROLE maker LOGIN CREATEDB")
        .expect("a role");
    let external = |url: String| {
        let settings = Settings {
            external_url: Some(url),
            ..Settings::default()
        };
        Postgres::start(&bench.supervisor, &settings, &mut |_| {})
    };
    let refused = external(service.clone())
        .expect_err("it may not")
        .to_string();
    assert!(
        refused.contains("ALTER ROLE bancada_service CREATEDB"),
        "{refused}"
    );

    let maker = service.replace("bancada_service@", "maker@");
    let mut postgres = external(maker.clone()).expect("it may");
    let busy = external(maker).expect_err("one at a time").to_string();
    assert!(busy.contains("another Bancada"), "{busy}");
    let sql = [bench.sql("other.sql", TWO_ROWS)];
    postgres.build_template("other", &sql).expect("a template");
    let url = postgres
        .restore("service-b", "other", None)
        .expect("a database");
    assert!(
        url.contains("/bancada_service-b?") && url.contains("maker@"),
        "{url}"
    );
    assert_eq!(count(&mut connect(&url), "SELECT count(*) FROM thing"), 2);
    postgres.checkpoint().expect("left alone");
    assert_eq!((postgres.pid(), postgres.reserved_connections()), (None, 4));
    postgres.drop_database("service-b").expect("dropped");
}

/// Downloads, once per build folder, so only where that is asked for.
#[test]
fn the_pinned_server_runs_where_none_is_installed() {
    if !is_required("postgres-fetch") {
        eprintln!("skipped: BANCADA_REQUIRE does not name postgres-fetch");
        return;
    }
    let bench = Bench::new();
    let settings = Settings {
        bin: Some(PathBuf::from("fetch")),
        ..bench.settings()
    };
    let mut postgres = Postgres::start(&bench.supervisor, &settings, &mut |_| {}).expect("fetched");
    assert!(
        postgres.version().starts_with("18."),
        "{}",
        postgres.version()
    );
    postgres
        .build_template("things", &[bench.sql("things.sql", TWO_ROWS)])
        .expect("a template");
    let url = postgres
        .restore("service-a", "things", None)
        .expect("a database");
    assert_eq!(count(&mut connect(&url), "SELECT count(*) FROM thing"), 2);
    assert!(
        postgres.statements("service-a").is_some(),
        "it brings pg_stat_statements"
    );
    postgres.stop().expect("stopped");
}
