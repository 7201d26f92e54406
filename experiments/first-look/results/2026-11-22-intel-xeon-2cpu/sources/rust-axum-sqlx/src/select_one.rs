//! `GET /select-one`: the value of a query that reads no table.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use sqlx::{FromRow, PgPool};

use crate::database::Failure;

#[derive(FromRow, Serialize)]
pub struct One {
    value: i32,
}

pub async fn answer(State(pool): State<PgPool>) -> Result<Json<One>, Failure> {
    let one = sqlx::query_as("SELECT 1 AS value").fetch_one(&pool).await?;
    Ok(Json(one))
}
