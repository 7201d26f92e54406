//! What a stack's folder says of itself: how long its handlers are, and which versions of its parts are locked.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use catalog::Stack;

/// Facts for the fairness sheet: `handler_lines` of the workload's own file, `source_lines` of all that are listed,
/// and the locked version of every part that the manifest names. What cannot be read is left out.
pub fn facts(stack: &Stack, workload: &str) -> BTreeMap<String, String> {
    let mut facts = versions(stack);
    let mut sources: Vec<(&str, usize)> = Vec::new();
    for source in &stack.manifest.sources {
        if let Ok(text) = fs::read_to_string(stack.folder.join(source)) {
            sources.push((source, written_lines(&text)));
        }
    }
    let all: usize = sources.iter().map(|(_, lines)| lines).sum();
    facts.insert("source_lines".to_owned(), all.to_string());
    let own = sources
        .iter()
        .filter(|(source, _)| is_handler_of(source, workload));
    let own: usize = own.map(|(_, lines)| lines).sum();
    if own > 0 {
        facts.insert("handler_lines".to_owned(), own.to_string());
    }
    facts
}

/// Lines that are not blank.
fn written_lines(text: &str) -> usize {
    text.lines().filter(|line| !line.trim().is_empty()).count()
}

/// Whether a file is named for a workload, or for the one that it is a variant of.
fn is_handler_of(source: &str, workload: &str) -> bool {
    let stem = Path::new(source).file_stem().and_then(|stem| stem.to_str());
    let workload = workload.replace('-', "_");
    let original = workload.split("_published").next().unwrap_or(&workload);
    stem.is_some_and(|stem| {
        let stem = stem.replace('-', "_");
        stem == workload || stem == original
    })
}

/// Locked versions of framework, server, driver and serializer, by the names that the manifest gives them.
fn versions(stack: &Stack) -> BTreeMap<String, String> {
    let manifest = &stack.manifest;
    let parts = [&manifest.server, &manifest.driver, &manifest.serializer];
    let named = parts.into_iter().flatten().chain([&manifest.framework]);
    let words: Vec<String> = named
        .flat_map(|name| name.split(|character: char| " ()+,/".contains(character)))
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let locked = locked(&stack.folder).into_iter();
    locked
        .filter(|(name, _)| words.contains(&name.to_ascii_lowercase()))
        .collect()
}

/// Packages and versions of the lock files that the folder has.
fn locked(folder: &Path) -> Vec<(String, String)> {
    type Reader = fn(&str) -> Vec<(String, String)>;
    let readers: [(&str, Reader); 4] = [
        ("Cargo.lock", of_cargo),
        ("go.mod", of_go),
        ("package-lock.json", of_npm),
        ("requirements.lock", of_pip),
    ];
    let read = |(file, reader): (&str, Reader)| {
        let text = fs::read_to_string(folder.join(file)).ok()?;
        Some(reader(&text))
    };
    readers.into_iter().filter_map(read).flatten().collect()
}

fn of_cargo(text: &str) -> Vec<(String, String)> {
    let value = |line: &str, key: &str| {
        let rest = line.strip_prefix(key)?.strip_prefix(" = \"")?;
        rest.strip_suffix('"').map(str::to_owned)
    };
    let lines: Vec<&str> = text.lines().collect();
    let pairs = lines.windows(2);
    pairs
        .filter_map(|pair| Some((value(pair[0], "name")?, value(pair[1], "version")?)))
        .collect()
}

/// The last part of a module's path that is not its major version names it.
fn of_go(text: &str) -> Vec<(String, String)> {
    let is_major = |part: &str| {
        let digits = part.strip_prefix('v');
        digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let module = |line: &str| {
        let mut words = line.trim().trim_start_matches("require ").split(' ');
        let (path, version) = (words.next()?, words.next()?);
        let name = path.rsplit('/').find(|part| !is_major(part))?;
        let version = version.strip_prefix('v')?;
        Some((name.to_owned(), version.to_owned()))
    };
    text.lines().filter_map(module).collect()
}

fn of_npm(text: &str) -> Vec<(String, String)> {
    let Ok(lock) = serde_json::from_str::<serde_json::Value>(text) else {
        return Vec::new();
    };
    let packages = lock["packages"].as_object().into_iter().flatten();
    packages
        .filter_map(|(path, package)| {
            let name = path.strip_prefix("node_modules/")?;
            let version = package["version"].as_str()?;
            (!name.contains("node_modules/")).then(|| (name.to_owned(), version.to_owned()))
        })
        .collect()
}

fn of_pip(text: &str) -> Vec<(String, String)> {
    let package = |line: &str| {
        let (name, rest) = line.split_once("==")?;
        let version = rest.split_whitespace().next()?;
        (!name.starts_with(char::is_whitespace)).then(|| (name.to_owned(), version.to_owned()))
    };
    text.lines().filter_map(package).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(pairs: &[(String, String)], name: &str, version: &str) -> bool {
        pairs.contains(&(name.to_owned(), version.to_owned()))
    }

    #[test]
    fn every_kind_of_lock_file_gives_names_and_versions() {
        let cargo = of_cargo("[[package]]\nname = \"axum\"\nversion = \"0.8.1\"\n");
        assert!(has(&cargo, "axum", "0.8.1"));
        let go = of_go("go 1.25.0\n\nrequire (\n\tgithub.com/jackc/pgx/v5 v5.12.0\n)\n");
        assert_eq!(go.len(), 1, "{go:?}");
        assert!(has(&go, "pgx", "5.12.0"));
        let npm = of_npm(
            r#"{"packages":{"":{"version":"1"},"node_modules/pg":{"version":"8.1.0"},"node_modules/a/node_modules/pg":{"version":"7"}}}"#,
        );
        assert_eq!(npm.len(), 1, "{npm:?}");
        assert!(has(&npm, "pg", "8.1.0"));
        let pip =
            of_pip("# made by uv\nfastapi==0.115.0 \\\n    --hash=sha256:ab==\nuvloop==0.21.0\n");
        assert_eq!(pip.len(), 2, "{pip:?}");
        assert!(has(&pip, "fastapi", "0.115.0"));
        assert!(of_npm("not json").is_empty());
    }

    #[test]
    fn a_handler_is_the_file_that_is_named_for_the_workload_or_the_one_it_follows() {
        assert!(is_handler_of("src/five_users.rs", "five-users"));
        assert!(is_handler_of(
            "service/five_users.py",
            "five-users-published-elsewhere"
        ));
        assert!(!is_handler_of("src/app.rs", "five-users"));
    }
}
