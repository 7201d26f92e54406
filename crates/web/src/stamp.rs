//! Whether a file has changed since it was read, without reading it.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Identity, length and last change of a file; two reads under one stamp see the same content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    inode: u64,
    length_bytes: u64,
    modified_at: (i64, i64),
    changed_at: (i64, i64),
}

impl Stamp {
    /// The stamp of a file or folder; `None` where there is none.
    pub fn of(path: &Path) -> Option<Stamp> {
        let metadata = std::fs::metadata(path).ok()?;
        Some(Stamp {
            inode: metadata.ino(),
            length_bytes: metadata.len(),
            modified_at: (metadata.mtime(), metadata.mtime_nsec()),
            changed_at: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }

    /// Whether this content was written no earlier than the other.
    pub fn is_no_older_than(&self, other: &Stamp) -> bool {
        self.modified_at >= other.modified_at
    }

    /// Seconds since the content was last written; 0 for an instant to come.
    pub fn age_s(&self) -> f64 {
        let (seconds, nanoseconds) = self.modified_at;
        let since = Duration::new(
            u64::try_from(seconds).unwrap_or(0),
            u32::try_from(nanoseconds).unwrap_or(0),
        );
        let written = SystemTime::UNIX_EPOCH.checked_add(since);
        written
            .and_then(|written| SystemTime::now().duration_since(written).ok())
            .map_or(0.0, |age| age.as_secs_f64())
    }
}
