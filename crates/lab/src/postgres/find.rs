//! Server programs that are already on this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::home::{Home, is_reachable};
use super::{PostgresError, Settings};
use crate::supervise::{Spec, Supervisor};

/// `DROP DATABASE … WITH (FORCE)` came with this one.
const OLDEST_MAJOR: u32 = 13;
/// A program that only says its version.
const SHORT: Duration = Duration::from_secs(20);
/// Folders with one folder a major version: Debian's and Red Hat's.
const PACKAGED: [(&str, &str); 2] = [("/usr/lib/postgresql", ""), ("/usr", "pgsql-")];

/// A folder with `initdb` and `postgres` that run here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Programs {
    pub(super) bin: PathBuf,
    pub(super) major: u32,
    /// "18.6".
    pub(super) version: String,
}

impl Programs {
    /// Looks at one folder; the error says why its programs cannot be used.
    pub(super) fn at(supervisor: &Supervisor, home: &Home, bin: &Path) -> Result<Programs, String> {
        for program in ["postgres", "initdb"] {
            if !bin.join(program).is_file() {
                return Err(format!("there is no {program}"));
            }
        }
        if !is_reachable(bin, home.user) {
            return Err(
                "the unprivileged user that the server runs as may not enter it".to_owned(),
            );
        }
        let answer = first_line(supervisor, home, &bin.join("postgres"), &["--version"])?;
        let (major, version) =
            version(&answer).ok_or_else(|| format!("unknown version: {answer}"))?;
        if major < OLDEST_MAJOR {
            return Err(format!("version {version} is older than {OLDEST_MAJOR}"));
        }
        Ok(Programs {
            bin: bin.to_path_buf(),
            major,
            version,
        })
    }

    /// Whether this build brings the extension that counts statements.
    pub(super) fn count_statements(&self) -> bool {
        let library = "pg_stat_statements.so";
        let lib = self.bin.join("../lib");
        [lib.join(library), lib.join("postgresql").join(library)]
            .iter()
            .any(|path| path.is_file())
    }
}

/// The first usable programs: on the `PATH`, where `pg_config` says, then of distribution packages the newest.
/// `Err` has the reason for each place that was looked at.
pub(super) fn find(
    supervisor: &Supervisor,
    home: &Home,
    settings: &Settings,
) -> Result<Programs, String> {
    let mut refused = Vec::new();
    for bin in places(supervisor, home, settings) {
        match Programs::at(supervisor, home, &bin) {
            Ok(programs) => return Ok(programs),
            Err(reason) => refused.push(format!("{}: {reason}", bin.display())),
        }
    }
    if refused.is_empty() {
        refused.push("none on the PATH nor in /usr/lib/postgresql".to_owned());
    }
    Err(refused.join("; "))
}

fn places(supervisor: &Supervisor, home: &Home, settings: &Settings) -> Vec<PathBuf> {
    let mut places = Vec::new();
    if let Some(postgres) = settings.on_path("postgres") {
        // Distributions link to the real folder, where initdb and the libraries are.
        let real = postgres.canonicalize().unwrap_or(postgres);
        places.extend(real.parent().map(Path::to_path_buf));
    }
    if let Some(pg_config) = settings.on_path("pg_config")
        && let Ok(bin) = first_line(supervisor, home, &pg_config, &["--bindir"])
    {
        places.push(PathBuf::from(bin));
    }
    for (folder, prefix) in PACKAGED {
        places.extend(packaged(Path::new(folder), prefix));
    }
    let mut seen = std::collections::HashSet::new();
    places.retain(|place| place.is_dir() && seen.insert(place.clone()));
    places
}

/// `<folder>/<prefix><major>/bin`, newest first.
fn packaged(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let major = |entry: fs::DirEntry| {
        let name = entry.file_name();
        let major: u32 = name.to_str()?.strip_prefix(prefix)?.parse().ok()?;
        Some((major, entry.path().join("bin")))
    };
    let mut found: Vec<(u32, PathBuf)> = entries.flatten().filter_map(major).collect();
    found.sort();
    found.into_iter().rev().map(|(_, bin)| bin).collect()
}

/// Runs a program as the server's user; the first line that it prints.
fn first_line(
    supervisor: &Supervisor,
    home: &Home,
    program: &Path,
    args: &[&str],
) -> Result<String, String> {
    let name = program
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let spec = Spec {
        log: home.folder.join(format!("{name}.log")),
        name,
        program: program.to_path_buf(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        cwd: home.folder.clone(),
        env: vec![("LC_ALL".to_owned(), "C".to_owned())],
        user: home.user,
        ..Spec::default()
    };
    let finished = supervisor
        .run(&spec, SHORT)
        .map_err(|error| error.to_string())?;
    let printed = fs::read_to_string(&spec.log).unwrap_or_default();
    let line = printed.lines().next().unwrap_or_default().trim().to_owned();
    if !finished.success || line.is_empty() {
        return Err(format!(
            "{} failed ({}): {line}",
            program.display(),
            finished.status
        ));
    }
    Ok(line)
}

/// Major version and version of "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
fn version(line: &str) -> Option<(u32, String)> {
    let (_, rest) = line.split_once("(PostgreSQL)")?;
    let version = rest.split_whitespace().next()?;
    let digits = version
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(version.len());
    Some((version[..digits].parse().ok()?, version.to_owned()))
}

/// The folder given by name, checked.
pub(super) fn given(
    supervisor: &Supervisor,
    home: &Home,
    bin: &Path,
) -> Result<Programs, PostgresError> {
    // The server is started in a folder of its own, where a relative path leads elsewhere.
    let absolute = bin.canonicalize().map_err(|error| error.to_string());
    absolute
        .and_then(|bin| Programs::at(supervisor, home, &bin))
        .map_err(|reason| PostgresError::NotPrograms {
            folder: bin.to_path_buf(),
            reason,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_with_and_without_a_package_name_behind_it() {
        let of = |text| version(text).map(|(major, _)| major);
        assert_eq!(
            of("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"),
            Some(15)
        );
        assert_eq!(of("postgres (PostgreSQL) 18.6"), Some(18));
        assert_eq!(of("postgres (PostgreSQL) 19beta1"), Some(19));
        assert_eq!(of("mysqld 8.0"), None);
    }

    #[test]
    fn of_packaged_versions_the_newest_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        for major in ["9", "15", "18", "common"] {
            fs::create_dir_all(folder.path().join(major).join("bin")).unwrap();
        }
        let found = packaged(folder.path(), "");
        let expected: Vec<PathBuf> = ["18", "15", "9"]
            .iter()
            .map(|major| folder.path().join(major).join("bin"))
            .collect();
        assert_eq!(found, expected);
    }
}
