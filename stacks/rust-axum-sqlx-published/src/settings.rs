//! What a deployer sets, from the environment alone.

use std::env;
use std::str::FromStr;

use anyhow::{Context, anyhow};

pub struct Settings {
    pub host: String,
    pub port: u16,
    /// Threads of the runtime: one for each CPU unless given.
    pub workers: usize,
    pub database_url: String,
    pub pool_size: u32,
    pub pool_idle: u32,
}

impl Settings {
    pub fn from_env() -> anyhow::Result<Self> {
        let cpus = std::thread::available_parallelism()?.get();
        Ok(Self {
            host: env::var("HOST").unwrap_or_else(|_| "127.0.0.1".to_owned()),
            port: number("PORT", 8000)?,
            workers: number("WORKERS", cpus)?,
            database_url: env::var("DATABASE_URL").context("DATABASE_URL")?,
            pool_size: number("DB_POOL_SIZE", 10)?,
            pool_idle: number("DB_POOL_IDLE", 0)?,
        })
    }
}

fn number<T: FromStr>(name: &str, default: T) -> anyhow::Result<T> {
    env::var(name).map_or(Ok(default), |value| {
        let wrong = || anyhow!("{name}={value} is not a number of its kind");
        value.parse().map_err(|_| wrong())
    })
}
