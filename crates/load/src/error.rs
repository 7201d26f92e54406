//! Why a drive cannot begin or go on. What happens to single requests is an [`Outcome`](crate::Outcome) instead.

use std::io;
use std::net::IpAddr;

/// A plan that cannot be carried out.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The URL cannot be used.
    #[error("URL '{url}': {reason}")]
    Url {
        /// As given.
        url: String,
        /// What is wrong with it and what to do.
        reason: String,
    },
    /// The name has no address.
    #[error("dns_failed: cannot resolve '{host}': {cause}")]
    Dns {
        /// The name.
        host: String,
        /// What the resolver said.
        cause: io::Error,
    },
    /// The address is on the public internet.
    #[error(
        "'{host}' is {address}, a public address: load only machines you answer for. \
         If you may, say so with --i-may-load-this-host"
    )]
    PublicAddress {
        /// As given.
        host: String,
        /// What it resolves to.
        address: IpAddr,
    },
    /// Numbers that do not go together.
    #[error("{0}")]
    Plan(String),
    /// A feed file cannot be used.
    #[error("feed '{path}', line {line}: {reason}")]
    Feed {
        /// The file.
        path: String,
        /// Line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A system call that the engine cannot do without failed.
    #[error("{call}: {cause}")]
    System {
        /// Name of the call.
        call: &'static str,
        /// What it returned.
        cause: io::Error,
    },
}

impl LoadError {
    pub(crate) fn system(call: &'static str) -> impl FnOnce(rustix::io::Errno) -> LoadError {
        move |errno| LoadError::System {
            call,
            cause: errno.into(),
        }
    }

    /// Whether the user asked for something that cannot be (exit 2), rather than the world failing (exit 1).
    pub fn is_usage(&self) -> bool {
        !matches!(self, LoadError::Dns { .. } | LoadError::System { .. })
    }
}
