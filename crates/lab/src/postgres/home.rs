//! Where the server's files live, and which user it runs as.
//!
//! PostgreSQL refuses to run as root. Started by root it runs as an unprivileged user, who must be able to reach
//! its programs and its data: where the cache folder lies below one that others may not enter, another is used.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::PostgresError;

/// `nobody` and its group, on every distribution.
const UNPRIVILEGED: (u32, u32) = (65534, 65534);
/// Kept over restarts, and open to all.
const ELSEWHERE: &str = "/var/tmp";

/// The server's place on this machine.
#[derive(Clone, Debug)]
pub(super) struct Home {
    pub(super) folder: PathBuf,
    /// User and group id to run as, when that is not who we are.
    pub(super) user: Option<(u32, u32)>,
}

impl Home {
    /// Chooses and makes the folder.
    pub(super) fn choose(cache: &Path, root: &Path) -> Result<Home, PostgresError> {
        let folder = cache.join("postgres");
        make(&folder)?;
        let folder = folder
            .canonicalize()
            .map_err(PostgresError::file("open", &folder))?;
        if !rustix::process::geteuid().is_root() {
            return Ok(Home { folder, user: None });
        }
        let user = Some(UNPRIVILEGED);
        if is_reachable(&folder, user) {
            return Ok(Home { folder, user });
        }
        let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
        let digest = hex(&Sha256::digest(root.as_os_str().as_encoded_bytes()));
        let folder = Path::new(ELSEWHERE).join(format!("bancada-{}", &digest[..16]));
        make(&folder)?;
        // Anyone may put something of this name there, a link to a folder of root's for instance.
        let found = fs::symlink_metadata(&folder).map_err(PostgresError::file("open", &folder))?;
        if !found.is_dir() || found.uid() != 0 || found.mode() & 0o022 != 0 {
            return Err(PostgresError::NotOurs { path: folder });
        }
        Ok(Home { folder, user })
    }

    /// Hands a file or folder to the user that the server runs as.
    pub(super) fn give(&self, path: &Path) -> Result<(), PostgresError> {
        let Some((user, group)) = self.user else {
            return Ok(());
        };
        std::os::unix::fs::chown(path, Some(user), Some(group))
            .map_err(PostgresError::file("give away", path))
    }
}

fn make(folder: &Path) -> Result<(), PostgresError> {
    let made = DirBuilder::new().recursive(true).mode(0o755).create(folder);
    made.map_err(PostgresError::file("make", folder))
}

/// Whether that user may enter a folder and all above it; `None` is who we are.
pub(super) fn is_reachable(folder: &Path, user: Option<(u32, u32)>) -> bool {
    let Some((user, group)) = user else {
        return true;
    };
    folder.ancestors().all(|ancestor| {
        let Ok(found) = fs::metadata(ancestor) else {
            return false;
        };
        let who = if found.uid() == user {
            0o100
        } else if found.gid() == group {
            0o010
        } else {
            0o001
        };
        found.mode() & who != 0
    })
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_folder_below_a_closed_one_is_not_reachable_for_others() {
        let top = tempfile::tempdir().unwrap();
        let below = top.path().join("open");
        fs::create_dir(&below).unwrap();
        fs::set_permissions(top.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert!(!is_reachable(&below, Some(UNPRIVILEGED)));
        fs::set_permissions(top.path(), fs::Permissions::from_mode(0o711)).unwrap();
        assert!(is_reachable(&below, Some(UNPRIVILEGED)));
        assert!(is_reachable(&below, None));
    }

    #[test]
    fn root_moves_out_of_a_closed_folder_and_others_stay() {
        let root = tempfile::tempdir().unwrap();
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let home = Home::choose(&root.path().join("cache"), root.path()).unwrap();
        assert_eq!(home.user.is_some(), home.folder.starts_with(ELSEWHERE));
        assert!(is_reachable(&home.folder, home.user));
        if home.user.is_some() {
            fs::remove_dir(&home.folder).unwrap();
        }
    }
}
