//! `bancada serve` from outside: its address, a run started and watched through it, and an end that leaves nothing.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use lab::place::Placement;
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity};
use support::{Bench, PATIENCE, bad_service, eventually, processes_of, stderr};

const TOKEN: &str = "a-token-for-this-test";

/// A server, ended with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(bench: &Bench) -> Server {
        let mut command = bench.command(&["serve", "--port", "0"]);
        command
            // Not an argument, which everybody on the machine could read.
            .env("BANCADA_TOKEN", TOKEN)
            // What is tested here needs no page, and none is built for it.
            .env("PATH", "/nonexistent")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("the binary runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output"))
            .read_line(&mut line)
            .expect("its first line");
        let address = line.trim().trim_start_matches("http://");
        Server {
            address: address.trim_end_matches('/').to_owned(),
            child,
        }
    }

    fn open(&self, method: &str, path: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("a request");
        stream
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> (String, String) {
        let mut text = String::new();
        self.open(method, path, body)
            .read_to_string(&mut text)
            .expect("an answer");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).expect("a status");
        (status.to_owned(), body.to_owned())
    }

    fn interrupt(&mut self) -> std::process::ExitStatus {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status();
        assert!(sent.expect("kill").success());
        self.child.wait().expect("it ends")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; either way it is gone afterwards.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A bench of two services, and a server that has been asked for a run of forty blocks of them.
fn long_run() -> (Bench, Server) {
    let bench = Bench::new(false);
    bench.stack("one", "ok");
    bench.stack("other", "ok");
    bench.experiment("long", &["one", "other"], 40, None);
    let server = Server::start(&bench);
    let (status, body) = server.ask("POST", "/api/live", "{\"experiment\": \"long\"}");
    assert_eq!(status, "202", "{body}");
    (bench, server)
}

#[test]
fn a_run_is_started_and_watched_through_the_server_and_ctrl_c_leaves_nothing() {
    let (bench, mut server) = long_run();
    let events = BufReader::new(server.open("GET", "/api/live/events", ""));
    let mut lines = events.lines().map(|line| line.expect("a line"));
    for name in ["b01-one", "b01-other", "b02-one"] {
        let wanted = format!("\"trial\":\"{name}\"");
        assert!(
            lines.any(|line| line.starts_with("data: ") && line.contains(&wanted)),
            "the stream ended before {name}"
        );
    }
    // What came over the stream is in the record, and the other way round.
    assert!(bench.trials().len() >= 4, "{}", bench.trials().len());
    let run = bench.run_json()["run"].as_str().expect("a name").to_owned();
    let (_, live) = server.ask("GET", "/api/live", "");
    assert!(live.contains(&format!("\"run\":\"local/{run}\"")), "{live}");
    let (status, report) = server.ask("GET", &format!("/api/runs/local/{run}/report"), "");
    assert_eq!(status, "200", "{report}");

    let ended = server.interrupt();
    assert_eq!(ended.code(), Some(0), "stopping a server is no failure");
    assert!(
        lines.any(|line| line.contains("interrupted")),
        "whoever watches is told"
    );
    eventually("every descendant is gone", || {
        processes_of(bench.path()).is_empty().then_some(())
    });
    assert_eq!(bench.run_json()["ended_by"], "interrupted");
}

#[test]
fn a_run_that_fails_midway_says_why() {
    let (bench, server) = long_run();
    let run = eventually("the run has a directory", || bench.run_dir());
    // A folder in the place of a file that is still to be written.
    let blocked = "histograms/b03-one.hlog";
    std::fs::create_dir_all(run.join(blocked)).expect("a folder");
    let events = BufReader::new(server.open("GET", "/api/live/events", ""));
    let last = events
        .lines()
        .map(|line| line.expect("a line"))
        .filter(|line| line.starts_with("data: "))
        .last()
        .expect("events");
    assert!(
        last.contains("\"failed\"") && last.contains(blocked),
        "{last}"
    );
    assert_eq!(bench.run_json()["ended_by"], "failed");
    assert!(
        run.join("report.md").is_file(),
        "what was measured is reported"
    );
}

#[test]
fn what_answers_keeps_off_the_services_cpus_and_a_run_started_there_has_all() {
    let (bench, server) = long_run();
    let placement = Placement::of_this_machine();
    let service = bad_service().canonicalize().expect("the service");
    let of_a_service = || {
        processes_of(bench.path()).into_iter().find_map(|pid| {
            let program = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
            (program == service).then(|| cpus_of(pid))?
        })
    };
    let cpus = eventually("a service is started", of_a_service);
    assert_eq!(cpus, placement.service_cpus);
    assert_eq!(cpus_of(server.child.id()), Some(placement.bench_cpus));
}

/// CPUs that the first thread of a process may use; `None` once it has ended.
fn cpus_of(pid: u32) -> Option<Vec<u32>> {
    let pid = Pid::from_raw(pid.try_into().ok()?)?;
    let set = sched_getaffinity(Some(pid)).ok()?;
    let all = 0..CpuSet::MAX_CPU;
    Some(
        all.filter(|&cpu| set.is_set(cpu))
            .map(|cpu| cpu as u32)
            .collect(),
    )
}

#[test]
fn a_port_in_use_is_named_with_exit_code_2() {
    let bench = Bench::new(false);
    let server = Server::start(&bench);
    let port = server.address.rsplit(':').next().expect("a port");
    let output = bench.run(&["serve", "--port", port]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains(port), "{}", stderr(&output));
}

#[test]
fn a_token_that_could_be_guessed_is_refused() {
    let bench = Bench::new(false);
    for token in ["short", "with a blank in between it"] {
        let output = bench.run(&["serve", "--port", "0", "--token", token]);
        assert_eq!(output.status.code(), Some(2), "{token}");
        assert!(stderr(&output).contains("--token"), "{}", stderr(&output));
    }
}
