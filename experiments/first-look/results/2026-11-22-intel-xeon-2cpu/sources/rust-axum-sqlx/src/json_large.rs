//! `GET /cache?objects=100|1000`: movies built for every request.

use axum::Json;
use axum::extract::Query;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
pub struct Parameters {
    objects: Size,
}

#[derive(Clone, Copy, Deserialize)]
enum Size {
    #[serde(rename = "100")]
    Hundred = 100,
    #[serde(rename = "1000")]
    Thousand = 1000,
}

#[derive(Serialize)]
pub struct Movie {
    id: String,
    name: String,
    release_date: String,
    director: String,
    description: String,
    duration: u32,
    budget: u32,
    created_at: String,
    updated_at: String,
}

pub async fn answer(Query(parameters): Query<Parameters>) -> Json<Vec<Movie>> {
    Json((0..parameters.objects as u32).map(movie).collect())
}

fn movie(index: u32) -> Movie {
    Movie {
        id: format!("00000000-0000-4000-8000-{index:012x}"),
        name: "any-movie-name".to_owned(),
        release_date: "2023-08-24T00:00:00Z".to_owned(),
        director: "any-movie-director".to_owned(),
        description: "any-movie-description".to_owned(),
        duration: 1000,
        budget: 10_000,
        created_at: "2023-08-24T12:00:00Z".to_owned(),
        updated_at: "2023-08-24T12:00:00Z".to_owned(),
    }
}
