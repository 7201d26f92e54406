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

/// How long an orphaned guardian may take to stop its children.
const GUARDIAN_LIMIT: Duration = Duration::from_secs(15);

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
        // A guardian whose Bancada lives is at work. One whose Bancada is gone is about to end.
        if ledger.host.is_running() && ledger.guardian.is_running()
            || !ledger.guardian.wait_gone(GUARDIAN_LIMIT)
        {
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

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;
    use crate::supervise::ledger::Identity;

    // One for each test: they run at the same time, and a sweep looks at the whole machine.
    const STOPPED_RUN: &str = "00112233445566778899aabbccddeeff";
    const OTHER_RUN: &str = "ffeeddccbbaa99887766554433221100";

    /// A process with this mark, named by the ledger of a run whose guardian is gone.
    fn left(folder: &Path, mark_of_run: &str, mark: &str) -> Child {
        let child = Command::new("sleep")
            .arg("600")
            .env(MARK, mark)
            .spawn()
            .expect("sleep starts");
        let identity = Identity::of("child", child.id()).expect("it runs");
        let gone = Identity {
            name: "gone".to_owned(),
            pid: child.id(),
            started_ticks: 0,
        };
        let ledger = Ledger {
            guardian: gone.clone(),
            host: gone,
            mark: mark_of_run.to_owned(),
            children: vec![identity],
        };
        ledger.write(&ledger::path(folder, 1)).expect("a ledger");
        child
    }

    #[test]
    fn a_process_with_the_mark_of_a_dead_run_is_stopped_and_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = left(folder.path(), STOPPED_RUN, &format!("{STOPPED_RUN}.7"));
        let lines = sweep(folder.path()).expect("swept");
        assert_eq!(lines, [format!("child (process {})", child.id())]);
        assert!(!child.wait().expect("it ended").success());
        assert_eq!(
            ledger::list(folder.path()).expect("a folder"),
            Vec::<std::path::PathBuf>::new()
        );
    }

    #[test]
    fn a_process_that_the_ledger_names_but_whose_mark_differs_is_left_alone() {
        let longer = format!("{OTHER_RUN}0.7");
        for mark in ["", "another", OTHER_RUN, &longer] {
            let folder = tempfile::tempdir().expect("a folder");
            let mut child = left(folder.path(), OTHER_RUN, mark);
            assert_eq!(
                sweep(folder.path()).expect("swept"),
                Vec::<String>::new(),
                "{mark}"
            );
            assert!(child.try_wait().expect("its state").is_none(), "{mark}");
            child.kill().expect("it runs");
            child.wait().expect("it ended");
        }
    }

    #[test]
    fn a_damaged_ledger_stops_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(ledger::path(folder.path(), 1), "{\"mark\":").expect("written");
        assert_eq!(sweep(folder.path()).expect("swept"), Vec::<String>::new());
    }

    #[test]
    fn a_folder_that_is_not_there_has_nothing_to_sweep() {
        assert_eq!(
            sweep(Path::new("/no/such/folder")).expect("swept"),
            Vec::<String>::new()
        );
    }
}
