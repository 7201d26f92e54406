//! The head of an answer: status line and header fields, and what they say about the body.

use std::mem::MaybeUninit;

use super::{HEADERS_MAX, Malformed};

/// What framing needs of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub status: u16,
    /// Its length, empty line included.
    pub bytes: usize,
    /// Whether the connection stays open after the answer, as far as the head says.
    pub persistent: bool,
    length: Option<u64>,
    coding: Coding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    /// No Transfer-Encoding.
    Absent,
    /// Its last coding is `chunked`.
    Chunked,
    /// Its last coding is another.
    Other,
}

/// How the end of a body is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    None,
    Length(u64),
    Chunked,
    UntilClose,
}

impl Head {
    /// RFC 9112, section 6.3.
    pub fn body(&self, head_request: bool) -> Body {
        if head_request || matches!(self.status, 101 | 204 | 304) {
            return Body::None;
        }
        match (self.coding, self.length) {
            (Coding::Chunked, _) => Body::Chunked,
            (Coding::Other, _) => Body::UntilClose,
            (Coding::Absent, Some(length)) => Body::Length(length),
            (Coding::Absent, None) => Body::UntilClose,
        }
    }
}

/// Longest head worth remembering: longer ones are rare, and rarely the same.
const REMEMBERED_BYTES_MAX: usize = 1024;

/// The last head that was parsed, with its meaning.
#[derive(Debug, Default)]
pub struct LastHead {
    bytes: Vec<u8>,
    head: Option<Head>,
}

impl LastHead {
    /// Parses a head at the front of `bytes`, or knows it. A head ends with its own empty line, so
    /// bytes that begin with the remembered ones hold the same head.
    #[inline]
    pub(super) fn parse(&mut self, bytes: &[u8]) -> Result<Option<Head>, Malformed> {
        if let Some(head) = self.head
            && bytes.starts_with(&self.bytes)
        {
            return Ok(Some(head));
        }
        let head = parse(bytes)?;
        if let Some(head) = head
            && head.bytes <= REMEMBERED_BYTES_MAX
        {
            self.bytes.clear();
            self.bytes.extend_from_slice(&bytes[..head.bytes]);
            self.head = Some(head);
        }
        Ok(head)
    }
}

/// Fields that nearly every answer stays under; more are parsed a second time, with all slots.
const HEADERS_USUAL: usize = 64;

/// Where in `more` the first empty line ends, given that `before` came ahead of it.
pub(super) fn end(before: &[u8], more: &[u8]) -> Option<usize> {
    let byte = |place: usize| match place.checked_sub(before.len()) {
        Some(place) => more[place],
        None => before[place],
    };
    let is_end = |place: usize| match byte(place - 1) {
        b'\n' => true,
        b'\r' => place >= 2 && byte(place - 2) == b'\n',
        _ => false,
    };
    more.iter()
        .zip(before.len()..)
        .filter(|&(&last, place)| last == b'\n' && place > 0)
        .find(|&(_, place)| is_end(place))
        .map(|(_, place)| place + 1 - before.len())
}

/// Parses a head at the front of `bytes`; `None` when it is not complete.
pub(super) fn parse(bytes: &[u8]) -> Result<Option<Head>, Malformed> {
    // The parser skips empty lines ahead of a status line; the grammar has none.
    if matches!(bytes.first(), Some(b'\r' | b'\n')) {
        return Err(Malformed::Head);
    }
    let mut fields = [const { MaybeUninit::uninit() }; HEADERS_USUAL];
    match parse_with(bytes, &mut fields) {
        Err(httparse::Error::TooManyHeaders) => parse_many(bytes).map_err(reason)?,
        other => other.map_err(reason)?,
    }
    .transpose()
}

/// Its 64 KiB of slots lie on the stack, unwritten: nothing is allocated, and usual heads do not reserve them.
#[cold]
#[inline(never)]
fn parse_many(bytes: &[u8]) -> Result<Option<Result<Head, Malformed>>, httparse::Error> {
    let mut fields = [const { MaybeUninit::uninit() }; HEADERS_MAX];
    parse_with(bytes, &mut fields)
}

