//! Holds services against contracts: what each case must answer, and what load may expect.

mod asked;
mod behaviour;
mod cell;
mod contract;
pub mod differential;
mod json;
mod observed;
mod ready;
mod wire;
pub mod work;

pub use asked::{AskError, Asked};
pub use behaviour::check_behaviour;
pub use cell::{CellResult, VerifyError, verify_cell};
pub use contract::{CaseResult, check_cases, check_contract};
pub use json::difference;
pub use observed::{Observed, observe};
pub use ready::{NotReady, wait_ready};
