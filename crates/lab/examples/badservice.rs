//! A service that is wrong in one chosen way, for the tests of the bench.
//!
//! `badservice MODE [N]` listens on 127.0.0.1 at `PORT` and answers `GET /health` and `GET /users`:
//!
//! | mode | what is wrong |
//! | --- | --- |
//! | `ok` | nothing |
//! | `never-listens` | nothing ever listens |
//! | `never-ready` | every answer is a 503 |
//! | `exits-at N` | exits with status 3 at the N-th request for users, unanswered |
//! | `ignores-sigterm` | SIGTERM does nothing |
//! | `leaves-a-child` | a grandchild in a session of its own lives on; its id is printed |
//! | `leaves-a-nameless-child` | the same, and the grandchild's environment is empty |
//! | `wrong-field` | `user_name` instead of `username` |
//! | `missing-row` | four users instead of five |
//! | `other-order` | by descending id |
//! | `number-as-string` | `"user_id": "1"` |
//! | `error-body` | status 200 with an error object |
//! | `sometimes-500` | every hundredth request for users is answered 500 |
//! | `reads` | nothing: the table `five` is read for every request |
//! | `caches` | the table `five` is read once |
//! | `reads-twice N` | every N-th request reads the table twice |
#![allow(clippy::print_stdout, clippy::exit)]

use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::process::{self, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Long enough for every test, and an end of its own for what a failing test leaves behind.
const LONGEST_LIFE: Duration = Duration::from_secs(600);

fn main() -> io::Result<()> {
    let mode = env::args().nth(1).unwrap_or_else(|| "ok".to_owned());
    let number = env::args()
        .nth(2)
        .and_then(|text| text.parse().ok())
        .unwrap_or(100);
    match mode.as_str() {
        "linger" => {
            thread::sleep(LONGEST_LIFE);
            return Ok(());
        }
        "leave" => return leave(env::args().nth(2).as_deref() == Some("nameless")),
        "never-listens" => {
            thread::sleep(LONGEST_LIFE);
            return Ok(());
        }
        "leaves-a-child" => start_self(&["leave", "named"])?,
        "leaves-a-nameless-child" => start_self(&["leave", "nameless"])?,
        "ignores-sigterm" => ignore_sigterm(),
        _ => {}
    }
    let port = env::var("PORT")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    println!("listening on {}", listener.local_addr()?);
    let service = Arc::new(Service {
        mode,
        number,
        asked: AtomicU64::new(0),
        database: database()?,
    });
    for stream in listener.incoming() {
        let (stream, service) = (stream?, Arc::clone(&service));
        thread::spawn(move || service.serve(stream));
    }
    Ok(())
}

/// A connection, where there is a database. It stays for as long as the service runs.
fn database() -> io::Result<Option<Mutex<postgres::Client>>> {
    let Ok(url) = env::var("DATABASE_URL") else {
        return Ok(None);
    };
    let client = postgres::Client::connect(&url, postgres::NoTls).map_err(io::Error::other)?;
    Ok(Some(Mutex::new(client)))
}

fn ignore_sigterm() {
    // SAFETY: SIG_IGN runs no code.
    unsafe { libc::signal(libc::SIGTERM, libc::SIG_IGN) };
}

/// Starts this program again and waits for it, so that what it starts is an orphan.
fn start_self(args: &[&str]) -> io::Result<()> {
    Command::new(env::current_exe()?)
        .args(args)
        .status()
        .map(|_| ())
}

/// Starts a process in a session of its own, and ends.
fn leave(is_nameless: bool) -> io::Result<()> {
    let mut command = Command::new(env::current_exe()?);
    command.arg("linger").stdin(Stdio::null());
    if is_nameless {
        command.env_clear();
    }
    // SAFETY: setsid is async-signal-safe.
    unsafe {
        command.pre_exec(|| {
            rustix::process::setsid()
                .map(|_| ())
                .map_err(io::Error::from)
        })
    };
    println!("left behind: {}", command.spawn()?.id());
    Ok(())
}

struct Service {
    mode: String,
    number: u64,
    asked: AtomicU64,
    database: Option<Mutex<postgres::Client>>,
}

impl Service {
    fn serve(&self, mut stream: TcpStream) {
        let Ok(reading) = stream.try_clone() else {
            return;
        };
        let mut lines = BufReader::new(reading).lines();
        while let Some(Ok(request)) = lines.next() {
            while lines
                .next()
                .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
            {}
            let path = request.split(' ').nth(1).unwrap_or("/");
            let (status, body) = self.answer(path);
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            if stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    }

    fn answer(&self, path: &str) -> (&'static str, String) {
        if self.mode == "never-ready" {
            return ("503 Service Unavailable", "{}".to_owned());
        }
        match path.split('?').next() {
            Some("/health") => ("200 OK", "{}".to_owned()),
            Some("/users") => self.users(),
            _ => ("404 Not Found", "{}".to_owned()),
        }
    }

    fn users(&self) -> (&'static str, String) {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        match self.mode.as_str() {
            "reads" => self.read(),
            "caches" if asked == 1 => self.read(),
            "reads-twice" => {
                self.read();
                if asked.is_multiple_of(self.number) {
                    self.read();
                }
            }
            "exits-at" if asked >= self.number => process::exit(3),
            "error-body" => return ("200 OK", r#"{"error":"no database"}"#.to_owned()),
            "sometimes-500" if asked.is_multiple_of(100) => {
                return (
                    "500 Internal Server Error",
                    r#"{"error":"bad luck"}"#.to_owned(),
                );
            }
            _ => {}
        }
        let last = if self.mode == "missing-row" { 4 } else { 5 };
        let mut users: Vec<String> = (1..=last).map(|id| self.user(id)).collect();
        if self.mode == "other-order" {
            users.reverse();
        }
        ("200 OK", format!("[{}]", users.join(",")))
    }

    /// Reads the users. What is answered does not depend on it.
    fn read(&self) {
        if let Some(client) = &self.database {
            let mut client = client.lock().expect("no thread fails with it");
            client
                .query("SELECT id FROM five ORDER BY id", &[])
                .expect("its table");
        }
    }

    fn user(&self, id: u32) -> String {
        let name = if self.mode == "wrong-field" {
            "user_name"
        } else {
            "username"
        };
        let quote = if self.mode == "number-as-string" {
            "\""
        } else {
            ""
        };
        format!(
            r#"{{"user_id":{quote}{id}{quote},"{name}":"user{id}","email":"user{id}@example.com"}}"#
        )
    }
}
