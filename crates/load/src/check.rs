//! Holds an answer against the expectation, looking at its body as it arrives.

use sha2::{Digest, Sha256};

use crate::http1::Sink;
use crate::outcome::Outcome;
use crate::target::{Expectation, JsonField};

/// Longest JSON body that is kept to be looked at.
const JSON_BYTES_MAX: usize = 64 * 1024 * 1024;

/// What is seen of one body. Kept from request to request, so that nothing is allocated for each
/// but what JSON is parsed into.
#[derive(Default)]
pub(crate) struct BodyCheck {
    /// Boxed: every connection holds one, most look at no body, and the cache is what a request is short of.
    sha256: Option<Box<Sha256>>,
    json: Option<Vec<u8>>,
}

impl BodyCheck {
    /// Makes ready for a body.
    pub(crate) fn start(&mut self, expectation: &Expectation) {
        if expectation.body_sha256.is_some() {
            self.sha256.get_or_insert_default().reset();
        }
        if expectation.json_field.is_some() {
            self.json.get_or_insert_default().clear();
        }
    }

    fn accepts(&mut self, expectation: &Expectation) -> bool {
        let sha256 = match (&expectation.body_sha256, &mut self.sha256) {
            (Some(wanted), Some(seen)) => seen.finalize_reset()[..] == wanted[..],
            _ => true,
        };
        let json = match (&expectation.json_field, &self.json) {
            (Some(wanted), Some(seen)) => holds(wanted, seen),
            _ => true,
        };
        sha256 && json
    }
}

impl Sink for BodyCheck {
    fn body(&mut self, bytes: &[u8]) {
        if let Some(sha256) = &mut self.sha256 {
            sha256.update(bytes);
        }
        if let Some(json) = &mut self.json
            && json.len() + bytes.len() <= JSON_BYTES_MAX
        {
            json.extend_from_slice(bytes);
        }
    }
}

fn holds(field: &JsonField, body: &[u8]) -> bool {
    let Ok(document) = serde_json::from_slice::<serde_json::Value>(body) else {
        return false;
    };
    match (document.pointer(&field.pointer), &field.value) {
        (Some(found), Some(wanted)) => found == wanted,
        (found, None) => found.is_some(),
        (None, Some(_)) => false,
    }
}

/// How a whole answer ends: `body` is given when its contents were looked at.
pub(crate) fn judge(
    expectation: &Expectation,
    status: u16,
    body_bytes: u64,
    body: Option<&mut BodyCheck>,
) -> Outcome {
    if !expectation.status.accepts(status) {
        return Outcome::UnexpectedStatus;
    }
    let length = expectation
        .body_bytes
        .is_none_or(|wanted| wanted == body_bytes);
    if length && body.is_none_or(|body| body.accepts(expectation)) {
        Outcome::Ok
    } else {
        Outcome::UnexpectedBody
    }
}
