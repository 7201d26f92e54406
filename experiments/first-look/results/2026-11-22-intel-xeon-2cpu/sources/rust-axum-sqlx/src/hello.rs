//! `GET /hello`: a constant line of text.

pub async fn answer() -> &'static str {
    "Hello, World"
}
