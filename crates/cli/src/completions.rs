//! `bancada completions`: completion scripts, made from the command line's own definition.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

/// Arguments of `bancada completions`.
#[derive(Args)]
#[command(after_help = "Examples:
  bancada completions bash > ~/.local/share/bash-completion/completions/bancada
  bancada completions zsh > ~/.zfunc/_bancada")]
pub struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

/// Prints the script.
pub fn completions(args: CompletionsArgs) -> anyhow::Result<ExitCode> {
    generate(
        args.shell,
        &mut crate::Cli::command(),
        "bancada",
        &mut std::io::stdout(),
    );
    Ok(ExitCode::SUCCESS)
}
