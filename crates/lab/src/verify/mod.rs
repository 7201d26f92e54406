//! Holds services against contracts: what each case must answer, and what load may expect.

mod asked;
mod cell;
mod contract;
mod json;
mod observed;
mod ready;

pub use asked::{AskError, Asked};
pub use cell::{CellResult, VerifyError, verify_cell};
pub use contract::{CaseResult, check_contract};
pub use json::difference;
pub use observed::{Observed, observe};
pub use ready::{NotReady, wait_ready};
