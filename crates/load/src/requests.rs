//! What is sent: one request over and over, or requests made from a feed.

use std::fmt::Write as _;
use std::sync::Arc;

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

use crate::schedule::Share;
use crate::template::Template;

/// What a target is sent.
#[derive(Clone, Debug)]
pub struct Requests {
    kind: Kind,
    /// Whether the method is HEAD, whose answers have no body.
    head: bool,
}

#[derive(Clone, Debug)]
enum Kind {
    Same(Arc<[u8]>),
    Feed(Arc<Feed>),
}

/// Requests made from the rows of a feed.
#[derive(Debug)]
pub(crate) struct Feed {
    pub(crate) rows: Vec<Row>,
    pub(crate) order: FeedOrder,
}

/// One row: everything that is sent for it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Request line and header fields, up to where Content-Length goes.
    pub(crate) head: Template,
    pub(crate) body: Option<Template>,
}

/// The order in which the rows of a feed are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FeedOrder {
    /// First to last, and again.
    #[default]
    InOrder,
    /// Every row once in a shuffled order, then all again in another.
    Random,
    /// Row k (from 1) with a probability proportional to 1/k.
    Zipf,
}

impl Requests {
    /// The same bytes every time: a whole request, as [`request_bytes`] makes it.
    pub fn same(request: Vec<u8>) -> Requests {
        Requests {
            head: request.starts_with(b"HEAD "),
            kind: Kind::Same(request.into()),
        }
    }

    /// One request for every row; each row is a request target and a body, either of which may
    /// hold `{seq}` (0, 1, 2, …) and `{rand:a..b}` (a whole number from a to b, both included).
    ///
    /// # Errors
    /// The number of the row, from 0, and what is wrong with a placeholder in it.
    pub fn feed<'a>(
        method: &str,
        host: &str,
        headers: &[(String, String)],
        rows: impl IntoIterator<Item = (&'a str, Option<&'a [u8]>)>,
        order: FeedOrder,
    ) -> Result<Requests, (usize, String)> {
        let build = |(place, (target, body)): (usize, (&str, Option<&[u8]>))| {
            let head = head_text(method, target, host, headers);
            let parse = |bytes| Template::parse(bytes).map_err(|reason| (place, reason));
            Ok(Row {
                head: parse(head.as_bytes())?,
                body: body.map(parse).transpose()?,
            })
        };
        let rows = rows
            .into_iter()
            .enumerate()
            .map(build)
            .collect::<Result<Vec<_>, _>>()?;
        let kind = match rows.as_slice() {
            [] => return Err((0, "it has no rows".to_owned())),
            [only] if only.is_plain() => Kind::Same(only.plain().into()),
            _ => Kind::Feed(Arc::new(Feed { rows, order })),
        };
        Ok(Requests {
            kind,
            head: method == "HEAD",
        })
    }

    /// Whether the method is HEAD.
    pub fn is_head(&self) -> bool {
        self.head
    }

    /// The first `count` requests that a single connection would send, with `seed` for their random numbers.
    pub fn first(&self, count: usize, seed: u64) -> Vec<Vec<u8>> {
        let mut cursor = self.cursor(Share::WHOLE, seed);
        (0..count).map(|_| cursor.next().to_vec()).collect()
    }

    pub(crate) fn cursor(&self, share: Share, seed: u64) -> Cursor {
        let kind = match &self.kind {
            Kind::Same(bytes) => CursorKind::Same(Arc::clone(bytes)),
            Kind::Feed(feed) => CursorKind::Feed(FeedCursor::new(Arc::clone(feed), share, seed)),
        };
        Cursor { kind }
    }
}

impl Row {
    fn is_plain(&self) -> bool {
        self.head.is_plain() && self.body.as_ref().is_none_or(Template::is_plain)
    }

    fn plain(&self) -> Vec<u8> {
        let (mut request, mut body) = (Vec::new(), Vec::new());
        // Plain templates draw no numbers.
        self.render(0, &mut Pcg64::seed_from_u64(0), &mut request, &mut body);
        request
    }

    fn render(&self, sequence: u64, rng: &mut Pcg64, request: &mut Vec<u8>, body: &mut Vec<u8>) {
        request.clear();
        self.head.render(sequence, rng, request);
        if let Some(template) = &self.body {
            body.clear();
            template.render(sequence, rng, body);
            request.extend_from_slice(b"Content-Length: ");
            crate::template::push_number(body.len() as u64, request);
            request.extend_from_slice(b"\r\n\r\n");
            request.extend_from_slice(body);
        } else {
            request.extend_from_slice(b"\r\n");
        }
    }
}

