//! The routes, and the two forms an answer takes.

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::{Method, Request, Response, StatusCode};
use serde::Serialize;

use crate::{fibonacci, hello, json_echo, json_large, wait};

pub type Answer = Response<Full<Bytes>>;

pub async fn answer(request: Request<Incoming>, log_requests: bool) -> anyhow::Result<Answer> {
    let line = log_requests.then(|| format!("{} {}", request.method(), request.uri()));
    let answer = route(request).await?;
    if let Some(line) = line {
        println!("{line} {}", answer.status().as_u16());
    }
    Ok(answer)
}

async fn route(request: Request<Incoming>) -> anyhow::Result<Answer> {
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/health") => Ok(status(StatusCode::OK)),
        (&Method::GET, "/hello") => text(hello::answer().await),
        (&Method::GET, "/async") => text(wait::answer().await),
        (&Method::GET, "/fibonacci") => text(fibonacci::answer().await),
        (&Method::GET, "/cache") => json_large::answer(request.uri().query()),
        (&Method::POST, "/user") => json_echo::answer(request).await,
        (_, "/health" | "/hello" | "/async" | "/fibonacci" | "/cache" | "/user") => {
            Ok(status(StatusCode::METHOD_NOT_ALLOWED))
        }
        _ => Ok(status(StatusCode::NOT_FOUND)),
    }
}

pub fn json(value: &impl Serialize) -> anyhow::Result<Answer> {
    let body = serde_json::to_vec(value)?;
    Ok(Response::builder()
        .header(CONTENT_TYPE, "application/json")
        .body(body.into())?)
}

pub fn status(status: StatusCode) -> Answer {
    let mut answer = Answer::default();
    *answer.status_mut() = status;
    answer
}

fn text(body: &'static str) -> anyhow::Result<Answer> {
    Ok(Response::builder()
        .header(CONTENT_TYPE, "text/plain; charset=utf-8")
        .body(body.into())?)
}
