//! What a stack was last prepared from: when nothing changed, nothing is run.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::error::PrepareError;

/// Folders that building makes beside the sources, and that a service needs.
const MADE: [&str; 3] = ["node_modules", "target", ".venv"];
/// Folders that come and go.
const PASSING: [&str; 2] = ["__pycache__", ".git"];

/// Written after every command of a stack succeeded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    /// SHA-256, in hexadecimal, of the folder's files and the tools' versions.
    pub(super) digest: String,
    /// Folders that were made beside the sources and must still be there.
    pub(super) made: Vec<String>,
}

impl Stamp {
    /// The stamp of a folder as it is now.
    pub(super) fn of(folder: &Path, versions: &[String]) -> Result<Stamp, PrepareError> {
        let mut files = Vec::new();
        collect(folder, &mut files)?;
        files.sort();
        let mut hash = Sha256::new();
        for file in &files {
            let bytes = fs::read(file).map_err(PrepareError::file("read", file))?;
            let name = file.strip_prefix(folder).unwrap_or(file);
            field(&mut hash, name.as_os_str().as_encoded_bytes());
            field(&mut hash, &bytes);
        }
        for version in versions {
            field(&mut hash, version.as_bytes());
        }
        let made = MADE.iter().filter(|name| folder.join(name).is_dir());
        Ok(Stamp {
            digest: hash
                .finalize()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect(),
            made: made.map(|name| (*name).to_owned()).collect(),
        })
    }

    /// The stamp at `path`; `None` when there is none that can be read.
    pub(super) fn read(path: &Path) -> Option<Stamp> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    /// Puts it at `path`, whole or not at all.
    pub(super) fn write(&self, path: &Path) -> Result<(), PrepareError> {
        let text = serde_json::to_vec(self).expect("a stamp is plain text and a list");
        let partial = path.with_extension("partial");
        fs::write(&partial, text).map_err(PrepareError::file("write", &partial))?;
        fs::rename(&partial, path).map_err(PrepareError::file("write", path))
    }

    /// Whether what was prepared with `self` is still right for a folder that is now as `now` says.
    pub(super) fn covers(&self, now: &Stamp) -> bool {
        self.digest == now.digest && self.made.iter().all(|name| now.made.contains(name))
    }
}

/// Lengths keep neighbouring fields apart.
fn field(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), PrepareError> {
    for entry in fs::read_dir(folder).map_err(PrepareError::file("read", folder))? {
        let entry = entry.map_err(PrepareError::file("read", folder))?;
        let (path, name) = (entry.path(), entry.file_name());
        if MADE.iter().chain(&PASSING).any(|made| name == *made) {
            continue;
        }
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_none_or(|extension| extension != "pyc") && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(folder: &Path) -> Stamp {
        Stamp::of(folder, &["go 1".to_owned()]).unwrap()
    }

    #[test]
    fn any_change_of_a_file_its_name_or_a_version_is_a_change() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        fs::create_dir(path("src")).unwrap();
        fs::write(path("src/a"), "1").unwrap();
        let first = stamp(root.path());
        assert!(first.covers(&stamp(root.path())));
        assert!(!first.covers(&Stamp::of(root.path(), &["go 2".to_owned()]).unwrap()));
        fs::write(path("src/a"), "2").unwrap();
        assert!(!first.covers(&stamp(root.path())));
        fs::remove_file(path("src/a")).unwrap();
        fs::write(path("src/b"), "1").unwrap();
        assert!(!first.covers(&stamp(root.path())));
    }

    #[test]
    fn what_building_makes_is_no_change_but_its_loss_is() {
        let root = tempfile::tempdir().unwrap();
        let modules = root.path().join("node_modules");
        let cached = root.path().join("__pycache__");
        fs::create_dir(&cached).unwrap();
        let before = stamp(root.path());
        fs::create_dir(&modules).unwrap();
        fs::write(modules.join("x"), "1").unwrap();
        let after = stamp(root.path());
        assert!(before.covers(&after));
        fs::remove_dir(&cached).unwrap();
        assert!(after.covers(&stamp(root.path())));
        fs::remove_dir_all(&modules).unwrap();
        assert!(!after.covers(&stamp(root.path())));
    }

    #[test]
    fn a_stamp_survives_its_file_and_a_damaged_file_is_none() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.stamp");
        let stamp = stamp(root.path());
        stamp.write(&path).unwrap();
        assert_eq!(Stamp::read(&path), Some(stamp));
        fs::write(&path, "{").unwrap();
        assert_eq!(Stamp::read(&path), None);
    }
}
