//! The connection pool, opened and checked at start.

use anyhow::{Context, ensure};
use sqlx::postgres::PgPoolOptions;
use sqlx::{Connection, PgConnection, PgPool};

use crate::settings::Settings;

pub async fn connect(settings: &Settings) -> anyhow::Result<PgPool> {
    // The pool would go on trying for half a minute; a plain connection fails at once.
    let mut connection = PgConnection::connect(&settings.database_url)
        .await
        .context("cannot reach the database of DATABASE_URL")?;
    let found: bool = sqlx::query_scalar("SELECT to_regclass('logradouro') IS NOT NULL")
        .fetch_one(&mut connection)
        .await?;
    ensure!(
        found,
        "the database of DATABASE_URL has no table logradouro"
    );
    connection.close().await?;

    let pool = PgPoolOptions::new()
        .max_connections(settings.pool_size)
        .min_connections(settings.pool_idle)
        .connect(&settings.database_url)
        .await?;
    Ok(pool)
}
