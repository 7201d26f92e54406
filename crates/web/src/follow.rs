//! Runs that others make: their directories are looked at while somebody watches, and only then.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use record::Event;

use crate::feed::{Feed, Joined};
use crate::live::{Over, State};
use crate::place::{Folders, RunId};
use crate::problem::Problem;
use crate::reading::run_and_trials;
use crate::stamp::Stamp;

/// Time between two looks at a directory: a trial is shown well within a second.
const LOOK_EVERY: Duration = Duration::from_millis(100);

type Stamps = [Option<Stamp>; 2];

/// The runs that are being watched.
pub struct Follows {
    folders: Folders,
    open: Mutex<HashMap<RunId, Arc<Feed>>>,
}

impl Follows {
    /// Nobody watches yet.
    pub fn new(folders: Folders) -> Follows {
        Follows {
            folders,
            open: Mutex::default(),
        }
    }

    /// Begins to watch a run.
    ///
    /// # Errors
    /// When there is no such run, or it cannot be read.
    pub async fn join(self: &Arc<Self>, id: &RunId) -> Result<(Arc<Feed>, Joined), Problem> {
        if let Some(feed) = self.open().get(id) {
            return Ok((Arc::clone(feed), feed.join()));
        }
        let (follows, run) = (Arc::clone(self), id.clone());
        let read = tokio::task::spawn_blocking(move || follows.read(&run));
        let (stamps, state) = read.await.map_err(|_| broken())??;
        let mut open = self.open();
        // Another watcher may have come while this one read.
        if let Some(feed) = open.get(id) {
            return Ok((Arc::clone(feed), feed.join()));
        }
        let feed = Arc::new(Feed::new(state));
        let joined = feed.join();
        if !joined.first.is_last {
            open.insert(id.clone(), Arc::clone(&feed));
            tokio::spawn(follow(
                Arc::clone(self),
                id.clone(),
                Arc::clone(&feed),
                stamps,
            ));
        }
        Ok((feed, joined))
    }

    /// Runs that are being looked at.
    pub fn count(&self) -> usize {
        self.open().len()
    }

    fn open(&self) -> MutexGuard<'_, HashMap<RunId, Arc<Feed>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stamps(&self, id: &RunId) -> Result<Stamps, Problem> {
        let folder = self.folders.run_folder(id)?;
        Ok(["run.json", "trials.jsonl"].map(|name| Stamp::of(&folder.join(name))))
    }

    /// The run as it is, and the stamps from before it was read.
    fn read(&self, id: &RunId) -> Result<(Stamps, State), Problem> {
        let stamps = self.stamps(id)?;
        let (run, trials) = run_and_trials(&self.folders, id)?;
        let mut state = State::new(&run.experiment);
        state.describe(id.to_string(), &run);
        for trial in trials {
            state.apply(&Event::TrialEnded {
                trial: Box::new(trial),
            });
        }
        if run.ended_at.is_some() {
            state.end(Over::EndedBy(run.ended_by.unwrap_or_default()));
        }
        Ok((stamps, state))
    }

    /// Tells what has been stored since the last look.
    fn catch_up(&self, id: &RunId, feed: &Feed) {
        let (run, trials) = match run_and_trials(&self.folders, id) {
            Ok(read) => read,
            Err(problem) => return feed.end(Over::Failed(problem.message)),
        };
        let known = feed.look(State::trials_count);
        for trial in trials.into_iter().skip(known) {
            feed.tell(&Event::TrialEnded {
                trial: Box::new(trial),
            });
        }
        if run.ended_at.is_some() {
            feed.end(Over::EndedBy(run.ended_by.unwrap_or_default()));
        }
    }
}

/// Looks at a run until it ends or nobody watches.
async fn follow(follows: Arc<Follows>, id: RunId, feed: Arc<Feed>, mut seen: Stamps) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        {
            let mut open = follows.open();
            // Joining takes the same lock, so nobody comes between this look and the removal.
            if feed.watchers_count() == 0 || feed.look(|state| state.over().is_some()) {
                open.remove(&id);
                return;
            }
        }
        let (looking, run, told) = (Arc::clone(&follows), id.clone(), Arc::clone(&feed));
        let looked = tokio::task::spawn_blocking(move || match looking.stamps(&run) {
            Ok(stamps) if stamps == seen => seen,
            Ok(stamps) => {
                looking.catch_up(&run, &told);
                stamps
            }
            Err(problem) => {
                told.end(Over::Failed(problem.message));
                seen
            }
        });
        match looked.await {
            Ok(stamps) => seen = stamps,
            Err(_) => feed.end(Over::Failed(broken().message)),
        }
    }
}

fn broken() -> Problem {
    Problem::new(
        axum::http::StatusCode::INTERNAL_SERVER_ERROR,
        "reading the run failed unexpectedly",
    )
}
