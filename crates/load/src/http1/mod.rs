//! HTTP/1.1 framing of answers (RFC 9112): where a message ends, and whether the connection
//! can carry another. It never blocks, never panics, and takes bytes in pieces of any size.

mod chunked;
mod head;

use chunked::{Chunked, Step};
use head::{Body, Head};

pub use head::LastHead;
pub(crate) use head::parser;

/// Receives the bytes of a body as they arrive.
pub trait Sink {
    /// The next bytes of the body, without any framing.
    fn body(&mut self, bytes: &[u8]);
}

/// Bodies that nobody needs to see.
impl Sink for () {
    fn body(&mut self, _: &[u8]) {}
}

impl Sink for Vec<u8> {
    fn body(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Why bytes are not an HTTP/1.1 answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// Status line or header fields are broken.
    #[error("the status line or a header field is not HTTP/1.1")]
    Head,
    /// The head is longer than [`HEAD_BYTES_MAX`] or has too many fields.
    #[error("the head is longer than {HEAD_BYTES_MAX} bytes or has more than {HEADERS_MAX} fields")]
    HeadTooLarge,
    /// Content-Length is not one number.
    #[error("Content-Length is not one number")]
    ContentLength,
    /// Transfer-Encoding is present where it may not be, or not understood.
    #[error("Transfer-Encoding is broken")]
    TransferEncoding,
    /// A chunk size, chunk end or trailer is broken.
    #[error("the chunked coding is broken")]
    Chunk,
}

/// Longest head accepted.
pub const HEAD_BYTES_MAX: usize = 256 * 1024;
/// Most header fields accepted.
pub const HEADERS_MAX: usize = 2048;

/// What a piece of input led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Everything was taken and the answer is not over.
    Partial,
    /// The answer ended after so many bytes of this piece.
    Done {
        /// Bytes of the piece that belong to the answer.
        taken: usize,
    },
}

/// What the end of a connection means for the answer on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtClose {
    /// It was delimited by the close and is whole.
    Complete,
    /// The head had not arrived, or only interim answers.
    BeforeHead,
    /// What arrived was not a head.
    Malformed(Malformed),
    /// The body was cut.
    Truncated,
}

#[derive(Debug)]
enum State {
    Head,
    Length(u64),
    Chunked(Chunked),
    UntilClose,
    Done,
}

/// Frames one answer after another on one connection.
#[derive(Debug)]
pub struct Framer {
    state: State,
    /// The start of a head whose end has not arrived.
    pending: Vec<u8>,
    /// Length of `pending` at which a parse is next worth its while.
    attempt_at: usize,
    head_request: bool,
    status: u16,
    persistent: bool,
    body_bytes: u64,
}

impl Default for Framer {
    fn default() -> Framer {
        Framer {
            state: State::Head,
            pending: Vec::new(),
            attempt_at: 0,
            head_request: false,
            status: 0,
            persistent: true,
            body_bytes: 0,
        }
    }
}

impl Framer {
    /// Makes ready for the answer to a new request. `head_request` says that its method was HEAD.
    pub fn start(&mut self, head_request: bool) {
        self.state = State::Head;
        self.pending.clear();
        self.attempt_at = 0;
        self.head_request = head_request;
        self.status = 0;
        self.persistent = true;
        self.body_bytes = 0;
    }

    /// Status of the answer, 0 before its head.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Bytes of body so far, framing excluded.
    pub fn body_bytes(&self) -> u64 {
        self.body_bytes
    }

    /// Whether the connection may carry another request after this answer.
    pub fn is_persistent(&self) -> bool {
        self.persistent
    }

    /// How many bytes to come are body and nothing else.
    pub fn body_bytes_ahead(&self) -> u64 {
        match &self.state {
            State::Length(left) => *left,
            State::Chunked(chunked) => chunked.data_ahead(),
            State::UntilClose => u64::MAX,
            State::Head | State::Done => 0,
        }
    }

    /// Takes note of `count` body bytes that were thrown away unseen; at most
    /// [`Framer::body_bytes_ahead`].
    pub fn skip(&mut self, count: u64) -> Progress {
        self.body_bytes += count;
        match &mut self.state {
            State::Length(left) => {
                *left -= count;
                if *left == 0 {
                    self.state = State::Done;
                    return Progress::Done { taken: 0 };
                }
            }
            State::Chunked(chunked) => chunked.skip(count),
            State::UntilClose | State::Head | State::Done => {}
        }
        Progress::Partial
    }

