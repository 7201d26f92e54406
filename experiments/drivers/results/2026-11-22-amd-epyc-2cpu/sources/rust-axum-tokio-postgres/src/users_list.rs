//! `GET /users`: the first hundred users by id.

use axum::Json;
use axum::extract::State;
use deadpool_postgres::Pool;
use serde::Serialize;
use tokio_postgres::Row;

use crate::database::Failure;

const SELECT: &str = r#"SELECT user_id, username, email FROM "user" ORDER BY user_id LIMIT 100"#;

#[derive(Serialize)]
pub struct User {
    user_id: String,
    username: String,
    email: String,
}

pub async fn answer(State(pool): State<Pool>) -> Result<Json<Vec<User>>, Failure> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(SELECT).await?;
    let rows = client.query(&statement, &[]).await?;
    let users = rows.iter().map(user).collect::<Result<_, _>>()?;
    Ok(Json(users))
}

pub fn user(row: &Row) -> Result<User, tokio_postgres::Error> {
    Ok(User {
        user_id: row.try_get("user_id")?,
        username: row.try_get("username")?,
        email: row.try_get("email")?,
    })
}
