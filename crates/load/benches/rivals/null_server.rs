//! A server that does nothing: level-triggered epoll, the same answer to every request.
//!
//! It never sleeps. Waking a thread is charged to whoever sends to it, and how often it would sleep depends on who is
//! asked next: a generator that is quicker to send would pay for finding it asleep more often.

use std::io::Write;
use std::net::TcpListener;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::net::{self, RecvFlags, SendFlags};

use super::machine::{self, NOT_AT_ALL};

/// Serves for ever on its CPU. Prints its address; then, for every line read, its count of requests.
pub fn serve(body: usize) {
    machine::serve_here();
    let mut answer =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {body}\r\n\r\n")
            .into_bytes();
    answer.resize(answer.len() + body, b'x');

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{}", listener.local_addr().unwrap());
    let poll = epoll::create(CreateFlags::CLOEXEC).unwrap();
    let stdin = std::io::stdin();
    let watch = |fd: &dyn AsRawFd, raw: RawFd| {
        // SAFETY: the descriptor is open for as long as it is watched.
        let fd = unsafe { std::os::fd::BorrowedFd::borrow_raw(fd.as_raw_fd()) };
        epoll::add(&poll, fd, EventData::new_u64(raw as u64), EventFlags::IN).unwrap();
    };
    watch(&listener, listener.as_raw_fd());
    watch(&stdin, 0);

    let mut connections: Vec<Option<(OwnedFd, usize)>> = Vec::new();
    let (mut count, mut buffer) = (0_u64, vec![0_u8; 64 * 1024]);
    let mut events = Vec::with_capacity(512);
    loop {
        events.clear();
        let spare = rustix::buffer::spare_capacity(&mut events);
        if epoll::wait(&poll, spare, Some(&NOT_AT_ALL)).is_err() {
            continue;
        }
        for event in &events {
            let fd = event.data.u64() as RawFd;
            if fd == 0 {
                let mut byte = [0; 64];
                // SAFETY: descriptor 0 is open and not owned by anything else.
                let stdin = unsafe { std::os::fd::BorrowedFd::borrow_raw(0) };
                if rustix::io::read(stdin, &mut byte) == Ok(0) {
                    return;
                }
                println!("{count}");
                std::io::stdout().flush().unwrap();
            } else if fd == listener.as_raw_fd() {
                let Ok((stream, _)) = listener.accept() else {
                    continue;
                };
                stream.set_nodelay(true).unwrap();
                stream.set_nonblocking(true).unwrap();
                let stream = OwnedFd::from(stream);
                let raw = stream.as_raw_fd();
                watch(&stream, raw);
                if connections.len() <= raw as usize {
                    connections.resize_with(raw as usize + 1, || None);
                }
                connections[raw as usize] = Some((stream, 0));
            } else if !answer_all(
                &mut connections[fd as usize],
                &answer,
                &mut buffer,
                &mut count,
            ) {
                connections[fd as usize] = None;
            }
        }
    }
}

/// One read, and an answer where it ends in an empty line. False when the connection has ended.
fn answer_all(
    connection: &mut Option<(OwnedFd, usize)>,
    answer: &[u8],
    buffer: &mut [u8],
    count: &mut u64,
) -> bool {
    let Some((stream, _)) = connection else {
        return true;
    };
    let read = match net::recv(&*stream, &mut *buffer, RecvFlags::empty()) {
        Ok((_, 0)) => return false,
        Ok((_, read)) => read,
        Err(rustix::io::Errno::AGAIN) => return true,
        Err(_) => return false,
    };
    if !buffer[..read].ends_with(b"\r\n\r\n") {
        return true;
    }
    *count += 1;
    let mut rest = answer;
    while !rest.is_empty() {
        match net::send(&*stream, rest, SendFlags::NOSIGNAL) {
            Ok(sent) => rest = &rest[sent..],
            // Large bodies: the reader is behind. Trying again is simple, and fair to all.
            Err(rustix::io::Errno::AGAIN) => std::hint::spin_loop(),
            Err(_) => return false,
        }
    }
    true
}
