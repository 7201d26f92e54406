//! A workload from one request to a running service: what it answers every time is the contract.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context as _;
use load::{Url, exchange, request_bytes};

use super::question::{Answer, Question};
use crate::exit::Usage;

/// How often it is asked: what differs between answers cannot be part of a contract.
const TIMES: usize = 3;
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// What the bench sends by itself.
const OWN_HEADERS: [&str; 2] = ["host", "content-length"];

/// Asks, and keeps what stayed the same.
///
/// # Errors
/// When the request is not understood, or it is not answered with a success.
pub fn recorded(
    record: &str,
    headers: &[(String, String)],
    body: Option<&str>,
) -> anyhow::Result<Question> {
    let (method, url) = parse(record)?;
    let own = |name: &str| OWN_HEADERS.iter().any(|own| name.eq_ignore_ascii_case(own));
    if let Some((name, _)) = headers.iter().find(|(name, _)| own(name)) {
        return Err(Usage(format!("--header {name}: the bench sends it by itself")).into());
    }
    let addr = url.resolve(false)?;
    let request = request_bytes(
        &method,
        &url.target,
        &url.authority,
        headers,
        body.map(str::as_bytes),
    );
    let mut answers = Vec::new();
    for _ in 0..TIMES {
        answers.push(
            exchange(addr, &request, ANSWER_WITHIN)
                .with_context(|| format!("{method} {}", url.target))?,
        );
    }
    let first = &answers[0];
    if !(200..300).contains(&first.status)
        || answers.iter().any(|other| other.status != first.status)
    {
        let statuses: Vec<String> = answers
            .iter()
            .map(|answer| answer.status.to_string())
            .collect();
        let statuses = statuses.join(", ");
        anyhow::bail!(
            "{record} was answered with status {statuses}: a workload is made of a request that succeeds every time"
        );
    }
    let stable = answers.iter().all(|other| other.body == first.body);
    let is_json = first
        .header("content-type")
        .is_some_and(|kind| kind.contains("json"));
    let same_value = is_json
        && answers
            .iter()
            .all(|other| value(&other.body) == value(&first.body));
    let answer = match (
        stable || same_value,
        value(&first.body),
        std::str::from_utf8(&first.body),
    ) {
        (false, _, _) => Answer::Unknown,
        (true, Some(value), _) if is_json => Answer::Json(value.to_string()),
        (true, _, Ok(text)) => Answer::Text(text.to_owned()),
        (true, _, Err(_)) => Answer::Bytes(first.body.clone()),
    };
    let kind = first
        .header("content-type")
        .and_then(|kind| kind.split(';').next());
    let asks = match answer {
        Answer::Unknown => format!(
            "{method} {}; its body changed from answer to answer, so only the status is held to.",
            url.target
        ),
        _ => format!("{method} {}", url.target),
    };
    Ok(Question {
        method,
        path: url.target,
        headers: headers.iter().cloned().collect(),
        body: body.map(str::to_owned),
        status: first.status,
        response_headers: kind
            .map(|kind| BTreeMap::from([("content-type".to_owned(), kind.trim().to_owned())]))
            .unwrap_or_default(),
        answer,
        asks,
        origin: "Recorded from a running service.".to_owned(),
    })
}

fn value(body: &[u8]) -> Option<serde_json::Value> {
    serde_json::from_slice(body).ok()
}

fn parse(record: &str) -> anyhow::Result<(String, Url)> {
    let wrong = || {
        Usage(format!(
            "--record '{record}' should be like 'GET http://127.0.0.1:8000/users'"
        ))
    };
    let (method, url) = record.trim().split_once(' ').ok_or_else(wrong)?;
    if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Err(wrong().into());
    }
    Ok((method.to_owned(), url.trim().parse()?))
}
