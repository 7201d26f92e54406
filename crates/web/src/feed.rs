//! One run and everybody who watches it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use record::{Event, Run};
use serde_json::json;
use tokio::sync::broadcast;

use crate::live::{Over, State, in_short};

/// Messages that a slow browser may lag behind before it is told the whole state again.
const BACKLOG: usize = 256;

/// One server-sent event.
#[derive(Debug)]
pub struct Message {
    /// Its `event:` line.
    pub name: &'static str,
    /// Its `data:` line, one JSON document.
    pub data: String,
    /// Nothing comes after it.
    pub is_last: bool,
}

/// The state of a run, and the channel on which its changes go out.
pub struct Feed {
    state: Mutex<State>,
    sender: broadcast::Sender<Arc<Message>>,
}

/// What somebody who begins to watch is given: the state so far, and every change after it.
pub struct Joined {
    /// The state.
    pub first: Message,
    /// The changes.
    pub changes: broadcast::Receiver<Arc<Message>>,
}

impl Feed {
    /// A feed of a run in this state.
    pub fn new(state: State) -> Feed {
        Feed {
            state: Mutex::new(state),
            sender: broadcast::channel(BACKLOG).0,
        }
    }

    /// Begins to watch. No change is missed and none comes twice.
    pub fn join(&self) -> Joined {
        let state = self.locked();
        Joined {
            first: Message {
                name: "state",
                data: self.document(&state),
                is_last: state.over().is_some(),
            },
            changes: self.sender.subscribe(),
        }
    }

    /// The state as `bancada.live/1`.
    pub fn json(&self) -> String {
        self.document(&self.locked())
    }

    /// How many watch.
    pub fn watchers_count(&self) -> usize {
        self.sender.receiver_count()
    }

    /// Looks at the state.
    pub fn look<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.locked())
    }

    /// Something happened.
    pub fn tell(&self, event: &Event) {
        let mut state = self.locked();
        state.apply(event);
        let data = match event {
            Event::TrialEnded { trial } => serde_json::to_string(&Event::TrialEnded {
                trial: Box::new(in_short(trial)),
            }),
            event => serde_json::to_string(event),
        };
        if let Ok(data) = data {
            self.send("event", data, false);
        }
    }

    /// The run has a directory.
    pub fn describe(&self, id: String, run: &Run) {
        let mut state = self.locked();
        state.describe(id, run);
        // Treatments and blocks are now known: whoever watches needs them all.
        let document = self.document(&state);
        self.send("state", document, false);
    }

    /// Nothing more will happen.
    pub fn end(&self, over: Over) {
        let mut state = self.locked();
        if state.over().is_none() {
            let data = json!(over).to_string();
            state.end(over);
            self.send("end", data, true);
        }
    }

    /// Called with the state locked, so that messages go out in the order of the changes.
    fn send(&self, name: &'static str, data: String, is_last: bool) {
        // Nobody watching is no failure.
        let _ = self.sender.send(Arc::new(Message {
            name,
            data,
            is_last,
        }));
    }

    fn document(&self, state: &State) -> String {
        serde_json::to_string(state).expect("a state holds only strings, finite numbers and lists")
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
