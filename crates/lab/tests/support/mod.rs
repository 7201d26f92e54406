//! What the tests of the bench share.
#![allow(dead_code)]

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use lab::supervise::{Spec, Supervisor};
use rustix::process::{Pid, Signal, kill_process};

/// No test waits longer; a machine this slow is broken.
const PATIENCE: Duration = Duration::from_secs(60);

/// An example program of this crate, which `cargo test` has built.
pub fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("this test");
    let profile = test
        .ancestors()
        .nth(2)
        .expect("the folder of the build profile");
    let path = profile.join("examples").join(name);
    assert!(
        path.is_file(),
        "{} is missing: cargo build -p lab --examples",
        path.display()
    );
    path
}

/// A supervisor whose guardian is the example host.
pub fn supervisor(folder: &tempfile::TempDir) -> Supervisor {
    Supervisor::start(
        &example("host"),
        &["__guardian".to_owned()],
        &folder.path().join("state"),
    )
    .expect("a guardian")
}

/// A program with a log in the folder.
pub fn spec(folder: &tempfile::TempDir, program: impl Into<PathBuf>, args: &[&str]) -> Spec {
    Spec {
        name: "child".to_owned(),
        program: program.into(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        cwd: PathBuf::from("/"),
        env: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
        cpus: Vec::new(),
        user: None,
        log: folder.path().join("child.log"),
    }
}

/// Waits until `look` finds something.
pub fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited too long: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits for a line that begins so in a file, and returns the rest of it.
pub fn line_after(file: &std::path::Path, prefix: &str) -> String {
    eventually(prefix, || {
        let text = fs::read_to_string(file).ok()?;
        let whole = &text[..=text.rfind('\n')?];
        whole
            .lines()
            .find_map(|line| line.strip_prefix(prefix))
            .map(str::to_owned)
    })
}

/// Whether a process runs: there, and not only waiting to be reaped.
pub fn runs(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// The parent of a process.
pub fn parent(pid: u32) -> u32 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("a running process");
    let (_, rest) = stat.rsplit_once(')').expect("a name in parentheses");
    rest.split_whitespace()
        .nth(1)
        .expect("a parent")
        .parse()
        .expect("a number")
}

/// Sends a signal to a process that the test started.
pub fn send(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid as i32).expect("a process id"), signal)
        .expect("a running process");
}

/// Waits until a process is gone.
pub fn gone(pid: u32) {
    eventually(&format!("process {pid} is gone"), || {
        (!runs(pid)).then_some(())
    });
}
