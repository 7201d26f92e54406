//! Figures out of what load generators print.

use load::Percentile;
use serde_json::Value;

use super::Printed;

/// wrk 4: no p95; its errors are on one line, timeouts among them.
pub fn wrk(text: &str) -> Printed {
    let percentile = |label| after(text, label).and_then(duration);
    let longest = after_nth(text, "Latency ", 2).and_then(duration);
    let errors = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("Socket errors:"));
    let of_errors = |line: &str| {
        line.split([' ', ','])
            .filter_map(|word| word.parse::<u64>().ok())
            .sum()
    };
    Printed {
        times: times([
            percentile("50% "),
            percentile("90% "),
            None,
            percentile("99% "),
            longest,
        ]),
        answers: first_number(text, "requests in"),
        failed: Some(errors.map_or(0, of_errors)),
        unsent: None,
    }
}

/// h2load: nothing between least and most, unless newer than 1.6x.
pub fn h2load(text: &str) -> Printed {
    let longest = after_nth(text, "time for request:", 1).and_then(duration);
    let requests = text
        .lines()
        .find(|line| line.starts_with("requests:"))
        .unwrap_or_default();
    let count = |label| first_number(requests, label);
    Printed {
        times: times([None, None, None, None, longest]),
        answers: count("succeeded"),
        failed: count("failed"),
        unsent: None,
    }
}

/// hey prints `50%% in 0.0066 secs`, answers by status and errors by kind.
pub fn hey(text: &str) -> Printed {
    let percentile = |label: &str| {
        let line = text.lines().find(|line| line.trim().starts_with(label))?;
        seconds(line.split_whitespace().nth(2)?)
    };
    let longest = after(text, "Slowest:").and_then(seconds);
    let counts = |ends: bool| {
        let counted = text
            .lines()
            .filter(|line| line.trim_start().starts_with('['));
        let counted = counted.filter(|line| line.trim_end().ends_with("responses") == ends);
        if ends {
            counted
                .filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
                .sum()
        } else {
            counted
                .filter_map(|line| {
                    line.trim_start()[1..]
                        .split(']')
                        .next()?
                        .parse::<u64>()
                        .ok()
                })
                .sum()
        }
    };
    let errors = text.split_once("Error distribution:").is_some();
    Printed {
        times: times([
            percentile("50%"),
            percentile("90%"),
            percentile("95%"),
            percentile("99%"),
            longest,
        ]),
        answers: Some(counts(true)),
        // The histogram's lines begin with a number and not with a bracket.
        failed: Some(if errors { counts(false) } else { 0 }),
        unsent: None,
    }
}

/// rewrk's table is from the longest to the shortest.
pub fn rewrk(text: &str) -> Printed {
    let percentile = |label: &str| {
        let row = text.lines().find(|line| cell(line, 1) == Some(label))?;
        duration(cell(row, 2)?)
    };
    let figures = text
        .lines()
        .skip_while(|line| !line.contains("Avg "))
        .nth(1);
    let longest = figures.and_then(|line| duration(line.split_whitespace().nth(3)?));
    Printed {
        times: times([
            percentile("50%"),
            percentile("90%"),
            percentile("95%"),
            percentile("99%"),
            longest,
        ]),
        answers: after(text, "Total:").and_then(|word| word.parse().ok()),
        failed: None,
        unsent: None,
    }
}

/// autocannon's JSON: milliseconds, p97.5 in place of p95.
pub fn autocannon(text: &str) -> Printed {
    let json: Value = serde_json::from_str(text.trim()).unwrap_or_default();
    let time = |name: &str| json["latency"][name].as_f64().map(|ms| ms * 1e6);
    let count = |name: &str| json[name].as_u64();
    Printed {
        times: times([time("p50"), time("p90"), None, time("p99"), time("max")]),
        answers: count("2xx"),
        failed: count("errors")
            .zip(count("non2xx"))
            .map(|(errors, wrong)| errors + wrong),
        unsent: None,
    }
}

