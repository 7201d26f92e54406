//! The server that does nothing as a process of its own, and what one run of a generator against
//! it cost.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Instant;

/// A running server.
pub struct Server {
    process: Child,
    pub addr: SocketAddr,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Server {
    /// Answers with bodies of so many bytes.
    pub fn start(body: usize) -> Server {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["serve", &body.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let addr = lines.next().unwrap().unwrap().parse().unwrap();
        Server {
            process,
            addr,
            lines,
        }
    }

    /// Requests answered so far.
    pub fn count(&mut self) -> u64 {
        let stdin = self.process.stdin.as_mut().unwrap();
        stdin.write_all(b"\n").unwrap();
        self.lines.next().unwrap().unwrap().parse().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What one run of one generator cost.
#[derive(Clone, Copy)]
pub struct Cost {
    /// CPU time of all its threads per request, microseconds.
    pub cpu_us: f64,
    /// The part of it in user mode.
    pub user_us: f64,
    pub requests_per_s: f64,
    /// Times a thread of it gave up its CPU to wait, per request.
    pub sleeps: f64,
}

/// Runs `command` to its end; `None` when it fails or sends nothing.
pub fn measure(server: &mut Server, command: &mut Command) -> Option<Cost> {
    let before = server.count();
    let used_before = Used::by_ended_children();
    let started = Instant::now();
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let elapsed = started.elapsed().as_secs_f64();
    let used = Used::by_ended_children();
    let requests = (server.count() - before) as f64;
    if !status.is_ok_and(|status| status.success()) || requests == 0.0 {
        return None;
    }
    Some(Cost {
        cpu_us: (used.cpu_us - used_before.cpu_us) / requests,
        user_us: (used.user_us - used_before.user_us) / requests,
        requests_per_s: requests / elapsed,
        sleeps: (used.sleeps - used_before.sleeps) / requests,
    })
}

struct Used {
    cpu_us: f64,
    user_us: f64,
    sleeps: f64,
}

impl Used {
    fn by_ended_children() -> Used {
        // SAFETY: getrusage fills the structure it is given, which outlives the call.
        let usage = unsafe {
            let mut usage = std::mem::zeroed::<libc::rusage>();
            libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
            usage
        };
        let us = |time: libc::timeval| time.tv_sec as f64 * 1e6 + time.tv_usec as f64;
        Used {
            cpu_us: us(usage.ru_utime) + us(usage.ru_stime),
            user_us: us(usage.ru_utime),
            sleeps: usage.ru_nvcsw as f64,
        }
    }
}
