//! Only `lab::supervise` starts or signals processes: nothing else can be sure that they end.

use std::fs;
use std::path::{Path, PathBuf};

const STARTS_OR_SIGNALS: [&str; 7] = [
    "process::Command",
    "kill_process",
    "pidfd_send_signal",
    "libc::kill",
    "libc::fork",
    "posix_spawn",
    "pre_exec",
];

#[test]
fn only_supervise_starts_or_signals_processes() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the folder of the crates");
    let mut offenders = Vec::new();
    for file in sources(crates) {
        if file.starts_with(crates.join("lab/src/supervise")) {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source file");
        // What tests start is theirs to end.
        let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (index, line) in shipped.lines().enumerate() {
            if STARTS_OR_SIGNALS.iter().any(|word| line.contains(word)) {
                offenders.push(format!("{}:{}: {}", file.display(), index + 1, line.trim()));
            }
        }
    }
    assert!(
        offenders.is_empty(),
        "ask lab::supervise instead:\n{}",
        offenders.join("\n")
    );
}

/// The Rust files below `<crate>/src` of every crate.
fn sources(crates: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = fs::read_dir(crates)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path().join("src"))
        .collect();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for path in entries.map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    assert!(files.len() > 20, "the sources were not found");
    files
}
