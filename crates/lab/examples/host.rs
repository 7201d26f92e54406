//! Stands for Bancada in the tests of supervision, which kill it.
//!
//! `host STATE_DIR USER LOG PROGRAM [ARG…]` starts the program below a guardian, as the user id `USER`
//! (`-`: its own), prints the ids of guardian and child, and then waits to be killed.
#![allow(clippy::print_stdout)]

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use lab::supervise::{Spec, Supervisor, guardian_main};

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    if args.first().is_some_and(|arg| arg == "__guardian") {
        return guardian_main();
    }
    match host(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn host(args: &[String]) -> Result<(), Box<dyn Error>> {
    let [state_dir, user, log, program, args @ ..] = args else {
        return Err("STATE_DIR USER LOG PROGRAM [ARG…]".into());
    };
    let supervisor = Supervisor::start(
        &env::current_exe()?,
        &["__guardian".to_owned()],
        Path::new(state_dir),
    )?;
    let child = supervisor.spawn(&Spec {
        name: "child".to_owned(),
        program: PathBuf::from(program),
        args: args.to_vec(),
        cwd: PathBuf::from("/"),
        env: env::vars().collect(),
        cpus: Vec::new(),
        user: user.parse().ok().map(|id: u32| (id, id)),
        log: PathBuf::from(log),
    })?;
    println!("{}", child.pid());
    thread::sleep(Duration::from_secs(600));
    Ok(())
}
