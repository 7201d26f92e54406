//! What is wrong with a catalogue entry: one line that names file, line and key, and says what to do.

use std::fmt;
use std::path::PathBuf;

/// One thing that is wrong in a catalogue file.
///
/// Shown as `stacks/x/stack.toml:12: key: what is wrong; what to do`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Fault {
    /// The file, relative to the folder that was scanned.
    pub path: PathBuf,
    /// Line in it, from 1; absent where the file itself is what is wrong.
    pub line: Option<usize>,
    /// The key, without the tables around it.
    pub key: Option<String>,
    /// What is wrong.
    pub problem: String,
    /// What to do.
    pub remedy: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        if let Some(key) = &self.key {
            write!(f, " {key}:")?;
        }
        write!(f, " {}; {}", self.problem, self.remedy)
    }
}

/// The name nearest to `wrong`, where one is near enough to have been meant.
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = wrong.chars().count().div_ceil(3).clamp(1, 4);
    names
        .into_iter()
        .map(|name| (edits(wrong, name), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// What to do about a name that does not exist: the nearest one, else all there are.
pub(crate) fn choose<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str> + Clone) -> String {
    if let Some(near) = nearest(wrong, names.clone()) {
        return format!("did you mean `{near}`?");
    }
    let all: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match all.len() {
        0 => "there are none yet".to_owned(),
        _ => format!("use one of {}", all.join(", ")),
    }
}

/// Levenshtein distance in characters.
fn edits(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_hand_finds_the_name_that_was_meant() {
        assert_eq!(nearest("wokers", ["workers", "workload"]), Some("workers"));
        assert_eq!(nearest("worker", ["workers", "workload"]), Some("workers"));
        assert_eq!(nearest("colour", ["workers", "workload"]), None);
    }

    #[test]
    fn edits_are_counted_in_characters() {
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("maçã", "maca"), 2);
        assert_eq!(edits("kitten", "sitting"), 3);
    }
}
