//! A server on a free port over a folder of runs made by hand, and a client that sends exactly what it is told.
#![allow(dead_code, reason = "each test file uses its part")]
#![expect(clippy::unwrap_used, reason = "support of tests may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use web::{Folders, ServeError, Settings, Starter, Token};

/// No test waits longer for anything; a machine this slow is broken.
pub const PATIENCE: Duration = Duration::from_secs(120);
/// The token of every server here.
pub const TOKEN: &str = "0123456789abcdef0123";

/// A checkout with nothing in it but what a test puts there, and its server.
pub struct Site {
    pub folder: tempfile::TempDir,
    pub address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

/// How a site differs from the usual one.
#[derive(Default)]
pub struct Unlike {
    pub host: Option<&'static str>,
    pub app: Option<&'static str>,
    pub template: Option<String>,
    pub starter: Option<Arc<dyn Starter>>,
}

impl Site {
    pub fn new() -> Site {
        Site::unlike(Unlike::default())
    }

    pub fn unlike(unlike: Unlike) -> Site {
        let folder = tempfile::tempdir().unwrap();
        for name in ["stacks", "workloads", "experiments", "runs"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let host = unlike.host.unwrap_or("127.0.0.1");
        let listener = web::bind(host, 0).unwrap();
        let mut address = listener.local_addr().unwrap();
        if address.ip().is_unspecified() {
            address.set_ip([127, 0, 0, 1].into());
        }
        let settings = Settings {
            folders: Folders {
                root: folder.path().to_owned(),
                runs: folder.path().join("runs"),
            },
            host: host.to_owned(),
            token: Token::new(TOKEN),
            app: unlike.app.map(str::to_owned),
            template: unlike.template,
            starter: unlike.starter,
        };
        let stop = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let stop = Arc::clone(&stop);
            move || web::serve(listener, settings, &stop)
        });
        Site {
            folder,
            address,
            stop,
            thread: Some(thread),
        }
    }

    pub fn run_folder(&self, name: &str) -> PathBuf {
        self.folder.path().join("runs").join(name)
    }

    /// Writes a run of two treatments with so many blocks.
    pub fn put(&self, name: &str, run: &Value, blocks: u32) -> PathBuf {
        let folder = self.run_folder(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("run.json"), run.to_string()).unwrap();
        for block in 1..=blocks {
            self.append_block(name, block);
        }
        folder
    }

    /// Ends a block of a run: both its trials are stored.
    pub fn append_block(&self, name: &str, block: u32) {
        let lines = [trial(block, "slow", 200.0), trial(block, "quick", 100.0)];
        let lines: String = lines.iter().map(|trial| format!("{trial}\n")).collect();
        let mut file = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.run_folder(name).join("trials.jsonl"))
            .unwrap();
        file.write_all(lines.as_bytes()).unwrap();
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], "")
    }

    /// The document at a path, which must be there.
    pub fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    /// With a sound `Host`, and these headers besides.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let host = format!("127.0.0.1:{}", self.address.port());
        let mut all = vec![("Host", host.as_str())];
        all.extend_from_slice(headers);
        self.send_exactly(method, path, &all, body)
    }

    pub fn send_exactly(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut stream = self.open(method, path, headers, body);
        let mut text = Vec::new();
        stream.read_to_end(&mut text).unwrap();
        Answer::parse(&String::from_utf8_lossy(&text))
    }

    fn open(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// Begins to watch; the events come one by one.
    pub fn watch(&self, path: &str) -> Events {
        let host = format!("127.0.0.1:{}", self.address.port());
        Events {
            lines: BufReader::new(self.open("GET", path, &[("Host", &host)], "")),
        }
    }

    /// Asks the server to stop and waits until it has.
    pub fn stop(&mut self) -> Result<(), ServeError> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // What it failed with was the test's to look at.
            let _ = thread.join();
        }
    }
}

