//! How a service speaks HTTP/1.1, whatever it answers: pieces, pipelines, closing, and what is not HTTP.
//!
//! Where RFC 9112 leaves servers a choice, a case leaves it too: it asks for no failure (5xx), no hanging, and
//! that the next client is served.

use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use super::contract::CaseResult;
use super::wire::{Heard, Wire};

/// Longest wait for one answer; a busy machine is slow, a service that hangs is broken.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// Time for a service to read a piece before the next one comes: too short only makes a case easier.
const BETWEEN_PIECES: Duration = Duration::from_millis(20);
/// Above what any server takes in a head.
const OVERSIZED_HEAD_BYTES: usize = 1 << 20;
/// Above what frameworks take in a body unless told otherwise.
const OVERSIZED_BODY_BYTES: usize = 8 << 20;
/// Above what servers take in a request line, or at least a path that nobody serves.
const OVERSIZED_TARGET_BYTES: usize = 100_000;
/// Requests sent without waiting.
const PIPELINED: usize = 3;
/// Clients that go away within a request.
const GONE: usize = 20;

type Law = fn(&Subject) -> Result<(), String>;

/// Laws for every request.
const LAWS: [(&str, Law); 18] = [
    (
        "a request may come in two pieces, wherever it is cut",
        cut_anywhere,
    ),
    (
        "requests may be sent before the answers to earlier ones",
        pipelined,
    ),
    (
        "a connection is kept until the client asks for its end",
        kept_then_closed,
    ),
    (
        "an unknown path is not found, and the connection goes on",
        unknown_path,
    ),
    (
        "a wrong method is not allowed, and the connection goes on",
        wrong_method,
    ),
    ("a method that nobody knows is refused", unknown_method),
    (
        "HTTP/1.0 is answered, and the connection closed",
        old_version,
    ),
    ("a request without Host is answered or refused", no_host),
    ("names of header fields may be in any case", other_case),
    ("a head beyond all limits is no failure", oversized_head),
    ("a target beyond all limits is no failure", oversized_target),
    ("a null byte in the target is refused", null_in_target),
    ("a null byte in a header field is refused", null_in_header),
    (
        "a Content-Length that is no number is refused",
        length_of_letters,
    ),
    ("a negative Content-Length is refused", length_negative),
    (
        "two Content-Lengths that differ are refused",
        lengths_differ,
    ),
    ("what is not HTTP is refused", not_http),
    (
        "clients that go away within a request are in nobody's way",
        gone,
    ),
];

/// Laws for requests with a body.
const BODY_LAWS: [(&str, Law); 6] = [
    ("a body may come in chunks", chunked),
    ("a client may wait for 100 Continue", expect_continue),
    (
        "a body shorter than announced is not taken for a whole one",
        too_short,
    ),
    (
        "a body longer than announced is cut where it was to end",
        too_long,
    ),
    (
        "both Content-Length and Transfer-Encoding are no failure",
        both_lengths,
    ),
    ("a body beyond all limits is no failure", oversized_body),
];

/// Holds a service to every law, with a request whose answer is always the same.
///
/// `request` is a whole request in HTTP/1.1, with a Host and, where it has a body, a Content-Length.
pub fn check_behaviour(addr: SocketAddr, request: &[u8]) -> Vec<CaseResult> {
    check_within(addr, request, ANSWER_LIMIT)
}

fn check_within(addr: SocketAddr, request: &[u8], limit: Duration) -> Vec<CaseResult> {
    let subject = match Subject::new(addr, request, limit) {
        Ok(subject) => subject,
        Err(wrong) => return vec![result("the workload's request is answered", Err(wrong))],
    };
    let body_laws: &[(&str, Law)] = if subject.body.is_empty() {
        &[]
    } else {
        &BODY_LAWS
    };
    LAWS.iter()
        .chain(body_laws)
        .map(|(name, law)| result(name, law(&subject).and_then(|()| subject.is_well())))
        .collect()
}

fn result(name: &str, held: Result<(), String>) -> CaseResult {
    CaseResult {
        name: format!("HTTP: {name}"),
        passed: held.is_ok(),
        detail: held.err().unwrap_or_default(),
    }
}

/// A service, a request, and the answer to it.
struct Subject {
    addr: SocketAddr,
    limit: Duration,
    /// Request line and header fields, without the empty line.
    head: String,
    body: Vec<u8>,
    expected: Heard,
}

