//! An objective of response times, as an experiment writes it: `p99<50ms`.

use std::fmt;
use std::str::FromStr;

/// A percentile of response time and the limit it must stay below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// The percentile as a share: 0.99.
    pub quantile: f64,
    /// The limit it must stay below.
    pub limit_ns: u64,
}

impl FromStr for Objective {
    type Err = String;

    /// # Errors
    /// What it should look like.
    fn from_str(text: &str) -> Result<Objective, String> {
        let wrong = || "write it like p99<50ms: a percentile, <, and a time in us, ms or s";
        let (percentile, limit) = text.split_once('<').ok_or_else(wrong)?;
        let percentile: f64 = percentile
            .trim()
            .strip_prefix('p')
            .and_then(|number| number.parse().ok())
            .filter(|percentile| (1.0..100.0).contains(percentile))
            .ok_or_else(wrong)?;
        let limit = limit.trim();
        let unit_at = limit
            .find(|c: char| c.is_ascii_alphabetic())
            .ok_or_else(wrong)?;
        let (number, unit) = limit.split_at(unit_at);
        let unit_ns = match unit {
            "us" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            _ => return Err(wrong().to_owned()),
        };
        let number: f64 = number.trim().parse().map_err(|_| wrong())?;
        let limit_ns = number * unit_ns;
        if !(1e3..=3.6e12).contains(&limit_ns) {
            return Err("give a limit from 1us to 3600s".to_owned());
        }
        Ok(Objective {
            quantile: percentile / 100.0,
            limit_ns: limit_ns as u64,
        })
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit_ms = self.limit_ns as f64 / 1e6;
        // A share times a hundred is not the percentile that was written, to the last digit.
        let percentile = (self.quantile * 1e6).round() / 1e4;
        write!(f, "p{percentile}<{limit_ms}ms")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_objective_is_a_percentile_and_a_limit_with_its_unit() {
        for (text, quantile, limit_ns, shown) in [
            ("p99<50ms", 0.99, 50_000_000, "p99<50ms"),
            ("p50 < 1.5s", 0.5, 1_500_000_000, "p50<1500ms"),
            ("p99.9<800us", 0.999, 800_000, "p99.9<0.8ms"),
        ] {
            let objective: Objective = text.parse().unwrap();
            assert!((objective.quantile - quantile).abs() < 1e-12);
            assert_eq!(objective.limit_ns, limit_ns);
            assert_eq!(objective.to_string(), shown);
        }
    }

    #[test]
    fn what_is_not_an_objective_is_refused_with_an_example() {
        for text in [
            "",
            "p99",
            "99<50ms",
            "p99<50",
            "p99<ms",
            "p100<1s",
            "p0<1s",
            "p99<-1ms",
            "p99<0ms",
            "pNaN<1ms",
            "p99<NaNms",
        ] {
            assert!(text.parse::<Objective>().is_err(), "{text}");
        }
    }
}
