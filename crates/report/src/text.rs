//! Text on a terminal: what is safe to print, how wide it is, and where it may be broken.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text from a record without what would move the cursor or turn the reading direction: such
/// characters become `�`, line ends and tabs become spaces.
pub(crate) fn plain(text: &str) -> String {
    let safe = |character: char| match character {
        '\n' | '\r' | '\t' => ' ',
        // Marks that turn or isolate the direction of the text around them.
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        character if character.is_control() => '\u{fffd}',
        character => character,
    };
    text.chars().map(safe).collect()
}

/// Columns that text takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Breaks text into lines of at most `columns`, between words where it can. Never returns no line.
/// A per cent sign stays with its number, and the ends of a range stay together.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let text = text
        .replace(" %", "\u{a0}%")
        .replace(" – ", "\u{a0}–\u{a0}");
    let mut lines = vec![String::new()];
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        for part in split_wide(word, columns) {
            let line = lines.last_mut().expect("there is always a line");
            let gap = usize::from(!line.is_empty());
            if width(line) + gap + width(&part) <= columns {
                line.push_str(&" ".repeat(gap));
                line.push_str(&part);
            } else {
                lines.push(part);
            }
        }
    }
    lines
        .iter()
        .map(|line| line.replace('\u{a0}', " "))
        .collect()
}

/// A word, in pieces where it is wider than a line.
fn split_wide(word: &str, columns: usize) -> Vec<String> {
    let mut parts = vec![String::new()];
    for character in word.chars() {
        let part = parts.last_mut().expect("there is always a part");
        if width(part) + character.width().unwrap_or(0) > columns && !part.is_empty() {
            parts.push(String::new());
        }
        parts
            .last_mut()
            .expect("there is always a part")
            .push(character);
    }
    parts
}

/// Wraps a paragraph whose first line begins with `label`; the others are indented as far.
pub(crate) fn paragraph(label: &str, text: &str, columns: usize) -> String {
    let indent = width(label);
    let lines = wrap(text, columns.saturating_sub(indent).max(20));
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        let lead = if index == 0 {
            label.to_owned()
        } else {
            " ".repeat(indent)
        };
        out.push_str(format!("{lead}{line}").trim_end());
        out.push('\n');
    }
    out
}

/// Names in a sentence: `A`, `A and B`, `A, B and C`.
pub(crate) fn enumerate(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A count with its noun: `1 block`, `3 blocks`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_the_cursor_or_turns_the_text_is_made_visible() {
        assert_eq!(
            plain("a\u{1b}[31mb\u{202e}c\nd"),
            "a\u{fffd}[31mb\u{fffd}c d"
        );
    }

    #[test]
    fn no_line_is_wider_than_asked_and_no_word_is_lost() {
        let text = "one two three 東京都東京都 averyverylongwordindeed end";
        for columns in 2..40 {
            let lines = wrap(text, columns);
            assert!(lines.iter().all(|line| width(line) <= columns), "{lines:?}");
            let joined = lines.concat().replace(' ', "");
            assert_eq!(joined, text.replace(' ', ""));
        }
        assert_eq!(wrap("", 10), [""]);
        assert_eq!(
            wrap("by at least 290 %: (0.5 – 0.6)", 14),
            ["by at least", "290 %:", "(0.5 – 0.6)"]
        );
    }

    #[test]
    fn names_are_listed_as_in_a_sentence() {
        let names = ["A", "B", "C"].map(str::to_owned);
        assert_eq!(enumerate(&names), "A, B and C");
        assert_eq!(enumerate(&names[..2]), "A and B");
        assert_eq!(enumerate(&names[..1]), "A");
    }
}
