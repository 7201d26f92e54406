//! The run that was started here: one at a time, because a bench has one machine.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use axum::http::StatusCode;
use record::Event;

use crate::feed::Feed;
use crate::live::{Over, State};
use crate::order::{Order, Starter, Told};
use crate::place::{Folders, RunId};
use crate::problem::Problem;

/// What starts runs, and the last one it started.
pub struct Started {
    folders: Folders,
    starter: Option<Arc<dyn Starter>>,
    last: Mutex<Option<Ongoing>>,
}

struct Ongoing {
    feed: Arc<Feed>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Started {
    /// Nothing was started yet; nothing ever is without a starter.
    pub fn new(folders: Folders, starter: Option<Arc<dyn Starter>>) -> Started {
        Started {
            folders,
            starter,
            last: Mutex::default(),
        }
    }

    /// Whether runs can be started at all.
    pub fn is_possible(&self) -> bool {
        self.starter.is_some()
    }

    /// The run that was started last, while it goes on and after.
    pub fn feed(&self) -> Option<Arc<Feed>> {
        self.last().as_ref().map(|last| Arc::clone(&last.feed))
    }

    /// The feed of the run of that name, if it was started here.
    pub fn feed_of(&self, id: &RunId) -> Option<Arc<Feed>> {
        let name = id.to_string();
        self.feed()
            .filter(|feed| feed.look(|state| state.run() == Some(name.as_str())))
    }

    /// Starts a run on a thread of its own.
    ///
    /// # Errors
    /// 409 while another one goes on, 501 where this server starts none.
    pub fn start(&self, order: Order) -> Result<Arc<Feed>, Problem> {
        let Some(starter) = self.starter.clone() else {
            let message = "this server starts no runs";
            return Err(Problem::new(StatusCode::NOT_IMPLEMENTED, message));
        };
        let mut last = self.last();
        if let Some(ongoing) = last.as_ref().filter(|last| !last.is_over()) {
            let name = ongoing.feed.look(|state| {
                state
                    .run()
                    .unwrap_or("a run that is being prepared")
                    .to_owned()
            });
            let message = format!("{name} goes on: wait until it has ended, or stop it");
            return Err(Problem::new(StatusCode::CONFLICT, message));
        }
        let feed = Arc::new(Feed::new(State::new(&order.experiment)));
        let stop = Arc::new(AtomicBool::new(false));
        let work = Work {
            folders: self.folders.clone(),
            starter,
            order,
            stop: Arc::clone(&stop),
            feed: Arc::clone(&feed),
        };
        let thread = std::thread::Builder::new()
            .name("run".to_owned())
            .spawn(move || work.run())
            .map_err(|error| {
                Problem::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    format!("no thread: {error}"),
                )
            })?;
        *last = Some(Ongoing {
            feed: Arc::clone(&feed),
            stop,
            thread: Some(thread),
        });
        Ok(feed)
    }

    /// Asks the run that goes on to end; says whether there is one.
    pub fn stop(&self) -> bool {
        let last = self.last();
        let ongoing = last.as_ref().filter(|last| !last.is_over());
        if let Some(ongoing) = ongoing {
            ongoing.stop.store(true, Ordering::Relaxed);
        }
        ongoing.is_some()
    }

    /// Waits until the run that was started last has ended.
    pub fn wait(&self) {
        let thread = self.last().as_mut().and_then(|last| last.thread.take());
        if let Some(thread) = thread {
            // Whatever it panicked with was caught and told.
            let _ = thread.join();
        }
    }

    fn last(&self) -> MutexGuard<'_, Option<Ongoing>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ongoing {
    /// Its thread is done: not only the record, the bench too.
    fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }
}

struct Work {
    folders: Folders,
    starter: Arc<dyn Starter>,
    order: Order,
    stop: Arc<AtomicBool>,
    feed: Arc<Feed>,
}

impl Work {
    fn run(self) {
        let mut ended_by = None;
        let mut tell = |told: Told| match told {
            Told::Directory(name) => self.describe(&name),
            Told::Event(event) => {
                if let Event::RunEnded { ended_by: why } = &event {
                    ended_by = Some(why.clone());
                }
                self.feed.tell(&event);
            }
        };
        let run = || self.starter.run(&self.order, &self.stop, &mut tell);
        let over = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(())) => Over::EndedBy(ended_by.unwrap_or_default()),
            Ok(Err(reason)) => Over::Failed(reason),
            Err(_) => {
                Over::Failed("the run ended unexpectedly; this is a fault of Bancada".to_owned())
            }
        };
        self.feed.end(over);
    }

    fn describe(&self, name: &str) {
        let id = RunId::local(name);
        let run = self.folders.open(&id).and_then(|directory| {
            directory
                .run()
                .map_err(|error| self.folders.unreadable(&error))
        });
        match run {
            Ok(run) => self.feed.describe(id.to_string(), &run),
            Err(problem) => self.feed.tell(&Event::Noticed {
                message: problem.message,
            }),
        }
    }
}
