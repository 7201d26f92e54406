//! `GET /db`: the first twenty movies by id.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{FromRow, PgPool};
use uuid::Uuid;

use crate::database::Failure;

const SELECT: &str = "SELECT id, name, release_date, director, description, duration, budget, \
                      created_at, updated_at FROM movies ORDER BY id LIMIT 20";

#[derive(FromRow, Serialize)]
pub struct Movie {
    id: Uuid,
    name: String,
    release_date: DateTime<Utc>,
    director: String,
    description: String,
    duration: i64,
    budget: i64,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

pub async fn answer(State(pool): State<PgPool>) -> Result<Json<Vec<Movie>>, Failure> {
    let movies = sqlx::query_as(SELECT).fetch_all(&pool).await?;
    Ok(Json(movies))
}
