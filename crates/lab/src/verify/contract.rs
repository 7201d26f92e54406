//! The cases of a contract, one by one.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use catalog::{Case, Contract};
use load::{Answer, exchange, request_bytes};
use serde_json::Value;

use super::json::{difference, shorten};

/// Longest wait for one answer; a busy machine is slow, a service that hangs is broken.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// How one case went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseResult {
    /// The law in words.
    pub name: String,
    /// Whether every answer was right.
    pub passed: bool,
    /// What was wrong with the first that was not; empty when all were right.
    pub detail: String,
}

/// Sends every case of a contract, in order, each request on a connection of its own.
///
/// `folder` holds the files that the contract names.
pub fn check_contract(addr: SocketAddr, contract: &Contract, folder: &Path) -> Vec<CaseResult> {
    check_cases(addr, &contract.case, folder)
}

/// Sends cases in order, each request on a connection of its own.
pub fn check_cases(addr: SocketAddr, cases: &[Case], folder: &Path) -> Vec<CaseResult> {
    let result = |case: &Case| {
        let wrong = check(addr, case, folder).err();
        CaseResult {
            name: case.name.clone(),
            passed: wrong.is_none(),
            detail: wrong.unwrap_or_default(),
        }
    };
    cases.iter().map(result).collect()
}

fn check(addr: SocketAddr, case: &Case, folder: &Path) -> Result<(), String> {
    let wanted = Wanted::of(case, folder)?;
    let headers: Vec<(String, String)> = case.headers.clone().into_iter().collect();
    let body = case.body.as_deref().map(str::as_bytes);
    let request = request_bytes(&case.method, &case.path, &addr.to_string(), &headers, body);
    for number in 1..=case.times {
        let answer = exchange(addr, &request, ANSWER_LIMIT).map_err(|error| error.to_string());
        let wrong = answer.and_then(|answer| judge(case, &wanted, &answer));
        if let Err(wrong) = wrong {
            return Err(match case.times {
                1 => wrong,
                times => format!("answer {number} of {times}: {wrong}"),
            });
        }
    }
    Ok(())
}

/// What the body must be.
enum Wanted {
    Anything,
    Json(Value),
    Bytes(Vec<u8>),
}

impl Wanted {
    fn of(case: &Case, folder: &Path) -> Result<Wanted, String> {
        let read = |file: &str| {
            let path = folder.join(file);
            std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))
        };
        let json = |text: &[u8]| {
            let value = serde_json::from_slice(text);
            value.map_err(|error| format!("the expected body is not JSON: {error}"))
        };
        Ok(match case {
            Case {
                json: Some(text), ..
            } => Wanted::Json(json(text.as_bytes())?),
            Case {
                json_file: Some(file),
                ..
            } => Wanted::Json(json(&read(file)?)?),
            Case {
                text: Some(text), ..
            } => Wanted::Bytes(text.clone().into_bytes()),
            Case {
                bytes_file: Some(file),
                ..
            } => Wanted::Bytes(read(file)?),
            _ => Wanted::Anything,
        })
    }
}

fn judge(case: &Case, wanted: &Wanted, answer: &Answer) -> Result<(), String> {
    status(case, answer)?;
    for (name, start) in &case.response_headers {
        header(name, start, answer)?;
    }
    body(wanted, &answer.body).map_err(|wrong| format!("body: {wrong}"))
}

/// A status that is wrong is shown with the beginning of the body: it often says why.
fn status(case: &Case, answer: &Answer) -> Result<(), String> {
    let got = answer.status;
    let wanted = match (case.status, &case.status_class) {
        (Some(status), _) if status != got => status.to_string(),
        (None, Some(class)) if !is_of_class(got, class) => class.clone(),
        _ => return Ok(()),
    };
    let text = shorten(String::from_utf8_lossy(&answer.body).trim());
    let said = if text.is_empty() {
        text
    } else {
        format!(" with {text}")
    };
    Err(format!("status: expected {wanted}, got {got}{said}"))
}

fn is_of_class(status: u16, class: &str) -> bool {
    match class {
        "<500" => status < 500,
        class => class.starts_with(&(status / 100).to_string()),
    }
}

fn header(name: &str, start: &str, answer: &Answer) -> Result<(), String> {
    match answer.header(name) {
        Some(value) if value.starts_with(start) => Ok(()),
        Some(value) => Err(format!(
            "header {name}: expected `{start}` at its beginning, got `{}`",
            shorten(value)
        )),
        None => Err(format!("header {name}: expected `{start}`, got none")),
    }
}

fn body(wanted: &Wanted, got: &[u8]) -> Result<(), String> {
    match wanted {
        Wanted::Anything => Ok(()),
        Wanted::Json(expected) => {
            let value: Value = serde_json::from_slice(got).map_err(|error| {
                let text = shorten(&String::from_utf8_lossy(got));
                format!("it is not JSON ({error}): {text}")
            })?;
            difference(expected, &value).map_or(Ok(()), Err)
        }
        Wanted::Bytes(expected) if expected == got => Ok(()),
        Wanted::Bytes(expected) => Err(first_byte(expected, got)),
    }
}

