//! See ARCHITECTURE.

pub mod place;
pub mod postgres;
pub mod prepare;
pub mod sample;
pub mod supervise;
pub mod verify;
