//! What a request is told when it cannot be answered: `bancada.problem/1`.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// A status and a sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Status of the answer.
    pub status: StatusCode,
    /// The sentence.
    pub message: String,
}

impl Problem {
    /// With any status.
    pub fn new(status: StatusCode, message: impl Into<String>) -> Problem {
        Problem {
            status,
            message: message.into(),
        }
    }

    /// There is no such thing.
    pub fn not_found(message: &str) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, message)
    }

    /// The request is wrong.
    pub fn bad_request(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, message)
    }

    /// What was asked for is there and cannot be read.
    pub fn unreadable(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let document = json!({
            "schema": "bancada.problem/1",
            "status": self.status.as_u16(),
            "message": self.message,
        });
        let kind = [(header::CONTENT_TYPE, "application/json")];
        (self.status, kind, document.to_string()).into_response()
    }
}
