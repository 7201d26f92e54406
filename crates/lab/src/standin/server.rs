//! The server under a stand-in: HTTP/1.1 with kept connections, a thread each. Services keep few of them.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::reply::{Meaning, Reply};
use super::{Answers, Behaviour, Calls};

/// How often a connection looks whether the stand-in stops.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Longest request head it takes.
const HEAD_MAX: usize = 16 * 1024;
/// Header fields it takes.
const FIELDS_MAX: usize = 64;
/// Delays and failures are drawn from here: a stand-in does the same every time it is asked the same in turn.
const SEED: u64 = 0xcafe;

/// What connections share.
pub(super) struct Shared {
    answers: Answers,
    state: Mutex<State>,
    stopping: AtomicBool,
    open_connections_count: AtomicU64,
}

#[derive(Debug)]
struct State {
    behaviour: Behaviour,
    calls: Calls,
    under_way: Vec<(u64, Arc<TcpStream>)>,
    rng: Pcg64,
    second_began_at: Instant,
    in_this_second: u32,
}

/// What is to be done with one call.
enum Fate {
    Answer {
        after: Option<Duration>,
        fails: bool,
    },
    CutOff,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Shared").finish_non_exhaustive()
    }
}

/// A panic elsewhere leaves counts as they were: they are still right.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(super) fn new(answers: Answers, behaviour: Behaviour) -> Shared {
        Shared {
            answers,
            state: Mutex::new(State {
                behaviour,
                calls: Calls::default(),
                under_way: Vec::new(),
                rng: Pcg64::seed_from_u64(SEED),
                second_began_at: Instant::now(),
                in_this_second: 0,
            }),
            stopping: AtomicBool::new(false),
            open_connections_count: AtomicU64::new(0),
        }
    }

    pub(super) fn behave(&self, behaviour: Behaviour) {
        locked(&self.state).behaviour = behaviour;
    }

    pub(super) fn calls(&self) -> Calls {
        locked(&self.state).calls
    }

    pub(super) fn under_way_count(&self) -> usize {
        locked(&self.state).under_way.len()
    }

    pub(super) fn open_connections_count(&self) -> u64 {
        self.open_connections_count.load(Ordering::Relaxed)
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Waits, and says whether there is still somebody to answer. `None`: until the client or the stand-in goes.
    fn wait(&self, delay: Option<Duration>, stream: &TcpStream) -> bool {
        let due_at = delay.and_then(|delay| Instant::now().checked_add(delay));
        loop {
            let left = due_at.map(|due_at| due_at.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return true;
            }
            let step = left.unwrap_or(LOOK_EVERY).min(LOOK_EVERY);
            if self.is_stopping() || has_hung_up(stream, step) {
                return false;
            }
        }
    }
}

/// Whether the client has closed its side, or does within `limit`.
fn has_hung_up(stream: &TcpStream, limit: Duration) -> bool {
    let limit = Timespec {
        tv_sec: i64::try_from(limit.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: limit.subsec_nanos().into(),
    };
    let mut looked_at = [PollFd::new(stream, PollFlags::RDHUP)];
    // An interrupted look has seen nothing.
    poll(&mut looked_at, Some(&limit)).is_ok_and(|count| count > 0)
}

impl State {
    /// Counts a call, which is numbered by the count, and says what is to be done with it.
    fn begin(&mut self, stream: &Arc<TcpStream>) -> (u64, Fate) {
        self.calls.total_count += 1;
        let number = self.calls.total_count;
        self.under_way.push((number, Arc::clone(stream)));
        if self.under_way.len() as u64 > self.calls.most_at_once_count {
            // A call whose client has given up is under way for nobody.
            self.under_way
                .retain(|(_, stream)| !has_hung_up(stream, Duration::ZERO));
        }
        let at_once = self.under_way.len() as u64;
        self.calls.most_at_once_count = self.calls.most_at_once_count.max(at_once);
        (number, self.fate())
    }

    fn fate(&mut self) -> Fate {
        if self.second_began_at.elapsed() >= Duration::from_secs(1) {
            self.second_began_at = Instant::now();
            self.in_this_second = 0;
        }
        self.in_this_second = self.in_this_second.saturating_add(1);
        let limit = self.behaviour.rate_limit_per_s;
        if limit.is_some_and(|limit| self.in_this_second > limit) {
            self.calls.limited_count += 1;
            return Fate::CutOff;
        }
        Fate::Answer {
            after: self.behaviour.delay.draw(&mut self.rng),
            fails: self.rng.random::<f64>() < self.behaviour.failure_ratio,
        }
    }

    fn count(&mut self, meaning: Meaning) {
        let count = match meaning {
            Meaning::Found => &mut self.calls.found_count,
            Meaning::Unknown => &mut self.calls.unknown_count,
            Meaning::Malformed => &mut self.calls.malformed_count,
            Meaning::Failed => &mut self.calls.failed_count,
        };
        *count += 1;
    }
}

/// The listening thread; dropping it stops everything.
#[derive(Debug)]
pub(super) struct Server {
    addr: SocketAddr,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

impl Server {
    pub(super) fn start(shared: Arc<Shared>) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let addr = listener.local_addr()?;
        let listening = {
            let shared = Arc::clone(&shared);
            thread::Builder::new()
                .name("standin".to_owned())
                .spawn(move || listen(&listener, &shared))?
        };
        Ok(Server {
            addr,
            shared,
            listening: Some(listening),
        })
    }

    pub(super) fn addr(&self) -> SocketAddr {
        self.addr
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::Relaxed);
        // Wakes the listener, which then sees that it is to stop.
        let woken = TcpStream::connect(self.addr).is_ok();
        if let (true, Some(listening)) = (woken, self.listening.take()) {
            let _ = listening.join();
        }
    }
}

