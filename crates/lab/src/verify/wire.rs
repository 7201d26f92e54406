//! One connection to a service, written to and read from in pieces that a sound client would not choose.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use load::http1::{AtClose, Framer, Progress};

/// An answer, as far as it is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heard {
    pub status: u16,
    pub body: Vec<u8>,
}

/// A connection, and what was read beyond the last answer.
pub(super) struct Wire {
    stream: TcpStream,
    /// Longest wait for one answer, or for the end of the connection.
    limit: Duration,
    ahead: Vec<u8>,
    is_closed: bool,
}

impl Wire {
    pub fn open(addr: SocketAddr, limit: Duration) -> Result<Wire, String> {
        let stream = TcpStream::connect_timeout(&addr, limit)
            .map_err(|error| format!("cannot connect: {error}"))?;
        let _ = stream.set_nodelay(true);
        let _ = stream.set_write_timeout(Some(limit));
        Ok(Wire {
            stream,
            limit,
            ahead: Vec::new(),
            is_closed: false,
        })
    }

    /// Writes. A service that has closed by then shows it when it is read from.
    pub fn write(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    /// Whether something has come already.
    pub fn has_news(&self) -> bool {
        let _ = self.stream.set_nonblocking(true);
        let seen = self.stream.peek(&mut [0]);
        let _ = self.stream.set_nonblocking(false);
        matches!(seen, Ok(1..))
    }

    /// Says that nothing more will come.
    pub fn end(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    /// The next answer, interim ones passed over; `None` when the service closed instead.
    ///
    /// # Errors
    /// When it hangs, breaks off within an answer, or does not speak HTTP.
    pub fn answer(&mut self) -> Result<Option<Heard>, String> {
        let mut framer = Framer::default();
        framer.start(false);
        let mut body = Vec::new();
        let deadline = Instant::now() + self.limit;
        loop {
            let piece = std::mem::take(&mut self.ahead);
            let taken = framer.take(&piece, &mut body);
            match taken.map_err(|reason| format!("not an answer in HTTP/1.1: {reason}"))? {
                Progress::Done { taken } => {
                    self.ahead = piece[taken..].to_vec();
                    break;
                }
                Progress::Partial => {}
            }
            if !self.more(deadline)? {
                match framer.at_close() {
                    AtClose::Complete => break,
                    AtClose::BeforeHead => return Ok(None),
                    AtClose::Truncated => return Err("closed within an answer".to_owned()),
                    AtClose::Malformed(reason) => {
                        return Err(format!("not an answer in HTTP/1.1: {reason}"));
                    }
                }
            }
        }
        let status = framer.status();
        Ok(Some(Heard { status, body }))
    }

    /// Whether nothing but the end of the connection follows.
    pub fn is_at_end(&mut self) -> Result<bool, String> {
        let deadline = Instant::now() + self.limit;
        Ok(self.is_closed || (self.ahead.is_empty() && !self.more(deadline)?))
    }

    /// Reads on; false at the end of the connection.
    fn more(&mut self, deadline: Instant) -> Result<bool, String> {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(format!(
                    "nothing more within {} s",
                    self.limit.as_secs_f64()
                ));
            }
            let _ = self.stream.set_read_timeout(Some(left));
            match self.stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    self.ahead.extend_from_slice(&buffer[..count]);
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => break,
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::Interrupted
                            | io::ErrorKind::WouldBlock
                            | io::ErrorKind::TimedOut
                    ) => {}
                Err(error) => return Err(format!("the connection failed: {error}")),
            }
        }
        self.is_closed = true;
        Ok(false)
    }
}
