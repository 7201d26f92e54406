//! A trial in the short form of the page: a page of a large run must stay a file one can send.

use record::Trial;
use serde_json::{Map, Number, Value};

/// Nine digits are more than any clock here gives, and half of what a double takes to print.
const DIGITS: i32 = 9;

/// Figures of levels that the page draws trial by trial: over concurrency, and over offered load.
const LEVEL_FIGURES: [(&str, &[&str]); 2] = [
    ("closed", &["completion_rate_per_s"]),
    ("open", &["response_p50_ns", "response_p99_ns"]),
];

/// The trial as JSON: slices as columns, an audit line as `[check, status, detail]`, levels as their drawn figures,
/// figures to nine digits.
pub(crate) fn short(trial: &Trial) -> Value {
    // A trial that was read from JSON always has a JSON form.
    let mut value = serde_json::to_value(trial).unwrap_or_default();
    if let Value::Object(fields) = &mut value {
        fields.remove("schema");
        let levels = fields.remove("levels").unwrap_or_default();
        let levels = level_figures(&levels);
        if !levels.is_empty() {
            fields.insert("levels".to_owned(), Value::Object(levels));
        }
        if let Some(slices) = fields.get_mut("slices") {
            *slices = columns(slices.take());
        }
        if let Some(Value::Array(lines)) = fields.get_mut("audit") {
            lines.iter_mut().for_each(|line| *line = cells(line));
        }
    }
    rounded(value, DIGITS)
}

/// Rows with the same keys as one column a key; what a row lacks is null.
fn columns(rows: Value) -> Value {
    let Value::Array(rows) = rows else {
        return rows;
    };
    let mut columns: Map<String, Value> = Map::new();
    for (index, row) in rows.iter().enumerate() {
        for (key, value) in row.as_object().into_iter().flatten() {
            let column = columns
                .entry(key.clone())
                .or_insert_with(|| Value::Array(vec![Value::Null; rows.len()]));
            column[index] = value.clone();
        }
    }
    Value::Object(columns)
}

/// Figures that the page draws, by level and metric. The findings have the others over blocks.
fn level_figures(levels: &Value) -> Map<String, Value> {
    let mut found = Map::new();
    for level in levels.as_array().into_iter().flatten() {
        let text = |key: &str| level.get(key).and_then(Value::as_str);
        let load = text("load").unwrap_or_default();
        let drawn = LEVEL_FIGURES.iter().find(|(of, _)| *of == load);
        let figures: Map<String, Value> = drawn
            .into_iter()
            .flat_map(|(_, metrics)| *metrics)
            .filter_map(|metric| {
                let figure = level.get("metrics")?.get(metric)?;
                Some(((*metric).to_owned(), figure.clone()))
            })
            .collect();
        if let Some(name) = text("level").filter(|_| !figures.is_empty()) {
            found.insert(name.to_owned(), Value::Object(figures));
        }
    }
    found
}

fn cells(line: &Value) -> Value {
    let cell = |key: &str| line.get(key).cloned().unwrap_or_default();
    Value::Array(vec![cell("check"), cell("status"), cell("detail")])
}

/// Every number that is not whole, to `digits` significant digits.
pub(crate) fn rounded(value: Value, digits: i32) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let full = number.as_f64().unwrap_or_default();
            Number::from_f64(significant(full, digits)).map_or(Value::Number(number), Value::Number)
        }
        Value::Array(items) => items
            .into_iter()
            .map(|item| rounded(item, digits))
            .collect(),
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(key, field)| (key, rounded(field, digits)))
                .collect(),
        ),
        other => other,
    }
}

/// `value` to `digits` significant digits; by way of its decimal form, which is the same on every machine.
pub(crate) fn significant(value: f64, digits: i32) -> f64 {
    format!("{value:.*e}", (digits - 1).max(0) as usize)
        .parse()
        .unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_keep_nine_digits_and_counts_all_of_theirs() {
        let short = rounded(
            json!({"a": 0.123_456_789_123, "b": 1_234_567_890_123_u64}),
            9,
        );
        assert_eq!(
            short,
            json!({"a": 0.123_456_789, "b": 1_234_567_890_123_u64})
        );
        assert_eq!(significant(1.0, 9), 1.0);
        assert_eq!(significant(123_456.0, 3), 123_000.0);
    }

    #[test]
    fn of_a_level_only_what_is_drawn_over_load_is_kept() {
        let levels = json!([
            {"level": "c10", "load": "closed", "metrics": {"completion_rate_per_s": 5.0, "response_p50_ns": 1.0}},
            {"level": "own60", "load": "open", "metrics": {"response_p50_ns": 2.0}},
            {"level": "cold", "load": "cold", "metrics": {"completion_rate_per_s": 3.0}},
            {"level": "c50", "load": "closed", "metrics": {}},
        ]);
        let expected =
            json!({"c10": {"completion_rate_per_s": 5.0}, "own60": {"response_p50_ns": 2.0}});
        assert_eq!(Value::Object(level_figures(&levels)), expected);
        assert!(level_figures(&Value::Null).is_empty());
    }

    #[test]
    fn what_one_row_lacks_is_null_in_its_column() {
        let rows = json!([{"load": "open", "canary_ns": 5}, {"load": "closed"}]);
        let expected = json!({"load": ["open", "closed"], "canary_ns": [5, null]});
        assert_eq!(columns(rows), expected);
    }
}
