//! The guardian.

use std::process::ExitCode;

/// The guardian's whole life. To be called by the hidden subcommand.
pub fn guardian_main() -> ExitCode {
    ExitCode::FAILURE
}
