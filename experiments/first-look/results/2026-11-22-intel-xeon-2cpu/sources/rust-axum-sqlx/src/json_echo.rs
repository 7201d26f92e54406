//! `POST /user`: a user parsed into a typed record and answered.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Serialize)]
pub struct User {
    id: i64,
    name: String,
    email: String,
}

pub async fn answer(
    user: Result<Json<User>, JsonRejection>,
) -> Result<Json<User>, (StatusCode, String)> {
    user.map_err(|rejection| match rejection {
        // Ill-typed is answered like malformed; the default would be 422.
        JsonRejection::JsonDataError(error) => (StatusCode::BAD_REQUEST, error.body_text()),
        other => (other.status(), other.body_text()),
    })
}
