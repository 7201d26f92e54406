//! The connection pool, opened and checked at start.

use anyhow::{Context, ensure};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use sqlx::postgres::PgPoolOptions;
use sqlx::{Connection, PgConnection, PgPool};

use crate::settings::Database;

pub async fn connect(database: &Database) -> anyhow::Result<PgPool> {
    // The pool would go on trying for half a minute; a plain connection fails at once.
    let mut connection = PgConnection::connect(&database.url)
        .await
        .context("cannot reach the database of DATABASE_URL")?;
    let found: bool = sqlx::query_scalar(
        r#"SELECT coalesce(to_regclass('"user"'), to_regclass('movies'), to_regclass('logradouro')) IS NOT NULL"#,
    )
    .fetch_one(&mut connection)
    .await?;
    ensure!(
        found,
        "the database of DATABASE_URL has no table that this service reads"
    );
    connection.close().await?;

    let pool = PgPoolOptions::new()
        .max_connections(database.pool_size)
        .min_connections(database.pool_idle)
        .connect(&database.url)
        .await?;
    Ok(pool)
}

/// A query that did not work: 500 for the client, the reason on standard error.
pub struct Failure(sqlx::Error);

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        eprintln!("{}", self.0);
        StatusCode::INTERNAL_SERVER_ERROR.into_response()
    }
}
