//! One JSON document with a schema, checked before anything else in it is believed.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::files::RecordError;

/// Reads a document of schema `wanted` out of `bytes`, which began at `line` of `path`.
pub(crate) fn parse<T: DeserializeOwned>(
    bytes: &[u8],
    wanted: &'static str,
    path: &Path,
    line: usize,
) -> Result<T, RecordError> {
    let damaged = |error: serde_json::Error| RecordError::Damaged {
        path: path.to_path_buf(),
        line: line + error.line().saturating_sub(1),
        reason: without_position(&error),
    };
    let value: Value = serde_json::from_slice(bytes).map_err(damaged)?;
    match value.get("schema").and_then(Value::as_str) {
        Some(found) if found == wanted => serde_json::from_value(value).map_err(damaged),
        found => Err(RecordError::ForeignSchema {
            path: path.to_path_buf(),
            line,
            found: found.unwrap_or("absent").chars().take(80).collect(),
            wanted,
        }),
    }
}

/// Reads one line that has no schema of its own, because it belongs to a document that has.
pub(crate) fn parse_plain<T: DeserializeOwned>(
    bytes: &[u8],
    path: &Path,
    line: usize,
) -> Result<T, RecordError> {
    serde_json::from_slice(bytes).map_err(|error| RecordError::Damaged {
        path: path.to_path_buf(),
        line,
        reason: without_position(&error),
    })
}

/// The message without its position, which is relative to the document and not to the file.
fn without_position(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    // A hostile document may quote a megabyte back at us.
    message.replace(&position, "").chars().take(300).collect()
}