    /// Takes the next bytes of the connection.
    ///
    /// # Errors
    /// When they cannot be part of an answer. The connection is of no use after that.
    pub fn take(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Result<Progress, Malformed> {
        self.take_knowing(&mut LastHead::default(), bytes, sink)
    }

    /// The same, faster for servers that say the same every time: a head that repeats the last
    /// one byte for byte means what that one meant.
    ///
    /// # Errors
    /// As [`Framer::take`].
    #[inline]
    pub fn take_knowing(
        &mut self,
        last: &mut LastHead,
        bytes: &[u8],
        sink: &mut impl Sink,
    ) -> Result<Progress, Malformed> {
        let mut taken = 0;
        while let State::Head = self.state {
            match self.take_head(last, &bytes[taken..])? {
                Some(count) => taken += count,
                None => return Ok(Progress::Partial),
            }
        }
        self.take_body(bytes, taken, sink)
    }

    fn take_body(
        &mut self,
        bytes: &[u8],
        mut taken: usize,
        sink: &mut impl Sink,
    ) -> Result<Progress, Malformed> {
        loop {
            let rest = &bytes[taken..];
            match &mut self.state {
                State::Done | State::Head => return Ok(Progress::Done { taken }),
                State::UntilClose => {
                    self.body_bytes += rest.len() as u64;
                    sink.body(rest);
                    return Ok(Progress::Partial);
                }
                State::Length(left) => {
                    let count = usize::try_from(*left).unwrap_or(usize::MAX).min(rest.len());
                    sink.body(&rest[..count]);
                    self.body_bytes += count as u64;
                    *left -= count as u64;
                    if *left > 0 {
                        return Ok(Progress::Partial);
                    }
                    taken += count;
                    self.state = State::Done;
                }
                State::Chunked(chunked) => match chunked.take(rest)? {
                    Step::Partial => return Ok(Progress::Partial),
                    Step::Data { from, to } => {
                        sink.body(&rest[from..to]);
                        self.body_bytes += (to - from) as u64;
                        taken += to;
                    }
                    Step::Done { count } => {
                        taken += count;
                        self.state = State::Done;
                    }
                },
            }
        }
    }

    /// Takes a head from the front of `bytes`: how many of them it used, or `None` when it needs
    /// more and has kept all of them.
    fn take_head(&mut self, last: &mut LastHead, bytes: &[u8]) -> Result<Option<usize>, Malformed> {
        if self.pending.is_empty() {
            if let Some(head) = last.parse(bytes)? {
                self.enter(&head);
                return Ok(Some(head.bytes));
            }
            if bytes.len() > HEAD_BYTES_MAX {
                return Err(Malformed::HeadTooLarge);
            }
            self.pending.extend_from_slice(bytes);
            self.attempt_at = 2 * bytes.len();
            return Ok(None);
        }
        self.take_more_head(bytes)
    }

    /// Heads in pieces. A parse starts from the front, so it is tried only where an empty line
    /// ends, and each time the length has doubled: the cost stays linear.
    fn take_more_head(&mut self, bytes: &[u8]) -> Result<Option<usize>, Malformed> {
        let before = self.pending.len();
        let end = head::end(&self.pending, bytes);
        let piece = &bytes[..end.unwrap_or(bytes.len())];
        self.pending.extend_from_slice(piece);
        if self.pending.len() > HEAD_BYTES_MAX {
            return Err(Malformed::HeadTooLarge);
        }
        if end.is_some() || self.pending.len() >= self.attempt_at {
            self.attempt_at = 2 * self.pending.len();
            if let Some(head) = head::parse(&self.pending)? {
                self.enter(&head);
                self.pending.clear();
                return Ok(Some(head.bytes - before));
            }
        }
        match end {
            Some(_) => Err(Malformed::Head),
            None => Ok(None),
        }
    }

    fn enter(&mut self, head: &Head) {
        if (100..200).contains(&head.status) && head.status != 101 {
            return;
        }
        self.status = head.status;
        self.persistent = head.persistent;
        self.state = match head.body(self.head_request) {
            Body::None | Body::Length(0) => State::Done,
            Body::Length(length) => State::Length(length),
            Body::Chunked => State::Chunked(Chunked::default()),
            Body::UntilClose => {
                self.persistent = false;
                State::UntilClose
            }
        };
    }

    /// What the close of the connection at this point means.
    pub fn at_close(&mut self) -> AtClose {
        match self.state {
            State::Done => AtClose::Complete,
            State::UntilClose => {
                self.state = State::Done;
                AtClose::Complete
            }
            State::Length(_) | State::Chunked(_) => AtClose::Truncated,
            State::Head => match head::parse(&self.pending) {
                Err(reason) => AtClose::Malformed(reason),
                Ok(_) => AtClose::BeforeHead,
            },
        }
    }
}
