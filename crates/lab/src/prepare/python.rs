//! Which interpreter Python services run on.
//!
//! A build without profile-guided optimisation is up to twice as slow on pure Python, so that a comparison
//! would be about the build.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::tool::is_executable;

/// The oldest Python that services may be written for.
pub const OLDEST_PYTHON: (u32, u32) = (3, 11);

/// Searched besides the PATH: a distribution's own builds are optimised.
const SYSTEM_FOLDER: &str = "/usr/bin";

/// Prints one JSON object. `_base_executable` leads out of a virtual environment.
pub(super) const QUESTION: &str = "import json,os,platform,sys,sysconfig as s;\
print(json.dumps({'program':os.path.realpath(getattr(sys,'_base_executable',None) or sys.executable),\
'version':list(sys.version_info[:3]),'implementation':platform.python_implementation(),\
'prefix':sys.base_prefix,'flags':s.get_config_var('CONFIG_ARGS') or ''}))";

/// A Python interpreter, and how it was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// Its program, links followed.
    pub program: PathBuf,
    /// Major, minor and patch.
    pub version: (u32, u32, u32),
    /// `CPython`, `PyPy`, …
    pub implementation: String,
    /// Whether it was built with profile-guided optimisation: its flags say so
    /// (`--enable-optimizations`), or it is the distribution's own.
    pub is_optimised: bool,
    /// Whether its flags say that link-time optimisation was on (`--with-lto`).
    pub has_lto: bool,
    /// Whether it is the distribution's own. Debian and others build in steps that leave no trace
    /// in the flags.
    pub is_distribution: bool,
}

#[derive(Deserialize)]
struct Answer {
    program: PathBuf,
    version: (u32, u32, u32),
    implementation: String,
    prefix: PathBuf,
    flags: String,
}

impl Interpreter {
    /// From what it answered to [`QUESTION`].
    pub(super) fn of(answer: &str) -> Option<Interpreter> {
        let answer: Answer = serde_json::from_str(answer.lines().last()?).ok()?;
        let flag = |flag: &str| {
            answer
                .flags
                .split_whitespace()
                .any(|given| given.trim_matches('\'').starts_with(flag))
        };
        let is_distribution = answer.prefix == Path::new("/usr");
        Some(Interpreter {
            is_optimised: is_distribution || flag("--enable-optimizations"),
            has_lto: flag("--with-lto"),
            program: answer.program,
            version: answer.version,
            implementation: answer.implementation,
            is_distribution,
        })
    }

    /// `CPython 3.11.2, built with --enable-optimizations --with-lto`.
    pub fn description(&self) -> String {
        let (major, minor, patch) = self.version;
        let built = match (self.is_distribution, self.is_optimised, self.has_lto) {
            (true, _, _) => "the distribution's build",
            (false, true, true) => "built with --enable-optimizations --with-lto",
            (false, true, false) => "built with --enable-optimizations, without --with-lto",
            (false, false, true) => "built without --enable-optimizations, with --with-lto",
            (false, false, false) => "built without --enable-optimizations and --with-lto",
        };
        format!("{} {major}.{minor}.{patch}, {built}", self.implementation)
    }

    fn is_new_enough(&self) -> bool {
        (self.version.0, self.version.1) >= OLDEST_PYTHON
    }

    /// What is better is greater.
    fn rank(&self) -> (bool, bool, bool, (u32, u32, u32)) {
        let has_lto = self.has_lto || self.is_distribution;
        (
            self.implementation == "CPython",
            self.is_optimised,
            has_lto,
            self.version,
        )
    }
}

/// The best of those that are new enough: optimised before newer. Of equals, the first.
pub(super) fn best(interpreters: Vec<Interpreter>) -> Option<Interpreter> {
    let mut usable = interpreters.into_iter().filter(Interpreter::is_new_enough);
    let first = usable.next()?;
    Some(usable.fold(first, |best, other| {
        if other.rank() > best.rank() {
            other
        } else {
            best
        }
    }))
}

/// Programs called `python3` or `python3.<minor>` on `path` and where the system keeps its own.
pub(super) fn candidates(path: &str) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for folder in path
        .split(':')
        .chain([SYSTEM_FOLDER])
        .filter(|folder| !folder.is_empty())
    {
        for program in interpreters_in(Path::new(folder)) {
            // A link to one already found is that one; a wrapper script is asked for what it stands for.
            let real = program.canonicalize().unwrap_or_else(|_| program.clone());
            let is_wrapper = real
                .file_name()
                .is_none_or(|name| !is_interpreter(&name.to_string_lossy()));
            if seen.insert(if is_wrapper { program.clone() } else { real }) {
                found.push(program);
            }
        }
    }
    found
}

