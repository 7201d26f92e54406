//! Where two JSON values differ. Pure.

use serde_json::{Map, Number, Value};

/// Longest piece of a value that is shown.
const SHOWN_CHARS: usize = 80;

/// The first difference between two values, `None` when they are equal.
///
/// The order of keys is free, the order of a list is not. Numbers are equal when they are written with the
/// same value and kind: `1` is not `1.0`, and integers keep every digit.
/// The place is written as in `[3].email`, and left out for the whole value.
pub fn difference(expected: &Value, got: &Value) -> Option<String> {
    let mut place = String::new();
    differ(expected, got, &mut place)
}

fn differ(expected: &Value, got: &Value, place: &mut String) -> Option<String> {
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => differ_in_keys(expected, got, place),
        (Value::Array(expected), Value::Array(got)) => differ_in_items(expected, got, place),
        (Value::Number(expected), Value::Number(got)) if is_same_number(expected, got) => None,
        _ if expected == got => None,
        _ => Some(format!(
            "{}expected {}, got {}",
            at(place),
            shown(expected),
            shown(got)
        )),
    }
}

fn differ_in_keys(
    expected: &Map<String, Value>,
    got: &Map<String, Value>,
    place: &mut String,
) -> Option<String> {
    for (key, expected) in expected {
        let Some(got) = got.get(key) else {
            return Some(format!("{}the key `{key}` is missing", at(place)));
        };
        let length = place.len();
        place.push('.');
        place.push_str(key);
        if let Some(difference) = differ(expected, got, place) {
            return Some(difference);
        }
        place.truncate(length);
    }
    let surplus = got.keys().find(|key| !expected.contains_key(*key))?;
    Some(format!(
        "{}the key `{surplus}` does not belong there",
        at(place)
    ))
}

fn differ_in_items(expected: &[Value], got: &[Value], place: &mut String) -> Option<String> {
    for (index, (expected, got)) in expected.iter().zip(got).enumerate() {
        let length = place.len();
        place.push_str(&format!("[{index}]"));
        if let Some(difference) = differ(expected, got, place) {
            return Some(difference);
        }
        place.truncate(length);
    }
    (expected.len() != got.len()).then(|| {
        format!(
            "{}expected {} items, got {}",
            at(place),
            expected.len(),
            got.len()
        )
    })
}

/// Integers are compared as integers: as floating point, neighbours beyond 2^53 would be equal.
fn is_same_number(expected: &Number, got: &Number) -> bool {
    match (expected.is_f64(), got.is_f64()) {
        (false, false) => expected.as_i128() == got.as_i128(),
        (true, true) => expected.as_f64() == got.as_f64(),
        _ => false,
    }
}

fn at(place: &str) -> String {
    match place.strip_prefix('.').unwrap_or(place) {
        "" => String::new(),
        place => format!("at {place}: "),
    }
}

fn shown(value: &Value) -> String {
    shorten(&value.to_string())
}

/// The beginning of a text that may be long.
pub(super) fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(expected: &str, got: &str) -> Option<String> {
        let value = |text: &str| serde_json::from_str(text).unwrap();
        difference(&value(expected), &value(got))
    }

    #[test]
    fn the_order_of_keys_is_free_and_of_items_is_not() {
        assert_eq!(
            between(r#"{"a":1,"b":[1,2]}"#, r#"{"b":[1,2],"a":1}"#),
            None
        );
        assert_eq!(
            between("[1,2]", "[2,1]").unwrap(),
            "at [0]: expected 1, got 2"
        );
    }

    #[test]
    fn the_place_of_a_difference_is_named() {
        let expected = r#"[{"email":"a"},{"email":"b"}]"#;
        assert_eq!(
            between(expected, r#"[{"email":"a"},{"email":"c"}]"#).unwrap(),
            r#"at [1].email: expected "b", got "c""#
        );
        assert_eq!(
            between(expected, r#"[{"email":"a"},{"mail":"b"}]"#).unwrap(),
            "at [1]: the key `email` is missing"
        );
        assert_eq!(
            between(r#"{"a":{"b":1}}"#, r#"{"a":{"b":1,"c":2}}"#).unwrap(),
            "at a: the key `c` does not belong there"
        );
        assert_eq!(between("1", "null").unwrap(), "expected 1, got null");
    }

    #[test]
    fn a_missing_or_additional_row_is_a_difference() {
        assert_eq!(
            between("[1,2,3]", "[1,2]").unwrap(),
            "expected 3 items, got 2"
        );
        assert_eq!(
            between(r#"{"rows":[]}"#, r#"{"rows":[1]}"#).unwrap(),
            "at rows: expected 0 items, got 1"
        );
    }

    #[test]
    fn a_number_is_no_text_and_every_digit_counts() {
        assert!(between("1", r#""1""#).is_some());
        assert!(between("1", "1.0").is_some());
        assert!(between("9007199254740993", "9007199254740992").is_some());
        assert!(between("18446744073709551615", "18446744073709551614").is_some());
        assert_eq!(between("1.50", "1.5"), None);
        assert_eq!(between("-1", "-1"), None);
    }

    #[test]
    fn a_long_value_is_shown_by_its_beginning() {
        let long = format!("\"{}\"", "é".repeat(500));
        let difference = between(&long, "1").unwrap();
        assert!(difference.chars().count() < 150, "{difference}");
        assert!(difference.contains('…'));
    }
}
