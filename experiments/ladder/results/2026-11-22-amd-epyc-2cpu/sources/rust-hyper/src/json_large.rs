//! `GET /cache?objects=100|1000`: movies built for every request.

use hyper::StatusCode;
use serde::Serialize;

use crate::app::{Answer, json, status};

#[derive(Serialize)]
struct Movie {
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

pub fn answer(query: Option<&str>) -> anyhow::Result<Answer> {
    match objects(query.unwrap_or_default()) {
        Some(count) => json(&(0..count).map(movie).collect::<Vec<_>>()),
        None => Ok(status(StatusCode::BAD_REQUEST)),
    }
}

fn objects(query: &str) -> Option<u32> {
    let (_, value) = form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == "objects")?;
    match value.as_ref() {
        "100" => Some(100),
        "1000" => Some(1000),
        _ => None,
    }
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
