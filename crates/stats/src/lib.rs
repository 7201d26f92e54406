//! The statistics of a comparison. Pure: no input or output, no clock, and randomness only as a
//! seeded generator passed in.

pub mod calibration;
pub mod capacity;
pub mod carryover;
pub mod change_point;
pub mod claim;
pub mod correlation;
pub mod difference;
pub mod environment;
pub mod interval;
pub mod jackknife;
pub mod knee;
pub mod limiter;
pub mod paired;
pub mod precision;
pub mod quantile;
pub mod ranks;
pub mod regression;
pub mod scalability;
pub mod signed_rank;
pub mod simulate;
pub mod simultaneous;
pub mod steady;
pub mod truncation;
pub mod twin;
pub mod unpaired;
pub mod verdict;

pub use interval::Interval;
pub use paired::{PairedRatio, log_ratios};
pub use verdict::{Terms, Verdict};