fn interpreters_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut programs: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| is_interpreter(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .filter(|program| is_executable(program))
        .collect();
    programs.sort();
    programs
}

fn is_interpreter(name: &str) -> bool {
    let Some(minor) = name.strip_prefix("python3") else {
        return false;
    };
    let number = minor
        .strip_prefix('.')
        .and_then(|minor| minor.parse::<u32>().ok());
    minor.is_empty() || number.is_some_and(|number| number >= OLDEST_PYTHON.1)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn interpreter(minor: u32, is_optimised: bool, has_lto: bool) -> Interpreter {
        Interpreter {
            program: PathBuf::from(format!("/python3.{minor}")),
            version: (3, minor, 0),
            implementation: "CPython".to_owned(),
            is_optimised,
            has_lto,
            is_distribution: false,
        }
    }

    #[test]
    fn an_optimised_build_comes_before_a_newer_one() {
        let chosen = best(vec![
            interpreter(13, false, false),
            interpreter(11, true, true),
            interpreter(12, true, false),
        ]);
        assert_eq!(chosen, Some(interpreter(11, true, true)));
    }

    #[test]
    fn of_equal_builds_the_newest_is_taken_and_none_that_is_too_old() {
        let chosen = best(vec![
            interpreter(12, true, true),
            interpreter(13, true, true),
            interpreter(10, true, true),
        ]);
        assert_eq!(chosen, Some(interpreter(13, true, true)));
        assert_eq!(best(vec![interpreter(10, true, true)]), None);
    }

    #[test]
    fn another_implementation_is_taken_only_when_there_is_no_other() {
        let pypy = Interpreter {
            implementation: "PyPy".to_owned(),
            ..interpreter(13, true, true)
        };
        assert_eq!(
            best(vec![pypy.clone(), interpreter(11, false, false)]),
            Some(interpreter(11, false, false))
        );
        assert_eq!(best(vec![pypy.clone()]), Some(pypy));
    }

    #[test]
    fn build_flags_are_read_with_and_without_quotes() {
        let answer = |prefix: &str, flags: &str| {
            format!(
                "noise\n{{\"program\":\"/p\",\"version\":[3,11,2],\"implementation\":\"CPython\",\"prefix\":\"{prefix}\",\"flags\":\"{flags}\"}}\n"
            )
        };
        let given = Interpreter::of(&answer(
            "/opt",
            "'--enable-shared' '--enable-optimizations' '--with-lto'",
        ))
        .unwrap();
        assert!(given.is_optimised && given.has_lto);
        assert_eq!(
            given.description(),
            "CPython 3.11.2, built with --enable-optimizations --with-lto"
        );
        let plain = Interpreter::of(&answer("/x", "--prefix=/x")).unwrap();
        assert!(!plain.is_optimised && !plain.has_lto);
        assert_eq!(Interpreter::of("Python 3"), None);
    }

    #[test]
    fn the_build_of_a_distribution_counts_as_optimised_whatever_its_flags_say() {
        let distribution = Interpreter::of(
            r#"{"program":"/usr/bin/python3.11","version":[3,11,2],"implementation":"CPython","prefix":"/usr","flags":""}"#,
        )
        .unwrap();
        assert_eq!(
            distribution.description(),
            "CPython 3.11.2, the distribution's build"
        );
        let chosen = best(vec![interpreter(13, false, false), distribution.clone()]);
        assert_eq!(chosen, Some(distribution));
    }

    #[test]
    fn only_names_of_interpreters_are_candidates_and_links_count_once() {
        let root = tempfile::tempdir().unwrap();
        for name in [
            "python3.12",
            "python3.9",
            "python3-config",
            "python",
            "python3.12-config",
        ] {
            let path = root.path().join(name);
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        symlink("python3.12", root.path().join("python3")).unwrap();
        let found = candidates(&root.path().display().to_string());
        let here: Vec<_> = found
            .iter()
            .filter(|path| path.starts_with(root.path()))
            .collect();
        assert_eq!(here, [&root.path().join("python3")]);
    }
}
