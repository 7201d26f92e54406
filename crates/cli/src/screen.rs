//! What standard output is: how wide, and whether it takes colour.

use std::io::IsTerminal;

/// Columns when output is not a terminal: what people paste into issues.
const PIPED_COLUMNS: usize = 100;

/// Width to lay out for.
pub fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    match size {
        Ok(size) if size.ws_col > 0 => usize::from(size.ws_col),
        _ => PIPED_COLUMNS,
    }
}

/// Whether to colour: a terminal, and nobody asked otherwise (`NO_COLOR`, `TERM=dumb`).
pub fn colour() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    std::io::stdout().is_terminal() && !refused && !is_dumb()
}

/// Whether the terminal says that it can do nothing but print.
pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_none_or(|term| term == "dumb" || term.is_empty())
}
