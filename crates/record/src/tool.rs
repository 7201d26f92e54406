//! `tools.jsonl` and `tools/`: what other load generators said of the same services, and their output as it was.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::files::{self, RecordError};
use crate::{RunDir, document};

const FILE: &str = "tools.jsonl";
const FOLDER: &str = "tools";
const LIMIT_BYTES: u64 = 4 << 20;
/// Longest output that is kept of one trial; of a longer one the end, where tools put their summary.
const OUTPUT_LIMIT_BYTES: usize = 64 << 10;

/// One fresh start of one treatment, loaded by another generator and, right after it, by ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolTrial {
    /// Always `bancada.tool/1`.
    pub schema: String,
    /// Unique in the run: round, treatment and tool, for instance `t1-axum-wrk`. Names its output.
    pub trial: String,
    /// Round, counted from 1.
    pub round: u32,
    /// Treatment that was loaded.
    pub treatment: String,
    /// Program.
    pub tool: String,
    /// What it says of its version; absent where it says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// How it ended: `exit status 0`, `stopped after 120 s`.
    pub ended: String,
    /// What it said, as far as that could be read from its output, by the name of the metric that is nearest.
    pub said: BTreeMap<String, f64>,
    /// What our closed loop saw of the same start.
    pub ours: BTreeMap<String, f64>,
    /// Connections of our closed loop.
    pub ours_concurrency_count: u32,
}

impl ToolTrial {
    /// The schema this version writes and reads.
    pub const SCHEMA: &'static str = "bancada.tool/1";
}

impl RunDir {
    /// Stores a tool's output as `tools/<trial>.txt`, then appends what was read from it.
    ///
    /// # Errors
    /// When the trial's name cannot name a file, or a file cannot be written.
    pub fn append_tool_trial(&self, trial: &ToolTrial, output: &[u8]) -> Result<(), RecordError> {
        files::check_name(&trial.trial)?;
        let folder = self.folder(FOLDER)?;
        let kept = &output[output.len().saturating_sub(OUTPUT_LIMIT_BYTES)..];
        files::write_atomic(&folder.join(format!("{}.txt", trial.trial)), kept)?;
        let path = self.path().join(FILE);
        let mut line = serde_json::to_vec(trial).map_err(|error| RecordError::Unwritable {
            path: path.clone(),
            reason: error.to_string(),
        })?;
        line.push(b'\n');
        files::append_synced(&path, &line)
    }

    /// What other generators said, in the order they ran; none where there is no file. A last line cut short is left out.
    ///
    /// # Errors
    /// When another line is damaged or foreign, or the file is unsafe to read.
    pub fn tool_trials(&self) -> Result<Vec<ToolTrial>, RecordError> {
        let bytes = files::read_bounded(self.path(), Path::new(FILE), LIMIT_BYTES)?;
        let bytes = bytes.unwrap_or_default();
        let path = self.path().join(FILE);
        bytes
            .split_inclusive(|byte| *byte == b'\n')
            .enumerate()
            .filter(|(_, line)| line.ends_with(b"\n") && !line.trim_ascii().is_empty())
            .map(|(index, line)| document::parse(line, ToolTrial::SCHEMA, &path, index + 1))
            .collect()
    }
}
