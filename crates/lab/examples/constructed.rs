//! Services whose limit or fault is known, for the tests of limiters and audits.
//!
//! `constructed MODE [N]` listens on 127.0.0.1 at `PORT`. Every answer to `GET /one` is `{"one":1}`, whatever it took
//! to get there. A thread serves each connection.
//!
//! | mode | what limits it, or what is wrong |
//! | --- | --- |
//! | `fast` | nothing: it answers at once |
//! | `cpu N` | each request computes N thousand steps, each connection on a thread of its own |
//! | `one-thread N` | the same, and all requests compute on one thread |
//! | `pool N` | `DB_POOL_SIZE` connections; each request holds one for N ms |
//! | `slow-query N` | a connection for each request; each query counts N thousand rows |
//! | `row-lock N` | a connection for each request; all change the same row, and hold it for N ms |
//! | `upstream` | each request asks the upstream first |
//! | `sleep N` | each request sleeps N ms |
//! | `one` | reads the row as the contract says |
//! | `caches` | reads the row once and answers from memory from then on |
//! | `errors N` | one request in N is answered 500, at once |
//! | `starves N` | every second connection is answered N ms later |
//! | `maps N` | maps N MiB of files and touches every page |
//! | `overflows` | every fourth request opens one more connection, up to `DB_POOL_SIZE`, whatever the database takes |
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use std::{env, fs, thread};

use postgres::{Client, NoTls};

type Failure = Box<dyn Error + Send + Sync>;

const ANSWER: &str = r#"{"one":1}"#;
const READ: &str = "SELECT n FROM one WHERE id = 1";

fn main() -> Result<(), Failure> {
    let mode = env::args().nth(1).unwrap_or_else(|| "fast".to_owned());
    let number: u64 = env::args().nth(2).map_or(Ok(1), |text| text.parse())?;
    let port: u16 = env::var("PORT").map_or(Ok(0), |text| text.parse())?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    println!("listening on {}", listener.local_addr()?);
    let service = Arc::new(Service::new(mode, number)?);
    for (place, stream) in (0..).zip(listener.incoming()) {
        let (stream, service) = (stream?, Arc::clone(&service));
        thread::spawn(move || service.serve(stream, place));
    }
    Ok(())
}

struct Service {
    mode: String,
    number: u64,
    asked: AtomicU64,
    cached: AtomicBool,
    pool: Option<Pool>,
    /// What the mode `overflows` has opened.
    held: Mutex<Vec<Client>>,
    /// Where all requests compute in the mode `one-thread`.
    worker: Mutex<Option<Sender<Sender<()>>>>,
}

impl Service {
    fn new(mode: String, number: u64) -> Result<Service, Failure> {
        if mode == "maps" {
            map(number)?;
        }
        let size = match mode.as_str() {
            "pool" => env::var("DB_POOL_SIZE")?.parse()?,
            "slow-query" | "row-lock" => 64,
            "one" | "caches" => 4,
            _ => 0,
        };
        let worker = (mode == "one-thread").then(|| {
            let (sender, receiver) = channel::<Sender<()>>();
            thread::spawn(move || {
                for done in receiver {
                    compute(number);
                    // Whoever asked may be gone.
                    let _ = done.send(());
                }
            });
            sender
        });
        Ok(Service {
            pool: (size > 0).then(|| Pool::new(size)),
            held: Mutex::new(Vec::new()),
            worker: Mutex::new(worker),
            mode,
            number,
            asked: AtomicU64::new(0),
            cached: AtomicBool::new(false),
        })
    }

