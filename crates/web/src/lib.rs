//! Runs, live events and the catalogue over HTTP: what `bancada serve` answers.
//!
//! It reads run directories and the catalogue and never trusts what is in them. Starting a run is left to
//! a [`Starter`] that the caller passes in; this crate starts no process.

mod api;
mod catalogue;
mod feed;
mod follow;
mod guard;
mod history;
mod host;
mod live;
mod narrowing;
mod order;
mod pages;
mod place;
mod problem;
mod reading;
mod serve;
mod shelf;
mod site;
mod stamp;
mod started;
mod stream;
mod token;

pub use order::{Order, Starter, Told};
pub use place::Folders;
pub use serve::{ServeError, Settings, bind, serve};
pub use token::Token;
