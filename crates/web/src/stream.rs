//! A feed as server-sent events. Nothing of it outlives the connection.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::Stream;
use futures_util::stream::unfold;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, watch};

use crate::feed::{Feed, Joined, Message};

/// Time after which a silent connection is written to, so that one that is gone shows.
const STILL_HERE_EVERY: Duration = Duration::from_secs(15);

struct Watching {
    feed: Arc<Feed>,
    first: Option<Message>,
    changes: Receiver<Arc<Message>>,
    stop: watch::Receiver<bool>,
    is_over: bool,
    /// Given back when the connection goes away.
    _place: OwnedSemaphorePermit,
}

/// The state so far, then every change, until the run is over or the server stops.
pub fn stream(
    feed: Arc<Feed>,
    joined: Joined,
    stop: watch::Receiver<bool>,
    place: OwnedSemaphorePermit,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let watching = Watching {
        feed,
        first: Some(joined.first),
        changes: joined.changes,
        stop,
        is_over: false,
        _place: place,
    };
    let events = unfold(watching, |mut watching| async move {
        let event = watching.next().await?;
        Some((Ok(event), watching))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(STILL_HERE_EVERY))
}

impl Watching {
    async fn next(&mut self) -> Option<Event> {
        if let Some(first) = self.first.take() {
            return Some(self.event(&first));
        }
        if self.is_over {
            return None;
        }
        let change = tokio::select! {
            // What was told before the stop still goes out.
            biased;
            change = self.changes.recv() => change,
            _ = self.stop.wait_for(|stopped| *stopped) => return None,
        };
        match change {
            Ok(message) => Some(self.event(&message)),
            Err(RecvError::Lagged(_)) => {
                let joined = self.feed.join();
                self.changes = joined.changes;
                Some(self.event(&joined.first))
            }
            Err(RecvError::Closed) => None,
        }
    }

    fn event(&mut self, message: &Message) -> Event {
        self.is_over = message.is_last;
        Event::default().event(message.name).data(&message.data)
    }
}
