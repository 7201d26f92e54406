//! A server whose behaviour is a closure, and that counts what it was sent.
#![allow(dead_code, clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use load::{Requests, Target, request_bytes};

pub struct Server {
    pub addr: SocketAddr,
    pub requests: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

/// What a server does with a request.
pub enum Reply {
    Bytes(Vec<u8>),
    BytesThenClose(Vec<u8>),
    Reset,
    Nothing,
}

pub fn ok(body: &[u8]) -> Vec<u8> {
    let mut answer =
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
    answer.extend_from_slice(body);
    answer
}

impl Server {
    /// Calls `reply` with the number of each request, from 0, and its bytes.
    pub fn start(reply: impl Fn(u64, &[u8]) -> Reply + Send + Sync + 'static) -> Server {
        Server::start_on("127.0.0.1:0", reply)
    }

    pub fn start_on(
        addr: &str,
        reply: impl Fn(u64, &[u8]) -> Reply + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind(addr).unwrap();
        let addr = listener.local_addr().unwrap();
        let (requests, stop) = (
            Arc::new(AtomicU64::new(0)),
            Arc::new(AtomicBool::new(false)),
        );
        let (count, stopped, reply) = (requests.clone(), stop.clone(), Arc::new(reply));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let (Ok(stream), count, reply) = (stream, count.clone(), reply.clone()) else {
                    continue;
                };
                std::thread::spawn(move || serve(stream, &count, &*reply));
            }
        });
        Server {
            addr,
            requests,
            stop,
        }
    }

    pub fn count(&self) -> u64 {
        self.requests.load(Ordering::SeqCst)
    }

    pub fn target(&self) -> Target {
        let request = request_bytes("GET", "/", "server", &[], None);
        let mut target = Target::new(self.addr, "server", Requests::same(request));
        target.timeout = Duration::from_secs(30);
        target
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect_timeout(&self.addr, Duration::from_secs(1));
    }
}

fn serve(mut stream: TcpStream, count: &AtomicU64, reply: &dyn Fn(u64, &[u8]) -> Reply) {
    stream.set_nodelay(true).unwrap();
    let (mut seen, mut buffer) = (Vec::new(), [0; 16 * 1024]);
    loop {
        let end = loop {
            if let Some(end) = request_end(&seen) {
                break end;
            }
            match stream.read(&mut buffer) {
                Ok(0) | Err(_) => return,
                Ok(read) => seen.extend_from_slice(&buffer[..read]),
            }
        };
        let number = count.fetch_add(1, Ordering::SeqCst);
        let request: Vec<u8> = seen.drain(..end).collect();
        match reply(number, &request) {
            Reply::Bytes(bytes) => {
                if stream.write_all(&bytes).is_err() {
                    return;
                }
            }
            Reply::BytesThenClose(bytes) => {
                let _ = stream.write_all(&bytes);
                return;
            }
            Reply::Reset => {
                let socket = socket2::SockRef::from(&stream);
                socket.set_linger(Some(Duration::ZERO)).unwrap();
                return;
            }
            Reply::Nothing => {}
        }
    }
}

fn request_end(seen: &[u8]) -> Option<usize> {
    let head = seen.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&seen[..head]).to_ascii_lowercase();
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .map_or(0, |value| value.trim().parse::<usize>().unwrap());
    (seen.len() >= head + length).then_some(head + length)
}
