//! Objectives like `response_p99<50ms` or `errors<0.1%`, and whether a run met them.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::distribution::Percentile;
use crate::notation;
use crate::summary::Summary;
use crate::times::Times;

/// An objective: a figure must stay below a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Slo {
    text: String,
    figure: Figure,
    /// Nanoseconds, or a share of requests.
    limit: f64,
    inclusive: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Figure {
    Response(String),
    Service(String),
    Errors,
}

/// What became of an objective.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SloFinding {
    /// The objective as written.
    pub slo: String,
    /// Whether it was met. One that could not be judged was not.
    pub met: bool,
    /// The figure it was held against.
    pub detail: String,
}

const STATISTICS: [&str; 11] = [
    "mean", "min", "max", "p50", "p75", "p90", "p95", "p99", "p99_5", "p99_9", "p99_99",
];

impl FromStr for Slo {
    type Err = String;

    fn from_str(text: &str) -> Result<Slo, String> {
        let wrong = || {
            format!(
                "'{text}' should be like response_p99<50ms, service_max<=1s or errors<0.1%; \
                 figures are response_… and service_… with {}, and errors",
                STATISTICS.join(", ")
            )
        };
        let (name, limit) = text.split_once('<').ok_or_else(wrong)?;
        let (inclusive, limit) = match limit.strip_prefix('=') {
            Some(limit) => (true, limit.trim()),
            None => (false, limit.trim()),
        };
        let name = name.trim().replace('.', "_");
        let statistic = |name: &str| STATISTICS.contains(&name).then(|| name.to_owned());
        let (figure, limit) = if name == "errors" {
            (Figure::Errors, share(limit).ok_or_else(wrong)?)
        } else {
            let ns = notation::duration(limit)?.as_nanos() as f64;
            let figure = if let Some(name) = name.strip_prefix("response_") {
                statistic(name).map(Figure::Response)
            } else {
                name.strip_prefix("service_")
                    .and_then(statistic)
                    .map(Figure::Service)
            };
            (figure.ok_or_else(wrong)?, ns)
        };
        Ok(Slo {
            text: text.to_owned(),
            figure,
            limit,
            inclusive,
        })
    }
}

fn share(text: &str) -> Option<f64> {
    let (number, divisor) = match text.strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    let share = number.trim().parse::<f64>().ok()? / divisor;
    (0.0..=1.0).contains(&share).then_some(share)
}

impl Slo {
    /// Whether it is about response times, which a closed loop does not have.
    pub fn needs_open_loop(&self) -> bool {
        matches!(self.figure, Figure::Response(_))
    }

    /// The objective as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Holds it against what a run showed.
    pub fn judge(&self, summary: &Summary) -> SloFinding {
        let (met, detail) = match &self.figure {
            Figure::Errors => self.errors(summary),
            Figure::Service(name) => self.time(name, Some(&summary.service_time_ns)),
            Figure::Response(name) => self.time(name, summary.response_time_ns.as_ref()),
        };
        SloFinding {
            slo: self.text.clone(),
            met,
            detail,
        }
    }

    fn holds(&self, value: f64) -> bool {
        if self.inclusive {
            value <= self.limit
        } else {
            value < self.limit
        }
    }

    fn errors(&self, summary: &Summary) -> (bool, String) {
        let total: u64 = summary.outcomes.values().sum();
        let ok = summary.outcomes.get("ok").copied().unwrap_or(0);
        if total == 0 {
            return (false, "no request was made".to_owned());
        }
        let errors = (total - ok) as f64 / total as f64;
        (
            self.holds(errors),
            format!(
                "{:.3} % of {total} requests did not end well",
                100.0 * errors
            ),
        )
    }

    fn time(&self, name: &str, times: Option<&Times>) -> (bool, String) {
        let Some(times) = times else {
            return (false, "a closed loop has no response time".to_owned());
        };
        let over_answers = match name {
            "mean" => times.mean,
            "min" => times.min.map(|ns| ns as f64),
            "max" => times.max.map(|ns| ns as f64),
            _ => return self.percentile(name, times),
        };
        match over_answers {
            None => (false, "there was no answer".to_owned()),
            // Requests without an answer took longer than any that had one.
            Some(ns) if name != "min" && times.answered_count.is_some_and(|n| n < times.count) => (
                false,
                format!(
                    "more than {}: not every request was answered",
                    notation::time(ns)
                ),
            ),
            Some(ns) => (self.holds(ns), notation::time(ns)),
        }
    }

    fn percentile(&self, name: &str, times: &Times) -> (bool, String) {
        let found = times
            .percentiles
            .iter()
            .find(|(other, _, _)| *other == name);
        match found.map_or(Percentile::Absent, |(_, _, percentile)| percentile) {
            Percentile::Value(ns) => (self.holds(ns as f64), notation::time(ns as f64)),
            Percentile::AtLeast(ns) => {
                let detail = format!(
                    "at least {}, among requests that did not end well",
                    notation::time(ns as f64)
                );
                (false, detail)
            }
            Percentile::Absent => (
                false,
                "cannot be told: fewer than 100 requests lie beyond it".to_owned(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objectives_are_read_as_people_write_them() {
        for text in [
            "response_p99<50ms",
            "service_p99.9 <= 1s",
            "errors<0.1%",
            "errors<=0.001",
        ] {
            assert!(text.parse::<Slo>().is_ok(), "{text}");
        }
        for text in [
            "p99<50ms",
            "response_p98<1s",
            "errors<200%",
            "response_p99>1s",
            "",
            "errors<",
        ] {
            assert!(text.parse::<Slo>().is_err(), "{text}");
        }
    }
}
