//! Whatever is started has an end, whoever ends first.

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child as Process, Command, Stdio};
use std::time::{Duration, Instant};

use lab::supervise::{SuperviseError, sweep};
use rustix::process::Signal;
use support::{eventually, example, gone, line_after, parent, runs, send, spec, supervisor};

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(50);

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn a_child_that_ends_when_asked_ends_in_time_and_leaves_nothing() {
    let folder = folder();
    let child = supervisor_and_child(&folder, "sleep", &["600"]);
    let stopped = child.1.stop(LONG).expect("stopped");
    assert_eq!(
        (
            stopped.in_time,
            stopped.left_behind,
            stopped.status.as_str()
        ),
        (true, vec![], "killed by signal 15")
    );
    assert!(!runs(child.1.pid()));
}

#[test]
fn a_child_that_ignores_sigterm_is_killed_after_the_grace() {
    let folder = folder();
    let (_supervisor, child) =
        supervisor_and_child(&folder, example("badservice"), &["ignores-sigterm"]);
    line_after(child.log(), "listening");
    let stopped = child.stop(SHORT).expect("stopped");
    assert_eq!(
        (stopped.in_time, stopped.status.as_str()),
        (false, "killed by signal 9")
    );
}

#[test]
fn a_whole_process_group_ends_with_its_leader() {
    let folder = folder();
    let script = "sleep 600 & echo sleeper $!; wait";
    let (_supervisor, child) = supervisor_and_child(&folder, "sh", &["-c", script]);
    let sleeper = line_after(child.log(), "sleeper ")
        .parse()
        .expect("a process id");
    let stopped = child.stop(LONG).expect("stopped");
    assert_eq!((stopped.in_time, stopped.left_behind), (true, vec![]));
    assert!(!runs(sleeper));
}

#[test]
fn a_grandchild_in_a_session_of_its_own_is_found_killed_and_named() {
    let folder = folder();
    let (_supervisor, child) =
        supervisor_and_child(&folder, example("badservice"), &["leaves-a-child"]);
    let left: u32 = line_after(child.log(), "left behind: ")
        .parse()
        .expect("a process id");
    line_after(child.log(), "listening");
    let stopped = child.stop(LONG).expect("stopped");
    assert_eq!((stopped.in_time, stopped.left_behind), (true, vec![left]));
    assert!(!runs(left));
}

#[test]
fn what_a_child_left_is_stopped_also_when_the_child_ended_by_itself() {
    let folder = folder();
    let script = "setsid sleep 600 & echo left $!; sleep 0.1; exit 3";
    let (_supervisor, child) = supervisor_and_child(&folder, "sh", &["-c", script]);
    let left: u32 = line_after(child.log(), "left ")
        .parse()
        .expect("a process id");
    assert_eq!(child.wait(LONG).as_deref(), Some("exit status 3"));
    let stopped = child.stop(SHORT).expect("stopped");
    assert_eq!(
        (stopped.left_behind, stopped.status.as_str()),
        (vec![left], "exit status 3")
    );
}

#[test]
fn stopping_one_child_leaves_the_others_alone() {
    let folder = folder();
    let supervisor = supervisor(&folder);
    let first = supervisor
        .spawn(&spec(&folder, example("badservice"), &["leaves-a-child"]))
        .expect("a child");
    line_after(first.log(), "listening");
    let left: u32 = line_after(first.log(), "left behind: ")
        .parse()
        .expect("a process id");
    let mut other = spec(&folder, "sleep", &["600"]);
    other.log = folder.path().join("other.log");
    let other = supervisor.spawn(&other).expect("a child");
    other.stop(LONG).expect("stopped");
    assert!(runs(first.pid()) && runs(left) && first.exited().is_none());
}

#[test]
fn dropping_the_supervisor_ends_also_an_orphan_that_hides_where_it_comes_from() {
    let folder = folder();
    let (supervisor, child) =
        supervisor_and_child(&folder, example("badservice"), &["leaves-a-nameless-child"]);
    let left: u32 = line_after(child.log(), "left behind: ")
        .parse()
        .expect("a process id");
    drop(supervisor);
    assert!(!runs(child.pid()) && !runs(left));
    assert!(ledgers(&folder).is_empty());
}

