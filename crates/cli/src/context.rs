//! What every command needs to know of where it runs. The environment is read here and nowhere else.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

/// Folders and settings of one call of `bancada`.
#[derive(Clone, Debug)]
pub struct Context {
    /// Checkout: the folder with `stacks/`, `workloads/` and `experiments/`.
    pub root: PathBuf,
    /// Builds, tools, logs and the private PostgreSQL.
    pub cache: PathBuf,
    /// Where runs are recorded.
    pub runs: PathBuf,
    /// What must not be skipped (`BANCADA_REQUIRE=postgres,go,…`).
    pub require: Vec<String>,
    /// Server to use instead of a private one (`DATABASE_URL`).
    pub database_url: Option<String>,
    /// Folder of PostgreSQL server programs to use (`BANCADA_POSTGRES_BIN`).
    pub postgres_bin: Option<PathBuf>,
    /// Interpreter for Python services (`BANCADA_PYTHON`).
    pub python: Option<PathBuf>,
}

impl Context {
    /// Finds the checkout from the working directory upwards, unless `root` names it.
    pub fn find(root: Option<&Path>) -> anyhow::Result<Context> {
        let root = match root {
            Some(root) => root
                .canonicalize()
                .with_context(|| format!("no folder {}", root.display()))?,
            None => find_root(&env::current_dir()?)?,
        };
        if !is_root(&root) {
            bail!(
                "{} has no stacks/, workloads/ and experiments/: give --root the folder of a checkout",
                root.display()
            );
        }
        Ok(Context {
            cache: path_variable("BANCADA_CACHE").unwrap_or_else(|| root.join(".bancada")),
            runs: root.join("runs"),
            require: list_variable("BANCADA_REQUIRE"),
            database_url: text_variable("DATABASE_URL"),
            postgres_bin: path_variable("BANCADA_POSTGRES_BIN"),
            python: path_variable("BANCADA_PYTHON"),
            root,
        })
    }

    /// Where PostgreSQL comes from.
    pub fn postgres_settings(&self) -> lab::postgres::Settings {
        lab::postgres::Settings {
            cache: self.cache.clone(),
            root: self.root.clone(),
            bin: self.postgres_bin.clone(),
            external_url: self.database_url.clone(),
            env: self.prepare_settings().environment.into_iter().collect(),
            ..lab::postgres::Settings::default()
        }
    }

    /// How stacks are prepared: with the caller's whole environment, which package managers need.
    pub fn prepare_settings(&self) -> lab::prepare::Settings {
        lab::prepare::Settings {
            cache: self.cache.clone(),
            environment: env::vars_os()
                .filter(|(name, _)| name != TOKEN)
                .filter_map(|(name, value)| {
                    Some((name.into_string().ok()?, value.into_string().ok()?))
                })
                .collect(),
            python: self.python.clone(),
            require: self.require.clone(),
        }
    }
}

fn find_root(from: &Path) -> anyhow::Result<PathBuf> {
    match from.ancestors().find(|folder| is_root(folder)) {
        Some(root) => Ok(root.to_path_buf()),
        None => bail!(
            "no stacks/, workloads/ and experiments/ in {} or above it: run this inside a checkout, or give --root",
            from.display()
        ),
    }
}

fn is_root(folder: &Path) -> bool {
    ["stacks", "workloads", "experiments"]
        .iter()
        .all(|name| folder.join(name).is_dir())
}

/// Secret of `bancada serve`, which package managers and services are not told.
const TOKEN: &str = "BANCADA_TOKEN";

/// Token of `bancada serve` (`BANCADA_TOKEN`).
pub fn token_variable() -> Option<String> {
    text_variable(TOKEN)
}

fn text_variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn path_variable(name: &str) -> Option<PathBuf> {
    text_variable(name).map(PathBuf::from)
}

fn list_variable(name: &str) -> Vec<String> {
    let items = text_variable(name).unwrap_or_default();
    items
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .map(str::to_owned)
        .collect()
}
