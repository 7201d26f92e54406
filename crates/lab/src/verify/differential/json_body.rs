//! Bodies around one that is right: other values, other shapes, broken text.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_pcg::Pcg64;
use serde_json::{Map, Value, json};

/// Whole numbers that every JSON reader holds.
const WHOLE: [i64; 12] = [
    0,
    1,
    -1,
    127,
    -128,
    65_535,
    2_147_483_647,
    2_147_483_648,
    -2_147_483_649,
    4_294_967_296,
    9_007_199_254_740_991,
    -9_007_199_254_740_991,
];
/// Texts that must come back as they are.
const TEXTS: [&str; 16] = [
    "",
    " ",
    "user",
    "\"",
    "\\",
    "/",
    "\u{7f}",
    "\u{1}",
    "\n\r\t\u{8}\u{c}",
    "José",
    "日本",
    "😀",
    "\u{2028}",
    "' OR '1'='1",
    "<script>alert(1)</script>",
    "${jndi:ldap://x}",
];
/// Instead of a value: what JSON does not know.
const NOT_VALUES: [&str; 24] = [
    "",
    "tru",
    "True",
    "None",
    "nul",
    "undefined",
    "+1",
    "01",
    "-",
    "- 1",
    ".5",
    "1.",
    "1e",
    "0x10",
    "1_000",
    "'x'",
    "\"x",
    "\"\\x41\"",
    "\"\\u12\"",
    "\"\t\"",
    "\"\n\"",
    "[1,]",
    "{\"a\":}",
    "[1 2]",
];
/// Put somewhere into the text. None of them can make another number of a number.
const STRAY: [&str; 12] = [
    "{", "}", "[", "]", "\"", ",", ":", "\\", "x", "/**/", "#", "\u{0}",
];
/// Levels of lists in one value: within what every JSON reader takes.
const DEPTH_MAX: usize = 64;
const LONG_TEXT: usize = 10_000;

/// A body drawn around `right`, an object in JSON.
pub(super) fn draw(right: &str, rng: &mut Pcg64) -> String {
    let Ok(Value::Object(right)) = serde_json::from_str(right) else {
        return cut(right, rng);
    };
    let text = Value::Object(right.clone()).to_string();
    match rng.random_range(0..100) {
        0..22 => Value::Object(same_types(right, rng)).to_string(),
        22..42 => one_other(right, rng),
        42..50 => one_fewer(right, rng),
        50..60 => one_more(right, rng),
        60..66 => shape(rng, 0).to_string(),
        66..76 => cut(&text, rng),
        76..86 => with_stray(&text, rng),
        86..92 => with_blanks(&text, rng),
        _ => with_no_value(right, rng),
    }
}

/// Other values of the same types, in any order of keys.
fn same_types(right: Map<String, Value>, rng: &mut Pcg64) -> Map<String, Value> {
    let mut entries: Vec<(String, Value)> = right.into_iter().collect();
    let turn = rng.random_range(0..entries.len().max(1));
    entries.rotate_left(turn);
    let other = |value: &Value, rng: &mut Pcg64| match value {
        Value::Number(_) => whole(rng),
        Value::String(_) => text(rng),
        other => other.clone(),
    };
    let entries = entries.into_iter();
    entries
        .map(|(key, value)| {
            let value = other(&value, rng);
            (key, value)
        })
        .collect()
}

fn whole(rng: &mut Pcg64) -> Value {
    const LARGEST: i64 = 9_007_199_254_740_991;
    match rng.random_bool(0.5) {
        true => json!(WHOLE.choose(rng)),
        false => json!(rng.random_range(-LARGEST..=LARGEST)),
    }
}

fn text(rng: &mut Pcg64) -> Value {
    match rng.random_range(0..20) {
        0 => json!("é".repeat(LONG_TEXT)),
        1..12 => json!(TEXTS.choose(rng)),
        _ => {
            let length = rng.random_range(0..12);
            let characters = (0..length).map(|_| rng.random::<char>());
            json!(characters.collect::<String>())
        }
    }
}

