//! How durations, stages and lists of CPUs are written.

use std::time::Duration;

use crate::schedule::Stage;

/// Units of time and their length in seconds, longest names first.
const UNITS: [(&str, f64); 6] = [
    ("ns", 1e-9),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("m", 60.0),
];

/// `10s`, `1.5m`, `250ms`, `80us`, `500ns`, `1h`; a bare number is seconds.
///
/// # Errors
/// A sentence that says how it should look.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("'{text}' should be like 10s, 250ms, 80us, 2m or 1h");
    let unit = UNITS
        .iter()
        .chain(&[("h", 3600.0)])
        .find(|(unit, _)| text.ends_with(unit));
    let (number, factor) = match unit {
        Some((unit, factor)) => (&text[..text.len() - unit.len()], *factor),
        None => (text, 1.0),
    };
    let seconds = number.trim().parse::<f64>().map_err(|_| wrong())? * factor;
    // Whole nanoseconds: 0.1 ms is 100,000 of them and not one less.
    let nanoseconds = (seconds * 1e9).round();
    if !(0.0..9e18).contains(&nanoseconds) {
        return Err(wrong());
    }
    Ok(Duration::from_nanos(nanoseconds as u64))
}

/// `100:10s,500:20s`: 100 for 10 s, then 500 for 20 s. `100..500:20s` goes from 100 to 500.
///
/// # Errors
/// A sentence that says how it should look.
pub fn stages(text: &str) -> Result<Vec<Stage>, String> {
    text.split(',').map(stage).collect()
}

fn stage(text: &str) -> Result<Stage, String> {
    let wrong = || format!("stage '{text}' should be like 100:10s, or 100..500:20s for a ramp");
    let (level, length) = text.split_once(':').ok_or_else(wrong)?;
    let (from, to) = level.split_once("..").unwrap_or((level, level));
    let number = |text: &str| {
        text.trim()
            .parse::<f64>()
            .ok()
            .filter(|level| level.is_finite() && *level >= 0.0)
    };
    let (from, to) = number(from).zip(number(to)).ok_or_else(wrong)?;
    let duration = duration(length.trim())?;
    if duration.is_zero() {
        return Err(wrong());
    }
    Ok(Stage { from, to, duration })
}

/// `0,2-4`: CPUs 0, 2, 3 and 4.
///
/// # Errors
/// A sentence that says how it should look.
pub fn cpus(text: &str) -> Result<Vec<usize>, String> {
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let wrong = || format!("'{part}' should be a CPU like 1, or a range like 2-4");
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: usize = first.trim().parse().map_err(|_| wrong())?;
        let last: usize = last.trim().parse().map_err(|_| wrong())?;
        if first > last || last >= 4096 {
            return Err(wrong());
        }
        cpus.extend(first..=last);
    }
    Ok(cpus)
}

/// 64 hexadecimal digits.
///
/// # Errors
/// A sentence that says how it should look.
pub fn sha256(text: &str) -> Result<[u8; 32], String> {
    let wrong = || "a SHA-256 has 64 hexadecimal digits".to_owned();
    if text.len() != 64 || !text.is_ascii() {
        return Err(wrong());
    }
    let mut digest = [0; 32];
    for (byte, place) in digest.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&text[place..place + 2], 16).map_err(|_| wrong())?;
    }
    Ok(digest)
}

/// A time for people: three digits and a unit.
pub fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        _ if ns < 1e3 => return format!("{ns:.0} ns"),
        _ if ns < 1e6 => (ns / 1e3, "µs"),
        _ if ns < 1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    match value {
        _ if value < 10.0 => format!("{value:.2} {unit}"),
        _ if value < 100.0 => format!("{value:.1} {unit}"),
        _ => format!("{value:.0} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_in_every_unit() {
        for (text, ns) in [
            ("10s", 10_000_000_000),
            ("10", 10_000_000_000),
            ("0.1ms", 100_000),
            ("80us", 80_000),
            ("80µs", 80_000),
            ("5ns", 5),
            ("1.5m", 90_000_000_000),
            ("1h", 3_600_000_000_000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_nanos(ns)), "{text}");
        }
        for text in ["", "s", "-1s", "1d", "nan", "inf", "1e300h"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn stages_hold_a_level_or_ramp() {
        let ten = Duration::from_secs(10);
        let ramp = Stage {
            from: 100.0,
            to: 500.0,
            duration: ten,
        };
        assert_eq!(
            stages("100:10s,100..500:10s"),
            Ok(vec![Stage::constant(100.0, ten), ramp])
        );
        for text in ["", "100", "x:1s", "1:0s", "-1:1s", "inf:1s", "1:1s,"] {
            assert!(stages(text).is_err(), "{text}");
        }
    }

    #[test]
    fn cpus_are_numbers_and_ranges() {
        assert_eq!(cpus("0,2-4"), Ok(vec![0, 2, 3, 4]));
        assert!(cpus("4-2").is_err());
        assert!(cpus("").is_err());
    }

    #[test]
    fn a_digest_is_64_digits() {
        assert_eq!(sha256(&"0f".repeat(32)), Ok([15; 32]));
        assert!(sha256("0f").is_err());
        assert!(sha256(&"zz".repeat(32)).is_err());
    }
}
