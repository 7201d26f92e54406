//! Everything that answers share, and the table of what is answered where.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::follow::Follows;
use crate::host::Hosts;
use crate::order::Starter;
use crate::pages::Pages;
use crate::place::Folders;
use crate::problem::Problem;
use crate::reading::Readings;
use crate::shelf::Shelf;
use crate::started::Started;
use crate::token::Token;
use crate::{api, guard, pages};

/// Live streams that are open at once.
pub const WATCHERS_AT_MOST: usize = 64;
/// Readings from disk at once: the machine may be measuring.
const READINGS_AT_ONCE: usize = 2;
/// An order is a few lines.
const BODY_LIMIT_BYTES: usize = 64 << 10;

/// State shared by all answers.
pub struct Site {
    /// What is served.
    pub folders: Folders,
    /// The list of runs.
    pub shelf: Shelf,
    /// Reports.
    pub readings: Readings,
    /// Runs of others that are watched.
    pub follows: Arc<Follows>,
    /// The run that was started here.
    pub started: Started,
    /// The web app.
    pub pages: Pages,
    /// Names this server is spoken to by.
    pub hosts: Hosts,
    /// What whoever starts a run must know.
    pub token: Token,
    /// It is needed for reading too.
    pub token_for_all: bool,
    /// Turns true when the server stops.
    pub stop: watch::Sender<bool>,
    watchers: Arc<Semaphore>,
    reading: Arc<Semaphore>,
}

/// What a site is made of.
pub struct Parts {
    /// What is served.
    pub folders: Folders,
    /// What makes runs.
    pub starter: Option<Arc<dyn Starter>>,
    /// The web app.
    pub pages: Pages,
    /// Names this server is spoken to by.
    pub hosts: Hosts,
    /// The secret.
    pub token: Token,
    /// It is needed for reading too.
    pub token_for_all: bool,
}

impl Site {
    /// A site where nothing has been read yet.
    pub fn new(parts: Parts) -> Site {
        let folders = parts.folders;
        Site {
            shelf: Shelf::new(folders.clone()),
            readings: Readings::new(folders.clone()),
            follows: Arc::new(Follows::new(folders.clone())),
            started: Started::new(folders.clone(), parts.starter),
            pages: parts.pages,
            hosts: parts.hosts,
            token: parts.token,
            token_for_all: parts.token_for_all,
            stop: watch::channel(false).0,
            watchers: Arc::new(Semaphore::new(WATCHERS_AT_MOST)),
            reading: Arc::new(Semaphore::new(READINGS_AT_ONCE)),
            folders,
        }
    }

    /// Reads from disk on a thread that nobody waits for.
    ///
    /// # Errors
    /// 500 when the reading panicked.
    pub async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Site) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let broken = |message| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, message);
        let place = Arc::clone(&self.reading).acquire_owned().await;
        let place = place.map_err(|_| broken("the server is stopping"))?;
        let site = Arc::clone(self);
        let reading = tokio::task::spawn_blocking(move || {
            let _place = place;
            read(&site)
        });
        reading
            .await
            .map_err(|_| broken("reading failed unexpectedly; this is a fault of Bancada"))
    }

    /// A place among those who watch live.
    ///
    /// # Errors
    /// 503 when there are too many.
    pub fn watcher(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let place = Arc::clone(&self.watchers).try_acquire_owned();
        place.map_err(|_| {
            let message = format!("{WATCHERS_AT_MOST} live views are open: close one");
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, message)
        })
    }

    /// Live streams that are open.
    pub fn watchers_count(&self) -> usize {
        WATCHERS_AT_MOST - self.watchers.available_permits()
    }
}

/// What is answered where.
pub fn router(site: Arc<Site>) -> Router {
    Router::new()
        .route("/", get(pages::app))
        .route("/runs/{place}/{name}/report.html", get(pages::report))
        .route("/api/server", get(api::server))
        .route("/api/runs", get(api::runs))
        .route("/api/runs/{place}/{name}/report", get(api::report))
        .route("/api/runs/{place}/{name}/page", get(api::page))
        .route("/api/runs/{place}/{name}/report.md", get(api::markdown))
        .route("/api/runs/{place}/{name}/narrowing", get(api::narrowing))
        .route("/api/runs/{place}/{name}/events", get(api::run_events))
        .route("/api/compare", get(api::compare))
        .route("/api/history", get(api::history))
        .route("/api/catalog", get(api::catalog))
        .route("/api/catalog/stacks/{name}/sources", get(api::sources))
        .route(
            "/api/live",
            get(api::live).post(api::start).delete(api::stop),
        )
        .route("/api/live/events", get(api::live_events))
        .fallback(api::nothing_here)
        .layer(DefaultBodyLimit::max(BODY_LIMIT_BYTES))
        .layer(from_fn_with_state(Arc::clone(&site), guard::guard))
        .with_state(site)
}
