//! One child on its way out: asked, waited for, killed, and what left its group killed after it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::message::{MARK, Stopped};
use super::process::{self, Stat};
use super::signal;
use super::spawned::Spawned;

/// What left the group may be on its way out too, when the group is gone.
const SETTLE: Duration = Duration::from_millis(500);
/// A process that SIGKILL does not end within this time waits for a device.
const KILL_LIMIT: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The group got the polite signal.
    Asked { until: Instant },
    /// The group is gone, others are left.
    Settling { until: Instant },
    /// Everything gets SIGKILL, again and again.
    Killing { until: Instant },
}

/// A stop in progress. Moves when looked at.
#[derive(Debug)]
pub(super) struct Stopping {
    /// The request to answer, if anyone asked.
    pub(super) request: Option<u64>,
    /// Which child.
    pub(super) child: u64,
    phase: Phase,
    in_time: bool,
    left_behind: BTreeSet<u32>,
}

/// The living processes that belong to a child.
#[derive(Debug, Default)]
struct Members<'a> {
    in_group: Vec<&'a Stat>,
    outside: Vec<&'a Stat>,
}

impl Stopping {
    /// Sends the polite signal.
    pub(super) fn begin(
        request: Option<u64>,
        child: &Spawned,
        grace: Duration,
        below: &Below,
    ) -> Stopping {
        if !below.members(child).in_group.is_empty() {
            signal::send_to_group(child.pid, child.stop_signal);
        }
        let now = Instant::now();
        let until = now
            .checked_add(grace)
            .unwrap_or(now + Duration::from_secs(3600));
        Stopping {
            request,
            child: child.id,
            phase: Phase::Asked { until },
            in_time: true,
            left_behind: BTreeSet::new(),
        }
    }

    /// Looks, and does what is due. The end of it, once nothing is left, or the reason why something is.
    pub(super) fn step(
        &mut self,
        child: &Spawned,
        below: &Below,
    ) -> Option<Result<Stopped, String>> {
        let members = below.members(child);
        if let (true, true, Some(status)) = (
            members.in_group.is_empty(),
            members.outside.is_empty(),
            &child.exit,
        ) {
            return Some(Ok(Stopped {
                in_time: self.in_time,
                left_behind: self.left_behind.iter().copied().collect(),
                status: status.clone(),
            }));
        }
        let now = Instant::now();
        match self.phase {
            Phase::Asked { .. } if members.in_group.is_empty() => {
                self.phase = Phase::Settling {
                    until: now + SETTLE,
                };
            }
            Phase::Asked { until } if now >= until => {
                self.in_time = false;
                self.kill(child, &members);
                self.phase = Phase::Killing {
                    until: now + KILL_LIMIT,
                };
            }
            Phase::Settling { until } if now >= until => {
                self.kill(child, &members);
                self.phase = Phase::Killing {
                    until: now + KILL_LIMIT,
                };
            }
            Phase::Killing { until } if now >= until => {
                let pids = members
                    .in_group
                    .iter()
                    .chain(&members.outside)
                    .map(|stat| stat.pid.to_string());
                let pids = pids.collect::<Vec<_>>().join(", ");
                return Some(Err(format!(
                    "still there {} s after SIGKILL: process {pids}",
                    KILL_LIMIT.as_secs()
                )));
            }
            Phase::Killing { .. } => self.kill(child, &members),
            Phase::Asked { .. } | Phase::Settling { .. } => {}
        }
        None
    }

    fn kill(&mut self, child: &Spawned, members: &Members) {
        if !members.in_group.is_empty() {
            signal::send_to_group(child.pid, libc::SIGKILL);
        }
        for stat in &members.outside {
            if signal::kill_exactly(stat) {
                self.left_behind.insert(stat.pid);
            }
        }
    }
}

/// What is below the guardian at one instant.
#[derive(Debug)]
pub(super) struct Below {
    processes: BTreeMap<u32, Stat>,
    /// For every living descendant: the direct child of the guardian that it hangs from.
    branch: BTreeMap<u32, u32>,
}

impl Below {
    /// Looks at everything below the process `guardian`.
    pub(super) fn look(guardian: u32) -> Below {
        let processes = process::all();
        let mut branch = BTreeMap::new();
        for child in processes.values().filter(|stat| stat.parent == guardian) {
            let living = |pid: &u32| processes.get(pid).is_some_and(|stat| !stat.is_zombie());
            let mut hanging = process::descendants(&processes, child.pid);
            hanging.insert(child.pid);
            branch.extend(
                hanging
                    .into_iter()
                    .filter(living)
                    .map(|pid| (pid, child.pid)),
            );
        }
        Below { processes, branch }
    }

    /// Every living descendant.
    pub(super) fn all(&self) -> impl Iterator<Item = &Stat> {
        self.branch.keys().filter_map(|pid| self.processes.get(pid))
    }

    /// What belongs to a child: its group, what hangs from it, and orphans that carry its mark.
    fn members(&self, child: &Spawned) -> Members<'_> {
        let mut members = Members::default();
        for stat in self.all() {
            if stat.group == child.pid {
                members.in_group.push(stat);
            } else if self.hangs_from(stat.pid, child) {
                members.outside.push(stat);
            }
        }
        members
    }

    fn hangs_from(&self, pid: u32, child: &Spawned) -> bool {
        let Some(&branch) = self.branch.get(&pid) else {
            return false;
        };
        let is_marked = |pid| process::variable(pid, MARK).is_some_and(|mark| mark == child.mark);
        branch == child.pid || is_marked(branch) || is_marked(pid)
    }
}
