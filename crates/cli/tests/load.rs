//! `bancada load` from the outside: exit codes, formats, refusals.
#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};

use assert_cmd::Command;

/// Answers every request with 200 and `ok`.
fn server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(1..) = stream.read(&mut buffer) {
                    if stream
                        .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                        .is_err()
                    {
                        return;
                    }
                }
            });
        }
    });
    addr
}

fn load(args: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("bancada").unwrap();
    command
        .arg("load")
        .args(args)
        .env_remove("RUST_BACKTRACE")
        .assert()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_counted_run_prints_one_json_object() {
    let url = format!("http://{}/", server());
    let done = load(&[
        &url,
        "-n",
        "503",
        "-c",
        "7",
        "--format",
        "json",
        "--histograms",
    ])
    .code(0);
    let document: serde_json::Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    assert_eq!(document["schema"], "bancada.load/1");
    assert_eq!(document["outcomes"], serde_json::json!({"ok": 503}));
    assert_eq!(document["status"], serde_json::json!({"200": 503}));
    assert!(document["histograms"]["service_time"].is_string());
    assert!(
        done.get_output().stderr.is_empty(),
        "no progress when piped"
    );
}

#[test]
fn the_summary_for_people_ends_in_a_verdict() {
    let url = format!("http://{}/", server());
    let done = load(&[&url, "-n", "200", "-c", "2"]).code(0);
    assert!(text(&done.get_output().stdout).contains("trust it"));
}

#[test]
fn a_broken_objective_is_exit_code_1_and_a_kept_one_0() {
    let url = format!("http://{}/", server());
    load(&[&url, "-n", "300", "-c", "2", "--slo", "errors<0.1%"]).code(0);
    load(&[&url, "-n", "300", "-c", "2", "--slo", "service_p50<1ns"]).code(1);
    load(&[
        &url,
        "-n",
        "300",
        "-c",
        "2",
        "--expect-status",
        "201",
        "--slo",
        "errors<50%",
    ])
    .code(1);
}

#[test]
fn nothing_answered_is_exit_code_1() {
    let addr = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let done = load(&[&format!("http://{addr}/"), "-n", "10", "-c", "2"]).code(1);
    assert!(text(&done.get_output().stdout).contains("connect_refused 10"));
}

#[test]
fn wrong_usage_is_exit_code_2_and_says_what_to_do() {
    let here = "http://127.0.0.1:9/";
    for (args, hint) in [
        (&["http://8.8.8.8/"][..], "--i-may-load-this-host"),
        (&["https://127.0.0.1/"], "http://"),
        (&[here, "-r", "0"], "above 0"),
        (&[here, "-r", "10", "--think-time", "1s"], "closed loop"),
        (&[here, "--slo", "response_p99<1s"], "--rate"),
        (&[here, "--slo", "p99<1s"], "response_"),
        (&[here, "--engine", "io_uring"], "epoll"),
        (&[here, "-H", "no colon"], "Name: value"),
        (&[here, "--stages", "fast"], "100:10s"),
        (&[here, "-c", "0"], "at least 1"),
        (&[here, "-t", "9", "-c", "2"], "more than the 2 connections"),
        (&[here, "-t", "2000", "-c", "2000"], "one for each CPU"),
        (&[here, "--body", "{rand:9..1}"], "lower number first"),
        (&[here, "-H", "X: {rand:9..1}"], "-H"),
        (
            &[
                here,
                "-H",
                "X: {seq}",
                "--body-file",
                concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
            ],
            "-H",
        ),
        (&[here, "-r", "1e12"], "arrivals a second"),
        (&[here, "-c", "4000000000"], "connections"),
        (
            &[here, "--users", "9", "--ramp-up", "60s", "-d", "20s"],
            "3 of 9",
        ),
        (&[here, "--stages", "5:1s", "-d", "2s"], "--duration"),
        (&[here, "--feed", "/no/such/file"], "/no/such/file"),
        (&[here, "-d", "soon"], "10s"),
        (&[here, "--timeout", "0"], "above 0"),
        (&[here, "--pin", "4095"], "4095"),
        (&[here, "--arrivals", "poisson"], "--rate"),
        (&[here, "--dispatch", "unbounded"], "--rate"),
        (&[here, "--users", "3", "-c", "3"], "--users"),
        (
            &[
                here,
                "--stages",
                "3:1s",
                "--stages-of",
                "connections",
                "-c",
                "3",
            ],
            "--stages-of connections",
        ),
        (
            &[here, "--check-every", "9", "--expect-length", "2"],
            "--expect-json",
        ),
        (&[here, "-n", "0"], "1.."),
        (&[here, "--users", "0"], "1.."),
        (&[here, "--users", "1", "--requests-per-user", "0"], "1.."),
    ] {
        let done = load(args).code(2);
        let said = text(&done.get_output().stderr);
        assert!(said.contains(hint), "{args:?}: {said}");
        assert!(done.get_output().stdout.is_empty());
    }
}

/// Answers nothing; told of each request that came.
fn silent_server() -> (SocketAddr, std::sync::mpsc::Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    let (came, requests) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (Ok(mut stream), came) = (stream, came.clone()) else {
                continue;
            };
            std::thread::spawn(move || {
                while let Ok(1..) = stream.read(&mut [0; 4096]) {
                    let _ = came.send(());
                }
            });
        }
    });
    (addr, requests)
}

#[test]
fn after_ctrl_c_while_answers_are_awaited_the_exit_code_is_130_and_the_json_is_kept() {
    let (addr, requests) = silent_server();
    let url = format!("http://{addr}/");
    let process = std::process::Command::new(assert_cmd::cargo::cargo_bin("bancada"))
        .args(["load", &url, "-c", "2", "-d", "10ms"])
        .args(["--timeout", "1h", "--format", "json"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    for _ in 0..2 {
        requests.recv().unwrap();
    }
    // The window is over by then; where it is not, the exit code is the same.
    std::thread::sleep(std::time::Duration::from_millis(500));
    let status = std::process::Command::new("kill")
        .args(["-INT", &process.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
    let output = process.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["interrupted"], true);
    assert_eq!(document["outcomes"]["unfinished"], 2);
}

/// CPUs that each thread of a process may run on, as the kernel lists them.
fn allowed_by_thread(pid: u32) -> Vec<String> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    let allowed = |task: std::fs::DirEntry| {
        let status = std::fs::read_to_string(task.path().join("status")).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
        Some(line.trim().to_owned())
    };
    tasks.flatten().filter_map(allowed).collect()
}

#[test]
fn pinned_threads_are_bound_to_the_cpus_named_in_turn() {
    let mine = allowed_by_thread(std::process::id()).remove(0);
    let cpus = load::notation::cpus(&mine).unwrap();
    let (first, last) = (cpus[0], cpus[cpus.len() - 1]);
    let mut process = std::process::Command::new(assert_cmd::cargo::cargo_bin("bancada"))
        .args(["load", &format!("http://{}/", server()), "-d", "120s"])
        .args(["-t", "3", "-c", "3", "--think-time", "10ms"])
        .args(["--pin", &format!("{first},{last}")])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // The main thread is left alone; the others take the CPUs in turn.
    let mut wanted = vec![mine, first.to_string(), last.to_string(), first.to_string()];
    wanted.sort();
    let mut seen = Vec::new();
    for _ in 0..3_000 {
        seen = allowed_by_thread(process.id());
        seen.sort();
        if seen == wanted {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    process.kill().unwrap();
    process.wait().unwrap();
    assert_eq!(seen, wanted);
}
