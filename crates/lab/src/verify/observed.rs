//! What a service answers to the request that load will send: the expectation under load.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use load::{Answer, ExchangeError, exchange};
use sha2::{Digest, Sha256};

/// How often it is asked: an answer that changes must show it.
const TIMES: usize = 3;
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// Headers whose presence and value differ between stacks and cost something to send.
const HEADERS_OF_NOTE: [&str; 5] = [
    "content-type",
    "transfer-encoding",
    "server",
    "date",
    "content-encoding",
];

/// An answer to the request of a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Its status.
    pub status: u16,
    /// Header fields, as sent.
    pub headers: Vec<(String, String)>,
    /// Length of the body, when it was the same every time.
    pub body_bytes_if_stable: Option<u64>,
    /// SHA-256 of the body, when it was the same every time.
    pub body_sha256_if_stable: Option<[u8; 32]>,
}

impl Observed {
    /// What is worth recording: `status`, `body_bytes`, the names of all header fields, the values of those of note,
    /// and what they all cost to send.
    pub fn facts(&self) -> BTreeMap<String, String> {
        let mut facts = BTreeMap::from([("status".to_owned(), self.status.to_string())]);
        if let Some(bytes) = self.body_bytes_if_stable {
            facts.insert("body_bytes".to_owned(), bytes.to_string());
        }
        let names = self
            .headers
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value));
        for (name, value) in names.filter(|(name, _)| HEADERS_OF_NOTE.contains(&name.as_str())) {
            // The date of a moment says nothing later; that it is sent does.
            let value = if name == "date" { "sent" } else { value };
            facts.insert(format!("header {name}"), value.to_owned());
        }
        let names = self
            .headers
            .iter()
            .map(|(name, _)| name.to_ascii_lowercase());
        let names: Vec<String> = names.collect();
        facts.insert("headers".to_owned(), names.join(", "));
        facts.insert("header_bytes".to_owned(), self.header_bytes().to_string());
        facts
    }

    /// Bytes of all header fields on the wire, with their line ends.
    pub fn header_bytes(&self) -> usize {
        self.headers
            .iter()
            .map(|(name, value)| name.len() + value.len() + 4)
            .sum()
    }
}

/// Sends `request` a few times and says what came back.
///
/// # Errors
/// When one of them has no whole answer.
pub fn observe(addr: SocketAddr, request: &[u8]) -> Result<Observed, ExchangeError> {
    let first = exchange(addr, request, ANSWER_LIMIT)?;
    let (mut same_length, mut same_body) = (true, true);
    for _ in 1..TIMES {
        let other = exchange(addr, request, ANSWER_LIMIT)?;
        same_length &= other.body.len() == first.body.len();
        same_body &= other.body == first.body;
    }
    let Answer {
        status,
        headers,
        body,
    } = first;
    Ok(Observed {
        status,
        headers,
        body_bytes_if_stable: same_length.then_some(body.len() as u64),
        body_sha256_if_stable: same_body.then(|| Sha256::digest(&body).into()),
    })
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn observe_bodies(bodies: [&'static str; TIMES]) -> Observed {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        thread::spawn(move || {
            for body in bodies {
                let mut stream = listener.accept().unwrap().0;
                let _ = stream.read(&mut [0; 4096]);
                let head = format!(
                    "HTTP/1.1 200 OK\r\nDate: now\r\nX-Y: z\r\nContent-Length: {}\r\n\r\n",
                    body.len()
                );
                stream.write_all((head + body).as_bytes()).unwrap();
            }
        });
        observe(addr, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap()
    }

    #[test]
    fn a_body_that_never_changes_is_what_load_expects() {
        let observed = observe_bodies(["abc", "abc", "abc"]);
        assert_eq!(observed.body_bytes_if_stable, Some(3));
        assert_eq!(
            observed.body_sha256_if_stable,
            Some(Sha256::digest("abc").into())
        );
    }

    #[test]
    fn a_body_that_changes_is_expected_by_its_length_or_not_at_all() {
        let observed = observe_bodies(["abc", "abd", "abc"]);
        assert_eq!(
            (
                observed.body_bytes_if_stable,
                observed.body_sha256_if_stable
            ),
            (Some(3), None)
        );
        let observed = observe_bodies(["abc", "abc", "ab"]);
        assert_eq!(
            (
                observed.body_bytes_if_stable,
                observed.body_sha256_if_stable
            ),
            (None, None)
        );
    }

    #[test]
    fn facts_name_what_is_sent_and_not_when() {
        let facts = observe_bodies(["a", "a", "a"]).facts();
        assert_eq!(facts["header date"], "sent");
        assert_eq!(facts["body_bytes"], "1");
        assert!(!facts.contains_key("header x-y"));
        assert_eq!(facts["headers"], "date, x-y, content-length");
    }
}
