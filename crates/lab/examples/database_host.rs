//! Stands for Bancada with a private PostgreSQL in the tests that kill it.
//!
//! `database_host CACHE [BIN]` starts a server there, of the programs in `BIN`, prints the server's process id, and
//! then waits to be killed.
#![allow(clippy::print_stdout)]

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use lab::postgres::{Postgres, Settings};
use lab::supervise::{Supervisor, guardian_main};

fn main() -> ExitCode {
    let argument = env::args().nth(1).unwrap_or_default();
    if argument == "__guardian" {
        return guardian_main();
    }
    match host(
        PathBuf::from(argument),
        env::args_os().nth(2).map(PathBuf::from),
    ) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn host(cache: PathBuf, bin: Option<PathBuf>) -> Result<(), Box<dyn Error>> {
    let guardian = ["__guardian".to_owned()];
    let supervisor = Supervisor::start(&env::current_exe()?, &guardian, &cache.join("state"))?;
    let settings = Settings {
        root: cache.clone(),
        cache,
        bin,
        max_connections: 20,
        env: env::vars().collect(),
        ..Settings::default()
    };
    let postgres = Postgres::start(&supervisor, &settings, &mut |notice| println!("{notice}"))?;
    println!("{}", postgres.pid().unwrap_or(0));
    thread::sleep(Duration::from_secs(600));
    postgres.stop()?;
    Ok(())
}
