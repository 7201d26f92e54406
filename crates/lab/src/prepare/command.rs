//! Runs one command to its end, in a process group that the guardian watches.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::error::PrepareError;
use crate::supervise::{Spec, Supervisor};

/// A cold build on a small machine takes minutes; an hour is a command that hangs.
const COMMAND_LIMIT: Duration = Duration::from_secs(3600);
/// How long a program may take to say its version.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);
/// Time between two looks at a running command.
const LOOK_EVERY: Duration = Duration::from_millis(500);
const STOP_GRACE: Duration = Duration::from_secs(3);
/// Lines of output that an error repeats.
const TAIL_LINES: usize = 8;

/// What runs commands.
#[derive(Clone, Copy)]
pub(super) struct Hand<'a> {
    pub(super) supervisor: &'a Supervisor,
    pub(super) stop: &'a AtomicBool,
}

/// One command.
pub(super) struct Command<'a> {
    /// What messages call its purpose: a stack, or a tool.
    pub(super) name: &'a str,
    pub(super) program: PathBuf,
    pub(super) args: Vec<String>,
    pub(super) cwd: &'a Path,
    pub(super) env: BTreeMap<String, String>,
    pub(super) log: PathBuf,
}

impl Command<'_> {
    /// As one would type it.
    pub(super) fn line(&self) -> String {
        let program = self
            .program
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        [vec![program], self.args.clone()].concat().join(" ")
    }

    fn spec(&self) -> Spec {
        Spec {
            name: self.name.to_owned(),
            program: self.program.clone(),
            args: self.args.clone(),
            cwd: self.cwd.to_owned(),
            env: self.env.clone().into_iter().collect(),
            log: self.log.clone(),
            ..Spec::default()
        }
    }
}

impl Hand<'_> {
    /// Runs it until it ends; `running` hears how long it has run and its last line of output.
    pub(super) fn run(
        self,
        command: &Command<'_>,
        running: &mut dyn FnMut(Duration, Option<String>),
    ) -> Result<(), PrepareError> {
        let started_at = Instant::now();
        let child = self.supervisor.spawn(&command.spec())?;
        let status = loop {
            if let Some(status) = child.wait(LOOK_EVERY) {
                break status;
            }
            if self.stop.load(Ordering::Relaxed) {
                child.stop(STOP_GRACE)?;
                return Err(PrepareError::Interrupted);
            }
            if started_at.elapsed() > COMMAND_LIMIT {
                child.stop(STOP_GRACE)?;
                break format!("still running after {} min", COMMAND_LIMIT.as_secs() / 60);
            }
            running(started_at.elapsed(), child.log_tail(1).pop());
        };
        // It may have left others behind.
        child.stop(STOP_GRACE)?;
        if status == "exit status 0" {
            return Ok(());
        }
        Err(PrepareError::Failed {
            stack: command.name.to_owned(),
            command: command.line(),
            status,
            tail: child.log_tail(TAIL_LINES),
            log: command.log.clone(),
        })
    }

    /// What it prints; `None` when it fails.
    pub(super) fn ask(self, command: &Command<'_>) -> Result<Option<String>, PrepareError> {
        let child = self.supervisor.spawn(&command.spec());
        let Ok(child) = child else {
            // A program that cannot be executed answers nothing; a guardian that is gone shows elsewhere.
            return Ok(None);
        };
        let status = child.wait(ANSWER_LIMIT);
        child.stop(STOP_GRACE)?;
        let printed = fs::read_to_string(&command.log).ok();
        Ok(printed.filter(|_| status.as_deref() == Some("exit status 0")))
    }
}