impl Subject {
    fn new(addr: SocketAddr, request: &[u8], limit: Duration) -> Result<Subject, String> {
        let end = request.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let end = end.ok_or("the request has no end")?;
        let mut subject = Subject {
            addr,
            limit,
            head: String::from_utf8_lossy(&request[..end]).into_owned(),
            body: request[end + 4..].to_vec(),
            expected: Heard {
                status: 0,
                body: Vec::new(),
            },
        };
        subject.expected = subject.ask(request)?.ok_or("it closed without an answer")?;
        Ok(subject)
    }

    fn wire(&self) -> Result<Wire, String> {
        Wire::open(self.addr, self.limit)
    }

    fn request(&self) -> Vec<u8> {
        whole(&self.head, &self.body)
    }

    /// The request with one more header field.
    fn and(&self, field: &str) -> Vec<u8> {
        whole(&format!("{}\r\n{field}", self.head), &self.body)
    }

    /// The head without fields of that name.
    fn without(&self, name: &str) -> String {
        let start = format!("{}:", name.to_ascii_lowercase());
        let lines = self.head.split("\r\n");
        let kept = lines.filter(|line| !line.to_ascii_lowercase().starts_with(&start));
        kept.collect::<Vec<_>>().join("\r\n")
    }

    /// The request with another request line.
    fn with_line(&self, line: &str) -> Vec<u8> {
        let rest = self.head.split_once("\r\n").map_or("", |(_, rest)| rest);
        whole(&format!("{line}\r\n{rest}"), &self.body)
    }

    fn words(&self) -> (&str, &str) {
        let mut words = self.head.split(' ');
        (words.next().unwrap_or("GET"), words.next().unwrap_or("/"))
    }

    /// One request on a connection of its own.
    fn ask(&self, request: &[u8]) -> Result<Option<Heard>, String> {
        let mut wire = self.wire()?;
        wire.write(request);
        wire.answer()
    }

    fn is_expected(&self, heard: Option<Heard>) -> Result<(), String> {
        match heard {
            Some(heard) if heard == self.expected => Ok(()),
            Some(heard) => Err(format!(
                "expected {} with {} bytes, got {} with {} bytes",
                self.expected.status,
                self.expected.body.len(),
                heard.status,
                heard.body.len()
            )),
            None => Err("it closed without an answer".to_owned()),
        }
    }

    /// Whether the next client is served.
    fn is_well(&self) -> Result<(), String> {
        self.is_expected(self.ask(&self.request())?)
            .map_err(|wrong| format!("afterwards: {wrong}"))
    }
}

fn whole(head: &str, body: &[u8]) -> Vec<u8> {
    [head.as_bytes(), b"\r\n\r\n", body].concat()
}

/// A status below 500, or the end of the connection.
fn no_failure(heard: Option<Heard>) -> Result<(), String> {
    match heard {
        Some(heard) if heard.status >= 500 => Err(format!("status {}", heard.status)),
        _ => Ok(()),
    }
}

/// A status of 4xx, or the end of the connection.
fn refused(heard: Option<Heard>) -> Result<(), String> {
    match heard {
        Some(heard) if heard.status / 100 != 4 => Err(format!("status {}", heard.status)),
        _ => Ok(()),
    }
}

fn status_is(heard: Option<Heard>, wanted: u16) -> Result<(), String> {
    match heard {
        Some(heard) if heard.status == wanted => Ok(()),
        Some(heard) => Err(format!("expected {wanted}, got {}", heard.status)),
        None => Err("it closed without an answer".to_owned()),
    }
}

/// Every cut at once, each on a connection of its own: one wait for all.
fn cut_anywhere(subject: &Subject) -> Result<(), String> {
    let request = subject.request();
    let mut wires = Vec::new();
    for cut in 1..request.len() {
        let mut wire = subject.wire()?;
        wire.write(&request[..cut]);
        wires.push(wire);
    }
    thread::sleep(BETWEEN_PIECES);
    for (wire, cut) in wires.iter_mut().zip(1..) {
        if wire.has_news() {
            return Err(format!("answered after {cut} bytes of {}", request.len()));
        }
        wire.write(&request[cut..]);
    }
    for (wire, cut) in wires.iter_mut().zip(1..) {
        let heard = wire.answer().and_then(|heard| subject.is_expected(heard));
        heard.map_err(|wrong| format!("cut after {cut} bytes: {wrong}"))?;
    }
    Ok(())
}

