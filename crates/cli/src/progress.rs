//! What a run shows while it goes on: a bar in a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use record::{Event, RunDir};

/// Shows events as they come.
pub struct Progress {
    bar: Option<ProgressBar>,
    dir: Option<RunDir>,
    runs: std::path::PathBuf,
    columns: usize,
    colour: bool,
}

impl Progress {
    /// A bar when standard error is a terminal, plain lines otherwise.
    pub fn new(runs: &Path, resumed: Option<RunDir>) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        let bar = terminal.then(|| {
            let bar = ProgressBar::new_spinner();
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Progress {
            bar,
            dir: resumed,
            runs: runs.to_path_buf(),
            columns: crate::screen::columns(),
            colour: crate::screen::colour(),
        }
    }

    /// Shows one event.
    pub fn show(&mut self, event: &Event) {
        match event {
            Event::StepBegan { step, detail } => self.step(&format!("{step}: {detail}")),
            Event::Noticed { message } => self.line(&format!("note: {message}")),
            Event::BlockBegan {
                block,
                blocks_at_most,
                order,
            } => self.block_began(*block, *blocks_at_most, order),
            Event::TreatmentBegan {
                block,
                treatment,
                phase,
            } => self.message(&format!("block {block}: {phase} {treatment}")),
            Event::SliceEnded {
                block,
                treatment,
                load,
                completion_rate_per_s,
                slices_done,
                slices_in_block,
                ..
            } => {
                self.slice(*slices_done, *slices_in_block);
                self.message(&format!(
                    "block {block}: {treatment} {load} {completion_rate_per_s:.0} answers/s"
                ));
            }
            Event::TrialEnded { trial } => {
                if trial.status != record::TrialStatus::Valid {
                    self.line(&format!(
                        "note: {} is {:?}: {}",
                        trial.trial,
                        trial.status,
                        trial.reasons.join("; ")
                    ));
                }
            }
            Event::BlockEnded { block, remaining_s } => self.block_ended(*block, *remaining_s),
            Event::RunEnded { .. } => self.finish(),
        }
    }

    /// Takes the bar away.
    pub fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn block_began(&mut self, block: u32, at_most: u32, order: &[String]) {
        if self.dir.is_none() {
            self.dir = newest_run(&self.runs);
        }
        if let Some(bar) = &self.bar {
            bar.set_style(bar_style());
            bar.set_length(1);
            bar.set_position(0);
            bar.set_prefix(format!("block {block}/≤{at_most}"));
        } else {
            self.line(&format!(
                "block {block} of at most {at_most}: {}",
                order.join(", ")
            ));
        }
    }

    fn slice(&self, done: u32, of: u32) {
        if let Some(bar) = &self.bar {
            bar.set_length(u64::from(of));
            bar.set_position(u64::from(done));
        }
    }

    /// A provisional table after the first blocks, then each time their number has doubled.
    fn block_ended(&mut self, block: u32, remaining_s: f64) {
        let left = format!("block {block} ended, at most {} left", span(remaining_s));
        if !block.is_power_of_two() {
            return self.line(&left);
        }
        let table = self.dir.as_ref().and_then(|dir| report::read(dir).ok());
        if let Some(findings) = table {
            let table = report::provisional(&findings, self.columns, self.colour);
            self.line(&format!("\n{table}"));
        }
        self.line(&left);
    }

    fn step(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(text.to_owned()),
            None => self.line(text),
        }
    }

    fn message(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.to_owned());
        }
    }

    #[expect(
        clippy::print_stderr,
        reason = "progress is for the person who waits, not for the pipe"
    )]
    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => eprintln!("{text}"),
        }
    }
}

fn bar_style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{prefix} {bar:24} {pos}/{len} {elapsed} {wide_msg}");
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn newest_run(runs: &Path) -> Option<RunDir> {
    let listed = record::list_runs(runs).ok()?;
    RunDir::open(&listed.last()?.path).ok()
}

fn span(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match seconds / 60 {
        0 => format!("{seconds} s"),
        minutes => format!("{minutes} min {:02} s", seconds % 60),
    }
}
