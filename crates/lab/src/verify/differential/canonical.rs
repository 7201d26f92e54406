//! One form for all ways of writing the same JSON value.

use serde_json::{Map, Number, Value};

/// A JSON value without blanks, keys in order, whole numbers without a fraction; any other body as it is.
pub(super) fn form(body: &[u8]) -> Vec<u8> {
    match serde_json::from_slice(body) {
        Ok(value) => in_order(value).to_string().into_bytes(),
        Err(_) => body.to_vec(),
    }
}

fn in_order(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(String, Value)> = map.into_iter().collect();
            entries.sort_by(|(one, _), (other, _)| one.cmp(other));
            let entries = entries.into_iter();
            Value::Object(
                entries
                    .map(|(key, value)| (key, in_order(value)))
                    .collect::<Map<_, _>>(),
            )
        }
        Value::Array(items) => items.into_iter().map(in_order).collect(),
        Value::Number(number) => Value::Number(plain(number)),
        other => other,
    }
}

/// Floating point holds every whole number up to 2^53; beyond, what was written stays.
fn plain(number: Number) -> Number {
    const WHOLE_BELOW: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(value) if number.is_f64() && value.fract() == 0.0 && value.abs() < WHOLE_BELOW => {
            Number::from(value as i64)
        }
        _ => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_value_has_one_form() {
        assert_eq!(
            form(br#"{"b": [1.0, 2.50], "a": "x"}"#),
            form(br#"{"a":"x","b":[1,2.5]}"#)
        );
        assert_ne!(form(b"[1,2]"), form(b"[2,1]"));
        assert_ne!(form(b"9007199254740993"), form(b"9007199254740992"));
        assert_ne!(form(b"\"1\""), form(b"1"));
        assert_eq!(form(b"OK"), b"OK");
    }
}
