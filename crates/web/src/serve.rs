//! The server from its first request to its last.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use thiserror::Error;

use crate::host::Hosts;
use crate::order::Starter;
use crate::pages::Pages;
use crate::place::Folders;
use crate::site::{Parts, Site, router};
use crate::token::Token;

/// Time between two looks at the stop flag.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Requests that are being answered when the server stops have this long.
const LAST_ANSWERS: Duration = Duration::from_secs(3);

/// How a server is set up.
pub struct Settings {
    /// What is served.
    pub folders: Folders,
    /// What it was told to listen on: a name or an address.
    pub host: String,
    /// What whoever starts a run must know; away from loopback, whoever reads too.
    pub token: Token,
    /// The built web app, one HTML file; without it a plain list is shown.
    pub app: Option<String>,
    /// The built page of a report, without a run in it; without it the report is shown as Markdown.
    pub template: Option<String>,
    /// What makes runs; without it none can be started.
    pub starter: Option<Arc<dyn Starter>>,
}

/// Why there is no server.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Somebody else listens there.
    #[error("{host}:{port} is in use: give another --port, or 0 for any that is free")]
    InUse {
        /// Name or address.
        host: String,
        /// Port.
        port: u16,
    },
    /// This machine has no such address, or may not listen there.
    #[error("cannot listen on {host}:{port}: {source}")]
    Listen {
        /// Name or address.
        host: String,
        /// Port.
        port: u16,
        /// What the operating system said.
        source: io::Error,
    },
    /// The operating system refused something else.
    #[error("cannot serve: {0}")]
    Io(#[from] io::Error),
}

impl ServeError {
    /// Whether what was asked for is the mistake.
    pub fn is_usage(&self) -> bool {
        !matches!(self, ServeError::Io(_))
    }
}

/// Listens on a host and port; port 0 is any that is free.
///
/// # Errors
/// When the port is in use, or there is no such address here.
pub fn bind(host: &str, port: u16) -> Result<TcpListener, ServeError> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    TcpListener::bind((bare, port)).map_err(|source| {
        let host = host.to_owned();
        match source.kind() {
            io::ErrorKind::AddrInUse => ServeError::InUse { host, port },
            _ => ServeError::Listen { host, port, source },
        }
    })
}

/// Answers until `stop` is set, then ends the run it started, in order, and returns.
///
/// # Errors
/// When the listener fails.
pub fn serve(
    listener: TcpListener,
    settings: Settings,
    stop: &Arc<AtomicBool>,
) -> Result<(), ServeError> {
    let address: SocketAddr = listener.local_addr()?;
    listener.set_nonblocking(true)?;
    let site = Arc::new(Site::new(Parts {
        folders: settings.folders,
        starter: settings.starter,
        pages: Pages::new(settings.app, settings.template),
        hosts: Hosts::new(&settings.host, address.ip()),
        token: settings.token,
        token_for_all: !address.ip().is_loopback(),
    }));
    // One thread: whatever is measured on this machine has the others.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(answer(listener, &site, stop));
    // Reading a large report is not worth waiting for; the run is, also when the listener failed.
    site.started.stop();
    site.started.wait();
    runtime.shutdown_timeout(Duration::from_secs(1));
    served
}

async fn answer(
    listener: TcpListener,
    site: &Arc<Site>,
    stop: &Arc<AtomicBool>,
) -> Result<(), ServeError> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let stopped = {
        let (site, stop) = (Arc::clone(site), Arc::clone(stop));
        async move {
            while !stop.load(Ordering::Relaxed) {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            site.started.stop();
            let ending = Arc::clone(&site);
            // Whoever watches is still told how it ended. That it panicked is told too, and no reason to stay.
            let _ = tokio::task::spawn_blocking(move || ending.started.wait()).await;
            // Live streams end by themselves when this turns true.
            site.stop.send_replace(true);
        }
    };
    let mut is_stopping = site.stop.subscribe();
    let server = axum::serve(listener, router(Arc::clone(site))).with_graceful_shutdown(stopped);
    let too_late = async move {
        let _ = is_stopping.wait_for(|stopped| *stopped).await;
        tokio::time::sleep(LAST_ANSWERS).await;
    };
    tokio::select! {
        ended = async { server.await } => Ok(ended?),
        () = too_late => Ok(()),
    }
}
