//! Services that are already running are compared with the caveat that their start was not repeated.

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use support::{Bench, bad_service, stderr, stdout};

/// A service on a port of its own, ended with the test.
struct Service {
    child: Child,
    url: String,
}

impl Service {
    fn start(mode: &str) -> Service {
        let mut command = Command::new(bad_service());
        command.arg(mode).env("PORT", "0").stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output"))
            .read_line(&mut line)
            .expect("a line");
        let addr = line.trim().trim_start_matches("listening on ").to_owned();
        Service {
            child,
            url: format!("http://{addr}/users"),
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended by itself; either way it is gone afterwards.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn two_running_services_are_compared_and_left_running() {
    let bench = Bench::new(false);
    let (mut one, mut other) = (Service::start("ok"), Service::start("ok"));
    let output = bench.run(&[
        "run", "--url", &one.url, "--url", &other.url, "--budget", "1s",
    ]);
    let trials = bench.trials();
    assert_eq!(
        trials.len(),
        3,
        "one block of two services and the twin: {}",
        stderr(&output)
    );
    assert!(
        stdout(&output).contains("one start, no replication of the start"),
        "{}",
        stdout(&output)
    );
    assert!(one.child.try_wait().expect("its state").is_none());
    assert!(other.child.try_wait().expect("its state").is_none());
    // The directory alone gives the report again, from any folder.
    let moved = tempfile::tempdir().expect("a folder");
    let dir = bench.run_dir().expect("a run");
    let mut command = Command::new(support::bancada());
    command
        .args(["report", &dir.display().to_string()])
        .current_dir(moved.path())
        .env("NO_COLOR", "1");
    let report = command.output().expect("the binary runs");
    assert!(report.status.success(), "{}", stderr(&report));
    assert!(
        stdout(&output).starts_with(stdout(&report).trim_end()),
        "{}",
        stdout(&report)
    );
}

#[test]
fn a_service_that_does_not_answer_well_is_not_compared() {
    let bench = Bench::new(false);
    let (sound, never) = (Service::start("ok"), Service::start("never-ready"));
    let output = bench.run(&["run", "--url", &sound.url, "--url", &never.url]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("status 503"),
        "{}",
        stderr(&output)
    );
}
