//! Draws requests around what a workload asks: the same from the same workload, every time.
//!
//! What HTTP servers, routers and JSON readers may treat as they like is left out, because nobody would be wrong:
//! HEAD and OPTIONS, slashes and dots that are percent-encoded or doubled, a parameter given twice, a request without
//! its Content-Type, and in JSON a key given twice or in other case, whole numbers written with a fraction or
//! exponent, those that a double does not hold, lone surrogates, NaN and Infinity, invalid UTF-8, a byte order mark.

use std::fs;

use catalog::Workload;
use load::request_bytes;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

use super::json_body;

/// Requests drawn for one workload.
pub const REQUESTS_COUNT: usize = 300;

const SEED: u64 = 2_004;
/// Value of the Host header: not the address, so that the requests are the same for every service.
const HOST: &str = "localhost";
/// Targets of a feed that are started from.
const TARGETS_MAX: usize = 500;
/// What a character of a path or a query may become or have beside it.
const PIECES: [&str; 40] = [
    "0",
    "1",
    "7",
    "9",
    "a",
    "Z",
    "-",
    "--",
    "_",
    "~",
    "!",
    "$",
    "'",
    "(",
    ")",
    "*",
    "+",
    ",",
    ";",
    ":",
    "@",
    "=",
    "%20",
    "%00",
    "%0B",
    "%0D%0A",
    "%09",
    "%22",
    "%27",
    "%2B",
    "%2D",
    "%30",
    "%39",
    "%3C",
    "%C3%A9",
    "%D9%A1",
    "%EF%BC%91",
    "%E2%80%93",
    "%C2%B2",
    "%F0%9F%98%80",
];
/// What is said there besides 200 is each service's own.
const READY_PATH: &str = "/health";
/// Methods besides the workload's own.
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/// Header fields that change nothing.
const FIELDS: [(&str, &str); 16] = [
    ("Accept", "*/*"),
    ("Accept", "text/html,application/xhtml+xml;q=0.9"),
    ("Accept", "application/xml"),
    ("Accept", ""),
    ("Accept-Encoding", "gzip, br, zstd;q=0.5"),
    ("Accept-Language", "pt-BR,pt;q=0.9"),
    ("Authorization", "Basic Zm9vOmJhcg=="),
    ("Cache-Control", "no-cache"),
    ("Cookie", "session=1; DROP TABLE x; a=\"b\""),
    ("If-Modified-Since", "Sat, 01 Jan 2000 00:00:00 GMT"),
    ("If-None-Match", "*"),
    ("Origin", "https://example.com"),
    ("Range", "bytes=0-3"),
    ("User-Agent", "() { :;}; echo x"),
    ("X-Forwarded-For", "127.0.0.1, ::1"),
    ("X-HTTP-Method-Override", "DELETE"),
];

/// A request, whole, and in words for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// Method, target, and what is special about it.
    pub words: String,
    /// Its bytes.
    pub request: Vec<u8>,
}

/// [`REQUESTS_COUNT`] requests around what a workload asks.
pub fn draw(workload: &Workload) -> Vec<Drawn> {
    let mut rng = Pcg64::seed_from_u64(SEED);
    let source = Source::of(workload);
    (0..REQUESTS_COUNT).map(|_| source.one(&mut rng)).collect()
}

struct Source<'a> {
    workload: &'a Workload,
    /// Targets that load sends, and those of contract cases that are answered well.
    targets: Vec<String>,
}

