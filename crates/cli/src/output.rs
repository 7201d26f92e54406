//! Where a result goes: checked before anything is measured, so that none is lost to a path that cannot be written.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use anyhow::Context as _;

use crate::exit::Usage;

/// Refuses a path that cannot be written, before the work that it would lose. Leaves nothing behind.
///
/// # Errors
/// As wrong usage, when its folder is not there, or it may not be written there.
pub fn check(path: Option<&Path>) -> Result<(), Usage> {
    let Some(path) = path else { return Ok(()) };
    let refused = |why: String| Usage(format!("--output {}: {why}", path.display()));
    if path.is_dir() {
        return Err(refused("this is a folder, give a file".to_owned()));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return Err(refused(format!("there is no folder {}", folder.display())));
    }
    // A pipe or a device takes what comes; opening it now could wait or end somebody's reading.
    let known = std::fs::metadata(path);
    if known.as_ref().is_ok_and(|found| !found.is_file()) {
        return Ok(());
    }
    let is_new = known.is_err();
    OpenOptions::new()
        .append(true)
        .create(is_new)
        .open(path)
        .map_err(|error| refused(error.to_string()))?;
    if is_new {
        // Where it cannot be removed an empty file is left, which the result replaces.
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

/// Writes a result to its file, or to standard output; there too when the file fails, so that it is not lost.
///
/// # Errors
/// When the file cannot be written.
pub fn put(text: &str, path: Option<&Path>) -> anyhow::Result<()> {
    let written = match path {
        Some(path) => {
            std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
        }
        None => Ok(()),
    };
    if path.is_none() || written.is_err() {
        // A reader that has gone away is no failure of ours.
        let _ = std::io::stdout().write_all(text.as_bytes());
    }
    written
}