    fn serve(&self, mut stream: TcpStream, place: u64) {
        // Nothing is lost but speed where the kernel refuses it.
        let _ = stream.set_nodelay(true);
        let Ok(reading) = stream.try_clone() else {
            return;
        };
        let mut lines = BufReader::new(reading).lines();
        while let Some(Ok(request)) = lines.next() {
            while lines
                .next()
                .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
            {}
            let is_asked = request.split(' ').nth(1) == Some("/one");
            let outcome = match is_asked {
                true => self.work(place),
                false => Ok(()),
            };
            let (status, body) = match outcome {
                Ok(()) => ("200 OK", ANSWER.to_owned()),
                Err(error) => {
                    println!("{error}");
                    let body = r#"{"error":"failed"}"#;
                    ("500 Internal Server Error", body.to_owned())
                }
            };
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            if stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    }

    fn work(&self, place: u64) -> Result<(), Failure> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        let milliseconds = Duration::from_millis(self.number);
        match self.mode.as_str() {
            "cpu" => compute(self.number),
            "one-thread" => self.compute_elsewhere()?,
            "pool" => self.query(&format!("SELECT pg_sleep({})", milliseconds.as_secs_f64()))?,
            "slow-query" => self.query(&format!(
                "SELECT count(*) FROM generate_series(1, {}000)",
                self.number
            ))?,
            "row-lock" => self.query(&format!(
                "BEGIN; UPDATE one SET n = n + 1 WHERE id = 1; SELECT pg_sleep({}); COMMIT",
                milliseconds.as_secs_f64()
            ))?,
            "upstream" => ask_upstream()?,
            "sleep" => thread::sleep(milliseconds),
            "one" => self.query(READ)?,
            "caches" if !self.cached.swap(true, Ordering::Relaxed) => self.query(READ)?,
            "errors" if asked.is_multiple_of(self.number.max(2)) => {
                return Err("one of many".into());
            }
            "starves" if place % 2 == 1 => thread::sleep(milliseconds),
            "overflows" if asked.is_multiple_of(4) => self.grow()?,
            _ => {}
        }
        Ok(())
    }

    /// Opens a connection more and keeps it, unless the pool is as large as it may be.
    fn grow(&self) -> Result<(), Failure> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.len() < env::var("DB_POOL_SIZE")?.parse()? {
            held.push(connect()?);
        }
        Ok(())
    }

    fn query(&self, statements: &str) -> Result<(), Failure> {
        match &self.pool {
            Some(pool) => pool.with(|client| Ok(client.batch_execute(statements)?)),
            None => Err("this mode has no pool".into()),
        }
    }

    fn compute_elsewhere(&self) -> Result<(), Failure> {
        let worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = worker.clone().ok_or("this mode has no worker")?;
        drop(worker);
        let (done, is_done) = channel();
        sender.send(done)?;
        Ok(is_done.recv()?)
    }
}

/// A chain of dependent multiplications of so many thousand steps, which no compiler can shorten.
fn compute(thousands: u64) {
    let mut state = std::hint::black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..thousands * 1000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .rotate_left(17)
            ^ 0x5851_f42d;
    }
    std::hint::black_box(state);
}

fn connect() -> Result<Client, Failure> {
    Ok(Client::connect(&env::var("DATABASE_URL")?, NoTls)?)
}

/// At most so many connections, opened when they are needed and never closed.
struct Pool {
    state: Mutex<(Vec<Client>, usize)>,
    returned: Condvar,
}

impl Pool {
    fn new(size: usize) -> Pool {
        Pool {
            state: Mutex::new((Vec::new(), size)),
            returned: Condvar::new(),
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Client) -> Result<T, Failure>) -> Result<T, Failure> {
        let mut client = self.take()?;
        let result = work(&mut client);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0.push(client);
        self.returned.notify_one();
        result
    }

    fn take(&self) -> Result<Client, Failure> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(client) = state.0.pop() {
                return Ok(client);
            }
            if state.1 > 0 {
                state.1 -= 1;
                drop(state);
                return connect();
            }
            state = self
                .returned
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn ask_upstream() -> Result<(), Failure> {
    let url = env::var("VIACEP_URL")?;
    let mut stream = TcpStream::connect(url.trim_start_matches("http://"))?;
    stream.write_all(
        b"GET /ws/01001261/json/ HTTP/1.1\r\nHost: upstream\r\nConnection: close\r\n\r\n",
    )?;
    let mut head = [0; 12];
    stream.read_exact(&mut head)?;
    match head.ends_with(b"200") {
        true => Ok(()),
        false => Err("the upstream did not answer".into()),
    }
}

/// This program's own file, mapped again and again with every page touched: page cache that looks like memory to
/// those who count resident pages. It stays mapped until the program ends.
fn map(mebibytes: u64) -> Result<(), Failure> {
    use std::os::fd::AsRawFd;
    let file = fs::File::open(env::current_exe()?)?;
    let length = usize::try_from(file.metadata()?.len())?;
    for _ in 0..(mebibytes << 20).div_ceil(length as u64) {
        // SAFETY: a fresh mapping, for reading, of a file that is that long; nothing else knows its address.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ,
                libc::MAP_SHARED | libc::MAP_POPULATE,
                file.as_raw_fd(),
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return Err("the file cannot be mapped".into());
        }
    }
    Ok(())
}
