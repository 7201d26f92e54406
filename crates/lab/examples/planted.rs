//! A service that costs a known amount of computing, for the calibration of what is said of differences.
//!
//! `planted STEPS` listens on 127.0.0.1 at `PORT`, answers `GET /one` with `{"one":1}` after as many steps of a
//! fixed loop, one thread a connection. `planted STEPS count` does the steps of one request and ends: two such
//! programs under an instruction counter (`valgrind --tool=callgrind`, `perf stat -e instructions`) tell by how much
//! their requests differ, on any machine and however busy it is.
#![allow(clippy::print_stdout)]

use std::env;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;

const ANSWER: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{\"one\":1}";

fn main() -> Result<(), Box<dyn Error>> {
    let steps: u64 = env::args().nth(1).map_or(Ok(0), |text| text.parse())?;
    if env::args().nth(2).as_deref() == Some("count") {
        compute(steps);
        return Ok(());
    }
    let port: u16 = env::var("PORT").map_or(Ok(0), |text| text.parse())?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    println!("listening on {}", listener.local_addr()?);
    for stream in listener.incoming() {
        let stream = stream?;
        thread::spawn(move || serve(stream, steps));
    }
    Ok(())
}

fn serve(mut stream: TcpStream, steps: u64) {
    // Nothing is lost but speed where the kernel refuses it.
    let _ = stream.set_nodelay(true);
    let Ok(reading) = stream.try_clone() else {
        return;
    };
    let mut lines = BufReader::new(reading).lines();
    while let Some(Ok(_)) = lines.next() {
        while lines
            .next()
            .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
        {}
        compute(steps);
        if stream.write_all(ANSWER).is_err() {
            return;
        }
    }
}

/// A chain of dependent multiplications, which no compiler can shorten: the same instructions for every step.
#[inline(never)]
fn compute(steps: u64) {
    let mut state = std::hint::black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..steps {
        state = std::hint::black_box(
            state
                .wrapping_mul(6_364_136_223_846_793_005)
                .rotate_left(17)
                ^ 0x5851_f42d,
        );
    }
    std::hint::black_box(state);
}
