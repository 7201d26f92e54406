//! The load generators we know how to start, each in its closed loop with one thread's worth of CPU.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;

/// Those found on the PATH, ready to run for `seconds`.
pub fn found(addr: SocketAddr, connections: u32, seconds: f64) -> Vec<(&'static str, Command)> {
    let url = format!("http://{addr}/");
    let c = connections.to_string();
    let whole = format!("{}s", seconds.ceil());
    let whole_number = seconds.ceil().to_string();
    let script = k6_script(&url);
    let plan = drill_plan(addr, connections, (seconds * DRILL_REQUESTS_PER_S) as u64);
    let candidates: [(&'static str, Vec<&str>); 10] = [
        ("wrk", vec!["-t1", "-c", &c, "-d", &whole, &url]),
        ("oha", vec!["--no-tui", "-c", &c, "-z", &whole, &url]),
        (
            "h2load",
            vec!["--h1", "-t1", "-c", &c, "-D", &whole_number, &url],
        ),
        ("hey", vec!["-c", &c, "-z", &whole, &url]),
        ("bombardier", vec!["-c", &c, "-d", &whole, &url]),
        ("rewrk", vec!["-t1", "-c", &c, "-d", &whole, "-h", &url]),
        ("autocannon", vec!["-c", &c, "-d", &whole_number, &url]),
        ("plow", vec!["-c", &c, "-d", &whole, "--summary", &url]),
        (
            "k6",
            vec!["run", "--quiet", "--vus", &c, "--duration", &whole, &script],
        ),
        ("drill", vec!["--quiet", "--benchmark", &plan]),
    ];
    let found = candidates.into_iter().filter(|(name, _)| on_path(name));
    found
        .map(|(name, args)| {
            let mut command = Command::new(name);
            command.args(args);
            (name, command)
        })
        .collect()
}

pub fn on_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder: PathBuf| folder.join(name).is_file())
}

fn k6_script(url: &str) -> String {
    in_a_file(
        "k6.js",
        &format!("import http from 'k6/http'; export default () => http.get('{url}');\n"),
    )
}

/// Counts requests, not time: it is given what it can about do in the time.
const DRILL_REQUESTS_PER_S: f64 = 15_000.0;

/// drill's plan of so many requests.
pub fn drill_plan(addr: SocketAddr, connections: u32, requests: u64) -> String {
    let text = format!(
        "concurrency: {connections}\nbase: 'http://{addr}'\niterations: {requests}\n\
         plan:\n  - name: get\n    request:\n      url: /\n"
    );
    in_a_file("drill.yml", &text)
}

/// Path of a file with this text, which lives as long as temporary files do.
pub fn in_a_file(name: &str, text: &str) -> String {
    let name = format!("bancada-bench-{}-{name}", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}
