//! Installs `uv` for the project alone, when the machine has none but has Python.

use std::path::{Path, PathBuf};

use super::command::{Command, Hand};
use super::environment::{Folders, Settings};
use super::error::PrepareError;
use super::tool::{find_program, is_executable, not_on_the_path};

/// The release that is installed.
const PINNED: &str = "uv==0.13.8";

/// Where it is once it has been installed; `None` before.
pub(super) fn installed(folders: &Folders) -> Option<PathBuf> {
    let folder = folders.tools.join("uv");
    let by_either_way = [folder.join("env/bin/uv"), folder.join("target/bin/uv")];
    by_either_way
        .into_iter()
        .find(|program| is_executable(program))
}

/// Installs it below the cache: into a virtual environment, else into a plain folder.
///
/// `Ok(Err(reason))` when the machine cannot.
pub(super) fn install(
    hand: Hand<'_>,
    settings: &Settings,
    folders: &Folders,
) -> Result<Result<PathBuf, String>, PrepareError> {
    let Some(python) = find_program(settings.path(), "python3") else {
        return Ok(Err(
            not_on_the_path("uv").reason + ", and there is no python3 to install it with"
        ));
    };
    let folder = folders.tools.join("uv");
    std::fs::create_dir_all(&folder).map_err(PrepareError::file("make", &folder))?;
    let run = |program: &Path, args: &[&str], log: &str| {
        hand.run(
            &Command {
                name: "uv",
                program: program.to_owned(),
                args: args.iter().map(|arg| (*arg).to_owned()).collect(),
                cwd: &folder,
                env: settings.for_tools(),
                log: folders.logs.join(log),
            },
            &mut |_, _| {},
        )
    };
    let pip = [
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--no-input",
        "--only-binary=:all:",
    ];
    let into_environment = run(
        &python,
        &["-m", "venv", "--clear", "env"],
        "tool-uv-venv.log",
    )
    .and_then(|()| {
        let args = [&pip[..], &[PINNED]].concat();
        run(&folder.join("env/bin/python"), &args, "tool-uv-pip.log")
    });
    let outcome = match into_environment {
        Err(PrepareError::Failed { .. }) => {
            let args = [&pip[..], &["--target", "target", PINNED]].concat();
            run(&python, &args, "tool-uv-target.log")
        }
        other => other,
    };
    match outcome {
        Ok(()) => {
            Ok(installed(folders).ok_or_else(|| "pip installed uv without its program".to_owned()))
        }
        Err(error @ PrepareError::Failed { .. }) => Ok(Err(format!(
            "uv is not on the PATH and could not be installed: {error}"
        ))),
        Err(error) => Err(error),
    }
}
