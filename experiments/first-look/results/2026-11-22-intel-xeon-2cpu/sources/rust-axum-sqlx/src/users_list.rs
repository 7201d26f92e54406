//! `GET /users`: the first hundred users by id.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use sqlx::{FromRow, PgPool};

use crate::database::Failure;

const SELECT: &str = r#"SELECT user_id, username, email FROM "user" ORDER BY user_id LIMIT 100"#;

#[derive(FromRow, Serialize)]
pub struct User {
    user_id: String,
    username: String,
    email: String,
}

pub async fn answer(State(pool): State<PgPool>) -> Result<Json<Vec<User>>, Failure> {
    let users = sqlx::query_as(SELECT).fetch_all(&pool).await?;
    Ok(Json(users))
}
