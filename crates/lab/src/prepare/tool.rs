//! The tools stacks are built with: where they are, their versions, what to do when one is missing.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A tool that is here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its program.
    pub program: PathBuf,
    /// What it says of its version, one line.
    pub version: String,
}

/// A tool that is not here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}; {remedy}")]
pub struct Missing {
    /// What was looked for where.
    pub reason: String,
    /// What to do.
    pub remedy: String,
}

/// One row of the table.
struct Tool {
    name: &'static str,
    version_args: &'static [&'static str],
    remedy: &'static str,
}

const TABLE: [Tool; 6] = [
    Tool {
        name: "cargo",
        version_args: &["--version"],
        remedy: "install the Rust toolchain, for instance with rustup",
    },
    Tool {
        name: "go",
        version_args: &["version"],
        remedy: "install Go and put its bin folder on the PATH",
    },
    Tool {
        name: "node",
        version_args: &["--version"],
        remedy: "install Node.js 20 or newer",
    },
    Tool {
        name: "npm",
        version_args: &["--version"],
        remedy: "install npm, which comes with Node.js or as a package of its own",
    },
    Tool {
        name: "uv",
        version_args: &["--version"],
        remedy: "install uv, or python3 with venv or pip so that it can be installed for you",
    },
    Tool {
        name: "python3",
        version_args: &["--version"],
        remedy: "install Python 3.11 or newer",
    },
];

/// What to do when a tool is missing; `None` for a tool that is not in the table.
pub fn remedy(tool: &str) -> Option<&'static str> {
    row(tool).map(|row| row.remedy)
}

pub(super) fn version_args(tool: &str) -> &'static [&'static str] {
    row(tool).map_or(&["--version"], |row| row.version_args)
}

fn row(tool: &str) -> Option<&'static Tool> {
    TABLE.iter().find(|row| row.name == tool)
}

pub(super) fn not_on_the_path(tool: &str) -> Missing {
    Missing {
        reason: format!("{tool} is not on the PATH"),
        remedy: remedy(tool).unwrap_or("install it").to_owned(),
    }
}

/// The first executable file called `name` in the folders of `path`, which `:` separates.
pub fn find_program(path: &str, name: &str) -> Option<PathBuf> {
    path.split(':')
        .filter(|folder| !folder.is_empty())
        .map(|folder| Path::new(folder).join(name))
        .find(|program| is_executable(program))
}

pub(super) fn is_executable(program: &Path) -> bool {
    program
        .metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_tool_a_stack_may_need_is_in_the_table() {
        for tool in catalog::TOOLS {
            assert!(remedy(tool).is_some(), "{tool}");
        }
        assert_eq!(TABLE.len(), catalog::TOOLS.len());
    }

    #[test]
    fn the_first_executable_file_on_the_path_is_found() {
        let root = tempfile::tempdir().unwrap();
        let path = |folder: &str| root.path().join(folder);
        for folder in ["a", "b", "c"] {
            fs::create_dir(path(folder)).unwrap();
        }
        fs::create_dir(path("a/tool")).unwrap();
        fs::write(path("b/tool"), "").unwrap();
        fs::write(path("c/tool"), "").unwrap();
        fs::set_permissions(path("c/tool"), fs::Permissions::from_mode(0o755)).unwrap();
        let search = format!(
            "{}::{}:{}",
            path("a").display(),
            path("b").display(),
            path("c").display()
        );
        assert_eq!(find_program(&search, "tool"), Some(path("c/tool")));
        assert_eq!(find_program(&search, "other"), None);
    }
}
