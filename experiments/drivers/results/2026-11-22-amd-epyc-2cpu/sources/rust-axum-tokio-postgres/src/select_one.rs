//! `GET /select-one`: the value of a query that reads no table.

use axum::Json;
use axum::extract::State;
use deadpool_postgres::Pool;
use serde::Serialize;

use crate::database::Failure;

#[derive(Serialize)]
pub struct One {
    value: i32,
}

pub async fn answer(State(pool): State<Pool>) -> Result<Json<One>, Failure> {
    let client = pool.get().await?;
    let statement = client.prepare_cached("SELECT 1 AS value").await?;
    let row = client.query_one(&statement, &[]).await?;
    let value = row.try_get("value")?;
    Ok(Json(One { value }))
}
