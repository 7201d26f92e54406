//! What a deployer sets, from the environment alone.

use std::env::{self, VarError};
use std::str::FromStr;

use anyhow::{Context, bail};

pub struct Settings {
    pub host: String,
    pub port: u16,
    /// Threads of the runtime.
    pub workers: usize,
}

impl Settings {
    pub fn from_env() -> anyhow::Result<Self> {
        Ok(Self {
            host: text("HOST")?.unwrap_or_else(|| "127.0.0.1".to_owned()),
            port: number("PORT", 8000)?,
            workers: number("WORKERS", 1)?,
        })
    }
}

fn number<T: FromStr>(name: &str, default: T) -> anyhow::Result<T>
where
    T::Err: std::error::Error + Send + Sync + 'static,
{
    match text(name)? {
        Some(value) => value
            .parse()
            .with_context(|| format!("{name}={value} is not a number of its kind")),
        None => Ok(default),
    }
}

fn text(name: &str) -> anyhow::Result<Option<String>> {
    match env::var(name) {
        Ok(value) => Ok(Some(value)),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => bail!("{name} is not UTF-8"),
    }
}
