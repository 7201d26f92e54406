//! Waits until a service says that it is ready.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use load::{ExchangeError, exchange, request_bytes};

/// Time between two tries.
const RETRY_AFTER: Duration = Duration::from_millis(5);
/// Longest wait for one answer: a service may accept long before it answers.
const ANSWER_LIMIT: Duration = Duration::from_secs(2);

/// Why a service did not become ready.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReady {
    /// Its process ended. Whatever its exit status, that is a failed start.
    #[error("it ended before it was ready ({how})")]
    Exited {
        /// "exit status 3", "killed by signal 9".
        how: String,
    },
    /// Time ran out.
    #[error("GET {health} was not 200 within {} s: {last}", within.as_secs())]
    TooLate {
        /// What was asked.
        health: String,
        /// How long it was given.
        within: Duration,
        /// What the last try saw.
        last: String,
    },
}

/// Asks `GET` of the path `health` until it is 200, and says how long that took.
///
/// `exited` says how the process ended, when it has.
///
/// # Errors
/// When the process ends first, or `within` is over.
pub fn wait_ready(
    addr: SocketAddr,
    health: &str,
    within: Duration,
    exited: &mut dyn FnMut() -> Option<String>,
) -> Result<Duration, NotReady> {
    let started_at = Instant::now();
    let request = request_bytes("GET", health, &addr.to_string(), &[], None);
    loop {
        let last = match exchange(addr, &request, ANSWER_LIMIT) {
            // Another service could have taken the port of one that is gone.
            Ok(answer) if answer.status == 200 && exited().is_none() => {
                return Ok(started_at.elapsed());
            }
            Ok(answer) => format!("status {}", answer.status),
            Err(ExchangeError::Connect { .. }) => "nothing listens".to_owned(),
            Err(error) => error.to_string(),
        };
        if let Some(how) = exited() {
            return Err(NotReady::Exited { how });
        }
        if started_at.elapsed() >= within {
            return Err(NotReady::TooLate {
                health: health.to_owned(),
                within,
                last,
            });
        }
        thread::sleep(RETRY_AFTER);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    fn answering(statuses: &'static [u16]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 4096]);
                let status = statuses[number.min(statuses.len() - 1)];
                let _ = write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n");
            }
        });
        addr
    }

    #[test]
    fn a_service_is_ready_at_its_first_200() {
        let ready = wait_ready(
            answering(&[503, 503, 200]),
            "/health",
            Duration::from_secs(60),
            &mut || None,
        );
        assert!(ready.is_ok());
    }

    #[test]
    fn one_that_never_says_so_is_not_ready_and_the_last_answer_tells_why() {
        let within = Duration::from_millis(50);
        let error = wait_ready(answering(&[503]), "/health", within, &mut || None).unwrap_err();
        assert_eq!(
            error,
            NotReady::TooLate {
                health: "/health".to_owned(),
                within,
                last: "status 503".to_owned()
            }
        );
    }

    #[test]
    fn one_that_ended_is_not_ready_even_when_its_port_answers() {
        let mut exited = || Some("exit status 0".to_owned());
        let error = wait_ready(
            answering(&[200]),
            "/health",
            Duration::from_secs(60),
            &mut exited,
        )
        .unwrap_err();
        assert_eq!(
            error,
            NotReady::Exited {
                how: "exit status 0".to_owned()
            }
        );
    }
}
