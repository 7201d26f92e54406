//! Environment of prepare commands and of services.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use catalog::TreatmentManifest;

use super::error::PrepareError;

/// Where things are, and what the caller's environment says.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The project's cache folder; made when missing.
    pub cache: PathBuf,
    /// The caller's whole environment: prepare commands need its proxies, registries and tool folders.
    pub environment: BTreeMap<String, String>,
    /// Interpreter for Python services, instead of the best one that is found.
    pub python: Option<PathBuf>,
    /// Tools whose absence is an error and no reason to skip.
    pub require: Vec<String>,
}

/// Variables that would leak a build or a shell of the caller's into what is built.
const LEFT_OUT: [&str; 17] = [
    "CARGO",
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_TARGET_DIR",
    "DATABASE_URL",
    "DB_POOL_IDLE",
    "DB_POOL_SIZE",
    "LD_LIBRARY_PATH",
    "NODE_ENV",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PORT",
    "PYTHONHOME",
    "PYTHONPATH",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
    "WORKERS",
];

/// Variables that cargo gives to what it runs, and ours.
const LEFT_OUT_PREFIXES: [&str; 5] = [
    "BANCADA_",
    "CARGO_BIN_",
    "CARGO_CRATE_",
    "CARGO_MANIFEST_",
    "CARGO_PKG_",
];

/// Folders below the cache.
#[derive(Clone, Debug)]
pub(super) struct Folders {
    pub(super) logs: PathBuf,
    pub(super) tools: PathBuf,
    pub(super) stacks: PathBuf,
    pub(super) cargo_target: PathBuf,
}

impl Folders {
    /// Makes those that are missing, below an absolute path: commands run in other folders.
    pub(super) fn below(cache: &Path) -> Result<Folders, PrepareError> {
        std::fs::create_dir_all(cache).map_err(PrepareError::file("make", cache))?;
        let cache = cache
            .canonicalize()
            .map_err(PrepareError::file("open", cache))?;
        let folders = Folders {
            logs: cache.join("logs"),
            tools: cache.join("tools"),
            stacks: cache.join("stacks"),
            cargo_target: cache.join("cargo-target"),
        };
        for folder in [&folders.logs, &folders.tools, &folders.stacks] {
            std::fs::create_dir_all(folder).map_err(PrepareError::file("make", folder))?;
        }
        Ok(folders)
    }
}

impl Settings {
    /// The caller's search path.
    pub fn path(&self) -> &str {
        self.environment
            .get("PATH")
            .map_or("/usr/local/bin:/usr/bin:/bin", String::as_str)
    }

    /// What tools are run with: the caller's environment without what would leak into a build.
    pub(super) fn for_tools(&self) -> BTreeMap<String, String> {
        let kept = |name: &str| {
            !LEFT_OUT.contains(&name)
                && name != "VIRTUAL_ENV"
                && !LEFT_OUT_PREFIXES
                    .iter()
                    .any(|prefix| name.starts_with(prefix))
        };
        let mut environment = self.environment.clone();
        environment.retain(|name, _| kept(name));
        environment.insert("PATH".to_owned(), self.path().to_owned());
        environment
    }

    /// What a stack's prepare commands are run with. What they install goes below `build`.
    pub(super) fn for_prepare(&self, build: &Path, folders: &Folders) -> BTreeMap<String, String> {
        let mut environment = self.for_tools();
        let bin = build.join("bin");
        for (name, folder) in [
            ("BANCADA_BUILD", build),
            ("CARGO_INSTALL_ROOT", build),
            ("CARGO_TARGET_DIR", &folders.cargo_target),
            ("GOBIN", &bin),
            ("VIRTUAL_ENV", build),
            ("UV_PROJECT_ENVIRONMENT", build),
        ] {
            environment.insert(name.to_owned(), folder.display().to_string());
        }
        environment.insert("UV_PYTHON_DOWNLOADS".to_owned(), "never".to_owned());
        environment
    }

    /// What every service starts from: nothing of the caller's but where programs and the home folder are.
    pub(super) fn for_services(&self, build: &Path) -> BTreeMap<String, String> {
        let path = format!("{}:{}", build.join("bin").display(), self.path());
        let text = |name: &str, default: &str| {
            let value = self.environment.get(name);
            value
                .filter(|value| !value.is_empty())
                .cloned()
                .unwrap_or_else(|| default.to_owned())
        };
        BTreeMap::from([
            ("PATH".to_owned(), path),
            ("HOME".to_owned(), text("HOME", "/")),
            ("LANG".to_owned(), text("LANG", "C.UTF-8")),
        ])
    }
}

