//! `trials.jsonl`: one line a trial, appended and stored when it ends, readable after any crash.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use crate::files::{self, RecordError, io_error};
use crate::{RunDir, Trial, document, metric};

/// A thousand trials of forty slices stay far below.
const TRIALS_LIMIT_BYTES: u64 = 64 << 20;
const FILE: &str = "trials.jsonl";

/// The trials of a run, in the order they ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trials {
    /// Every trial that ended.
    pub trials: Vec<Trial>,
    /// What was found and left out, in words.
    pub notices: Vec<String>,
}

/// What follows the last line end of the journal.
enum Tail {
    /// Nothing: the last write was whole.
    Clean,
    /// A whole trial whose line end was lost.
    Unended,
    /// A trial that a crash cut short; the journal is good up to this length.
    Cut { good_bytes: u64 },
}

impl RunDir {
    /// Appends a trial and waits until it is stored. A line that an earlier crash cut short is removed first.
    ///
    /// # Errors
    /// When the trial is already there, names a metric that is not in the table or holds a figure that is
    /// not a number, when the journal is damaged, or when it cannot be written. Nothing is then appended.
    pub fn append_trial(&self, trial: &Trial) -> Result<(), RecordError> {
        let path = self.journal();
        let refuse = |reason: String| RecordError::Unwritable {
            path: path.clone(),
            reason,
        };
        files::check_name(&trial.trial)?;
        check_figures(trial).map_err(refuse)?;
        let bytes = self.journal_bytes()?;
        let (stored, tail) = parse(&bytes, &path)?;
        if stored.iter().any(|stored| stored.trial == trial.trial) {
            return Err(refuse(format!("trial {} is already stored", trial.trial)));
        }
        let mut line = Vec::new();
        match tail {
            Tail::Clean => {}
            Tail::Unended => line.push(b'\n'),
            Tail::Cut { good_bytes } => truncate(&path, good_bytes)?,
        }
        serde_json::to_writer(&mut line, trial).map_err(|error| refuse(error.to_string()))?;
        line.push(b'\n');
        files::append_synced(&path, &line)
    }

    /// Every trial that ended. A last line that a crash cut short is left out, with a notice.
    ///
    /// # Errors
    /// When any other line is damaged or foreign, a trial is there twice, or the file is unsafe to read.
    pub fn trials(&self) -> Result<Trials, RecordError> {
        let path = self.journal();
        let bytes = self.journal_bytes()?;
        let (trials, tail) = parse(&bytes, &path)?;
        let notices = match tail {
            Tail::Cut { good_bytes } => vec![format!(
                "{FILE}: the last line was cut short after {} bytes, so that trial did not end and is left out",
                bytes.len() as u64 - good_bytes,
            )],
            Tail::Clean | Tail::Unended => Vec::new(),
        };
        Ok(Trials { trials, notices })
    }

    fn journal(&self) -> PathBuf {
        self.path().join(FILE)
    }

    fn journal_bytes(&self) -> Result<Vec<u8>, RecordError> {
        let bytes = files::read_bounded(self.path(), Path::new(FILE), TRIALS_LIMIT_BYTES)?;
        Ok(bytes.unwrap_or_default())
    }
}

fn parse(bytes: &[u8], path: &Path) -> Result<(Vec<Trial>, Tail), RecordError> {
    let good_bytes = bytes
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let (whole, rest) = bytes.split_at(good_bytes);
    let mut trials = Vec::new();
    let mut names = HashSet::new();
    let mut add = |trial: Trial, line: usize| {
        if !names.insert(trial.trial.clone()) {
            return Err(RecordError::Damaged {
                path: path.to_path_buf(),
                line,
                reason: format!("trial {} is there a second time", trial.trial),
            });
        }
        trials.push(trial);
        Ok(())
    };
    let mut lines_count = 0;
    for line in whole.split_inclusive(|byte| *byte == b'\n') {
        lines_count += 1;
        if !line.trim_ascii().is_empty() {
            add(
                document::parse(line, Trial::SCHEMA, path, lines_count)?,
                lines_count,
            )?;
        }
    }
    let tail = if rest.trim_ascii().is_empty() {
        Tail::Clean
    } else {
        match document::parse(rest, Trial::SCHEMA, path, lines_count + 1) {
            Ok(trial) => {
                add(trial, lines_count + 1)?;
                Tail::Unended
            }
            Err(foreign @ RecordError::ForeignSchema { .. }) => return Err(foreign),
            Err(_) => Tail::Cut {
                good_bytes: good_bytes as u64,
            },
        }
    };
    Ok((trials, tail))
}

fn check_figures(trial: &Trial) -> Result<(), String> {
    if trial.schema != Trial::SCHEMA {
        return Err(format!("schema must be \"{}\"", Trial::SCHEMA));
    }
    let of_levels = trial.levels.iter().flat_map(|level| &level.metrics);
    for (name, value) in trial.metrics.iter().chain(of_levels) {
        if metric(name).is_none() {
            return Err(format!("{name} is not in the table of metrics"));
        }
        if !value.is_finite() {
            return Err(format!(
                "{name} is {value}; leave out what was not measured"
            ));
        }
    }
    Ok(())
}

fn truncate(path: &Path, length: u64) -> Result<(), RecordError> {
    OpenOptions::new()
        .write(true)
        .open(path)
        .and_then(|file| {
            file.set_len(length)?;
            file.sync_all()
        })
        .map_err(io_error(path, "repair"))
}
