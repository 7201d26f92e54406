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
    let candidates: [(&'static str, Vec<&str>); 9] = [
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

fn on_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder: PathBuf| folder.join(name).is_file())
}

fn k6_script(url: &str) -> String {
    let path = std::env::temp_dir().join("bancada-k6.js");
    let text = format!("import http from 'k6/http'; export default () => http.get('{url}');\n");
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}
