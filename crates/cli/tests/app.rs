//! The web app in a real browser, on runs that are sound, damaged and hostile, and on one that goes on.
//!
//! What is looked at there is in `ui/tests/app.test.mjs`; the screenshots stay below `target/tmp/app`.
#![expect(clippy::print_stderr, reason = "a skip says why")]

#[path = "support/browser.rs"]
mod browser;
mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use support::{Bench, checkout, eventually, processes_of, stderr};

const TOKEN: &str = "a-token-for-this-test";

/// A server, ended with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(bench: &Bench) -> Server {
        let mut command = bench.command(&["serve", "--port", "0", "--token", TOKEN]);
        command
            // The app is built once for this checkout.
            .env("BANCADA_CACHE", checkout().join(".bancada"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        let mut child = command.spawn().expect("the binary runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output"))
            .read_line(&mut line)
            .expect("its first line");
        Server {
            address: line.trim().trim_end_matches('/').to_owned(),
            child,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let pid = self.child.id().to_string();
        // In order, so that what it started ends too; it may have ended by itself.
        let _ = Command::new("kill").args(["-INT", &pid]).status();
        let _ = self.child.wait();
    }
}

#[test]
fn every_view_of_the_app_is_drawn_and_a_live_run_shows_each_trial() {
    let Some(chromium) = browser::chromium() else {
        return;
    };
    let bench = Bench::new(false);
    bench.stack("one", "ok");
    bench.stack("other", "ok");
    bench.experiment("long", &["one", "other"], 40, None);
    std::os::unix::fs::symlink(checkout().join("ui"), bench.path().join("ui")).expect("a link");
    let runs = bench.path().join("runs");
    put_runs(&runs);
    let shots = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("app");
    let server = Server::start(&bench);
    browser::install_packages();
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=spec", "tests/app.test.mjs"])
        .current_dir(checkout().join("ui"))
        .env("BANCADA_CHROMIUM", &chromium)
        .env("BANCADA_APP", &server.address)
        .env("BANCADA_APP_TOKEN", TOKEN)
        .env("BANCADA_APP_RUNS", &runs)
        .env("BANCADA_APP_SHOTS", &shots);
    let output = node.output().expect("node starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", stderr(&output));
    for line in said.lines().filter(|line| line.contains("shown after")) {
        eprintln!("{}", line.trim());
    }
    drop(server);
    eventually("every descendant is gone", || {
        processes_of(bench.path()).is_empty().then_some(())
    });
}

/// A committed run under two names, a hostile one and a damaged one.
fn put_runs(runs: &Path) {
    let (run, trials) = committed();
    let put = |name: &str, run: &Value| {
        let folder = runs.join(name);
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("run.json"), run.to_string()).expect("run.json");
        fs::write(folder.join("trials.jsonl"), &trials).expect("trials.jsonl");
    };
    for (name, day) in [("2026-01-02T000000-one", 2), ("2026-01-03T000000-one", 3)] {
        let mut run = run.clone();
        run["run"] = json!(name);
        run["started_at"] = json!(format!("2026-01-0{day}T00:00:00Z"));
        put(name, &run);
    }
    let script = "</script><script>window.owned = true</script><img src=x onerror='owned=1'>";
    let mut hostile = run;
    hostile["title"] = json!(script);
    hostile["experiment"] = json!("hostile");
    hostile["treatments"][0]["title"] = json!(script);
    put("2026-01-04T000000-hostile", &hostile);
    fs::create_dir_all(runs.join("2026-01-05T000000-damaged")).expect("a folder");
}

/// `run.json` and `trials.jsonl` of a run that is kept with its experiment.
fn committed() -> (Value, Vec<u8>) {
    let results = checkout().join("experiments/first-look/results");
    let entries = fs::read_dir(results).expect("results");
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let folder = folders.pop().expect("a committed run");
    let run = fs::read(folder.join("run.json")).expect("run.json");
    (
        serde_json::from_slice(&run).expect("JSON"),
        fs::read(folder.join("trials.jsonl")).expect("trials.jsonl"),
    )
}
