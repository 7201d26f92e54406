//! Where runs are, and how one is named without a path ever being taken from a request.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use record::{RecordError, RunDir};

use crate::problem::Problem;

/// The place of this machine's own runs. Every other place is an experiment with committed results.
const LOCAL: &str = "local";
/// Text of a message at most.
pub const MESSAGE_CHARS: usize = 500;

/// The folders that are served.
#[derive(Clone, Debug)]
pub struct Folders {
    /// The checkout, with `stacks/`, `workloads/` and `experiments/`.
    pub root: PathBuf,
    /// Where runs of this machine are recorded.
    pub runs: PathBuf,
}

/// A run by its place and its folder's name, written `local/2026-03-24T101530-first-look`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RunId {
    /// `local`, or the experiment beside which the run is committed.
    pub place: String,
    /// Name of the run directory.
    pub name: String,
}

impl RunId {
    /// A run of this machine.
    pub fn local(name: &str) -> RunId {
        RunId {
            place: LOCAL.to_owned(),
            name: name.to_owned(),
        }
    }

    /// # Errors
    /// 404 for a name that no run directory has.
    pub fn new(place: &str, name: &str) -> Result<RunId, Problem> {
        if !is_plain(place) || !is_plain(name) {
            return Err(Problem::not_found("a run is named <place>/<folder>"));
        }
        Ok(RunId {
            place: place.to_owned(),
            name: name.to_owned(),
        })
    }
}

impl FromStr for RunId {
    type Err = Problem;

    fn from_str(text: &str) -> Result<RunId, Problem> {
        let (place, name) = text.split_once('/').unwrap_or(("", ""));
        RunId::new(place, name)
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.place, self.name)
    }
}

impl Folders {
    /// Every place that may hold runs, by name.
    pub fn places(&self) -> Vec<(String, PathBuf)> {
        let mut places = vec![(LOCAL.to_owned(), self.runs.clone())];
        let experiments = std::fs::read_dir(self.root.join("experiments"));
        for entry in experiments.into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if is_plain(&name) && name != LOCAL {
                places.push((name, entry.path().join("results")));
            }
        }
        places
    }

    /// The folder of a run, which is not a symbolic link.
    ///
    /// # Errors
    /// 404 when there is none.
    pub fn run_folder(&self, id: &RunId) -> Result<PathBuf, Problem> {
        let place = match id.place.as_str() {
            LOCAL => self.runs.clone(),
            experiment => self
                .root
                .join("experiments")
                .join(experiment)
                .join("results"),
        };
        let folder = place.join(&id.name);
        match folder.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => Ok(folder),
            Ok(_) => Err(Problem::unreadable(format!("{id} is not a folder"))),
            Err(_) => Err(Problem::not_found(&format!("there is no run {id}"))),
        }
    }

    /// Opens a run directory.
    ///
    /// # Errors
    /// 404 when there is none, 422 when it is damaged, foreign or unsafe to read.
    pub fn open(&self, id: &RunId) -> Result<RunDir, Problem> {
        RunDir::open(&self.run_folder(id)?).map_err(|error| self.unreadable(&error))
    }

    /// What is wrong with a run directory, as a problem.
    pub fn unreadable(&self, error: &RecordError) -> Problem {
        Problem::unreadable(self.told(error))
    }

    /// What is wrong with a run directory, with paths as seen from the checkout.
    pub fn told(&self, error: &RecordError) -> String {
        let message = error.to_string();
        let from = |folder: Option<&Path>| folder.map(|folder| format!("{}/", folder.display()));
        let mut message = cut(&message, 4 * MESSAGE_CHARS);
        for prefix in [from(Some(&self.root)), from(self.runs.parent())]
            .into_iter()
            .flatten()
        {
            message = message.replace(&prefix, "");
        }
        cut(&message, MESSAGE_CHARS)
    }
}

/// Whether a name can be that of a folder of ours: nothing that leads elsewhere.
pub fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._~+-".contains(c);
    (1..=128).contains(&name.len()) && !name.starts_with(['.', '-']) && name.chars().all(plain)
}

/// At most so many characters of a text.
pub fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_never_named_by_what_leads_elsewhere() {
        for bad in [
            "",
            "local",
            "local/",
            "local/..",
            "../runs",
            "local/a/b",
            "local/.x",
            "local/a\\b",
            "local/%2e%2e",
            "local/a\0",
        ] {
            assert!(bad.parse::<RunId>().is_err(), "{bad:?}");
        }
        let id: RunId = "first-look/2026-11-21-amd".parse().unwrap();
        assert_eq!(id.to_string(), "first-look/2026-11-21-amd");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(cut("ação", 3), "açã…");
        assert_eq!(cut("ação", 4), "ação");
    }
}
