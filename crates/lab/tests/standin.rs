//! A stand-in answers as the service it stands in for, behaves as it is told, and counts what it was asked.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use lab::standin::{Behaviour, Delay, StandIn, StandInError};
use load::{Answer, ExchangeError, exchange, request_bytes};

const LIMIT: Duration = Duration::from_secs(60);
const KNOWN: &str = "/ws/01001000/json/";

fn start(behaviour: Behaviour) -> StandIn {
    StandIn::start("viacep", behaviour).expect("a free port")
}

fn ask(standin: &StandIn, target: &str) -> Result<Answer, ExchangeError> {
    let request = request_bytes("GET", target, "localhost", &[], None);
    exchange(standin.addr(), &request, LIMIT)
}

fn status(standin: &StandIn, target: &str) -> u16 {
    ask(standin, target).expect("an answer").status
}

#[test]
fn an_upstream_that_nothing_stands_in_for_is_refused_with_those_that_are_known() {
    let error = StandIn::start("postcodes", Behaviour::default()).expect_err("unknown");
    assert!(matches!(error, StandInError::Unknown { .. }));
    assert_eq!(
        error.to_string(),
        "nothing stands in for the upstream `postcodes`; known are `viacep`"
    );
}

#[test]
fn a_service_finds_it_by_the_upstreams_name() {
    let standin = start(Behaviour::default());
    let url = format!("http://{}", standin.addr());
    assert_eq!(standin.variable(), ("VIACEP_URL".to_owned(), url));
}

#[test]
fn every_call_is_counted_by_how_it_ended() {
    let standin = start(Behaviour::default());
    assert_eq!(status(&standin, KNOWN), 200);
    assert_eq!(status(&standin, "/ws/99999999/json/"), 200);
    assert_eq!(status(&standin, "/ws/0100100/json/"), 400);
    standin.behave(Behaviour {
        failure_ratio: 1.0,
        ..Behaviour::default()
    });
    assert_eq!(status(&standin, KNOWN), 502);
    let calls = standin.calls();
    assert_eq!(calls.total_count, 4);
    assert_eq!((calls.found_count, calls.unknown_count), (1, 1));
    assert_eq!((calls.malformed_count, calls.failed_count), (1, 1));
    assert_eq!((calls.limited_count, calls.most_at_once_count), (0, 1));
}

#[test]
fn a_delay_is_the_least_that_an_answer_takes() {
    let delay = Duration::from_millis(80);
    let standin = start(Behaviour {
        delay: Delay::Constant(delay),
        ..Behaviour::default()
    });
    let asked_at = Instant::now();
    assert_eq!(status(&standin, KNOWN), 200);
    assert!(asked_at.elapsed() >= delay);
}

#[test]
fn above_its_limit_it_cuts_off_without_an_answer() {
    let standin = start(Behaviour {
        rate_limit_per_s: Some(0),
        ..Behaviour::default()
    });
    assert!(ask(&standin, KNOWN).is_err());
    assert_eq!(standin.calls().limited_count, 1);
}

#[test]
fn a_kept_connection_is_answered_request_by_request_also_when_they_come_in_pieces() {
    let standin = start(Behaviour::default());
    let mut stream = TcpStream::connect(standin.addr()).expect("it listens");
    stream.set_read_timeout(Some(LIMIT)).expect("a timeout");
    let request = request_bytes("GET", KNOWN, "localhost", &[], None);
    let (first, last) = request.split_at(9);
    let mut heard = Vec::new();
    for part in [first, last, &request[..]] {
        stream.write_all(part).expect("it reads");
    }
    let mut buffer = [0; 4096];
    while String::from_utf8_lossy(&heard).matches("siafi").count() < 2 {
        let count = stream.read(&mut buffer).expect("it answers");
        assert!(count > 0, "it closed after {} bytes", heard.len());
        heard.extend_from_slice(&buffer[..count]);
    }
    assert_eq!(standin.calls().total_count, 2);
}

#[test]
fn it_stops_when_it_is_dropped_whoever_still_waits() {
    let standin = start(Behaviour {
        delay: Delay::Endless,
        ..Behaviour::default()
    });
    let mut stream = TcpStream::connect(standin.addr()).expect("it listens");
    stream.set_read_timeout(Some(LIMIT)).expect("a timeout");
    let request = request_bytes("GET", KNOWN, "localhost", &[], None);
    stream.write_all(&request).expect("it reads");
    while standin.calls().total_count == 0 {
        std::thread::sleep(Duration::from_millis(2));
    }
    drop(standin);
    assert_eq!(stream.read(&mut [0; 16]).expect("closed"), 0);
}
