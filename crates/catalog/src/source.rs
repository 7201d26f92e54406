//! One manifest file as text: read, turned into its type, and asked for the line of a key.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::fault::{Fault, choose};

/// A manifest file, and what was found wrong with it so far.
pub(crate) struct Source {
    /// The file, relative to the catalogue.
    path: PathBuf,
    /// The folder it stands in.
    folder: PathBuf,
    text: String,
    pub(crate) faults: Vec<Fault>,
}

/// One step from a table or list to what it holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'a> {
    Key(&'a str),
    Item(usize),
}

impl Source {
    /// Reads `root/path`.
    pub(crate) fn read(root: &Path, path: &Path) -> Result<Source, Fault> {
        let at = root.join(path);
        let text = fs::read_to_string(&at).map_err(|error| {
            let (problem, remedy) = match error.kind() {
                std::io::ErrorKind::NotFound => {
                    ("there is no such file", "add it, or remove the folder")
                }
                std::io::ErrorKind::InvalidData => ("it is not UTF-8", "save it as UTF-8"),
                _ => ("it cannot be read", "look at its permissions"),
            };
            Fault {
                path: path.to_owned(),
                line: None,
                key: None,
                problem: problem.to_owned(),
                remedy: remedy.to_owned(),
            }
        })?;
        Ok(Source {
            folder: at.parent().map(Path::to_owned).unwrap_or_default(),
            path: path.to_owned(),
            text,
            faults: Vec::new(),
        })
    }

    /// The manifest, unless text, keys or types are wrong.
    pub(crate) fn parse<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        toml::from_str(&self.text).map_err(|error| self.explain(&error))
    }

    /// Notes what is wrong with the value at `steps`.
    pub(crate) fn wrong(
        &mut self,
        steps: &[Step<'_>],
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        let fault = self.fault(steps, problem.into(), remedy.into());
        self.faults.push(fault);
    }

    /// What is wrong with the value at `steps`, with the line it stands on.
    pub(crate) fn fault(&self, steps: &[Step<'_>], problem: String, remedy: String) -> Fault {
        let key = steps.iter().rev().find_map(|step| match step {
            Step::Key(key) => Some((*key).to_owned()),
            Step::Item(_) => None,
        });
        Fault {
            path: self.path.clone(),
            line: Some(self.line_of(steps)),
            key,
            problem,
            remedy,
        }
    }

    /// Notes that `schema` is not the one this version reads.
    pub(crate) fn check_schema(&mut self, found: &str, wanted: &str) {
        if found != wanted {
            self.wrong(
                &[Step::Key("schema")],
                format!("`{found}` is not a schema this version reads"),
                format!("write `{wanted}`"),
            );
        }
    }

    /// The text of `file`, beside the manifest; notes where it is missing or outside the folder.
    pub(crate) fn companion(&mut self, steps: &[Step<'_>], file: &str) -> Option<String> {
        let relative = Path::new(file);
        let plain = relative
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
        if file.is_empty() || !plain {
            self.wrong(
                steps,
                format!("`{file}` is not a path inside the folder"),
                "name a file below the folder of this manifest, without `..`",
            );
            return None;
        }
        match fs::read(self.folder.join(relative)) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Err(_) => {
                self.wrong(
                    steps,
                    format!("there is no file `{file}` beside this manifest"),
                    "add the file or correct the name",
                );
                None
            }
        }
    }

    fn line_of(&self, steps: &[Step<'_>]) -> usize {
        let Ok(tree) = DeTable::parse(&self.text) else {
            return 1;
        };
        let mut offset = 0;
        let mut table = Some(tree.get_ref());
        let mut here: Option<&Spanned<DeValue<'_>>> = None;
        for step in steps {
            let next = match step {
                Step::Key(key) => table
                    .and_then(|table| table.iter().find(|(name, _)| name.get_ref() == key))
                    .map(|(name, value)| (name.span(), value)),
                Step::Item(index) => here
                    .and_then(|value| value.get_ref().as_array())
                    .and_then(|items| items.get(*index))
                    .map(|value| (value.span(), value)),
            };
            let Some((span, value)) = next else { break };
            offset = span.start;
            table = value.get_ref().as_table();
            here = Some(value);
        }
        self.line_at(offset)
    }

    fn line_at(&self, offset: usize) -> usize {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    }

    /// The key whose value holds the byte at `offset` most closely.
    fn key_at(&self, offset: usize) -> Option<String> {
        let tree = DeTable::parse(&self.text).ok()?;
        let mut best = None;
        closest_in_table(tree.get_ref(), offset, &mut best);
        best.map(|(_, key)| key)
    }

    fn explain(&self, error: &toml::de::Error) -> Fault {
        let span = error.span().unwrap_or(0..0);
        let (key, problem, remedy) = explain(error.message());
        Fault {
            path: self.path.clone(),
            line: Some(self.line_at(span.start)),
            key: key.or_else(|| self.key_at(span.start)),
            problem,
            remedy,
        }
    }
}

fn closest_in_table(table: &DeTable<'_>, offset: usize, best: &mut Option<(usize, String)>) {
    for (key, value) in table.iter() {
        closest(key.get_ref(), value, offset, best);
    }
}

fn closest(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    offset: usize,
    best: &mut Option<(usize, String)>,
) {
    let Range { start, end } = value.span();
    let nearer = best
        .as_ref()
        .is_none_or(|(length, _)| end - start <= *length);
    if (start..end).contains(&offset) && nearer {
        *best = Some((end - start, key.to_owned()));
    }
    match value.get_ref() {
        DeValue::Array(items) => items
            .iter()
            .for_each(|item| closest(key, item, offset, best)),
        DeValue::Table(table) => closest_in_table(table, offset, best),
        _ => {}
    }
}

/// Key, problem and remedy from the words of the deserialiser.
fn explain(message: &str) -> (Option<String>, String, String) {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let first = quoted.first().map(|key| (*key).to_owned());
    let rest = || quoted.iter().skip(1).copied().collect::<Vec<_>>();
    if message.starts_with("unknown field") {
        return (
            first.clone(),
            "unknown key".to_owned(),
            choose(&first.unwrap_or_default(), rest()),
        );
    }
    if message.starts_with("missing field") {
        return (first, "the key is missing".to_owned(), "add it".to_owned());
    }
    if message.starts_with("unknown variant") {
        let value = first.unwrap_or_default();
        let remedy = choose(&value, rest());
        return (
            None,
            format!("`{value}` is not a value it can have"),
            remedy,
        );
    }
    if let Some(found) = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "))
        && let Some((found, expected)) = found.split_once(", expected ")
    {
        let problem = format!("it is {found}");
        return (None, problem, format!("give {}", in_words(expected)));
    }
    let problem = message.lines().collect::<Vec<_>>().join(", ");
    (None, problem, "correct the TOML".to_owned())
}

fn in_words(expected: &str) -> &str {
    match expected {
        "u16" => "a whole number from 0 to 65535",
        "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "f64" => "a number",
        "a boolean" => "true or false",
        "a string" => "text in quotes",
        "a sequence" => "a list in [ ]",
        "a map" => "a table in { }",
        other => other,
    }
}
