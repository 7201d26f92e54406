//! The page as one file: the built template with the document of a run inside it.

use crate::page::Page;

/// Where the template holds the place of the document.
const PLACE: &str = r#"<script type="application/json" id="page-document">null</script>"#;

/// Why a template is not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the page has no place for a run's document: build it again in ui/")]
pub struct NotATemplate;

/// The page of a run: `template` is what `npm run build` makes in `ui/`.
///
/// # Errors
/// When the template has no place for the document.
pub fn html(template: &str, page: &Page) -> Result<String, NotATemplate> {
    let (before, after) = template.split_once(PLACE).ok_or(NotATemplate)?;
    let json = serde_json::to_string(page)
        .expect("a page holds only strings, numbers and lists, with string keys");
    let (opening, closing) = PLACE.split_once("null").ok_or(NotATemplate)?;
    Ok([before, opening, &inert(&json), closing, after].concat())
}

/// JSON in which nothing can end a script, begin a comment or a tag, or break a line of JavaScript.
/// These characters occur in JSON only inside strings, where an escape means the same.
fn inert(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + 1024);
    for character in json.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_can_end_the_script_it_is_in_and_none_is_changed() {
        let hostile = "</script><!-- <script>alert(1)</script> & \u{2028}";
        let json = serde_json::to_string(hostile).unwrap();
        let inert = inert(&json);
        assert!(!inert.contains(['<', '>', '&', '\u{2028}']), "{inert}");
        assert_eq!(serde_json::from_str::<String>(&inert).unwrap(), hostile);
    }
}
