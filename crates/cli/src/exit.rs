//! Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.

use std::process::ExitCode;

/// A mistake in what was asked for: exit code 2.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Ends a function with a message about wrong usage.
macro_rules! refuse {
    ($($message:tt)*) => {
        return Err($crate::exit::Usage(format!($($message)*)).into())
    };
}
pub(crate) use refuse;

/// Exit code of a run that was stopped by Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Prints what went wrong, and chooses the code.
#[expect(
    clippy::print_stderr,
    reason = "the one place where errors are printed"
)]
pub fn code(ended: anyhow::Result<ExitCode>) -> ExitCode {
    let error = match ended {
        Ok(code) => return code,
        Err(error) => error,
    };
    eprintln!("error: {error:#}");
    let usage = error.chain().any(|cause| {
        cause.is::<Usage>()
            || cause.is::<catalog::LookupError>()
            || cause
                .downcast_ref::<lab::LabError>()
                .is_some_and(lab::LabError::is_usage)
            || cause
                .downcast_ref::<load::LoadError>()
                .is_some_and(load::LoadError::is_usage)
            || cause
                .downcast_ref::<web::ServeError>()
                .is_some_and(web::ServeError::is_usage)
    });
    ExitCode::from(if usage { 2 } else { 1 })
}
