//! `GET /db`: the first twenty movies by id.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use deadpool_postgres::Pool;
use serde::Serialize;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::database::Failure;

const SELECT: &str = "SELECT id, name, release_date, director, description, duration, budget, \
                      created_at, updated_at FROM movies ORDER BY id LIMIT 20";

#[derive(Serialize)]
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

pub async fn answer(State(pool): State<Pool>) -> Result<Json<Vec<Movie>>, Failure> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(SELECT).await?;
    let rows = client.query(&statement, &[]).await?;
    let movies = rows.iter().map(movie).collect::<Result<_, _>>()?;
    Ok(Json(movies))
}

fn movie(row: &Row) -> Result<Movie, tokio_postgres::Error> {
    Ok(Movie {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        release_date: row.try_get("release_date")?,
        director: row.try_get("director")?,
        description: row.try_get("description")?,
        duration: row.try_get("duration")?,
        budget: row.try_get("budget")?,
        created_at: row.try_get("created_at")?,
        updated_at: row.try_get("updated_at")?,
    })
}
