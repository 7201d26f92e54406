//! How a prepared stack is started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use catalog::Stack;

use super::error::PrepareError;
use super::tool::find_program;

/// A stack that is built or installed.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// As the catalogue has it.
    pub stack: Stack,
    /// Folder of what was built; programs are in its `bin/`.
    pub build: PathBuf,
    /// Versions of what it was built with, for the record: tool → what it says of itself.
    pub facts: BTreeMap<String, String>,
    /// What is worth knowing before a measurement, for instance that the interpreter is not optimised.
    pub warnings: Vec<String>,
    /// What every service starts from: PATH, HOME, LANG.
    pub(super) environment: BTreeMap<String, String>,
}

/// A program to start, without what only a treatment and a start know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchSpec {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// The stack's folder.
    pub cwd: PathBuf,
    /// PATH, HOME, LANG and what the launch mode adds; nothing is inherited besides.
    pub env: BTreeMap<String, String>,
}

impl Prepared {
    /// How the launch mode `mode` is started. Its program is looked for in what was built, then on the PATH.
    ///
    /// # Errors
    /// When there is no such mode, or its program is nowhere.
    pub fn launch(&self, mode: &str) -> Result<LaunchSpec, PrepareError> {
        launch(&self.stack, &self.build, &self.environment, mode)
    }
}

pub(super) fn launch(
    stack: &Stack,
    build: &Path,
    environment: &BTreeMap<String, String>,
    mode: &str,
) -> Result<LaunchSpec, PrepareError> {
    let modes = &stack.manifest.launch;
    let chosen = modes.get(mode).ok_or_else(|| PrepareError::NoMode {
        stack: stack.name.clone(),
        mode: mode.to_owned(),
        modes: modes
            .keys()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", "),
    })?;
    let (name, args) = chosen
        .command
        .split_first()
        .map_or(("", &[][..]), |(name, args)| (name.as_str(), args));
    let path = environment.get("PATH").map_or("", String::as_str);
    let program = match name.contains('/') {
        true => Some(stack.folder.join(name)).filter(|program| super::tool::is_executable(program)),
        false => find_program(path, name),
    };
    let mut env = environment.clone();
    env.extend(chosen.env.clone());
    Ok(LaunchSpec {
        program: program.ok_or_else(|| PrepareError::NoProgram {
            stack: stack.name.clone(),
            mode: mode.to_owned(),
            program: name.to_owned(),
            folder: build.join("bin"),
        })?,
        args: args.to_vec(),
        cwd: stack.folder.clone(),
        env,
    })
}
