//! Framing of answers, each case whole, byte by byte, and at every split.
#![allow(clippy::unwrap_used)]

mod bodies;
mod heads;
mod verdict;
