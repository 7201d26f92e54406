//! A server whose times are known, for it keeps them itself.
//!
//! One thread that never sleeps: a thread that waits is woken late, by as much as the times that are to be told
//! apart, and whoever sends to it pays for waking it.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};

use super::machine::{self, NOT_AT_ALL};
use super::scenario::{Behaviour, Scenario, TIMEOUT, scenario};

/// Event data of the listener: no connection has this number.
const LISTENER: u64 = 0;

/// Serves until it is dropped.
pub struct TruthServer {
    pub addr: SocketAddr,
    kept: Arc<Mutex<Histogram<u64>>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TruthServer {
    /// A server on a free port, on the CPU of servers.
    pub fn start(scenario: &Scenario) -> TruthServer {
        let bounds = Histogram::new_with_bounds(1, 3_600_000_000_000, 3);
        let kept = Arc::new(Mutex::new(bounds.unwrap()));
        let over = Arc::new(AtomicBool::new(false));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let (behaviour, keeping, ends) = (scenario.behaviour, kept.clone(), over.clone());
        let thread = std::thread::spawn(move || {
            machine::serve_here();
            let mut serving = Serving::new(listener, behaviour, keeping);
            while !ends.load(Ordering::Relaxed) {
                serving.take_events();
                serving.answer_due();
            }
        });
        TruthServer {
            addr,
            kept,
            over,
            thread: Some(thread),
        }
    }

    /// Nanoseconds from having noticed a request to having written its answer, of those answered within the timeout.
    pub fn service_time(&self) -> Histogram<u64> {
        self.kept.lock().unwrap().clone()
    }
}

impl Drop for TruthServer {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Serves for ever, for other generators to be tried on.
pub fn serve(name: &str) {
    let server = TruthServer::start(&scenario(name));
    println!("http://{}/", server.addr);
    loop {
        std::thread::park();
    }
}

/// An answer to come, the earliest first.
type Pending = Reverse<(Instant, u64, Instant)>;

struct Serving {
    poll: OwnedFd,
    listener: TcpListener,
    behaviour: Behaviour,
    kept: Arc<Mutex<Histogram<u64>>>,
    connections: HashMap<u64, TcpStream>,
    opened: u64,
    requests: u64,
    first: Option<Instant>,
    /// When each is due, on which connection, and when its request was noticed.
    pending: BinaryHeap<Pending>,
    events: Vec<epoll::Event>,
}

impl Serving {
    fn new(
        listener: TcpListener,
        behaviour: Behaviour,
        kept: Arc<Mutex<Histogram<u64>>>,
    ) -> Serving {
        listener.set_nonblocking(true).unwrap();
        let poll = epoll::create(CreateFlags::CLOEXEC).unwrap();
        let number = EventData::new_u64(LISTENER);
        epoll::add(&poll, &listener, number, EventFlags::IN).unwrap();
        Serving {
            poll,
            listener,
            behaviour,
            kept,
            connections: HashMap::new(),
            opened: LISTENER,
            requests: 0,
            first: None,
            pending: BinaryHeap::new(),
            events: Vec::with_capacity(512),
        }
    }

    /// What has come in, without waiting for any.
    fn take_events(&mut self) {
        self.events.clear();
        let events = rustix::buffer::spare_capacity(&mut self.events);
        if epoll::wait(&self.poll, events, Some(&NOT_AT_ALL)).unwrap_or(0) == 0 {
            return;
        }
        let now = Instant::now();
        for place in 0..self.events.len() {
            match self.events[place].data.u64() {
                LISTENER => self.accept(),
                number => self.receive(number, now),
            }
        }
    }

    fn accept(&mut self) {
        while let Ok((stream, _)) = self.listener.accept() {
            stream.set_nodelay(true).unwrap();
            stream.set_nonblocking(true).unwrap();
            self.opened += 1;
            let number = EventData::new_u64(self.opened);
            epoll::add(&self.poll, &stream, number, EventFlags::IN).unwrap();
            self.connections.insert(self.opened, stream);
        }
    }

    /// A request fits into one read, and a connection has one at a time.
    fn receive(&mut self, number: u64, now: Instant) {
        let Some(stream) = self.connections.get_mut(&number) else {
            return;
        };
        match stream.read(&mut [0; 4096]) {
            Ok(1..) => {
                let since = now.duration_since(*self.first.get_or_insert(now));
                let takes = (self.behaviour)(self.requests, since.as_nanos() as u64);
                self.requests += 1;
                let due = now + Duration::from_nanos(takes);
                self.pending.push(Reverse((due, number, now)));
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            _ => drop(self.connections.remove(&number)),
        }
    }

    fn answer_due(&mut self) {
        while let Some(&Reverse((due, number, noticed))) = self.pending.peek() {
            if Instant::now() < due {
                return;
            }
            self.pending.pop();
            // Who gave up has closed the connection.
            let Some(stream) = self.connections.get_mut(&number) else {
                continue;
            };
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
            if stream.write_all(answer).is_err() {
                self.connections.remove(&number);
                continue;
            }
            let took = noticed.elapsed();
            if took < TIMEOUT {
                let mut kept = self.kept.lock().unwrap();
                kept.saturating_record(took.as_nanos() as u64);
            }
        }
    }
}
