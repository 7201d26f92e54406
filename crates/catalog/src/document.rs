//! One manifest file as text: read, parsed, and searched for the line that a key stands on.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::explain;
use crate::problem::CatalogError;

/// A manifest as it was read.
///
/// A key is written with its tables and places, for instance `treatment[1].env.TZ`.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    file: PathBuf,
    text: String,
}

impl Document {
    /// Reads `root/file`.
    ///
    /// # Errors
    /// When there is no such file, or it is not UTF-8.
    pub(crate) fn read(root: &Path, file: &Path) -> Result<Document, CatalogError> {
        let error = |problem: String| CatalogError {
            file: file.to_path_buf(),
            line: None,
            key: None,
            problem,
        };
        let text = fs::read_to_string(root.join(file)).map_err(|cause| match cause.kind() {
            io::ErrorKind::NotFound => error("there is no such file; add it".to_owned()),
            io::ErrorKind::InvalidData => error("is not UTF-8 text; save it as UTF-8".to_owned()),
            _ => error(format!("cannot be read: {cause}")),
        })?;
        Ok(Document {
            file: file.to_path_buf(),
            text,
        })
    }

    /// The typed manifest.
    ///
    /// # Errors
    /// The first key that is unknown, missing or of another type, or the place where it is not TOML.
    pub(crate) fn manifest<T: DeserializeOwned>(&self) -> Result<T, CatalogError> {
        toml::from_str(&self.text).map_err(|cause| {
            let start = cause.span().map(|span| span.start);
            let place = start.map(|start| self.place_of(start));
            let (key, problem) = explain::explain(cause.message(), place.unwrap_or_default());
            CatalogError {
                file: self.file.clone(),
                line: start.map(|start| line_at(&self.text, start)),
                key,
                problem,
            }
        })
    }

    /// Something wrong at a key; where the key is missing, its table gives the line.
    pub(crate) fn error(&self, key: &str, problem: impl Into<String>) -> CatalogError {
        CatalogError {
            file: self.file.clone(),
            line: self.line_of(key),
            key: Some(without_places(key)).filter(|key| !key.is_empty()),
            problem: problem.into(),
        }
    }

    fn line_of(&self, key: &str) -> Option<usize> {
        let tree = DeTable::parse(&self.text).ok()?;
        let mut found = tree.span();
        let mut value: Option<&DeValue<'_>> = None;
        for step in steps(key) {
            let next = match (step, value) {
                (Step::Key(name), None) => entry(tree.get_ref(), name),
                (Step::Key(name), Some(DeValue::Table(table))) => entry(table, name),
                (Step::Place(place), Some(DeValue::Array(array))) => {
                    array.get(place).map(|item| (item.span(), item.get_ref()))
                }
                _ => None,
            };
            let Some((span, inner)) = next else { break };
            found = span;
            value = Some(inner);
        }
        Some(line_at(&self.text, found.start))
    }

    /// The key whose name or value holds the byte at `offset`; empty at the top.
    fn place_of(&self, offset: usize) -> String {
        match DeTable::parse(&self.text) {
            Ok(tree) => deepest(tree.get_ref(), offset).unwrap_or_default(),
            Err(_) => String::new(),
        }
    }
}

type Entry<'a, 'i> = (Range<usize>, &'a DeValue<'i>);

fn entry<'a, 'i>(table: &'a DeTable<'i>, name: &str) -> Option<Entry<'a, 'i>> {
    let (key, value) = table.iter().find(|(key, _)| key.get_ref() == name)?;
    Some((key.span(), value.get_ref()))
}

fn deepest(table: &DeTable<'_>, offset: usize) -> Option<String> {
    table.iter().find_map(|(key, value)| {
        let name = key.get_ref();
        if key.span().contains(&offset) && !matches!(value.get_ref(), DeValue::Table(_)) {
            return Some(name.to_string());
        }
        match within(value, offset) {
            Some(inner) if inner.is_empty() => Some(name.to_string()),
            Some(inner) => Some(format!("{name}.{inner}")),
            None => None,
        }
    })
}

fn within(value: &Spanned<DeValue<'_>>, offset: usize) -> Option<String> {
    let inside = match value.get_ref() {
        DeValue::Table(table) => deepest(table, offset),
        DeValue::Array(array) => array.iter().find_map(|item| within(item, offset)),
        _ => None,
    };
    inside.or_else(|| value.span().contains(&offset).then(String::new))
}

enum Step<'k> {
    Key(&'k str),
    Place(usize),
}

fn steps(key: &str) -> impl Iterator<Item = Step<'_>> {
    let parts = key.split(['.', '[']).filter(|part| !part.is_empty());
    parts.map(|part| {
        let place = part.strip_suffix(']').and_then(|place| place.parse().ok());
        place.map_or(Step::Key(part), Step::Place)
    })
}

fn without_places(key: &str) -> String {
    let names = steps(key).filter_map(|step| match step {
        Step::Key(name) => Some(name),
        Step::Place(_) => None,
    });
    names.collect::<Vec<_>>().join(".")
}

fn line_at(text: &str, offset: usize) -> usize {
    let before = &text.as_bytes()[..offset.min(text.len())];
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}
