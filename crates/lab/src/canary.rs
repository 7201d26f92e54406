//! The canary: a fixed job that says how fast the machine is at this moment.
//!
//! A small virtual machine changes speed by a factor of two within seconds and shows nothing of it
//! in its counters. The job has the three parts a web service has (computing, system calls, loopback)
//! and runs on the services' CPU before every slice. It audits a run; it never rescales a figure.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

const ARITHMETIC_STEPS: u64 = 400_000;
const SYSTEM_CALLS: u32 = 2_000;
const ROUND_TRIPS: u32 = 150;
const MESSAGE: [u8; 64] = [b'c'; 64];

/// The job with its loopback connection.
pub struct Canary {
    near: TcpStream,
    far: TcpStream,
}

impl Canary {
    /// Opens the loopback connection that the job writes to.
    pub fn new() -> io::Result<Canary> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let near = TcpStream::connect(listener.local_addr()?)?;
        let (far, _) = listener.accept()?;
        for end in [&near, &far] {
            end.set_nodelay(true)?;
            end.set_read_timeout(Some(Duration::from_secs(5)))?;
        }
        Ok(Canary { near, far })
    }

    /// Does the job once and returns its wall time, a few milliseconds.
    pub fn sing(&mut self) -> io::Result<Duration> {
        let began = Instant::now();
        compute();
        for _ in 0..SYSTEM_CALLS {
            std::hint::black_box(rustix::process::getppid());
        }
        let mut answer = [0; MESSAGE.len()];
        for _ in 0..ROUND_TRIPS {
            self.near.write_all(&MESSAGE)?;
            self.far.read_exact(&mut answer)?;
        }
        Ok(began.elapsed())
    }
}

/// A chain of dependent multiplications, which no compiler or processor can shorten.
fn compute() {
    let mut state = std::hint::black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..ARITHMETIC_STEPS {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .rotate_left(17)
            ^ 0x5851_f42d;
    }
    std::hint::black_box(state);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_job_can_be_repeated_and_takes_time() {
        let mut canary = Canary::new().unwrap();
        assert!((0..3).all(|_| canary.sing().unwrap() > Duration::ZERO));
    }
}
