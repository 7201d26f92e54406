//! Laws that this repository keeps.

#![allow(
    clippy::unwrap_used,
    reason = "a test ends where its files cannot be read"
)]

use std::fs;
use std::path::{Path, PathBuf};

use catalog::Catalog;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn every_entry_of_this_repository_is_sound() {
    let catalog = Catalog::scan(&root());
    let faults: Vec<String> = catalog.faults.iter().map(ToString::to_string).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A name of one English word occurs in prose: such a name counts only as a quoted text or in a path.
#[test]
fn no_stack_or_workload_is_named_in_crates() {
    let mut found = Vec::new();
    let names = [names("stacks"), names("workloads")].concat();
    for file in rust_files(&root().join("crates")) {
        let text = fs::read_to_string(&file).unwrap();
        for (index, line) in text.lines().enumerate() {
            for name in names.iter().filter(|name| is_named(line, name)) {
                found.push(format!("{}:{}: {name}", file.display(), index + 1));
            }
        }
    }
    assert!(found.is_empty(), "named in crates/:\n{}", found.join("\n"));
}

#[test]
fn a_plain_word_is_a_name_only_in_quotes_or_in_a_path() {
    let is_plain_named = |line| is_named(line, "plain");
    assert!(is_plain_named("let x = \"plain\";"));
    assert!(is_plain_named("join(\"workloads/plain\")"));
    assert!(is_plain_named("workloads/plain/workload.toml"));
    assert!(!is_plain_named("// plain words are plain"));
    assert!(is_named("// what rust-one-two does", "rust-one-two"));
    assert!(
        !is_named("a-rust-one-two-b", "rust-one-two"),
        "another, longer name"
    );
}

fn is_named(line: &str, name: &str) -> bool {
    if !name.contains('-') {
        let quoted = format!("\"{name}\"");
        let folders = [format!("stacks/{name}"), format!("workloads/{name}")];
        return line.contains(&quoted) || folders.iter().any(|path| ends_a_word(line, path));
    }
    ends_a_word(line, name)
}

/// Whether `word` stands in `line` and is not part of a longer name.
fn ends_a_word(line: &str, word: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + word.len()..].chars().next();
        !before.is_some_and(goes_on) && !after.is_some_and(goes_on)
    })
}

fn names(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| !name.starts_with('.')).collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            files.append(&mut rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}
