//! The sweep: stops what a crash left behind, and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::ledger::{self, Ledger};
use super::message::MARK;
use super::{SuperviseError, process, signal};

/// Killing is repeated this often: what forks meanwhile is found in the next round.
const ROUNDS: u32 = 100;
/// Pause between two rounds.
const PAUSE: Duration = Duration::from_millis(20);

/// Stops what ledgers in `state_dir` name although their guardian is gone, and takes those ledgers away.
///
/// A process is touched only when the random mark of that run is in the environment it was started with, or
/// when it descends from one that has the mark; a mere process id, which may be somebody else's by now, is
/// never enough. Returns one line for each process that was killed.
///
/// # Errors
/// When the folder cannot be read, or something is still there after SIGKILL.
pub fn sweep(state_dir: &Path) -> Result<Vec<String>, SuperviseError> {
    let state = |action, path: &Path| {
        let path = path.to_path_buf();
        move |source| SuperviseError::State {
            action,
            path,
            source,
        }
    };
    let mut lines = Vec::new();
    for path in ledger::list(state_dir).map_err(state("read", state_dir))? {
        // Not a ledger: written by another version, or cut short. Nothing can be known from it.
        let Some(ledger) = Ledger::read(&path) else {
            continue;
        };
        if ledger.guardian.is_running() {
            continue;
        }
        stop_marked(&ledger, &mut lines)?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(state("remove", &path)(error));
            }
            _ => {}
        }
    }
    Ok(lines)
}

fn stop_marked(ledger: &Ledger, lines: &mut Vec<String>) -> Result<(), SuperviseError> {
    let mut killed = BTreeSet::new();
    for _ in 0..ROUNDS {
        let left = marked(&ledger.mark);
        if left.is_empty() {
            return Ok(());
        }
        for stat in left {
            if signal::kill_exactly(&stat) && killed.insert(stat.pid) {
                lines.push(describe(ledger, stat.pid));
            }
        }
        thread::sleep(PAUSE);
    }
    Err(SuperviseError::Stop {
        name: format!("what guardian {} left behind", ledger.guardian.pid),
        reason: "some of it is still there after SIGKILL".to_owned(),
    })
}

/// Living processes with the mark of a run, and what descends from them. A server that writes its title over
/// its environment hides the mark; its parent still has it.
fn marked(mark: &str) -> Vec<process::Stat> {
    let processes = process::all();
    let begins = format!("{mark}.");
    let has_mark =
        |pid: &u32| process::variable(*pid, MARK).is_some_and(|value| value.starts_with(&begins));
    let bearers: Vec<u32> = processes.keys().copied().filter(has_mark).collect();
    let mut found: BTreeSet<u32> = bearers.iter().copied().collect();
    for &bearer in &bearers {
        found.extend(process::descendants(&processes, bearer));
    }
    found.remove(&std::process::id());
    found
        .into_iter()
        .filter_map(|pid| processes.get(&pid))
        .filter(|stat| !stat.is_zombie())
        .cloned()
        .collect()
}

fn describe(ledger: &Ledger, pid: u32) -> String {
    match ledger.children.iter().find(|child| child.pid == pid) {
        Some(child) => format!("{} (process {pid})", child.name),
        None => format!("process {pid}, started by one of these"),
    }
}