fn reason(error: httparse::Error) -> Malformed {
    match error {
        httparse::Error::TooManyHeaders => Malformed::HeadTooLarge,
        _ => Malformed::Head,
    }
}

fn parse_with<'a>(
    bytes: &'a [u8],
    fields: &mut [MaybeUninit<httparse::Header<'a>>],
) -> Result<Option<Result<Head, Malformed>>, httparse::Error> {
    let mut response = httparse::Response::new(&mut []);
    let parsed = parser().parse_response_with_uninit_headers(&mut response, bytes, fields)?;
    let httparse::Status::Complete(length) = parsed else {
        return Ok(None);
    };
    let status = response.code.unwrap_or(0);
    let minor = response.version.unwrap_or(1);
    Ok(Some(read(response.headers, status, minor, length)))
}

/// Lines that go on in the next are obsolete, and to be read all the same (RFC 9112, section 5.2): they change
/// nothing about where an answer ends.
pub(crate) fn parser() -> httparse::ParserConfig {
    let mut config = httparse::ParserConfig::default();
    config.allow_obsolete_multiline_headers_in_responses(true);
    config
}

fn read(
    fields: &[httparse::Header<'_>],
    status: u16,
    minor: u8,
    bytes: usize,
) -> Result<Head, Malformed> {
    if !(100..=999).contains(&status) {
        return Err(Malformed::Head);
    }
    let mut head = Head {
        status,
        bytes,
        persistent: minor >= 1,
        length: None,
        coding: Coding::Absent,
    };
    let mut connection = ConnectionOptions::default();
    for field in fields {
        // Lengths tell the three names apart from nearly all others.
        match field.name.len() {
            10 if field.name.eq_ignore_ascii_case("connection") => {
                connection.read(field.value);
            }
            14 if field.name.eq_ignore_ascii_case("content-length") => {
                let length = content_length(field.value).ok_or(Malformed::ContentLength)?;
                if head.length.is_some_and(|earlier| earlier != length) {
                    return Err(Malformed::ContentLength);
                }
                head.length = Some(length);
            }
            17 if field.name.eq_ignore_ascii_case("transfer-encoding") => {
                head.coding = coding(field.value, head.coding)?;
            }
            _ => {}
        }
    }
    // After a 101 the connection speaks another protocol.
    let may_persist = status != 101 && !connection.close;
    head.persistent = may_persist && (head.persistent || connection.keep_alive);
    // Both fields, or a coding from HTTP/1.0: framing that others may read differently, so the
    // connection is not used again (RFC 9112, section 6.1).
    if head.coding != Coding::Absent && (head.length.is_some() || minor == 0) {
        head.persistent = false;
    }
    Ok(head)
}

/// What all Connection fields of a head say together.
#[derive(Default)]
struct ConnectionOptions {
    close: bool,
    keep_alive: bool,
}

impl ConnectionOptions {
    fn read(&mut self, value: &[u8]) {
        for option in value.split(|&byte| byte == b',') {
            let option = option.trim_ascii();
            self.close |= option.eq_ignore_ascii_case(b"close");
            self.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
        }
    }
}

/// One decimal number, or a list of the same number.
fn content_length(value: &[u8]) -> Option<u64> {
    let mut numbers = value
        .split(|&byte| byte == b',')
        .map(|part| number(part.trim_ascii()));
    let first = numbers.next()??;
    numbers.all(|next| next == Some(first)).then_some(first)
}

fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |value, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    })
}

fn coding(value: &[u8], before: Coding) -> Result<Coding, Malformed> {
    let mut coding = before;
    for name in value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
        if name.is_empty() {
            continue;
        }
        if coding == Coding::Chunked {
            // Chunked may be applied only once, and nothing after it.
            return Err(Malformed::TransferEncoding);
        }
        coding = if name.eq_ignore_ascii_case(b"chunked") {
            Coding::Chunked
        } else {
            Coding::Other
        };
    }
    if coding == Coding::Absent {
        Err(Malformed::TransferEncoding)
    } else {
        Ok(coding)
    }
}