/// Walks through the requests of one share.
#[derive(Debug)]
pub(crate) struct Cursor {
    kind: CursorKind,
}

#[derive(Debug)]
enum CursorKind {
    Same(Arc<[u8]>),
    Feed(FeedCursor),
}

impl Cursor {
    /// The bytes of the next request.
    pub(crate) fn next(&mut self) -> &[u8] {
        match &mut self.kind {
            CursorKind::Same(bytes) => bytes,
            CursorKind::Feed(feed) => feed.next(),
        }
    }
}

#[derive(Debug)]
struct FeedCursor {
    feed: Arc<Feed>,
    share: Share,
    sequence: u64,
    /// For numbers in templates and for Zipf: differs from share to share.
    rng: Pcg64,
    /// For the shuffles: the same in every share, so that together they use each row once.
    shuffle_rng: Pcg64,
    shuffled: Vec<u32>,
    shuffled_pass: u64,
    /// Running sums of 1/k.
    zipf: Vec<f64>,
    request: Vec<u8>,
    body: Vec<u8>,
}

impl FeedCursor {
    fn new(feed: Arc<Feed>, share: Share, seed: u64) -> FeedCursor {
        let rows = feed.rows.len();
        let mut cursor = FeedCursor {
            share,
            sequence: u64::from(share.index),
            rng: Pcg64::seed_from_u64(seed ^ (u64::from(share.index) + 1).rotate_left(32)),
            shuffle_rng: Pcg64::seed_from_u64(seed),
            shuffled: Vec::new(),
            shuffled_pass: 0,
            zipf: Vec::new(),
            request: Vec::new(),
            body: Vec::new(),
            feed,
        };
        match cursor.feed.order {
            FeedOrder::InOrder => {}
            FeedOrder::Random => {
                cursor.shuffled = (0..u32::try_from(rows).unwrap_or(u32::MAX)).collect();
                cursor.shuffled.shuffle(&mut cursor.shuffle_rng);
            }
            FeedOrder::Zipf => {
                cursor.zipf = (1..=rows)
                    .scan(0.0, |sum, rank| {
                        *sum += 1.0 / rank as f64;
                        Some(*sum)
                    })
                    .collect();
            }
        }
        cursor
    }

    fn row(&mut self) -> usize {
        let rows = self.feed.rows.len() as u64;
        match self.feed.order {
            FeedOrder::InOrder => (self.sequence % rows) as usize,
            FeedOrder::Random => {
                while self.shuffled_pass < self.sequence / rows {
                    self.shuffled.shuffle(&mut self.shuffle_rng);
                    self.shuffled_pass += 1;
                }
                self.shuffled[(self.sequence % rows) as usize] as usize
            }
            FeedOrder::Zipf => {
                let total = self.zipf.last().copied().unwrap_or(0.0);
                let drawn = self.rng.random::<f64>() * total;
                self.zipf
                    .partition_point(|&sum| sum <= drawn)
                    .min(self.zipf.len() - 1)
            }
        }
    }

    fn next(&mut self) -> &[u8] {
        let row = self.row();
        let sequence = self.sequence;
        self.sequence += u64::from(self.share.of);
        self.feed.rows[row].render(sequence, &mut self.rng, &mut self.request, &mut self.body);
        &self.request
    }
}

fn head_text(method: &str, target: &str, host: &str, headers: &[(String, String)]) -> String {
    let mut head = format!("{method} {target} HTTP/1.1\r\n");
    if !headers
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("host"))
    {
        // Writing to a String cannot fail.
        let _ = write!(head, "Host: {host}\r\n");
    }
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head
}

/// The bytes of a request with a body of known length, or none.
///
/// Host is added unless `headers` has it; Content-Length is added when there is a body.
pub fn request_bytes(
    method: &str,
    target: &str,
    host: &str,
    headers: &[(String, String)],
    body: Option<&[u8]>,
) -> Vec<u8> {
    let mut head = head_text(method, target, host, headers);
    if let Some(body) = body {
        let _ = write!(head, "Content-Length: {}\r\n", body.len());
    }
    head.push_str("\r\n");
    let mut request = head.into_bytes();
    request.extend_from_slice(body.unwrap_or_default());
    request
}
