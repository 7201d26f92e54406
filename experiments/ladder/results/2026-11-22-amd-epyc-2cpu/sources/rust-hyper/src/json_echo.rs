//! `POST /user`: a user parsed into a typed record and answered.

use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::{Request, StatusCode};
use serde::{Deserialize, Serialize};

use crate::app::{Answer, json, status};

const BODY_LIMIT: usize = 2 * 1024 * 1024;

#[derive(Deserialize, Serialize)]
struct User {
    id: i64,
    name: String,
    email: String,
}

pub async fn answer(request: Request<Incoming>) -> anyhow::Result<Answer> {
    let Ok(body) = Limited::new(request.into_body(), BODY_LIMIT)
        .collect()
        .await
    else {
        return Ok(status(StatusCode::PAYLOAD_TOO_LARGE));
    };
    match serde_json::from_slice::<User>(&body.to_bytes()) {
        Ok(user) => json(&user),
        Err(_) => Ok(status(StatusCode::BAD_REQUEST)),
    }
}
