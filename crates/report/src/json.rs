//! The findings as one JSON document.

use crate::Findings;

/// `bancada.report/1`, indented, with a line end.
pub fn json(findings: &Findings) -> String {
    let mut text = serde_json::to_string_pretty(findings)
        .expect("findings hold only strings, numbers and lists, with string keys");
    text.push('\n');
    text
}
