//! A service whose answer costs as much CPU time as it is told: for tests of what a comparison can see.
//!
//! `costly [ROUNDS]` listens on 127.0.0.1 at `PORT` and answers every request with the result of so many rounds of
//! an integer hash. Cost is in proportion to the rounds, besides a few microseconds for the request itself.

use std::hint::black_box;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::{env, thread};

fn main() -> io::Result<()> {
    let rounds = env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let port = env::var("PORT")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    for stream in listener.incoming() {
        let stream = stream?;
        thread::spawn(move || serve(stream, rounds));
    }
    Ok(())
}

fn serve(mut stream: TcpStream, rounds: u64) {
    let Ok(reading) = stream.try_clone() else {
        return;
    };
    let mut lines = BufReader::new(reading).lines();
    while let Some(Ok(_request)) = lines.next() {
        while lines
            .next()
            .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
        {}
        let body = format!("{:020}", hash(rounds) % 2);
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// Mixing steps of the kind that hash functions are made of.
fn hash(rounds: u64) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 0..rounds {
        state ^= black_box(round);
        state = state.wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(31);
    }
    state
}
