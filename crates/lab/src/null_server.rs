//! A server that does nothing: one thread that answers whatever it receives with the same bytes.
//!
//! What the generator reaches against it is the most that it can reach here and now. A service whose rate comes
//! near says more about the generator than about itself.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::place::pin_this_thread;

/// How often it looks whether it is to stop.
const LOOK_EVERY: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

/// A running null server. It stops when it is dropped.
#[derive(Debug)]
pub struct NullServer {
    addr: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl NullServer {
    /// Starts one on these CPUs, whose answers have a body of so many bytes. Without `keep_alive` it closes a
    /// connection after its first answer, and says so.
    ///
    /// # Errors
    /// When no port or no thread can be had.
    pub fn start(cpus: &[u32], body_bytes: usize, keep_alive: bool) -> io::Result<NullServer> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let addr = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let (told, cpus) = (Arc::clone(&stop), cpus.to_vec());
        let close = match keep_alive {
            true => "",
            false => "Connection: close\r\n",
        };
        let answer = [
            format!("HTTP/1.1 200 OK\r\n{close}Content-Length: {body_bytes}\r\n\r\n").into_bytes(),
            vec![b'.'; body_bytes],
        ]
        .concat();
        let thread = thread::Builder::new()
            .name("null-server".to_owned())
            .spawn(move || {
                // Anywhere else it would still answer, and the ceiling would only be lower.
                let _ = pin_this_thread(&cpus);
                serve(&listener, &answer, keep_alive, &told);
            })?;
        Ok(NullServer {
            addr,
            stop,
            thread: Some(thread),
        })
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }
}

impl Drop for NullServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(listener: &TcpListener, answer: &[u8], keep_alive: bool, stop: &AtomicBool) {
    let mut clients: Vec<TcpStream> = Vec::new();
    let mut buffer = [0; 16 * 1024];
    while !stop.load(Ordering::Relaxed) {
        let mut looked_at: Vec<PollFd> = clients
            .iter()
            .map(|client| PollFd::new(client, PollFlags::IN))
            .collect();
        looked_at.push(PollFd::new(listener, PollFlags::IN));
        if poll(&mut looked_at, Some(&LOOK_EVERY)).is_err() {
            continue;
        }
        let ready: Vec<bool> = looked_at
            .iter()
            .map(|one| !one.revents().is_empty())
            .collect();
        drop(looked_at);
        let mut ready = ready.into_iter().peekable();
        // A request of this bench fits into one read; the client sends the next one after the answer.
        clients.retain_mut(|client| match ready.next() {
            Some(true) => reply(client, &mut buffer, answer).is_ok() && keep_alive,
            _ => true,
        });
        while ready.peek() == Some(&true)
            && let Ok((client, _)) = listener.accept()
        {
            // Nothing is lost but speed where the kernel refuses it.
            let _ = client.set_nodelay(true);
            clients.push(client);
        }
    }
}

fn reply(client: &mut TcpStream, buffer: &mut [u8], answer: &[u8]) -> io::Result<()> {
    match client.read(buffer)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => client.write_all(answer),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use load::{exchange, request_bytes};

    use super::*;

    #[test]
    fn every_client_is_answered_with_as_many_bytes_as_were_asked_for() {
        for keep_alive in [true, false] {
            let server = NullServer::start(&[], 1234, keep_alive).expect("a port");
            let request = request_bytes("GET", "/", "localhost", &[], None);
            for _ in 0..3 {
                let answer =
                    exchange(server.addr(), &request, Duration::from_secs(10)).expect("an answer");
                assert_eq!((answer.status, answer.body.len()), (200, 1234));
            }
        }
    }
}
