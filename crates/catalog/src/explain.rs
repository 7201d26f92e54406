//! Puts what the TOML reader says into the words of a catalogue error.

use crate::spelling;

/// The key and the sentence for a reader's `message`, met at the key `place`.
pub(crate) fn explain(message: &str, place: String) -> (Option<String>, String) {
    let named = |key: &str| Some(key.to_owned()).filter(|key| !key.is_empty());
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let last = |place: &str| place.rsplit('.').next().unwrap_or_default().to_owned();
    match (message, quoted.as_slice()) {
        (m, [name, known @ ..]) if m.starts_with("unknown field") => {
            let sentence = spelling::unknown("key", name, known.iter().copied());
            let key = if last(&place) == *name {
                place
            } else {
                join(&place, name)
            };
            (named(&key), sentence)
        }
        (m, [name, known @ ..]) if m.starts_with("unknown variant") => {
            let sentence = spelling::unknown("value", name, known.iter().copied());
            (named(&place), sentence)
        }
        (m, [name, ..]) if m.starts_with("missing field") => {
            (named(&join(&place, name)), "is missing; add it".to_owned())
        }
        (m, _) if m.starts_with("invalid type") || m.starts_with("invalid value") => {
            (named(&place), wrong_type(m))
        }
        _ => (named(&place), format!("{}; correct the TOML here", message.trim_end())),
    }
}

fn join(table: &str, name: &str) -> String {
    if table.is_empty() {
        name.to_owned()
    } else {
        format!("{table}.{name}")
    }
}

/// `invalid type: string "ten", expected u32` in words a manifest's author knows.
fn wrong_type(message: &str) -> String {
    let rest = message.split_once(": ").map_or(message, |(_, rest)| rest);
    let Some((found, expected)) = rest.rsplit_once(", expected ") else {
        return format!("is of the wrong type: {rest}");
    };
    let expected = match expected {
        "u16" | "u32" | "u64" | "usize" => "a whole number, not negative",
        "f64" => "a number",
        "a sequence" => "an array ([…])",
        "a map" => "a table",
        "a string" => "text in quotes",
        "a boolean" => "true or false",
        other if other.starts_with("struct ") => "a table",
        other => other,
    };
    format!("is {found}; write {expected}")
}
