//! The live view of a run in a terminal: a thread of its own that draws what it is told.
//!
//! It is told by events, never asks the lab anything, and runs on the bench's CPUs at a few frames a second, so
//! that it disturbs no service. When it goes, the terminal is as it was.

mod draw;
#[cfg(test)]
mod replay;
mod screen;
mod state;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use lab::place::{Placement, pin_this_thread};
use record::Event;
use report::Findings;

use self::draw::Times;
use self::screen::Screen;
use self::state::LiveState;

pub use self::screen::restore_abandoned;

/// Longest time between two frames, so that clocks go on and a resize shows.
const FRAME: Duration = Duration::from_millis(400);
/// Shortest time between two frames: drawing takes CPU time of the generator's.
const AT_MOST_EVERY: Duration = Duration::from_millis(150);

enum Told {
    Event(Box<Event>),
    Findings(Box<Findings>),
    Close,
}

/// The view, as the thread that runs the lab sees it.
pub struct LiveView {
    sender: Sender<Told>,
    thread: Option<JoinHandle<Vec<String>>>,
    open: Arc<AtomicBool>,
}

impl LiveView {
    /// Opens the view on standard error. It closes by itself when `stop` is set, so that a second Ctrl-C finds the
    /// terminal as it was.
    ///
    /// # Errors
    /// When standard error is no terminal that can be drawn on.
    pub fn open(state_folder: &Path, stop: Arc<AtomicBool>) -> std::io::Result<LiveView> {
        let screen = Screen::open(state_folder)?;
        let (sender, told) = channel();
        let open = Arc::new(AtomicBool::new(true));
        let is_open = Arc::clone(&open);
        let thread = thread::Builder::new()
            .name("live view".to_owned())
            .spawn(move || {
                let kept = watch(screen, &told, &stop);
                is_open.store(false, Ordering::Release);
                kept
            })?;
        Ok(LiveView {
            sender,
            thread: Some(thread),
            open,
        })
    }

    /// Whether it still has the terminal.
    pub fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    /// Shows an event. A view that has gone takes it silently.
    pub fn show(&self, event: &Event) {
        let _ = self.sender.send(Told::Event(Box::new(event.clone())));
    }

    /// Shows what the run has shown so far.
    pub fn findings(&self, findings: Findings) {
        let _ = self.sender.send(Told::Findings(Box::new(findings)));
    }

    /// Gives the terminal back; what was said meanwhile and should not be lost.
    pub fn close(&mut self) -> Vec<String> {
        let _ = self.sender.send(Told::Close);
        let thread = self.thread.take();
        thread
            .and_then(|thread| thread.join().ok())
            .unwrap_or_default()
    }
}

impl Drop for LiveView {
    fn drop(&mut self) {
        self.close();
    }
}

/// Draws until told to close, or the terminal is gone.
fn watch(mut screen: Screen, told: &Receiver<Told>, stop: &AtomicBool) -> Vec<String> {
    // Where no CPU is to be had for the view alone it shares the generator's; failing that, any will do.
    let _ = pin_this_thread(&Placement::of_this_machine().bench_cpus);
    let began = Instant::now();
    let mut state = LiveState::default();
    let mut block_ended = began;
    let mut drawn: Option<Instant> = None;
    loop {
        let mut fresh = told.recv_timeout(FRAME);
        while let Ok(one) = fresh {
            match one {
                Told::Event(event) => {
                    if matches!(*event, Event::BlockEnded { .. }) {
                        block_ended = Instant::now();
                    }
                    state.apply(&event);
                }
                Told::Findings(findings) => state.set_findings(*findings),
                Told::Close => return state.into_notices(),
            }
            fresh = told.try_recv().map_err(|_| RecvTimeoutError::Timeout);
        }
        if matches!(fresh, Err(RecvTimeoutError::Disconnected)) || stop.load(Ordering::Relaxed) {
            return state.into_notices();
        }
        if drawn.is_some_and(|at| at.elapsed() < AT_MOST_EVERY) {
            continue;
        }
        drawn = Some(Instant::now());
        let times = Times {
            elapsed_s: began.elapsed().as_secs_f64(),
            since_block_s: block_ended.elapsed().as_secs_f64(),
        };
        if screen
            .draw(|frame| draw::draw(frame, &state, &times))
            .is_err()
        {
            return state.into_notices();
        }
    }
}
