//! What every request passes: its `Host`, its token where one is needed, and the headers of its answer.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::problem::Problem;
use crate::site::Site;

/// For answers that are not pages: a browser may do nothing with them but show them.
const NOTHING_RUNS: &str =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

/// Lets a request through, or says why not.
pub async fn guard(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let refused = refuse(&site, request.method(), request.uri(), request.headers());
    let mut answer = match refused {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    };
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ] {
        answer
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    answer
        .headers_mut()
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(NOTHING_RUNS));
    answer
}

fn refuse(site: &Site, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Problem> {
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok())
    };
    let hosts = headers.get_all(header::HOST).iter().count();
    let host = text(header::HOST).filter(|host| hosts == 1 && site.hosts.admits(host));
    let Some(host) = host else {
        let message = "this name is not one this server is known by; use the address it printed";
        return Some(Problem::new(StatusCode::MISDIRECTED_REQUEST, message));
    };
    let reads = method == Method::GET || method == Method::HEAD;
    // A page of somebody else's may send requests here; a browser says whose page it is.
    let origin = text(header::ORIGIN);
    let own = |origin: &str| {
        origin
            .split_once("://")
            .is_some_and(|(_, from)| from == host)
    };
    if !reads && !origin.is_none_or(own) {
        let message = "only pages of this server may change anything";
        return Some(Problem::new(StatusCode::FORBIDDEN, message));
    }
    // The app itself is no secret: it asks for everything it shows, with the token.
    let needs_token = !reads || (site.token_for_all && uri.path() != "/");
    if needs_token && !site.token.admits(text(header::AUTHORIZATION)) {
        let message = "needs `Authorization: Bearer <token>` with the token that `bancada serve` was given, or printed when it started";
        return Some(Problem::new(StatusCode::UNAUTHORIZED, message));
    }
    None
}
