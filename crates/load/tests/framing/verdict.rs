//! What a stream of bytes is as an answer, and that it does not depend on how the bytes were cut.

use load::http1::{AtClose, Framer, Malformed, Progress};

/// What a stream of bytes is, as an answer followed by a close.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A whole answer; `surplus` bytes came after it.
    Whole {
        status: u16,
        body: Vec<u8>,
        persistent: bool,
        surplus: usize,
    },
    /// Whole only because the connection was closed.
    AtClose {
        status: u16,
        body: Vec<u8>,
    },
    Broken(Malformed),
    NoHead,
    Truncated,
}

pub use Verdict::{Broken, NoHead, Truncated};

pub fn whole(status: u16, body: &str) -> Verdict {
    Verdict::Whole {
        status,
        body: body.into(),
        persistent: true,
        surplus: 0,
    }
}

pub fn last(status: u16, body: &str) -> Verdict {
    Verdict::Whole {
        status,
        body: body.into(),
        persistent: false,
        surplus: 0,
    }
}

pub fn closes(status: u16, body: &str) -> Verdict {
    Verdict::AtClose {
        status,
        body: body.into(),
    }
}

/// Feeds the pieces one after the other, then closes.
pub fn frame<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, head_request: bool) -> Verdict {
    let mut framer = Framer::default();
    framer.start(head_request);
    let mut body = Vec::new();
    let mut pieces = pieces.into_iter();
    while let Some(piece) = pieces.next() {
        match framer.take(piece, &mut body) {
            Ok(Progress::Partial) => {}
            Ok(Progress::Done { taken }) => {
                let surplus = piece.len() - taken + pieces.map(<[u8]>::len).sum::<usize>();
                let (status, persistent) = (framer.status(), framer.is_persistent());
                assert_eq!(framer.body_bytes(), body.len() as u64);
                return Verdict::Whole {
                    status,
                    body,
                    persistent,
                    surplus,
                };
            }
            Err(reason) => return Broken(reason),
        }
    }
    match framer.at_close() {
        AtClose::Complete => Verdict::AtClose {
            status: framer.status(),
            body,
        },
        AtClose::BeforeHead => NoHead,
        AtClose::Malformed(reason) => Broken(reason),
        AtClose::Truncated => Truncated,
    }
}

/// The same bytes must mean the same however they arrive.
pub fn check(name: &str, bytes: &[u8], head_request: bool, expected: &Verdict) {
    let whole = frame([bytes], head_request);
    assert_eq!(&whole, expected, "{name}, whole");
    assert_eq!(
        &frame(bytes.chunks(1), head_request),
        expected,
        "{name}, byte by byte"
    );
    for place in 0..=bytes.len() {
        let (first, second) = bytes.split_at(place);
        assert_eq!(
            &frame([first, second], head_request),
            expected,
            "{name}, split at {place}"
        );
    }
}

pub fn check_all(cases: &[(&str, &str, Verdict)]) {
    for (name, text, expected) in cases {
        check(name, text.as_bytes(), false, expected);
    }
}
