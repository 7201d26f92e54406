//! `GET /users`: the first hundred users by id.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use sqlx::{FromRow, PgPool};

#[derive(FromRow, Serialize)]
pub struct User {
    user_id: String,
    username: String,
    email: String,
}

pub async fn answer(State(pool): State<PgPool>) -> Result<Json<Vec<User>>, StatusCode> {
    sqlx::query_as(r#"SELECT user_id, username, email FROM "user" ORDER BY user_id LIMIT 100"#)
        .fetch_all(&pool)
        .await
        .map(Json)
        .map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
}