/// Any value; one in three holds others.
fn shape(rng: &mut Pcg64, depth: usize) -> Value {
    let kinds = if depth < 3 { 12 } else { 8 };
    match rng.random_range(0..kinds) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(false),
        3 => whole(rng),
        4 => json!(1.5),
        5 => json!(-0.25),
        6 | 7 => text(rng),
        8 => (0..rng.random_range(0..4))
            .map(|_| shape(rng, depth + 1))
            .collect(),
        9 => {
            let levels = rng.random_range(1..DEPTH_MAX);
            (0..levels).fold(Value::Null, |inner, _| json!([inner]))
        }
        _ => {
            let count = rng.random_range(0..4);
            let entries = (0..count).map(|number| (format!("key {number}"), shape(rng, depth + 1)));
            Value::Object(entries.collect())
        }
    }
}

/// One key's value in another shape.
fn one_other(mut right: Map<String, Value>, rng: &mut Pcg64) -> String {
    let keys: Vec<String> = right.keys().cloned().collect();
    if let Some(key) = keys.choose(rng) {
        right.insert(key.clone(), shape(rng, 0));
    }
    Value::Object(right).to_string()
}

fn one_fewer(mut right: Map<String, Value>, rng: &mut Pcg64) -> String {
    let keys: Vec<String> = right.keys().cloned().collect();
    if let Some(key) = keys.choose(rng) {
        right.shift_remove(key);
    }
    Value::Object(right).to_string()
}

/// A key more, somewhere.
fn one_more(right: Map<String, Value>, rng: &mut Pcg64) -> String {
    let mut entries: Vec<(String, Value)> = right.into_iter().collect();
    let at = rng.random_range(0..=entries.len());
    entries.insert(at, ("unread".to_owned(), shape(rng, 0)));
    Value::Object(entries.into_iter().collect()).to_string()
}

fn cut(text: &str, rng: &mut Pcg64) -> String {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let end = ends.choose(rng).copied().unwrap_or(0);
    text[..end].to_owned()
}

/// Something where nothing should be; inside a text it may be harmless.
fn with_stray(text: &str, rng: &mut Pcg64) -> String {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let at = places.choose(rng).copied().unwrap_or(0);
    let stray = STRAY.choose(rng).copied().unwrap_or("x");
    format!("{}{stray}{}", &text[..at], &text[at..])
}

/// Blanks between tokens, one in four of a kind that JSON does not know.
fn with_blanks(text: &str, rng: &mut Pcg64) -> String {
    let known = ["\n", "\r\n", "\t", "   "];
    let blank = match rng.random_range(0..4) {
        0 => "\u{c}",
        _ => known.choose(rng).copied().unwrap_or(" "),
    };
    text.replace(',', &format!("{blank},{blank}"))
        .replace(':', &format!("{blank}:{blank}"))
}

/// One key without a value that JSON knows.
fn with_no_value(right: Map<String, Value>, rng: &mut Pcg64) -> String {
    let chosen = rng.random_range(0..right.len().max(1));
    let not_a_value = NOT_VALUES.choose(rng).copied().unwrap_or("");
    let entries = right.iter().enumerate().map(|(index, (key, value))| {
        let value = match index == chosen {
            true => not_a_value.to_owned(),
            false => value.to_string(),
        };
        format!("{}:{value}", Value::from(key.as_str()))
    });
    format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    const RIGHT: &str = r#"{"id":1,"name":"user","email":"user@email.com"}"#;

    #[test]
    fn the_same_seed_draws_the_same_bodies_and_some_are_valid_and_some_are_not() {
        let bodies = || {
            let mut rng = Pcg64::seed_from_u64(1);
            (0..200).map(|_| draw(RIGHT, &mut rng)).collect::<Vec<_>>()
        };
        let drawn = bodies();
        assert_eq!(drawn, bodies());
        let valid = drawn
            .iter()
            .filter(|body| serde_json::from_str::<Value>(body).is_ok())
            .count();
        assert!((80..180).contains(&valid), "{valid}");
    }

    #[test]
    fn no_whole_number_is_written_as_a_fraction() {
        let mut rng = Pcg64::seed_from_u64(2);
        for body in (0..2_000).map(|_| draw(RIGHT, &mut rng)) {
            let Ok(Value::Object(body)) = serde_json::from_str(&body) else {
                continue;
            };
            let whole = |value: &Value| value.as_f64().is_some_and(|value| value.fract() == 0.0);
            assert!(
                !body.values().any(|value| value.is_f64() && whole(value)),
                "{body:?}"
            );
        }
    }
}
