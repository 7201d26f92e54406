//! `samples/<trial>.jsonl`: the time series behind a trial.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::files::{self, RecordError};
use crate::{RunDir, document};

const SAMPLES_LIMIT_BYTES: u64 = 16 << 20;

/// What was seen at one instant of a trial.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Seconds since the run began.
    pub at_s: f64,
    /// Figures by name, each name ending in its unit; what was not read is absent.
    #[serde(flatten)]
    pub figures: BTreeMap<String, f64>,
}

impl RunDir {
    /// Appends samples of a trial, in order of time. They are stored when this returns.
    ///
    /// # Errors
    /// When the trial's name cannot name a file, a figure is not a number, or the file cannot be written.
    pub fn append_samples(&self, trial: &str, samples: &[Sample]) -> Result<(), RecordError> {
        let path = self.samples_path(trial)?;
        let mut lines = Vec::new();
        for sample in samples {
            if !sample.at_s.is_finite() || sample.figures.values().any(|figure| !figure.is_finite())
            {
                return Err(RecordError::Unwritable {
                    path,
                    reason: format!("a figure at {} s is not a number", sample.at_s),
                });
            }
            serde_json::to_writer(&mut lines, sample).map_err(|error| RecordError::Unwritable {
                path: path.clone(),
                reason: error.to_string(),
            })?;
            lines.push(b'\n');
        }
        self.folder("samples")?;
        files::append_synced(&path, &lines)
    }

    /// The samples of a trial; none where there is no file. A last line cut short is left out.
    ///
    /// # Errors
    /// When another line is damaged, or the file is unsafe to read.
    pub fn samples(&self, trial: &str) -> Result<Vec<Sample>, RecordError> {
        let path = self.samples_path(trial)?;
        let relative = path.strip_prefix(self.path()).unwrap_or(&path);
        let bytes = files::read_bounded(self.path(), relative, SAMPLES_LIMIT_BYTES)?;
        let bytes = bytes.unwrap_or_default();
        let whole = bytes.split_inclusive(|byte| *byte == b'\n');
        whole
            .enumerate()
            .filter(|(_, line)| line.ends_with(b"\n"))
            .map(|(index, line)| document::parse_plain(line, &path, index + 1))
            .collect()
    }

    fn samples_path(&self, trial: &str) -> Result<PathBuf, RecordError> {
        files::check_name(trial)?;
        Ok(self.path().join("samples").join(format!("{trial}.jsonl")))
    }
}