#[test]
fn killing_bancada_leaves_no_descendant() {
    let folder = folder();
    let badservice = example("badservice");
    let mut host = host(
        &folder,
        "-",
        &[badservice.to_str().expect("UTF-8"), "leaves-a-child"],
    );
    let child = first_line(&mut host).parse().expect("a process id");
    let left: u32 = line_after(&folder.path().join("child.log"), "left behind: ")
        .parse()
        .expect("a process id");
    let guardian = parent(child);
    host.kill().expect("running");
    host.wait().expect("killed");
    for pid in [child, left, guardian] {
        gone(pid);
    }
}

#[test]
fn killing_bancada_ends_what_runs_under_another_user_id_and_ignores_sigterm() {
    if !rustix::process::getuid().is_root() {
        return;
    }
    let folder = folder();
    let script = "trap '' TERM; setsid sh -c 'echo left $$; while :; do sleep 1; done' & while :; do sleep 1; done";
    let mut host = host(&folder, "65534", &["/bin/sh", "-c", script]);
    let child = first_line(&mut host).parse().expect("a process id");
    let left: u32 = line_after(&folder.path().join("child.log"), "left ")
        .parse()
        .expect("a process id");
    host.kill().expect("running");
    host.wait().expect("killed");
    gone(child);
    gone(left);
}

