//! A server that somebody else runs, given by `DATABASE_URL`.

use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use postgres::{Client, Config};

use super::PostgresError;
use super::admin::{Admin, connect};
use super::error::reason;

const OLDEST_VERSION_NUM: i32 = 130_000;
/// Key of the lock by which two Bancadas keep out of each other's databases: "bancada" in ASCII.
const LOCK_KEY: i64 = 0x62_61_6e_63_61_64_61;
const LOCK_LIMIT: Duration = Duration::from_secs(3);
const LOCK_RETRY: Duration = Duration::from_millis(50);

/// Connects and checks that the server and the role can do what is needed. The connection is kept, and with it the lock.
pub(super) fn open(url: &str) -> Result<Admin, PostgresError> {
    let config = Config::from_str(url).map_err(|error| {
        refused(format!(
            "{}; write postgresql://user:password@host:port/database",
            reason(&error)
        ))
    })?;
    let mut client = match connect(&config) {
        Err(PostgresError::Sql { reason, .. }) => {
            return Err(refused(format!("cannot connect: {reason}")));
        }
        other => other?,
    };
    check(&mut client)?;
    lock(&mut client)?;
    let mut admin = Admin::new(config);
    admin.keep(client);
    Ok(admin)
}

fn check(client: &mut Client) -> Result<(), PostgresError> {
    let query = "SELECT current_setting('server_version_num')::int,
        current_setting('server_version'), current_user::text,
        coalesce((SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user), false)";
    let row = client
        .query_one(query, &[])
        .map_err(|error| refused(reason(&error)))?;
    let (number, version, role): (i32, String, String) = (row.get(0), row.get(1), row.get(2));
    if number < OLDEST_VERSION_NUM {
        return Err(refused(format!(
            "PostgreSQL {version} is too old, 13 is the oldest"
        )));
    }
    if !row.get::<_, bool>(3) {
        return Err(refused(format!(
            "the role {role} may not create databases: ALTER ROLE {role} CREATEDB"
        )));
    }
    Ok(())
}

/// Takes the lock of this server. It goes with the connection; the server may take a moment to see that one end.
fn lock(client: &mut Client) -> Result<(), PostgresError> {
    let deadline = Instant::now() + LOCK_LIMIT;
    loop {
        let row = client.query_one("SELECT pg_try_advisory_lock($1)", &[&LOCK_KEY]);
        if row.map_err(|error| refused(reason(&error)))?.get(0) {
            return Ok(());
        }
        if Instant::now() >= deadline {
            return Err(refused(
                "another Bancada is using this server: wait until it is done".to_owned(),
            ));
        }
        thread::sleep(LOCK_RETRY);
    }
}

fn refused(reason: String) -> PostgresError {
    PostgresError::External { reason }
}

/// The same URL with another database.
pub(super) fn url_of(url: &str, database: &str) -> String {
    let (address, options) = url
        .split_once('?')
        .map_or((url, None), |(address, options)| (address, Some(options)));
    let authority = address.find("://").map_or(0, |at| at + 3);
    let end = address[authority..]
        .find('/')
        .map_or(address.len(), |at| authority + at);
    let options = options.map_or_else(String::new, |options| format!("?{options}"));
    format!("{}/{database}{options}", &address[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_database_of_a_url_changes() {
        let of = |url| url_of(url, "bancada_x");
        assert_eq!(
            of("postgresql://u:p@h:5432/d?sslmode=disable"),
            "postgresql://u:p@h:5432/bancada_x?sslmode=disable"
        );
        assert_eq!(of("postgres://h/d"), "postgres://h/bancada_x");
        assert_eq!(of("postgres://h"), "postgres://h/bancada_x");
        assert_eq!(of("postgres://h?a=b/c"), "postgres://h/bancada_x?a=b/c");
    }

    #[test]
    fn a_server_that_is_not_there_is_an_error_that_says_so() {
        let free = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let error = open(&format!("postgresql://u@127.0.0.1:{free}/d"))
            .map(|_| ())
            .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("DATABASE_URL: cannot connect"),
            "{error}"
        );
        let error = open("mysql://nowhere").map(|_| ()).unwrap_err();
        assert!(error.to_string().starts_with("DATABASE_URL: "), "{error}");
    }
}
