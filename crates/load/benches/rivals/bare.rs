//! The floor: send, wait, receive, send. No parser, no clock per request, no histogram.

use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::net::{self, RecvFlags, SendFlags};

use super::ours::load_args;

/// Sends on every connection as soon as a whole answer, known by its length, is in.
/// `congestion` is what the engine sets on loopback; empty leaves the system's.
pub fn drive(args: &[String], congestion: &str) {
    let (addr, connections, seconds) = load_args(args);
    let request = load::request_bytes("GET", "/", &addr.to_string(), &[], None);
    let poll = epoll::create(CreateFlags::CLOEXEC).unwrap();
    let mut buffer = vec![0_u8; 64 * 1024];
    let mut streams = Vec::new();
    for number in 0..connections {
        let stream = TcpStream::connect(addr).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_nonblocking(true).unwrap();
        let stream = OwnedFd::from(stream);
        if !congestion.is_empty() {
            let _ = net::sockopt::set_tcp_congestion(&stream, congestion);
        }
        epoll::add(
            &poll,
            &stream,
            EventData::new_u64(u64::from(number)),
            EventFlags::IN,
        )
        .unwrap();
        streams.push((stream, 0_usize));
    }
    let length = answer_length(addr, &request);
    for (stream, left) in &mut streams {
        *left = length;
        net::send(&*stream, &request, SendFlags::NOSIGNAL).unwrap();
    }
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let mut events = Vec::with_capacity(256);
    while Instant::now() < end {
        events.clear();
        if epoll::wait(&poll, rustix::buffer::spare_capacity(&mut events), None).is_err() {
            continue;
        }
        for event in &events {
            let (stream, left) = &mut streams[event.data.u64() as usize];
            let Ok((_, read)) = net::recv(&*stream, &mut *buffer, RecvFlags::empty()) else {
                continue;
            };
            *left = left.saturating_sub(read);
            if *left == 0 {
                *left = length;
                net::send(&*stream, &request, SendFlags::NOSIGNAL).unwrap();
            }
        }
    }
}

/// Length of a whole answer, head included.
fn answer_length(addr: SocketAddr, request: &[u8]) -> usize {
    use std::io::{Read, Write};
    let answer = load::exchange(addr, request, Duration::from_secs(5)).unwrap();
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.write_all(request).unwrap();
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    head.len() + answer.body.len()
}
