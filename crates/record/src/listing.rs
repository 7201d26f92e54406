//! The runs under a folder, damaged ones among them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files::io_error;
use crate::{RecordError, Run, RunDir};

/// A folder that is a run, or should be one.
#[derive(Debug)]
pub struct Listed {
    /// Folder name.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its `run.json`, or why that cannot be read.
    pub run: Result<Box<Run>, RecordError>,
}

/// Every run directory under `folder`, oldest name first; none where there is no such folder.
/// Files and hidden folders are no runs. A damaged run is listed as such.
///
/// # Errors
/// When the folder itself cannot be read.
pub fn list_runs(folder: &Path) -> Result<Vec<Listed>, RecordError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io_error(folder, "list")(error)),
    };
    let mut listed = Vec::new();
    for entry in entries {
        let entry = entry.map_err(io_error(folder, "list"))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        let kind = entry.file_type().map_err(io_error(&path, "read"))?;
        if name.starts_with('.') || kind.is_file() {
            continue;
        }
        let run = if kind.is_symlink() {
            Err(RecordError::Outside { path: path.clone() })
        } else {
            RunDir::open_run(&path).map(|(_, run)| Box::new(run))
        };
        listed.push(Listed { name, path, run });
    }
    listed.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(listed)
}