impl<'a> Source<'a> {
    fn of(workload: &'a Workload) -> Source<'a> {
        let manifest = &workload.manifest;
        let mut targets = vec![manifest.path.clone()];
        let own = workload.contract.case.iter().filter(|case| {
            case.method == manifest.method
                && case.status == Some(manifest.expect_status)
                && case.path != READY_PATH
                && route(&case.path) == route(&manifest.path)
        });
        targets.extend(own.map(|case| case.path.clone()));
        let feed = manifest.feed.iter();
        let feed = feed.filter_map(|file| fs::read_to_string(workload.folder.join(file)).ok());
        for text in feed {
            let plain = text.lines().filter(|line| !line.contains('{'));
            targets.extend(plain.take(TARGETS_MAX).map(str::to_owned));
        }
        Source { workload, targets }
    }

    fn one(&self, rng: &mut Pcg64) -> Drawn {
        let manifest = &self.workload.manifest;
        let method = manifest.method.as_str();
        let target = self.targets.choose(rng).map_or("/", String::as_str);
        let body = manifest.body.as_deref();
        let has_body = body.is_some();
        match rng.random_range(0..100) {
            0..10 => self.request(method, target, None, body),
            10..16 => self.request(method, target, FIELDS.choose(rng).copied(), body),
            16..22 => self.request(other_method(method, rng), target, None, None),
            22..28 => self.request(method, &unknown(rng), None, body),
            28..36 => self.request(method, &with_parameter(target, rng), None, body),
            36..50 if !has_body => self.request(method, &other_digits(target, rng), None, None),
            36.. if !has_body => self.request(method, &mutated(target, rng), None, None),
            _ => {
                let body = json_body::draw(body.unwrap_or_default(), rng);
                self.request(method, target, None, Some(&body))
            }
        }
    }

    fn request(
        &self,
        method: &str,
        target: &str,
        field: Option<(&str, &str)>,
        body: Option<&str>,
    ) -> Drawn {
        let own = self.workload.manifest.headers.iter();
        let mut headers: Vec<(String, String)> = match body {
            Some(_) => own
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
            None => Vec::new(),
        };
        let mut words = format!("{method} {target}");
        if let Some((name, value)) = field {
            headers.push((name.to_owned(), value.to_owned()));
            words += &format!(" with {name}: {value}");
        }
        if let Some(body) = body {
            words += &format!(" {}", super::super::json::shorten(body).escape_debug());
        }
        Drawn {
            words,
            request: request_bytes(method, target, HOST, &headers, body.map(str::as_bytes)),
        }
    }
}

/// A target without its last segment and its query.
fn route(target: &str) -> &str {
    let path = target.split('?').next().unwrap_or(target);
    path.rsplit_once('/').map_or(path, |(before, _)| before)
}

fn other_method(method: &str, rng: &mut Pcg64) -> &'static str {
    let others: Vec<&str> = METHODS
        .into_iter()
        .filter(|other| *other != method)
        .collect();
    others.choose(rng).copied().unwrap_or("DELETE")
}

/// A path that nobody serves.
fn unknown(rng: &mut Pcg64) -> String {
    let segments = rng.random_range(1..4);
    let word = |rng: &mut Pcg64| -> String {
        (0..rng.random_range(1..9))
            .map(|_| rng.random_range('a'..='z'))
            .collect()
    };
    (0..segments).map(|_| format!("/zz{}", word(rng))).collect()
}

/// The target with a parameter that nobody reads.
fn with_parameter(target: &str, rng: &mut Pcg64) -> String {
    let value: String = (0..rng.random_range(0..6))
        .filter_map(|_| PIECES.choose(rng))
        .copied()
        .collect();
    let sign = if target.contains('?') { '&' } else { '?' };
    match rng.random_range(0..4) {
        0 => format!("{target}{sign}"),
        1 => format!("{target}{sign}unread"),
        _ => format!("{target}{sign}unread={value}"),
    }
}

/// Other digits in the same places.
fn other_digits(target: &str, rng: &mut Pcg64) -> String {
    let (fixed, open) = parts(target);
    let digit = |character: char| match character {
        '0'..='9' if rng.random_bool(0.3) => rng.random_range('0'..='9'),
        other => other,
    };
    // A percent-encoded byte is not two digits.
    match open.contains('%') {
        true => mutated(target, rng),
        false => format!("{fixed}{}", open.chars().map(digit).collect::<String>()),
    }
}

/// One to three characters more, fewer or other, in the last segment or in the value of the query.
fn mutated(target: &str, rng: &mut Pcg64) -> String {
    let (fixed, open) = parts(target);
    let mut pieces = encoded_characters(open);
    for _ in 0..rng.random_range(1..=3) {
        let at = rng.random_range(0..=pieces.len());
        let piece = PIECES.choose(rng).copied().unwrap_or("0").to_owned();
        match rng.random_range(0..4) {
            // What is empty is another path.
            0 if pieces.len() > 1 && at < pieces.len() => drop(pieces.remove(at)),
            1 if at < pieces.len() => pieces[at] = piece,
            2 if at < pieces.len() => pieces.insert(at, pieces[at].clone()),
            _ => pieces.insert(at, piece),
        }
    }
    format!("{fixed}{}", pieces.concat())
}

/// What stays, and what may change: the value of the last parameter, else the last segment.
fn parts(target: &str) -> (&str, &str) {
    let at = target.rfind('=').or_else(|| target.rfind('/'));
    target.split_at(at.map_or(0, |at| at + 1))
}

/// Characters, those that are percent-encoded together with what belongs to them.
fn encoded_characters(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let length = match character {
            '%' => rest.bytes().take(3).count(),
            other => other.len_utf8(),
        };
        pieces.push(rest[..length].to_owned());
        rest = &rest[length..];
    }
    pieces
}
