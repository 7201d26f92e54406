//! What a new workload asks and what a good answer to it is, wherever that comes from.

use std::collections::BTreeMap;

/// A request with its answer, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Method.
    pub method: String,
    /// Request target.
    pub path: String,
    /// Header fields besides those that the bench sends.
    pub headers: BTreeMap<String, String>,
    /// Body.
    pub body: Option<String>,
    /// Status of a good answer.
    pub status: u16,
    /// Response headers whose beginning is known, by lower-case name.
    pub response_headers: BTreeMap<String, String>,
    /// The body of a good answer.
    pub answer: Answer,
    /// One sentence: what is asked.
    pub asks: String,
    /// Where it comes from.
    pub origin: String,
}

/// What is known of the body.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Nothing, or it changes.
    Unknown,
    /// This JSON value, whatever the order of keys.
    Json(String),
    /// This text.
    Text(String),
    /// These bytes.
    Bytes(Vec<u8>),
}

impl Question {
    /// The readiness path itself: something to begin with.
    pub fn health(path: &str) -> Question {
        Question {
            method: "GET".to_owned(),
            path: path.to_owned(),
            headers: BTreeMap::new(),
            body: None,
            status: 200,
            response_headers: BTreeMap::new(),
            answer: Answer::Unknown,
            asks: "Whether the service is ready: put the request that matters here.".to_owned(),
            origin: "Scaffolded; nothing was recorded.".to_owned(),
        }
    }
}
