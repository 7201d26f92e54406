//! Stored numbers as a person reads them.

/// A stored number with a unit that suits it.
pub fn with_unit(unit: &str, value: f64) -> String {
    match unit {
        "ns" => load::notation::time(value),
        "us" => load::notation::time(value * 1e3),
        "bytes" => format!("{:.1} MiB", value / 1_048_576.0),
        "per_s" => format!("{value:.0}/s"),
        _ => format!("{value:.3}"),
    }
}
