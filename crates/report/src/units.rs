//! Stored numbers as people read them. No locale: the same digits on every machine.

/// A unit a column is shown in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    /// What a stored number is divided by.
    pub(crate) divisor: f64,
    /// The sign of the unit.
    pub(crate) sign: &'static str,
}

const fn scale(divisor: f64, sign: &'static str) -> Scale {
    Scale { divisor, sign }
}

const NANOSECONDS: &[Scale] = &[
    scale(1.0, "ns"),
    scale(1e3, "µs"),
    scale(1e6, "ms"),
    scale(1e9, "s"),
];
const MICROSECONDS: &[Scale] = &[
    scale(1e-3, "ns"),
    scale(1.0, "µs"),
    scale(1e3, "ms"),
    scale(1e6, "s"),
];
const BYTES: &[Scale] = &[
    scale(1.0, "B"),
    scale(1024.0, "KiB"),
    scale(1_048_576.0, "MiB"),
    scale(1_073_741_824.0, "GiB"),
];
const PER_SECOND: &[Scale] = &[scale(1.0, "/s")];
const PLAIN: &[Scale] = &[scale(1.0, "")];

/// The unit in which most of `values`, stored in `unit`, are at least 1: one unit for a whole column,
/// so that its numbers can be compared by eye.
pub(crate) fn scale_for(unit: &str, values: &[f64]) -> Scale {
    let scales = match unit {
        "ns" => NANOSECONDS,
        "us" => MICROSECONDS,
        "bytes" => BYTES,
        "per_s" => PER_SECOND,
        _ => PLAIN,
    };
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.get(sorted.len() / 2).copied().unwrap_or(1.0);
    let fits = scales.iter().rfind(|scale| middle >= scale.divisor);
    *fits.unwrap_or(&scales[0])
}

/// A value in the unit that suits it, with the sign of the unit.
pub(crate) fn with_unit(unit: &str, value: f64) -> String {
    let scale = scale_for(unit, &[value]);
    let gap = if matches!(scale.sign, "" | "/s") {
        ""
    } else {
        " "
    };
    format!("{}{gap}{}", digits(value / scale.divisor), scale.sign)
}

/// Three significant digits, and every digit before the point: `0.412`, `6.12`, `61.2`, `612`, `61,234`.
pub(crate) fn digits(value: f64) -> String {
    let size = value.abs();
    // The bounds are where rounding reaches the next power of ten.
    match size {
        _ if size >= 99.95 => grouped(value),
        _ if size >= 9.995 => format!("{value:.1}"),
        _ if size >= 0.9995 => format!("{value:.2}"),
        _ if size >= 0.000_5 || size == 0.0 => format!("{value:.3}"),
        _ => format!("{value:.1e}"),
    }
}

/// A whole number with a comma before every third digit.
pub(crate) fn grouped(value: f64) -> String {
    let whole = format!("{value:.0}");
    let (sign, number) = match whole.strip_prefix('-') {
        Some(number) => ("-", number),
        None => ("", whole.as_str()),
    };
    let mut out = String::from(sign);
    for (index, digit) in number.chars().enumerate() {
        if index > 0 && (number.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A share in per cent, two significant digits below ten: `0.31 %`, `3.1 %`, `31 %`.
pub(crate) fn per_cent(ratio: f64) -> String {
    let value = ratio * 100.0;
    match value.abs() {
        size if size >= 9.95 => format!("{} %", grouped(value)),
        size if size >= 0.995 => format!("{value:.1} %"),
        _ => format!("{value:.2} %"),
    }
}

/// A share that somebody chose, in per cent, with no more digits than it was chosen with.
pub(crate) fn chosen(ratio: f64) -> String {
    format!("{} %", (ratio * 1e4).round() / 100.0)
}

/// Half-width above which an interval is lopsided in plain numbers: one sign for both sides would mislead.
const SYMMETRIC_MAX_RATIO: f64 = 0.25;

/// How far an interval reaches: to either side of its middle, on the scale of logarithms, in per cent; a wide one by
/// its ends.
pub(crate) fn reach(low: f64, high: f64) -> String {
    let half_width_ratio = (high / low).sqrt() - 1.0;
    match half_width_ratio > SYMMETRIC_MAX_RATIO {
        true => format!("({})", range(low, high)),
        false => format!("±{}", per_cent(half_width_ratio)),
    }
}

/// A ratio with three significant digits: `0.251×`, `1.02×`, `12.3×`.
pub(crate) fn ratio(value: f64) -> String {
    format!("{}×", digits(value))
}

/// How far apart the ends of an interval of ratios may be before their digits tell nothing.
const WIDEST_RANGE: f64 = 1e4;

/// The ends of an interval of ratios, or that they lie too far apart to be told.
pub(crate) fn range(low: f64, high: f64) -> String {
    if high / low > WIDEST_RANGE {
        return "undetermined".to_owned();
    }
    format!("{} – {}", digits(low), digits(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_significant_digits_survive_rounding_to_the_next_power_of_ten() {
        let shown: Vec<String> = [
            0.0,
            0.000_412,
            0.0412,
            0.412,
            0.999_6,
            1.0,
            6.123,
            9.996,
            61.23,
            99.96,
            612.3,
            61_234.5,
            1_234_567.0,
            -1_234.0,
        ]
        .into_iter()
        .map(digits)
        .collect();
        assert_eq!(
            shown,
            [
                "0.000",
                "4.1e-4",
                "0.041",
                "0.412",
                "1.00",
                "1.00",
                "6.12",
                "10.0",
                "61.2",
                "100",
                "612",
                "61,234",
                "1,234,567",
                "-1,234"
            ]
        );
    }

    #[test]
    fn a_column_has_one_unit_in_which_most_values_are_at_least_one() {
        assert_eq!(scale_for("ns", &[900_000.0, 2e6, 9e6]).sign, "ms");
        assert_eq!(scale_for("ns", &[900.0]).sign, "ns");
        assert_eq!(scale_for("us", &[61.0, 231.0, 1500.0]).sign, "µs");
        assert_eq!(scale_for("bytes", &[5e6, 8e7]).sign, "MiB");
        assert_eq!(scale_for("per_s", &[1e6]).sign, "/s");
        assert_eq!(scale_for("ns", &[]).sign, "ns");
    }

    #[test]
    fn a_value_alone_carries_its_unit() {
        assert_eq!(with_unit("ns", 1_234_567.0), "1.23 ms");
        assert_eq!(with_unit("per_s", 12_345.6), "12,346/s");
        assert_eq!(with_unit("us", 0.5), "500 ns");
        assert_eq!(with_unit("count", 3.0), "3.00");
    }

    #[test]
    fn a_wide_interval_is_told_by_its_ends() {
        assert_eq!(reach(1.0, 1.21), "±10 %");
        assert_eq!(reach(1.0, 1.5), "±22 %");
        assert_eq!(reach(2.31, 558.0), "(2.31 – 558)");
    }

    #[test]
    fn shares_have_two_significant_digits_or_more() {
        assert_eq!(per_cent(0.0031), "0.31 %");
        assert_eq!(per_cent(0.031), "3.1 %");
        assert_eq!(per_cent(0.0996), "10 %");
        assert_eq!(per_cent(12.5), "1,250 %");
        assert_eq!(
            (chosen(0.05), chosen(0.025)),
            ("5 %".to_owned(), "2.5 %".to_owned())
        );
    }
}
