//! What a deployer sets, from the environment alone.

use std::env::{self, VarError};
use std::str::FromStr;

use anyhow::{Context, bail};

pub struct Settings {
    pub host: String,
    pub port: u16,
    /// Threads of the runtime.
    pub workers: usize,
    pub log_requests: bool,
    /// Absent: the routes that need it are not served.
    pub database: Option<Database>,
    /// Where ViaCEP is. Absent: addresses are not looked up.
    pub viacep_url: Option<String>,
}

pub struct Database {
    pub url: String,
    pub pool_size: usize,
    pub pool_idle: usize,
}

impl Settings {
    pub fn from_env() -> anyhow::Result<Self> {
        let pool_size = number("DB_POOL_SIZE", 10)?;
        let pool_idle = number("DB_POOL_IDLE", pool_size)?;
        Ok(Self {
            host: text("HOST")?.unwrap_or_else(|| "127.0.0.1".to_owned()),
            port: number("PORT", 8000)?,
            workers: number("WORKERS", 1)?,
            log_requests: number("LOG_REQUESTS", 0)? == 1,
            database: text("DATABASE_URL")?.map(|url| Database {
                url,
                pool_size,
                pool_idle,
            }),
            viacep_url: text("VIACEP_URL")?,
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
