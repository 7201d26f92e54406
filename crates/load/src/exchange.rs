//! One request on a connection of its own: for contracts and readiness, not for load.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::http1::{AtClose, Framer, HEADERS_MAX, Malformed, Progress, parser};

/// A whole answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its header fields in order, names as sent.
    pub headers: Vec<(String, String)>,
    /// Its body, transfer coding removed.
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of the first header field of that name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// Why there was no whole answer.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// No connection.
    #[error("cannot connect to {addr}: {cause}")]
    Connect {
        /// Where to.
        addr: SocketAddr,
        /// What the system said.
        cause: io::Error,
    },
    /// The connection failed after it was open.
    #[error("the connection to {addr} failed: {cause}")]
    Broken {
        /// Where to.
        addr: SocketAddr,
        /// What the system said.
        cause: io::Error,
    },
    /// Time ran out.
    #[error("no whole answer from {addr} within {timeout:?}")]
    Timeout {
        /// Where to.
        addr: SocketAddr,
        /// How long.
        timeout: Duration,
    },
    /// Closed before the head of an answer.
    #[error("{0} closed the connection before it answered")]
    ClosedEarly(SocketAddr),
    /// Closed within the body.
    #[error("{0} closed the connection within the body of its answer")]
    Truncated(SocketAddr),
    /// Not HTTP/1.1.
    #[error("{addr} did not answer in HTTP/1.1: {reason}")]
    Malformed {
        /// Where from.
        addr: SocketAddr,
        /// What was wrong.
        reason: Malformed,
    },
    /// More bytes than the answer should have.
    #[error("{addr} sent {count} bytes more than its answer announced")]
    Surplus {
        /// Where from.
        addr: SocketAddr,
        /// How many, as far as was read.
        count: usize,
    },
}

/// Sends `request`, as [`request_bytes`](crate::request_bytes) makes it, and takes one whole answer.
///
/// # Errors
/// When there is no whole answer within `timeout`, connecting included.
pub fn exchange(
    addr: SocketAddr,
    request: &[u8],
    timeout: Duration,
) -> Result<Answer, ExchangeError> {
    let deadline = Instant::now() + timeout;
    let late = || ExchangeError::Timeout { addr, timeout };
    let broken = |cause: io::Error| match cause.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => late(),
        _ => ExchangeError::Broken { addr, cause },
    };
    let mut stream = TcpStream::connect_timeout(&addr, timeout).map_err(|cause| {
        if cause.kind() == io::ErrorKind::TimedOut {
            late()
        } else {
            ExchangeError::Connect { addr, cause }
        }
    })?;
    let left = || {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            Err(late())
        } else {
            Ok(Some(left))
        }
    };
    let _ = stream.set_nodelay(true);
    stream.set_write_timeout(left()?).map_err(broken)?;
    stream.write_all(request).map_err(broken)?;

    let mut framer = Framer::default();
    framer.start(request.starts_with(b"HEAD "));
    let (mut raw, mut body, mut buffer) = (Vec::new(), Vec::new(), vec![0; 64 * 1024]);
    loop {
        stream.set_read_timeout(left()?).map_err(broken)?;
        let count = match stream.read(&mut buffer) {
            Ok(0) => match framer.at_close() {
                AtClose::Complete => break,
                AtClose::BeforeHead => return Err(ExchangeError::ClosedEarly(addr)),
                AtClose::Truncated => return Err(ExchangeError::Truncated(addr)),
                AtClose::Malformed(reason) => {
                    return Err(ExchangeError::Malformed { addr, reason });
                }
            },
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(broken(error)),
        };
        if framer.status() == 0 {
            raw.extend_from_slice(&buffer[..count]);
        }
        match framer.take(&buffer[..count], &mut body) {
            Ok(Progress::Partial) => {}
            Ok(Progress::Done { taken }) if taken == count => break,
            Ok(Progress::Done { taken }) => {
                return Err(ExchangeError::Surplus {
                    addr,
                    count: count - taken,
                });
            }
            Err(reason) => return Err(ExchangeError::Malformed { addr, reason }),
        }
    }
    Ok(Answer {
        status: framer.status(),
        headers: headers(&raw),
        body,
    })
}

/// The header fields of the last head at the front of `raw`: interim answers come before it.
fn headers(mut raw: &[u8]) -> Vec<(String, String)> {
    loop {
        let mut fields = vec![httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut response = httparse::Response::new(&mut fields);
        let parsed = parser().parse_response(&mut response, raw);
        let Ok(httparse::Status::Complete(length)) = parsed else {
            return Vec::new();
        };
        if response
            .code
            .is_some_and(|code| (100..200).contains(&code) && code != 101)
        {
            raw = &raw[length..];
            continue;
        }
        // A line break can only be that of a value that goes on in the next line.
        let text = |value: &[u8]| {
            let lines = String::from_utf8_lossy(value);
            lines
                .split(['\r', '\n'])
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        };
        return response
            .headers
            .iter()
            .map(|field| (field.name.to_owned(), text(field.value)))
            .collect();
    }
}