#[test]
fn a_guardian_that_is_killed_is_noticed_and_its_children_are_stopped() {
    let folder = folder();
    let (supervisor, child) =
        supervisor_and_child(&folder, example("badservice"), &["leaves-a-child"]);
    let left: u32 = line_after(child.log(), "left behind: ")
        .parse()
        .expect("a process id");
    send(parent(child.pid()), Signal::KILL);
    assert_eq!(
        child.wait(LONG).as_deref(),
        Some("stopped when the guardian ended")
    );
    assert!(!runs(child.pid()) && !runs(left));
    let refused = supervisor.spawn(&spec(&folder, "sleep", &["600"]));
    assert!(
        matches!(refused, Err(SuperviseError::GuardianGone { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_polite_signal_does_not_end_the_guardian() {
    let folder = folder();
    let (_supervisor, child) = supervisor_and_child(&folder, "sleep", &["600"]);
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        send(parent(child.pid()), signal);
    }
    assert!(child.stop(LONG).expect("the guardian answers").in_time);
}

#[test]
fn when_bancada_and_guardian_are_both_killed_the_next_sweep_stops_what_they_left() {
    let folder = folder();
    let badservice = example("badservice");
    let mut host = host(
        &folder,
        "-",
        &[badservice.to_str().expect("UTF-8"), "leaves-a-child"],
    );
    let child: u32 = first_line(&mut host).parse().expect("a process id");
    let left: u32 = line_after(&folder.path().join("child.log"), "left behind: ")
        .parse()
        .expect("a process id");
    let guardian = parent(child);
    send(host.id(), Signal::STOP);
    send(guardian, Signal::KILL);
    gone(guardian);
    host.kill().expect("stopped, not gone");
    host.wait().expect("killed");
    assert!(runs(child) && runs(left));
    let lines = sweep(&folder.path().join("state")).expect("swept");
    assert_eq!(lines.len(), 2, "{lines:?}");
    gone(child);
    gone(left);
    assert!(ledgers(&folder).is_empty());
}

#[test]
fn a_sweep_leaves_a_run_alone_whose_guardian_lives() {
    let folder = folder();
    let (_supervisor, child) = supervisor_and_child(&folder, "sleep", &["600"]);
    assert_eq!(
        sweep(&folder.path().join("state")).expect("swept"),
        Vec::<String>::new()
    );
    assert!(runs(child.pid()) && child.exited().is_none());
}

#[test]
fn a_child_gets_the_environment_it_was_given_and_the_mark_and_nothing_else() {
    let folder = folder();
    let supervisor = supervisor(&folder);
    let mut spec = spec(&folder, "env", &[]);
    spec.env.push(("PORT".to_owned(), "8000".to_owned()));
    let finished = supervisor.run(&spec, LONG).expect("it runs");
    let mut names: Vec<String> = fs::read_to_string(&finished.log)
        .expect("a log")
        .lines()
        .filter_map(|line| Some(line.split_once('=')?.0.to_owned()))
        .collect();
    names.sort();
    assert_eq!(names, ["BANCADA_RUN_MARK", "PATH", "PORT"]);
}

#[test]
fn a_child_runs_on_the_cpus_it_was_given() {
    let folder = folder();
    let supervisor = supervisor(&folder);
    let cpu = *lab::place::allowed_cpus().last().expect("a CPU");
    let mut pinned = spec(&folder, "cat", &["/proc/self/status"]);
    pinned.cpus = vec![cpu];
    let finished = supervisor.run(&pinned, LONG).expect("it runs");
    let status = fs::read_to_string(&finished.log).expect("a log");
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .expect("a list");
    assert_eq!(allowed.trim(), cpu.to_string());
}

#[test]
fn what_cannot_be_started_is_refused_with_its_name_and_the_reason() {
    let folder = folder();
    let supervisor = supervisor(&folder);
    let missing = supervisor
        .spawn(&spec(&folder, "/no/such/program", &[]))
        .expect_err("refused")
        .to_string();
    assert!(
        missing.contains("/no/such/program") && missing.contains("No such file"),
        "{missing}"
    );
    let mut elsewhere = spec(&folder, "sleep", &["1"]);
    elsewhere.cwd = "/no/such/folder".into();
    let missing = supervisor
        .spawn(&elsewhere)
        .expect_err("refused")
        .to_string();
    assert!(
        missing.contains("there is no folder /no/such/folder"),
        "{missing}"
    );
}

#[test]
fn a_program_that_does_not_end_is_stopped_at_its_deadline() {
    let folder = folder();
    let supervisor = supervisor(&folder);
    let error = supervisor
        .run(&spec(&folder, "sleep", &["600"]), SHORT)
        .expect_err("too long");
    assert!(matches!(error, SuperviseError::Deadline { .. }), "{error}");
}

#[test]
fn a_start_is_an_instant_between_asking_and_having() {
    let folder = folder();
    let supervisor = supervisor(&folder);
    let before = Instant::now();
    let child = supervisor
        .spawn(&spec(&folder, "sleep", &["600"]))
        .expect("a child");
    assert!(before <= child.started_at() && child.started_at() <= Instant::now());
}

fn supervisor_and_child(
    folder: &tempfile::TempDir,
    program: impl Into<std::path::PathBuf>,
    args: &[&str],
) -> (lab::supervise::Supervisor, lab::supervise::Child) {
    let supervisor = supervisor(folder);
    let child = supervisor
        .spawn(&spec(folder, program, args))
        .expect("a child");
    (supervisor, child)
}

/// Starts the stand-in for Bancada.
fn host(folder: &tempfile::TempDir, user: &str, program: &[&str]) -> Process {
    Command::new(example("host"))
        .arg(folder.path().join("state"))
        .arg(user)
        .arg(folder.path().join("child.log"))
        .args(program)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the host starts")
}

fn first_line(host: &mut Process) -> String {
    let output = host.stdout.take().expect("a pipe");
    let line = BufReader::new(output)
        .lines()
        .next()
        .expect("a line")
        .expect("text");
    assert!(line.parse::<u32>().is_ok(), "{line}");
    line
}

fn ledgers(folder: &tempfile::TempDir) -> Vec<String> {
    eventually("the folder of the ledgers", || {
        fs::read_dir(folder.path().join("state")).ok()
    })
    .map(|entry| {
        entry
            .expect("an entry")
            .file_name()
            .to_string_lossy()
            .into_owned()
    })
    .filter(|name| name.starts_with("supervised-"))
    .collect()
}