fn pipelined(subject: &Subject) -> Result<(), String> {
    let mut wire = subject.wire()?;
    wire.write(&subject.request().repeat(PIPELINED));
    for number in 1..=PIPELINED {
        let heard = wire.answer().and_then(|heard| subject.is_expected(heard));
        heard.map_err(|wrong| format!("answer {number} of {PIPELINED}: {wrong}"))?;
    }
    Ok(())
}

fn kept_then_closed(subject: &Subject) -> Result<(), String> {
    let mut wire = subject.wire()?;
    for _ in 0..2 {
        wire.write(&subject.request());
        subject.is_expected(wire.answer()?)?;
    }
    wire.write(&subject.and("Connection: close"));
    subject.is_expected(wire.answer()?)?;
    match wire.is_at_end()? {
        true => Ok(()),
        false => Err("more followed the last answer".to_owned()),
    }
}

fn unknown_path(subject: &Subject) -> Result<(), String> {
    let (method, _) = subject.words();
    let mut wire = subject.wire()?;
    wire.write(&subject.with_line(&format!("{method} /nowhere/at/all HTTP/1.1")));
    status_is(wire.answer()?, 404)?;
    wire.write(&subject.request());
    subject.is_expected(wire.answer()?)
}

fn wrong_method(subject: &Subject) -> Result<(), String> {
    let (_, target) = subject.words();
    let mut wire = subject.wire()?;
    wire.write(&subject.with_line(&format!("DELETE {target} HTTP/1.1")));
    status_is(wire.answer()?, 405)?;
    wire.write(&subject.request());
    subject.is_expected(wire.answer()?)
}

/// 501 is what RFC 9110 advises; a parser that knows all methods by heart says 400.
fn unknown_method(subject: &Subject) -> Result<(), String> {
    let (_, target) = subject.words();
    match subject.ask(&subject.with_line(&format!("BREW {target} HTTP/1.1")))? {
        Some(heard) if heard.status == 501 => Ok(()),
        heard => refused(heard),
    }
}

fn old_version(subject: &Subject) -> Result<(), String> {
    let mut wire = subject.wire()?;
    let (method, target) = subject.words();
    wire.write(&subject.with_line(&format!("{method} {target} HTTP/1.0")));
    subject.is_expected(wire.answer()?)?;
    match wire.is_at_end()? {
        true => Ok(()),
        false => Err("more followed the answer".to_owned()),
    }
}

fn no_host(subject: &Subject) -> Result<(), String> {
    match subject.ask(&whole(&subject.without("host"), &subject.body))? {
        Some(heard) if heard.status == 400 => Ok(()),
        heard => subject.is_expected(heard),
    }
}

fn other_case(subject: &Subject) -> Result<(), String> {
    let lines = subject.head.split("\r\n").enumerate();
    let turned = lines.map(|(number, line)| match line.split_once(':') {
        Some((name, value)) if number > 0 => format!("{}:{value}", name.to_ascii_uppercase()),
        _ => line.to_owned(),
    });
    let head = turned.collect::<Vec<_>>().join("\r\n");
    subject.is_expected(subject.ask(&whole(&head, &subject.body))?)
}

fn oversized_head(subject: &Subject) -> Result<(), String> {
    let filler = format!("X-Filler: {}", "a".repeat(OVERSIZED_HEAD_BYTES));
    no_failure(subject.ask(&subject.and(&filler))?)
}

fn oversized_target(subject: &Subject) -> Result<(), String> {
    let (method, _) = subject.words();
    let line = format!("{method} /{} HTTP/1.1", "a".repeat(OVERSIZED_TARGET_BYTES));
    refused(subject.ask(&subject.with_line(&line))?)
}

fn null_in_target(subject: &Subject) -> Result<(), String> {
    let (method, target) = subject.words();
    refused(subject.ask(&subject.with_line(&format!("{method} {target}\0 HTTP/1.1")))?)
}

fn null_in_header(subject: &Subject) -> Result<(), String> {
    refused(subject.ask(&subject.and("X-Null: a\0b"))?)
}

fn length_of_letters(subject: &Subject) -> Result<(), String> {
    let head = format!(
        "{}\r\nContent-Length: many",
        subject.without("content-length")
    );
    refused(subject.ask(&whole(&head, &subject.body))?)
}

fn length_negative(subject: &Subject) -> Result<(), String> {
    let head = format!(
        "{}\r\nContent-Length: -1",
        subject.without("content-length")
    );
    refused(subject.ask(&whole(&head, &subject.body))?)
}

