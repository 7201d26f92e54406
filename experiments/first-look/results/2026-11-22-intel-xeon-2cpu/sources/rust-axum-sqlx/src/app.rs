//! The routes.

use axum::Router;
use axum::extract::State;
use axum::routing::{get, post};
use sqlx::PgPool;
use tower_http::trace::{DefaultMakeSpan, DefaultOnResponse, TraceLayer};
use tracing::Level;

use crate::cep_lookup::Lookup;
use crate::database::Failure;
use crate::viacep::ViaCep;
use crate::{
    cep_lookup, fibonacci, hello, json_echo, json_large, movies_list, select_one, users_list,
    users_one, wait,
};

pub fn router(pool: Option<PgPool>, viacep: Option<ViaCep>, log_requests: bool) -> Router {
    let mut app = Router::new()
        .route("/hello", get(hello::answer))
        .route("/async", get(wait::answer))
        .route("/fibonacci", get(fibonacci::answer))
        .route("/cache", get(json_large::answer))
        .route("/user", post(json_echo::answer));
    if let (Some(pool), Some(viacep)) = (&pool, viacep) {
        app = app.merge(
            Router::new()
                .route("/api/v1/cep/{cep}", get(cep_lookup::answer))
                .with_state(Lookup::new(pool.clone(), viacep)),
        );
    }
    app = match pool {
        Some(pool) => app.merge(
            Router::new()
                .route("/health", get(health))
                .route("/select-one", get(select_one::answer))
                .route("/users/{user_id}", get(users_one::answer))
                .route("/users", get(users_list::answer))
                .route("/db", get(movies_list::answer))
                .with_state(pool),
        ),
        None => app.route("/health", get(())),
    };
    if log_requests {
        app = app.layer(
            TraceLayer::new_for_http()
                .make_span_with(DefaultMakeSpan::new().level(Level::INFO))
                .on_response(DefaultOnResponse::new().level(Level::INFO)),
        );
    }
    app
}

async fn health(State(pool): State<PgPool>) -> Result<(), Failure> {
    sqlx::query("SELECT 1").execute(&pool).await?;
    Ok(())
}
