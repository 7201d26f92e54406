//! The differential check: requests drawn by rule from what a workload asks, valid, at a boundary and bad, to which
//! all services of the workload must answer alike. No expectation is written down: the services hold one another.
//!
//! Alike is: the same status, and for a 2xx the same body, as a JSON value where it is JSON. How an error is worded
//! is each framework's own.

mod canonical;
mod generate;
mod json_body;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use load::exchange;
use sha2::{Digest, Sha256};

pub use generate::{Drawn, REQUESTS_COUNT, draw};

use super::json::shorten;

/// Longest wait for one answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// What a service answered to one request, so that it can be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reply {
    /// A status; of a 2xx also the digest of the body in its canonical form, and the body's beginning.
    Answered {
        /// The status.
        status: u16,
        /// SHA-256 and the first characters.
        body: Option<([u8; 32], String)>,
    },
    /// Why there was no whole answer.
    Failed(String),
}

impl Reply {
    fn words(&self) -> String {
        match self {
            Reply::Answered { status, body: None } => status.to_string(),
            Reply::Answered {
                status,
                body: Some((_, beginning)),
            } => format!("{status} {beginning}"),
            Reply::Failed(reason) => reason.clone(),
        }
    }

    /// Whether it is the service's own failure.
    fn is_failure(&self) -> bool {
        match self {
            Reply::Answered { status, .. } => *status >= 500,
            Reply::Failed(_) => true,
        }
    }
}

/// Sends every request, in order, each on a connection of its own.
pub fn replies(addr: SocketAddr, drawn: &[Drawn]) -> Vec<Reply> {
    let reply = |drawn: &Drawn| match exchange(addr, &drawn.request, ANSWER_LIMIT) {
        Ok(answer) => Reply::Answered {
            status: answer.status,
            body: (answer.status / 100 == 2).then(|| {
                let text = canonical::form(&answer.body);
                let beginning = shorten(&String::from_utf8_lossy(&text));
                (Sha256::digest(&text).into(), beginning)
            }),
        },
        Err(error) => Reply::Failed(error.to_string()),
    };
    drawn.iter().map(reply).collect()
}

/// The requests that a service failed at, whatever others answer.
pub fn failures(drawn: &[Drawn], replies: &[Reply]) -> Vec<String> {
    drawn
        .iter()
        .zip(replies)
        .filter(|(_, reply)| reply.is_failure())
        .map(|(drawn, reply)| format!("{}: {}", drawn.words, reply.words()))
        .collect()
}

/// A request to which services do not answer alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The request in words.
    pub request: String,
    /// Who answers what, the answer of most first.
    pub answers: Vec<(String, Vec<String>)>,
}

/// Where services, by name, do not answer alike.
pub fn disagreements(drawn: &[Drawn], services: &[(String, &[Reply])]) -> Vec<Disagreement> {
    let mut found = Vec::new();
    for (index, drawn) in drawn.iter().enumerate() {
        let mut by_reply: BTreeMap<&Reply, Vec<String>> = BTreeMap::new();
        for (name, replies) in services {
            if let Some(reply) = replies.get(index) {
                by_reply.entry(reply).or_default().push(name.clone());
            }
        }
        if by_reply.len() > 1 {
            let answers = by_reply.into_iter();
            let mut answers: Vec<_> = answers
                .map(|(reply, names)| (reply.words(), names))
                .collect();
            answers.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
            found.push(Disagreement {
                request: drawn.words.clone(),
                answers,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: u16, body: Option<&str>) -> Reply {
        let body = body.map(|text| {
            let text = canonical::form(text.as_bytes());
            (Sha256::digest(&text).into(), String::new())
        });
        Reply::Answered { status, body }
    }

    fn drawn(words: &str) -> Drawn {
        Drawn {
            words: words.to_owned(),
            request: Vec::new(),
        }
    }

    #[test]
    fn services_agree_whatever_the_order_of_keys_and_the_writing_of_numbers() {
        let one = [answered(200, Some(r#"{"a":1,"b":2.0}"#))];
        let other = [answered(200, Some(r#"{"b":2,"a":1.0}"#))];
        let services = [
            ("one".to_owned(), &one[..]),
            ("other".to_owned(), &other[..]),
        ];
        assert_eq!(disagreements(&[drawn("x")], &services), []);
    }

    #[test]
    fn who_answers_otherwise_is_named_after_those_who_are_more() {
        let (good, bad) = ([answered(200, Some("1"))], [answered(400, None)]);
        let services = [
            ("odd".to_owned(), &bad[..]),
            ("a".to_owned(), &good[..]),
            ("b".to_owned(), &good[..]),
        ];
        let found = disagreements(&[drawn("GET /x")], &services);
        assert_eq!(found[0].request, "GET /x");
        assert_eq!(found[0].answers[0].1, ["a", "b"]);
        assert_eq!(
            found[0].answers[1],
            ("400".to_owned(), vec!["odd".to_owned()])
        );
    }

    #[test]
    fn a_5xx_is_a_failure_though_all_agree() {
        let replies = [answered(503, None), answered(404, None)];
        let found = failures(&[drawn("a"), drawn("b")], &replies);
        assert_eq!(found, ["a: 503"]);
    }
}