/// A whole answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Answer {
    fn parse(text: &str) -> Answer {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let mut lines = head.lines();
        let first = lines.next().unwrap_or_default();
        let status = first.split(' ').nth(1).unwrap_or("0").parse().unwrap();
        let pair = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_lowercase(), value.trim().to_owned()))
        };
        Answer {
            status,
            headers: lines.filter_map(pair).collect(),
            body: body.to_owned(),
        }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The sentence of a problem, which must be one.
    pub fn problem(&self) -> String {
        let document = self.json();
        assert_eq!(document["schema"], "bancada.problem/1", "{document}");
        document["message"].as_str().unwrap().to_owned()
    }
}

/// A stream of server-sent events.
pub struct Events {
    lines: BufReader<TcpStream>,
}

impl Events {
    /// The next event: its name and its document. `None` when the stream has ended.
    pub fn next(&mut self) -> Option<(String, Value)> {
        let mut name = String::new();
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            if let Some(text) = line.strip_prefix("event: ") {
                name = text.trim().to_owned();
            }
            if let Some(text) = line.strip_prefix("data: ") {
                return Some((name, serde_json::from_str(text).unwrap()));
            }
        }
    }

    /// The next event of that name.
    pub fn next_named(&mut self, name: &str) -> Value {
        while let Some((found, document)) = self.next() {
            if found == name {
                return document;
            }
        }
        panic!("the stream ended without {name}");
    }

    /// The trial of the next event that is one.
    pub fn next_trial(&mut self) -> String {
        loop {
            let event = self.next_named("event");
            if event["event"] == "trial_ended" {
                return event["trial"]["trial"].as_str().unwrap().to_owned();
            }
        }
    }
}

/// `run.json` of a run of two treatments that has not ended.
pub fn run(name: &str, experiment: &str) -> Value {
    let treatment = |name: &str, title: &str| {
        json!({
            "name": name, "title": title, "stack": name, "workload": "list",
            "ranked": true, "settings": {}, "facts": {},
        })
    };
    json!({
        "schema": "bancada.run/1",
        "run": name,
        "experiment": experiment,
        "title": "A small question",
        "question": "Which of these answers with the least CPU?",
        "bancada_version": "0.1.0",
        "started_at": "2026-03-24T10:15:30Z",
        "baseline": "slow",
        "primary_metric": "service_cpu_per_good_answer_us",
        "relevant_difference_ratio": 0.05,
        "design": {
            "kind": "sliced_blocks", "seed": 42, "budget_s": 600, "min_blocks_count": 2,
            "max_blocks_count": 8, "target_half_width_ratio": 0.03, "slice_s": 1.0,
            "discard_ratio": 0.1, "open_slices_count": 1, "closed_slices_count": 1,
            "warm_up_cap_s": 1.0, "connections_count": 4, "service_cpus": [0], "bench_cpus": [1],
        },
        "treatments": [treatment("slow", "Slow + driver"), treatment("quick", "Quick")],
        "environment": { "cpus_count": 2, "cpu_model": "A processor" },
        "catalog": {},
    })
}

/// The same, ended.
pub fn ended(name: &str, experiment: &str) -> Value {
    let mut run = run(name, experiment);
    run["ended_at"] = json!("2026-03-24T10:24:02Z");
    run["ended_by"] = json!("blocks");
    run
}

/// A line of `trials.jsonl`.
pub fn trial(block: u32, treatment: &str, cpu_us: f64) -> Value {
    // The same machine's mood for a whole block, and a little noise of the trial's own.
    let mood = 1.0 + 0.02 * f64::from(block % 5);
    let own = 1.0 + 0.004 * f64::from((block * 7 + treatment.len() as u32) % 3);
    json!({
        "schema": "bancada.trial/1",
        "trial": format!("b{block:02}-{treatment}"),
        "block": block, "treatment": treatment, "position": 1,
        "started_at": "2026-03-24T10:16:00Z", "ended_at": "2026-03-24T10:16:40Z",
        "status": "VALID",
        "metrics": { "service_cpu_per_good_answer_us": cpu_us * mood * own, "good_answers_count": 2000.0 },
        "outcomes": { "ok": 3000 },
        "audit": [{ "check": "offered", "status": "pass", "detail": "99.8 %" }],
        "slices": [{
            "load": "open", "at_s": 1.0, "window_s": 0.9,
            "good_answers_count": 2000, "failed_requests_count": 0,
        }],
    })
}

/// Waits until `look` finds something.
pub fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
