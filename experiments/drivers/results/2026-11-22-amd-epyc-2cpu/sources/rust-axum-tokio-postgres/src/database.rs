//! The connection pool, opened and checked at start.

use anyhow::{Context, ensure};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use deadpool_postgres::{Manager, Pool};
use tokio_postgres::NoTls;

use crate::settings::Database;

const FIND_TABLES: &str = r#"SELECT coalesce(to_regclass('"user"'), to_regclass('movies'), to_regclass('logradouro')) IS NOT NULL"#;

pub async fn connect(database: &Database) -> anyhow::Result<Pool> {
    let config = database.url.parse().context("DATABASE_URL")?;
    let pool = Pool::builder(Manager::new(config, NoTls))
        .max_size(database.pool_size)
        .build()?;

    let client = pool
        .get()
        .await
        .context("cannot reach the database of DATABASE_URL")?;
    let found: bool = client.query_one(FIND_TABLES, &[]).await?.get(0);
    ensure!(
        found,
        "the database of DATABASE_URL has no table that this service reads"
    );
    drop(client);

    // The pool opens connections on demand only: hold `pool_idle` of them at once.
    let mut clients = Vec::new();
    for _ in 0..database.pool_idle {
        clients.push(pool.get().await?);
    }
    Ok(pool)
}

/// A query that did not work: 500 for the client, the reason on standard error.
pub struct Failure(anyhow::Error);

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        eprintln!("{:#}", self.0);
        StatusCode::INTERNAL_SERVER_ERROR.into_response()
    }
}