fn lengths_differ(subject: &Subject) -> Result<(), String> {
    let head = subject.without("content-length");
    let (one, other) = (subject.body.len(), subject.body.len() + 1);
    let head = format!("{head}\r\nContent-Length: {one}\r\nContent-Length: {other}");
    refused(subject.ask(&whole(&head, &subject.body))?)
}

fn not_http(subject: &Subject) -> Result<(), String> {
    let greeting = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n\r\n\r\n";
    refused(subject.ask(greeting)?)
}

fn gone(subject: &Subject) -> Result<(), String> {
    let request = subject.request();
    for number in 0..GONE {
        let cut = 1 + number * (request.len() - 1) / GONE;
        subject.wire()?.write(&request[..cut]);
    }
    Ok(())
}

/// The head for a body whose length only its chunks say.
fn chunked_head(subject: &Subject) -> String {
    format!(
        "{}\r\nTransfer-Encoding: chunked",
        subject.without("content-length")
    )
}

fn in_chunks(body: &[u8]) -> Vec<u8> {
    let mut coded = Vec::new();
    for chunk in body.chunks(body.len() / 3 + 1) {
        coded.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        coded.extend_from_slice(chunk);
        coded.extend_from_slice(b"\r\n");
    }
    coded.extend_from_slice(b"0\r\n\r\n");
    coded
}

fn chunked(subject: &Subject) -> Result<(), String> {
    let request = whole(&chunked_head(subject), &in_chunks(&subject.body));
    let mut wire = subject.wire()?;
    wire.write(&request);
    subject.is_expected(wire.answer()?)?;
    wire.write(&subject.request());
    subject.is_expected(wire.answer()?)
}

/// A server may say 100 Continue or not; the body comes after a moment in both cases.
fn expect_continue(subject: &Subject) -> Result<(), String> {
    let mut wire = subject.wire()?;
    let request = subject.and("Expect: 100-continue");
    let (head, body) = request.split_at(request.len() - subject.body.len());
    wire.write(head);
    thread::sleep(BETWEEN_PIECES);
    wire.write(body);
    subject.is_expected(wire.answer()?)
}

fn too_short(subject: &Subject) -> Result<(), String> {
    let head = subject.without("content-length");
    let head = format!("{head}\r\nContent-Length: {}", subject.body.len() + 1);
    let mut wire = subject.wire()?;
    wire.write(&whole(&head, &subject.body));
    wire.end();
    refused(wire.answer()?)
}

fn too_long(subject: &Subject) -> Result<(), String> {
    let head = subject.without("content-length");
    let head = format!("{head}\r\nContent-Length: {}", subject.body.len() - 1);
    refused(subject.ask(&whole(&head, &subject.body))?)
}

fn both_lengths(subject: &Subject) -> Result<(), String> {
    let head = format!("{}\r\nTransfer-Encoding: chunked", subject.head);
    no_failure(subject.ask(&whole(&head, &in_chunks(&subject.body)))?)
}

fn oversized_body(subject: &Subject) -> Result<(), String> {
    let filler = format!("{{\"filler\":\"{}\"}}", "a".repeat(OVERSIZED_BODY_BYTES));
    let head = subject.without("content-length");
    let head = format!("{head}\r\nContent-Length: {}", filler.len());
    refused(subject.ask(&whole(&head, filler.as_bytes()))?)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    /// A server that answers whatever one read gives it, if that begins like a request.
    fn careless() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                thread::spawn(move || {
                    let mut buffer = [0; 200];
                    while let Ok(1..) = stream.read(&mut buffer) {
                        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK");
                    }
                });
            }
        });
        addr
    }

    #[test]
    fn a_server_of_one_read_breaks_the_laws_of_pieces_paths_methods_and_closing() {
        let results = check_within(
            careless(),
            b"GET /hello HTTP/1.1\r\nHost: x\r\n\r\n",
            Duration::from_secs(1),
        );
        let broken: Vec<&str> = results
            .iter()
            .filter(|case| !case.passed)
            .map(|case| case.name.as_str())
            .collect();
        for law in [
            "two pieces",
            "before the answers",
            "unknown path",
            "wrong method",
            "HTTP/1.0",
            "null byte in the target",
            "not HTTP",
        ] {
            assert!(
                broken.iter().any(|name| name.contains(law)),
                "{law}: {broken:?}"
            );
        }
    }
}
