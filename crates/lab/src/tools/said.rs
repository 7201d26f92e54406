//! What load generators print, as figures: the rate and the times that each puts at the end of its output.
//!
//! Names are those of our metrics; what a tool calls latency is nearest to our service time in the closed loop.

use std::collections::BTreeMap;

/// The figures that a tool's output holds; none where nothing is known of its form.
pub fn figures(output: &str) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    for line in output.lines() {
        if let Some(rate) = rate_per_s(line) {
            found.insert("completion_rate_per_s".to_owned(), rate);
        }
        for (name, ns) in times(line) {
            found.insert(name.to_owned(), ns);
        }
    }
    found
}

/// The rate of a line that gives one.
fn rate_per_s(line: &str) -> Option<f64> {
    let trimmed = line.trim();
    // wrk, hey, oha.
    if let Some(rest) = trimmed.strip_prefix("Requests/sec:") {
        return number(rest);
    }
    // drill and ab.
    if let Some(rest) = trimmed.strip_prefix("Requests per second") {
        return number(rest.trim_start_matches(':'));
    }
    // bombardier: average, deviation, maximum.
    if let Some(rest) = trimmed.strip_prefix("Reqs/sec") {
        return number(rest);
    }
    // h2load: `finished in 1.23s, 456.78 req/s, 9.87MB/s`.
    if trimmed.starts_with("finished in") {
        let rest = trimmed.split(", ").find(|part| part.ends_with("req/s"))?;
        return number(rest);
    }
    // k6: `http_reqs....: 100 914.64/s`.
    if trimmed.starts_with("http_reqs") {
        let word = trimmed
            .split_whitespace()
            .find(|word| word.ends_with("/s"))?;
        return number(word.trim_end_matches("/s"));
    }
    // JMeter: `summary = 6000 in 00:00:13 = 450.1/s Avg: …`.
    if trimmed.starts_with("summary =") {
        let word = trimmed
            .split_whitespace()
            .find(|word| word.ends_with("/s"))?;
        return number(word.trim_end_matches("/s"));
    }
    None
}

/// The times of a line that gives some, in nanoseconds.
fn times(line: &str) -> Vec<(&'static str, f64)> {
    let trimmed = line.trim();
    let words: Vec<&str> = trimmed.split_whitespace().collect();
    // wrk and bombardier `50% 3.56ms`; hey `50%% in 0.0032 secs`; oha `50.00% in 0.0012 secs`.
    if let Some(name) = words.first().and_then(|word| percentile(word)) {
        let value = match words.get(1) {
            Some(&"in") => words
                .get(2)
                .zip(words.get(3))
                .and_then(|(number, unit)| time_ns(&format!("{number}{unit}"))),
            Some(word) => time_ns(word),
            None => None,
        };
        return value.map(|ns| (name, ns)).into_iter().collect();
    }
    // drill: `99.0'th percentile 8ms`, `Median time per request 3ms`.
    let last = words.last().and_then(|word| time_ns(word));
    let drill = [
        ("99.0'th percentile", "closed_service_p99_ns"),
        ("Median time per request", "closed_service_p50_ns"),
        ("Average time per request", "closed_service_mean_ns"),
    ];
    for (start, name) in drill {
        if trimmed.starts_with(start) {
            return last.map(|ns| (name, ns)).into_iter().collect();
        }
    }
    // hey and oha: `Average: 0.0163 secs`.
    if words.first() == Some(&"Average:") {
        let mean = words.get(1).zip(words.get(2));
        return mean
            .and_then(|(number, unit)| time_ns(&format!("{number}{unit}")))
            .map(|ns| ("closed_service_mean_ns", ns))
            .into_iter()
            .collect();
    }
    // h2load: minimum, maximum, mean, deviation.
    if trimmed.starts_with("time for request:") {
        let mean = words.get(5).and_then(|word| time_ns(word));
        return mean
            .map(|ns| ("closed_service_mean_ns", ns))
            .into_iter()
            .collect();
    }
    // wrk: `Latency 4.44ms 3.24ms 34.63ms 88.04%`; bombardier the same with average first.
    if words.first() == Some(&"Latency") && words.len() >= 4 {
        let mean = words.get(1).and_then(|word| time_ns(word));
        return mean
            .map(|ns| ("closed_service_mean_ns", ns))
            .into_iter()
            .collect();
    }
    // k6: `http_req_duration....: avg=3.85ms med=3.24ms p(90)=6.82ms`.
    if trimmed.starts_with("http_req_duration") {
        let keys = [
            ("avg=", "closed_service_mean_ns"),
            ("med=", "closed_service_p50_ns"),
            ("p(90)=", "closed_service_p90_ns"),
            ("p(99)=", "closed_service_p99_ns"),
        ];
        let of = |(key, name): (&str, &'static str)| {
            let word = words.iter().find_map(|word| word.strip_prefix(key))?;
            Some((name, time_ns(word)?))
        };
        return keys.into_iter().filter_map(of).collect();
    }
    Vec::new()
}