fn listen(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.is_stopping() {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        // Without a thread the connection is dropped, and its client sees a failed upstream.
        let _ = thread::Builder::new()
            .name("standin".to_owned())
            .spawn(move || {
                let count = &shared.open_connections_count;
                count.fetch_add(1, Ordering::Relaxed);
                // A client that goes away ends its connection, and nothing else.
                let _ = converse(stream, &shared);
                count.fetch_sub(1, Ordering::Relaxed);
            });
    }
}

/// Answers one request after the other until the client goes, is cut off, or the stand-in stops.
fn converse(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    let stream = Arc::new(stream);
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(LOOK_EVERY))?;
    let mut received = Vec::new();
    while let Some(head) = next_head(&stream, &mut received, shared)? {
        let (number, fate) = locked(&shared.state).begin(&stream);
        let written = match fate {
            Fate::CutOff => Err(io::ErrorKind::ConnectionAborted.into()),
            Fate::Answer { after, fails } if shared.wait(after, &stream) => {
                let reply = match fails {
                    true => Reply::page(502, "Bad Gateway", Meaning::Failed),
                    false => answer(&head, shared.answers),
                };
                locked(&shared.state).count(reply.meaning);
                (&*stream).write_all(&reply.to_bytes())
            }
            Fate::Answer { .. } => Err(io::ErrorKind::ConnectionAborted.into()),
        };
        let mut state = locked(&shared.state);
        state.under_way.retain(|(other, _)| *other != number);
        drop(state);
        written?;
    }
    Ok(())
}

/// The next request head, taken off the front of `received`; `None` when there will be no more.
fn next_head(
    mut stream: &TcpStream,
    received: &mut Vec<u8>,
    shared: &Shared,
) -> io::Result<Option<Vec<u8>>> {
    let mut buffer = [0; 4096];
    loop {
        if let Some(end) = received.windows(4).position(|four| four == b"\r\n\r\n") {
            let rest = received.split_off(end + 4);
            return Ok(Some(std::mem::replace(received, rest)));
        }
        if received.len() > HEAD_MAX || shared.is_stopping() {
            return Ok(None);
        }
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(None),
            Ok(count) => received.extend_from_slice(&buffer[..count]),
            Err(error) if is_retry(&error) => {}
            Err(error) => return Err(error),
        }
    }
}

fn is_retry(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}

fn answer(head: &[u8], answers: Answers) -> Reply {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS_MAX];
    let mut request = httparse::Request::new(&mut fields);
    let parsed = request.parse(head);
    match (parsed, request.method, request.path) {
        (Ok(_), Some("GET"), Some(target)) => answers(target),
        (Ok(_), Some(_), Some(_)) => Reply::page(405, "Method Not Allowed", Meaning::Malformed),
        _ => Reply::page(400, "Bad Request", Meaning::Malformed),
    }
}
