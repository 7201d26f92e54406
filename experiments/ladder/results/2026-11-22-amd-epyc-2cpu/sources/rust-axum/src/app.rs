//! The routes.

use axum::Router;
use axum::routing::{get, post};
use tower_http::trace::{DefaultMakeSpan, DefaultOnResponse, TraceLayer};
use tracing::Level;

use crate::{fibonacci, hello, json_echo, json_large, wait};

pub fn router(log_requests: bool) -> Router {
    let mut app = Router::new()
        .route("/health", get(()))
        .route("/hello", get(hello::answer))
        .route("/async", get(wait::answer))
        .route("/fibonacci", get(fibonacci::answer))
        .route("/cache", get(json_large::answer))
        .route("/user", post(json_echo::answer));
    if log_requests {
        app = app.layer(
            TraceLayer::new_for_http()
                .make_span_with(DefaultMakeSpan::new().level(Level::INFO))
                .on_response(DefaultOnResponse::new().level(Level::INFO)),
        );
    }
    app
}
