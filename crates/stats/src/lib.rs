//! The statistics of a comparison. Pure: no input or output, no clock, and randomness only as a
//! seeded generator passed in.

pub mod interval;
pub mod jackknife;
pub mod paired;
pub mod precision;
pub mod quantile;
pub mod ranks;
pub mod signed_rank;
pub mod simultaneous;
pub mod steady;
pub mod verdict;

pub use interval::Interval;
pub use paired::{PairedRatio, log_ratios};
pub use verdict::{Terms, Verdict};