/// The environment of one treatment's service, without what only a start knows: `PORT`, `HOST` and
/// `DATABASE_URL`.
///
/// `launch` is [`LaunchSpec::env`](super::LaunchSpec::env). `DB_POOL_SIZE` and `DB_POOL_IDLE` are absent
/// where the treatment has no pool; the idle size is the pool size unless given. The treatment's own
/// variables come last, and the catalogue has refused those that the bench sets.
pub fn service_environment(
    launch: &BTreeMap<String, String>,
    treatment: &TreatmentManifest,
) -> BTreeMap<String, String> {
    let mut environment = launch.clone();
    environment.insert("WORKERS".to_owned(), treatment.workers.to_string());
    if let Some(size) = treatment.db_pool_size {
        let idle = treatment.db_pool_idle.unwrap_or(size);
        environment.insert("DB_POOL_SIZE".to_owned(), size.to_string());
        environment.insert("DB_POOL_IDLE".to_owned(), idle.to_string());
    }
    environment.extend(treatment.env.clone());
    environment
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn treatment() -> TreatmentManifest {
        TreatmentManifest {
            name: "a".to_owned(),
            stack: "s".to_owned(),
            workload: "w".to_owned(),
            launch: "default".to_owned(),
            workers: 2,
            db_pool_size: None,
            db_pool_idle: None,
            env: BTreeMap::new(),
            path: None,
            feed: None,
            database_settings: BTreeMap::new(),
            after: None,
        }
    }

    #[test]
    fn a_service_gets_nothing_of_the_callers_but_path_home_and_language() {
        let environment = map(&[
            ("PATH", "/p"),
            ("HOME", "/h"),
            ("SECRET", "x"),
            ("DATABASE_URL", "y"),
        ]);
        let settings = Settings {
            environment,
            ..Settings::default()
        };
        let expected = map(&[("PATH", "/b/bin:/p"), ("HOME", "/h"), ("LANG", "C.UTF-8")]);
        assert_eq!(settings.for_services(Path::new("/b")), expected);
    }

    #[test]
    fn a_pool_is_given_whole_and_idle_as_large_unless_said_otherwise() {
        let mut treatment = treatment();
        assert_eq!(
            service_environment(&BTreeMap::new(), &treatment),
            map(&[("WORKERS", "2")])
        );
        treatment.db_pool_size = Some(10);
        let expected = map(&[
            ("WORKERS", "2"),
            ("DB_POOL_SIZE", "10"),
            ("DB_POOL_IDLE", "10"),
        ]);
        assert_eq!(service_environment(&BTreeMap::new(), &treatment), expected);
        treatment.db_pool_idle = Some(2);
        assert_eq!(
            service_environment(&BTreeMap::new(), &treatment)["DB_POOL_IDLE"],
            "2"
        );
    }

    #[test]
    fn what_a_treatment_says_wins_over_its_launch_mode() {
        let mut treatment = treatment();
        treatment.env = map(&[("TZ", "b")]);
        assert_eq!(
            service_environment(&map(&[("TZ", "a")]), &treatment)["TZ"],
            "b"
        );
    }

    #[test]
    fn builds_do_not_see_the_build_that_runs_them() {
        let environment = map(&[
            ("PATH", "/p"),
            ("CARGO_HOME", "/c"),
            ("HTTPS_PROXY", "x"),
            ("CARGO_PKG_NAME", "bancada"),
            ("RUSTFLAGS", "-C debuginfo=2"),
            ("VIRTUAL_ENV", "/v"),
            ("PYTHONPATH", "/v"),
        ]);
        let settings = Settings {
            environment,
            ..Settings::default()
        };
        let cache = tempfile::tempdir().unwrap();
        let folders = Folders::below(cache.path()).unwrap();
        let given = settings.for_prepare(Path::new("/b"), &folders);
        assert_eq!(
            (given["CARGO_HOME"].as_str(), given["HTTPS_PROXY"].as_str()),
            ("/c", "x")
        );
        assert_eq!(
            (given["VIRTUAL_ENV"].as_str(), given["GOBIN"].as_str()),
            ("/b", "/b/bin")
        );
        for name in ["CARGO_PKG_NAME", "RUSTFLAGS", "PYTHONPATH"] {
            assert!(!given.contains_key(name), "{name}");
        }
    }
}
