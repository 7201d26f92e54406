//! What a run shows while it goes on: the live view in a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use record::{Event, RunDir};

use crate::begun::begun;
use crate::context::Context;
use crate::live::LiveView;
use crate::screen;

/// Shows events as they come.
pub struct Progress {
    live: Option<LiveView>,
    dir: Option<RunDir>,
    runs: PathBuf,
    seed: u64,
}

impl Progress {
    /// Of the run that was `resumed`, else of the one that begins with `seed`. The live view when standard error is a
    /// terminal and nobody asked for `plain` lines; it gives the terminal back as soon as `stop` is set, and plain
    /// lines follow then.
    pub fn new(
        context: &Context,
        resumed: Option<RunDir>,
        seed: u64,
        plain: bool,
        stop: &Arc<AtomicBool>,
    ) -> Progress {
        let wanted = !plain && std::io::stderr().is_terminal() && !screen::is_dumb();
        let state = context.cache.join("state");
        let live = wanted.then(|| LiveView::open(&state, Arc::clone(stop)).ok());
        Progress {
            live: live.flatten(),
            dir: resumed,
            runs: context.runs.clone(),
            seed,
        }
    }

    /// Shows one event.
    pub fn show(&mut self, event: &Event) {
        if self.live.as_ref().is_some_and(|live| !live.is_open()) {
            self.finish();
            self.line("stopping after what is in flight; Ctrl-C again ends at once");
        }
        if matches!(event, Event::BlockBegan { .. }) && self.dir.is_none() {
            self.dir = begun(&self.runs, self.seed);
            self.refresh();
        }
        match &self.live {
            Some(live) => live.show(event),
            None => self.plainly(event),
        }
        match event {
            Event::BlockEnded { .. } => self.refresh(),
            Event::RunEnded { .. } => self.finish(),
            _ => {}
        }
    }

    /// Takes the view away; what it had said of note is repeated, for it is gone with the view.
    pub fn finish(&mut self) {
        if let Some(mut live) = self.live.take() {
            for notice in live.close() {
                self.line(&format!("note: {notice}"));
            }
        }
    }

    /// Gives the view what the run has shown so far. Between blocks, when nothing is measured.
    fn refresh(&self) {
        if let (Some(live), Some(dir)) = (&self.live, &self.dir)
            && let Ok(findings) = report::read(dir)
        {
            live.findings(findings);
        }
    }

    fn plainly(&self, event: &Event) {
        match event {
            Event::StepBegan { step, detail } => self.line(&format!("{step}: {detail}")),
            Event::Noticed { message } => self.line(&format!("note: {message}")),
            Event::BlockBegan {
                block,
                blocks_at_most,
                order,
            } => self.line(&format!(
                "block {block} of at most {blocks_at_most}: {}",
                order.join(", ")
            )),
            Event::TrialEnded { trial } if trial.status != record::TrialStatus::Valid => {
                self.line(&format!(
                    "note: {} is {:?}: {}",
                    trial.trial,
                    trial.status,
                    trial.reasons.join("; ")
                ));
            }
            Event::BlockEnded { block, remaining_s } => self.block_ended(*block, *remaining_s),
            Event::TreatmentBegan { .. }
            | Event::SliceEnded { .. }
            | Event::TrialEnded { .. }
            | Event::RunEnded { .. } => {}
        }
    }

    /// A provisional table after the first blocks, then each time their number has doubled.
    fn block_ended(&self, block: u32, remaining_s: f64) {
        let left = format!("block {block} ended, at most {} left", span(remaining_s));
        let table = match block.is_power_of_two() {
            true => self.dir.as_ref().and_then(|dir| report::read(dir).ok()),
            false => None,
        };
        if let Some(findings) = table {
            let table = report::provisional(&findings, screen::columns(), screen::colour());
            self.line(&format!("\n{table}"));
        }
        self.line(&left);
    }

    #[expect(
        clippy::print_stderr,
        reason = "progress is for the person who waits, not for the pipe"
    )]
    fn line(&self, text: &str) {
        eprintln!("{text}");
    }
}

fn span(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match seconds / 60 {
        0 => format!("{seconds} s"),
        minutes => format!("{minutes} min {:02} s", seconds % 60),
    }
}
