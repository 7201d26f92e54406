//! What is wrong with a catalogue: one line each, with the file, the line, the key and what to do.

use std::fmt;
use std::path::PathBuf;

/// One thing that is wrong, shown as `stacks/x/stack.toml:12: key: what is wrong; what to do`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogError {
    /// The file, relative to the catalogue's root.
    pub file: PathBuf,
    /// Line in it, counted from 1, where the mistake has one.
    pub line: Option<usize>,
    /// Key it is about, with its tables (`treatment.db_pool_size`); places in arrays are left out.
    pub key: Option<String>,
    /// What is wrong and what to do.
    pub problem: String,
}

impl fmt::Display for CatalogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(key) = &self.key {
            write!(f, ": {key}")?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for CatalogError {}

/// Everything that is wrong with what was asked for, one line each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogErrors(pub Vec<CatalogError>);

impl fmt::Display for CatalogErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for CatalogErrors {}

impl From<CatalogError> for CatalogErrors {
    fn from(error: CatalogError) -> Self {
        CatalogErrors(vec![error])
    }
}