fn first_byte(expected: &[u8], got: &[u8]) -> String {
    let same = expected
        .iter()
        .zip(got)
        .take_while(|(one, other)| one == other)
        .count();
    let rest = |bytes: &[u8]| {
        shorten(
            &String::from_utf8_lossy(&bytes[same..])
                .escape_debug()
                .to_string(),
        )
    };
    format!(
        "expected {} bytes, got {}; from byte {same} on expected \"{}\", got \"{}\"",
        expected.len(),
        got.len(),
        rest(expected),
        rest(got)
    )
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// Answers each connection with the next of `answers`, the last one again and again.
    fn server(answers: &[&str]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let answers: Vec<String> = answers.iter().map(|answer| (*answer).to_owned()).collect();
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 4096]);
                let answer = &answers[number.min(answers.len() - 1)];
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        addr
    }

    fn ok(body: &str) -> String {
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    fn case() -> Case {
        Case {
            name: "law".to_owned(),
            method: "GET".to_owned(),
            path: "/".to_owned(),
            headers: Default::default(),
            body: None,
            status: Some(200),
            status_class: None,
            response_headers: Default::default(),
            json: None,
            json_file: None,
            text: None,
            bytes_file: None,
            times: 1,
        }
    }

    fn detail(answers: &[&str], case: Case) -> String {
        let contract = Contract {
            schema: String::new(),
            case: vec![case],
        };
        let results = check_contract(server(answers), &contract, Path::new("/nowhere"));
        assert_eq!(results[0].passed, results[0].detail.is_empty());
        results[0].detail.clone()
    }

    #[test]
    fn a_right_answer_passes_whatever_the_order_of_its_keys() {
        let json = Some(r#"{"a":1,"b":2}"#.to_owned());
        assert_eq!(
            detail(&[&ok(r#"{"b":2,"a":1}"#)], Case { json, ..case() }),
            ""
        );
    }

    #[test]
    fn a_wrong_value_is_named_by_its_place() {
        let json = Some(r#"[{"email":"a"}]"#.to_owned());
        assert_eq!(
            detail(&[&ok(r#"[{"email":"b"}]"#)], Case { json, ..case() }),
            r#"body: at [0].email: expected "a", got "b""#
        );
    }

    #[test]
    fn status_200_with_an_error_body_is_wrong() {
        let json = Some("[]".to_owned());
        assert_eq!(
            detail(&[&ok("oops")], Case { json, ..case() }),
            "body: it is not JSON (expected value at line 1 column 1): oops"
        );
    }

    #[test]
    fn a_wrong_status_is_shown_with_what_the_service_said() {
        let broken = "HTTP/1.1 500 Oh\r\nContent-Length: 4\r\n\r\nboom";
        assert_eq!(
            detail(&[broken], case()),
            "status: expected 200, got 500 with boom"
        );
        let class = Case {
            status: None,
            status_class: Some("4xx".to_owned()),
            ..case()
        };
        assert_eq!(
            detail(&[broken], class),
            "status: expected 4xx, got 500 with boom"
        );
        let class = Case {
            status: None,
            status_class: Some("5xx".to_owned()),
            ..case()
        };
        assert_eq!(detail(&[broken], class), "");
    }

    #[test]
    fn one_wrong_answer_among_many_is_found() {
        let broken = "HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n";
        let right = ok("1");
        assert_eq!(
            detail(
                &[&right, &right, broken, &right],
                Case { times: 4, ..case() }
            ),
            "answer 3 of 4: status: expected 200, got 500"
        );
    }

    #[test]
    fn a_header_must_begin_as_the_contract_says() {
        let with = |value: &str| Case {
            response_headers: [("content-type".to_owned(), value.to_owned())].into(),
            ..case()
        };
        assert_eq!(detail(&[&ok("1")], with("application/json")), "");
        assert_eq!(
            detail(&[&ok("1")], with("text/plain")),
            "header content-type: expected `text/plain` at its beginning, got `application/json`"
        );
        assert_eq!(
            detail(&["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"], with("a")),
            "header content-type: expected `a`, got none"
        );
    }

    #[test]
    fn bytes_are_compared_as_bytes() {
        let text = || Some("Hello, World".to_owned());
        assert_eq!(
            detail(
                &[&ok("Hello, World")],
                Case {
                    text: text(),
                    ..case()
                }
            ),
            ""
        );
        assert_eq!(
            detail(
                &[&ok("Hello, World\n")],
                Case {
                    text: text(),
                    ..case()
                }
            ),
            "body: expected 12 bytes, got 13; from byte 12 on expected \"\", got \"\\n\""
        );
    }

    #[test]
    fn a_service_that_does_not_answer_fails_its_case_and_not_the_bench() {
        assert!(detail(&[""], case()).contains("closed the connection before it answered"));
        assert!(detail(&["SMTP ready\r\n\r\n"], case()).contains("did not answer in HTTP/1.1"));
        let missing = Case {
            json_file: Some("x.json".to_owned()),
            ..case()
        };
        assert!(detail(&[&ok("1")], missing).contains("cannot read /nowhere/x.json"));
    }
}