/// The metric of `50%`, `50.00%` or `50%%`.
fn percentile(word: &str) -> Option<&'static str> {
    let percent: f64 = word.strip_suffix('%')?.trim_end_matches('%').parse().ok()?;
    [
        (50.0, "closed_service_p50_ns"),
        (90.0, "closed_service_p90_ns"),
        (99.0, "closed_service_p99_ns"),
    ]
    .into_iter()
    .find_map(|(known, name)| (percent == known).then_some(name))
}

/// `3.56ms`, `526us`, `1.2s`, `0.0032secs` in nanoseconds.
fn time_ns(text: &str) -> Option<f64> {
    let text = text.trim_end_matches([',', ';']);
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(unit_at);
    let ns = match unit {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" | "sec" | "secs" => 1e9,
        "m" => 6e10,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    Some(number * ns).filter(|ns| ns.is_finite())
}

/// The first number of a text.
fn number(text: &str) -> Option<f64> {
    let word = text.split_whitespace().next()?;
    word.replace(',', "")
        .parse()
        .ok()
        .filter(|n: &f64| n.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(output: &str) -> [Option<f64>; 4] {
        let found = figures(output);
        let get = |name: &str| found.get(name).copied();
        [
            get("completion_rate_per_s"),
            get("closed_service_p50_ns"),
            get("closed_service_p99_ns"),
            get("closed_service_mean_ns"),
        ]
    }

    #[test]
    fn the_summary_of_each_tool_is_read() {
        let wrk = "    Latency     4.44ms    3.24ms  34.63ms   88.04%\n    Req/Sec     0.96k   204.58     1.25k    70.00%\n\
                   \x20    50%    3.56ms\n     99%   16.82ms\nRequests/sec:    952.32\n";
        assert_eq!(
            said(wrk),
            [Some(952.32), Some(3.56e6), Some(1.682e7), Some(4.44e6)]
        );
        let hey = "  Requests/sec:\t1006.7122\n  50%% in 0.0032 secs\n  99%% in 0.0152 secs\n";
        assert_eq!(
            said(hey),
            [
                Some(1006.7122),
                Some(0.0032 * 1e9),
                Some(0.0152 * 1e9),
                None
            ]
        );
        let oha = "Summary:\n  Success rate:\t100.00%\n  Total:\t81719.9921 ms\n  Slowest:\t38.3012 ms\n  Average:\t16.3401 ms\n\
                   \x20 Requests/sec:\t611.8453\n\n  Size/request:\t10.04 KiB\n\nResponse time histogram:\n   5.118 ms [1]     |\n\n\
                   Response time distribution:\n  10.00% in 13.0117 ms\n  50.00% in 15.4000 ms\n  99.00% in 29.1000 ms\n\
                   \x20 99.90% in 33.4000 ms\n\nDetails (average, fastest, slowest):\n  DNS+dialup:\t0.0600 ms, 0.0300 ms, 0.9000 ms\n";
        assert_eq!(
            said(oha),
            [
                Some(611.8453),
                Some(15.4 * 1e6),
                Some(29.1 * 1e6),
                Some(16.3401 * 1e6)
            ]
        );
        let h2load = "finished in 181.27ms, 1103.33 req/s, 112.57KB/s\n\
                      time for request:      526us     12.33ms      3.47ms      2.13ms    75.00%\n";
        assert_eq!(said(h2load), [Some(1103.33), None, None, Some(3.47e6)]);
        let drill = "Requests per second       739.10 [#/sec]\nMedian time per request   3ms\n99.0'th percentile        8ms\n";
        assert_eq!(said(drill), [Some(739.10), Some(3e6), Some(8e6), None]);
        let k6 = "    http_req_duration..............: avg=3.85ms min=760.1µs  med=3.24ms max=10.96ms p(90)=6.82ms\n\
                  \x20   http_reqs......................: 100    914.5/s\n";
        assert_eq!(said(k6), [Some(914.5), Some(3.24e6), None, Some(3.85e6)]);
        let bombardier = "Statistics        Avg      Stdev        Max\n  Reqs/sec      9000.50     100.10   10000.00\n\
                          \x20 Latency        1.10ms   200.00us    20.00ms\n  Latency Distribution\n     50%     1.00ms\n\
                          \x20    75%     1.20ms\n     90%     1.50ms\n     99%     2.50ms\n  HTTP codes:\n\
                          \x20   1xx - 0, 2xx - 90005, 3xx - 0, 4xx - 0, 5xx - 0\n    others - 0\n  Throughput:    52.00MB/s\n";
        assert_eq!(
            said(bombardier),
            [Some(9000.5), Some(1e6), Some(2.5e6), Some(1.1e6)]
        );
        let jmeter = "summary =   6000 in 00:00:13 =  450.1/s Avg:     3 Min:     0 Max:   120 Err:     0 (0.00%)\n";
        assert_eq!(said(jmeter)[0], Some(450.1));
    }

    #[test]
    fn what_is_not_understood_gives_no_figures() {
        for text in [
            "",
            "Requests/sec: many",
            "50% of the time",
            "99% ∞",
            "finished in",
        ] {
            assert!(figures(text).is_empty(), "{text}");
        }
    }
}