/// oha's JSON: seconds. Requests that were cut off at the end stand among its errors.
pub fn oha(text: &str) -> Printed {
    let json: Value = serde_json::from_str(text).unwrap_or_default();
    let time = |name: &str| json["latencyPercentiles"][name].as_f64().map(|s| s * 1e9);
    let sum = |name: &str| {
        let counts = json[name].as_object()?;
        Some(counts.values().filter_map(Value::as_u64).sum())
    };
    let longest = json["summary"]["slowest"].as_f64().map(|s| s * 1e9);
    Printed {
        times: times([time("p50"), time("p90"), time("p95"), time("p99"), longest]),
        answers: sum("statusCodeDistribution"),
        failed: sum("errorDistribution"),
        unsent: None,
    }
}

/// drill: whole milliseconds, no p90 or p95. The lines of the whole run come last.
pub fn drill(text: &str) -> Printed {
    let text = text
        .split_once("Time taken for tests")
        .map_or(text, |(_, totals)| totals);
    let time = |label| after(text, label).and_then(duration);
    let count = |label| after(text, label).and_then(|word| word.parse().ok());
    Printed {
        times: times([
            time("Median time per request"),
            None,
            None,
            time("99.0'th percentile"),
            time("Max time per request"),
        ]),
        answers: count("Successful requests"),
        failed: count("Failed requests"),
        unsent: None,
    }
}

/// k6: `http_req_duration…: med=5.21ms p(90)=…`; arrivals without a free user are dropped.
pub fn k6(text: &str) -> Printed {
    let line = |name: &str| {
        text.lines()
            .find(|line| line.trim().starts_with(name))
            .unwrap_or_default()
    };
    let durations = line("http_req_duration");
    let time = |label: &str| {
        let word = durations
            .split_whitespace()
            .find_map(|word| word.strip_prefix(label))?;
        duration(word)
    };
    let number = |name: &str| -> Option<u64> { line(name).split_whitespace().nth(1)?.parse().ok() };
    let failed = line("http_req_failed")
        .split_whitespace()
        .nth(2)
        .and_then(|word| word.parse().ok());
    Printed {
        times: times([
            time("med="),
            time("p(90)="),
            time("p(95)="),
            time("p(99)="),
            time("max="),
        ]),
        answers: number("http_reqs")
            .zip(failed)
            .map(|(all, failed): (u64, u64)| all - failed),
        failed,
        unsent: Some(number("dropped_iterations").unwrap_or(0)),
    }
}

fn times(ns: [Option<f64>; 5]) -> [Percentile; 5] {
    ns.map(|ns| ns.map_or(Percentile::Absent, |ns| Percentile::Value(ns as u64)))
}

/// The word after a label.
fn after<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    after_nth(text, label, 0)
}

/// The nth word after a label, from 0.
fn after_nth<'a>(text: &'a str, label: &str, nth: usize) -> Option<&'a str> {
    let (_, rest) = text.split_once(label)?;
    rest.split_whitespace().nth(nth)
}

/// The number right before a label.
fn first_number(text: &str, label: &str) -> Option<u64> {
    let (before, _) = text.split_once(label)?;
    before.split_whitespace().next_back()?.parse().ok()
}

fn cell(line: &str, place: usize) -> Option<&str> {
    line.split('|').nth(place).map(str::trim)
}

fn seconds(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().map(|s| s * 1e9)
}

/// Nanoseconds of `5.25ms` and the like; minutes and seconds may stand together.
fn duration(text: &str) -> Option<f64> {
    let mut left = text;
    let mut sum_ns = 0.0;
    while !left.is_empty() {
        let digits = left.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = left[..digits].parse().ok()?;
        let rest = &left[digits..];
        let unit = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        sum_ns += number
            * match &rest[..unit] {
                "ns" => 1.0,
                "us" | "µs" => 1e3,
                "ms" => 1e6,
                "s" => 1e9,
                "m" => 60e9,
                _ => return None,
            };
        left = &rest[unit..];
    }
    Some(sum_ns)
}
