//! The end of a log file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Enough for the last lines anyone wants to see; a log may be very long.
const TAIL_BYTES: u64 = 64 * 1024;

/// The last `lines` lines of a file; empty when it cannot be read.
pub(super) fn tail(path: &Path, lines: usize) -> Vec<String> {
    let mut bytes = Vec::new();
    if let Ok(mut file) = File::open(path) {
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        let start = length.saturating_sub(TAIL_BYTES);
        if file.seek(SeekFrom::Start(start)).is_ok() && file.read_to_end(&mut bytes).is_err() {
            bytes.clear();
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    let all: Vec<&str> = text.lines().collect();
    let first = all.len().saturating_sub(lines);
    all[first..].iter().map(|line| (*line).to_owned()).collect()
}
