//! Reading and writing inside one folder, so that neither a crash nor a hostile file does harm.
//!
//! Reads refuse what is not a regular file, lies outside the folder (a symbolic link) or is larger
//! than its limit. Writes either happen whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a file of a run directory could not be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The operating system refused.
    #[error("{}: cannot {doing}: {source}", path.display())]
    Io {
        /// File or folder.
        path: PathBuf,
        /// What was attempted.
        doing: &'static str,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file that makes a folder a run is not there.
    #[error("{}: there is no {missing} in it, so it is not a run directory", path.display())]
    NotARun {
        /// The folder.
        path: PathBuf,
        /// The file that was looked for.
        missing: &'static str,
    },
    /// A symbolic link leads out of the folder.
    #[error("{}: leads out of the run directory; replace the symbolic link by the file itself", path.display())]
    Outside {
        /// The link.
        path: PathBuf,
    },
    /// A folder, device or pipe stands where a file should be.
    #[error("{}: is not a regular file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The file is larger than any that this program writes.
    #[error("{}: holds {size_bytes} bytes, more than the {limit_bytes} that are read", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        size_bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// The content is not what its name promises.
    #[error("{}, line {line}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// The content belongs to another format, or to another version of this one.
    #[error("{}, line {line}: schema is \"{found}\", this version reads \"{wanted}\"; use the version of Bancada that wrote it", path.display())]
    ForeignSchema {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What the document says it is.
        found: String,
        /// What was expected.
        wanted: &'static str,
    },
    /// A name that cannot be the name of a file everywhere.
    #[error(
        "\"{name}\" cannot name a file: use letters, digits and . _ ~ + - (at most 128, and neither . nor - first)"
    )]
    BadName {
        /// The name.
        name: String,
    },
    /// What was about to be written would not be readable later.
    #[error("{}: refused to write: {reason}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl RecordError {
    /// Whether the place may be read and not written.
    pub fn is_read_only(&self) -> bool {
        use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        matches!(self, RecordError::Io { source, .. } if matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem))
    }
}

/// Wraps an error of the operating system with the path and what was attempted.
pub(crate) fn io_error(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> RecordError {
    let path = path.to_path_buf();
    move |source| RecordError::Io {
        path,
        doing,
        source,
    }
}

/// Refuses a name that would leave its folder or that some file system cannot hold.
pub(crate) fn check_name(name: &str) -> Result<(), RecordError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._~+=-".contains(c);
    let good =
        (1..=128).contains(&name.len()) && !name.starts_with(['.', '-']) && name.chars().all(plain);
    if good {
        return Ok(());
    }
    Err(RecordError::BadName {
        name: name.chars().take(160).collect(),
    })
}

/// The whole content of `root/relative`; `None` when there is no such file.
pub(crate) fn read_bounded(
    root: &Path,
    relative: &Path,
    limit_bytes: u64,
) -> Result<Option<Vec<u8>>, RecordError> {
    let path = root.join(relative);
    let real = match path.canonicalize() {
        Ok(real) => real,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error(&path, "read")(error)),
    };
    let real_root = root.canonicalize().map_err(io_error(root, "read"))?;
    if !real.starts_with(&real_root) {
        return Err(RecordError::Outside { path });
    }
    // Looked at before it is opened: opening a pipe would wait for a writer.
    let metadata = fs::metadata(&real).map_err(io_error(&path, "read"))?;
    if !metadata.is_file() {
        return Err(RecordError::NotAFile { path });
    }
    let mut bytes = Vec::new();
    let file = File::open(&real).map_err(io_error(&path, "read"))?;
    file.take(limit_bytes.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(io_error(&path, "read"))?;
    if bytes.len() as u64 > limit_bytes {
        return Err(RecordError::TooLarge {
            path,
            size_bytes: metadata.len(),
            limit_bytes,
        });
    }
    Ok(Some(bytes))
}

/// Puts `bytes` in the place of `path`: after a crash it holds the old content or the new, whole.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = folder.join(format!(".{name}.{}.new", std::process::id()));
    let written = write_new(&temporary, bytes)
        .and_then(|()| fs::rename(&temporary, path))
        .and_then(|()| sync_folder(folder));
    written.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        io_error(path, "write")(error)
    })
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A file of this name can only be left from a crash: never follow or share it.
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes the names in a folder last.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Appends `bytes` to `path` in one write and waits until they are stored.
pub(crate) fn append_synced(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    let existed = path.exists();
    let appended = OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
    appended
        .and_then(|()| match path.parent() {
            Some(folder) if !existed => sync_folder(folder),
            _ => Ok(()),
        })
        .map_err(io_error(path, "append to"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_never_leads_out_of_its_folder() {
        for bad in [
            "", "..", "../x", "a/b", "a\\b", ".hidden", "-rf", "a\n", "é",
        ] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
        assert!(check_name(&"x".repeat(129)).is_err());
        for good in [
            "b03-axum",
            "b03-axum~twin",
            "2026-03-24T101530-first-look",
            "c++",
        ] {
            assert!(check_name(good).is_ok(), "{good:?}");
        }
    }

    #[test]
    fn what_is_larger_than_its_limit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("run.json"), [b'x'; 11]).unwrap();
        let read = |limit| read_bounded(folder.path(), Path::new("run.json"), limit);
        assert_eq!(read(11).unwrap().unwrap().len(), 11);
        assert!(matches!(
            read(10),
            Err(RecordError::TooLarge { size_bytes: 11, .. })
        ));
    }

    #[test]
    fn a_link_out_of_the_folder_is_refused_and_one_inside_is_followed() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "s").unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("inside"), "i").unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret"), folder.path().join("a")).unwrap();
        std::os::unix::fs::symlink("inside", folder.path().join("b")).unwrap();
        let read = |name: &str| read_bounded(folder.path(), Path::new(name), 10);
        assert!(matches!(read("a"), Err(RecordError::Outside { .. })));
        assert_eq!(read("b").unwrap().unwrap(), b"i");
        assert!(read("none").unwrap().is_none());
    }

    #[test]
    fn what_is_not_a_file_is_refused_without_being_opened() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("run.json")).unwrap();
        let read = read_bounded(folder.path(), Path::new("run.json"), 10);
        assert!(matches!(read, Err(RecordError::NotAFile { .. })));
    }

    #[test]
    fn a_write_replaces_a_link_and_never_writes_through_it() {
        let outside = tempfile::tempdir().unwrap();
        let target = outside.path().join("precious");
        fs::write(&target, "kept").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("verdicts.json");
        std::os::unix::fs::symlink(&target, &path).unwrap();
        write_atomic(&path, b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"kept");
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
