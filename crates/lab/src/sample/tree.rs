//! A process and everything below it.

use std::collections::BTreeMap;
use std::fs;

use super::{cpu, memory};
use crate::supervise::process::{self, Stat};

/// What was last read of one member of a tree.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// Tells it from a later process with the same id.
    started_ticks: u64,
    own_ns: u64,
    reaped_ns: u64,
}

/// A process tree, looked up afresh at every reading: workers come and go.
///
/// A member once seen stays one while it lives, also when its parent ended. What left the tree between two
/// readings, a daemon that was never seen below the root, is not counted.
#[derive(Clone, Debug)]
pub struct Tree {
    root: u32,
    members: BTreeMap<u32, Member>,
    /// CPU time of the members that ended: never more than they used, and as near to it as readings tell.
    ended_ns: u64,
    /// What members had reaped before the first reading.
    reaped_before_ns: Option<u64>,
}

impl Tree {
    /// The tree below the process with this id.
    pub fn of(root: u32) -> Tree {
        Tree {
            root,
            members: BTreeMap::new(),
            ended_ns: 0,
            reaped_before_ns: None,
        }
    }

    /// The root and its living descendants, ascending; empty when there are none.
    pub fn pids(&self) -> Vec<u32> {
        let living = self
            .present()
            .into_iter()
            .filter(|(_, stat)| !stat.is_zombie());
        living.map(|(pid, _)| pid).collect()
    }

    /// Everything that belongs to the tree. What has ended but was not reaped yet is there too: it still has a
    /// clock, and nobody counts its time as reaped.
    fn present(&self) -> BTreeMap<u32, Stat> {
        let mut found = BTreeMap::new();
        for (&pid, member) in &self.members {
            found.extend(
                process::stat(pid)
                    .filter(|stat| stat.started_ticks == member.started_ticks)
                    .map(|stat| (pid, stat)),
            );
        }
        if !found.contains_key(&self.root) {
            found.extend(process::stat(self.root).map(|stat| (self.root, stat)));
        }
        let mut frontier: Vec<u32> = found.keys().copied().collect();
        while let Some(pid) = frontier.pop() {
            for child in children(pid).unwrap_or_else(|| scan(pid)) {
                if !found.contains_key(&child)
                    && let Some(stat) = process::stat(child)
                {
                    found.insert(child, stat);
                    frontier.push(child);
                }
            }
        }
        found
    }

    /// CPU time of the tree so far, after looking who belongs to it. `None` when nothing of it lives. Takes some
    /// 50 µs a process and 10 µs a thread: not for the middle of a window, see [`Tree::known_cpu_ns`].
    ///
    /// The living are read from their own clocks, exact to the nanosecond. For those that ended there are two
    /// lower bounds, and the higher one counts: what each had used when it was last read, and what living members
    /// have reaped, which the kernel tells in clock ticks (10 ms for user and system time each). Readings never go
    /// down. A difference of two is exact as long as no member ends in between; else it may miss what an ended one
    /// used after the first of them, at most 20 ms a parent where that was waited for.
    pub fn cpu_ns(&mut self) -> Option<u64> {
        let ns_per_tick = 1_000_000_000 / rustix::param::clock_ticks_per_second();
        let read = |(pid, stat): (u32, Stat)| {
            let member = Member {
                started_ticks: stat.started_ticks,
                own_ns: cpu::process_cpu_ns(pid)?,
                reaped_ns: stat.reaped_ticks * ns_per_tick,
            };
            Some((pid, member))
        };
        let now: BTreeMap<u32, Member> = self.present().into_iter().filter_map(read).collect();
        for (pid, before) in &self.members {
            if now
                .get(pid)
                .is_none_or(|member| member.started_ticks != before.started_ticks)
            {
                self.ended_ns += before.own_ns;
            }
        }
        self.members = now;
        let reaped_ns: u64 = self.members.values().map(|member| member.reaped_ns).sum();
        let before_ns = *self.reaped_before_ns.get_or_insert(reaped_ns);
        self.ended_ns = self.ended_ns.max(reaped_ns.saturating_sub(before_ns));
        self.sum_ns()
    }

    /// CPU time of the tree so far, of the members that the last [`Tree::cpu_ns`] found: their clocks alone, below
    /// a microsecond each. For the edge at which a window opens; who came since is found when it closes. Looks like
    /// that one while nobody is known.
    pub fn known_cpu_ns(&mut self) -> Option<u64> {
        if self.members.is_empty() {
            return self.cpu_ns();
        }
        let ended_ns = &mut self.ended_ns;
        self.members
            .retain(|&pid, member| match cpu::process_cpu_ns(pid) {
                Some(now_ns) if now_ns >= member.own_ns => {
                    member.own_ns = now_ns;
                    true
                }
                // Gone, or another process with its id.
                _ => {
                    *ended_ns += member.own_ns;
                    false
                }
            });
        self.sum_ns()
    }

    /// CPU time of who came since the last look, those that ended again included, after looking again: the clocks
    /// at the edges of a window know only who was there before. What an ended one used is known as [`Tree::cpu_ns`]
    /// says, where its parent has waited for it.
    pub fn newcomers_ns(&mut self) -> u64 {
        let known = self.known_cpu_ns();
        let all = self.cpu_ns();
        all.zip(known)
            .map_or(0, |(all, known)| all.saturating_sub(known))
    }

    fn sum_ns(&self) -> Option<u64> {
        let own_ns = self.members.values().map(|member| member.own_ns);
        let before_ns = self.reaped_before_ns.unwrap_or(0);
        (!self.members.is_empty()).then(|| own_ns.sum::<u64>() + before_ns + self.ended_ns)
    }

    /// Anonymous plus shared resident memory of the tree, page cache left out; `None` when nothing of it lives.
    /// Memory that members share counts once for each: for a server that forks, [`pss_bytes`] is fairer.
    pub fn memory_bytes(&self) -> Option<u64> {
        memory::tree_bytes(&self.pids())
    }
}

/// How often threads gave up a CPU, and how often one was taken from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextSwitches {
    /// They waited for something.
    pub voluntary_count: u64,
    /// Their time was up, or another thread was more urgent.
    pub involuntary_count: u64,
}

/// Context switches of all living threads of the tree of `pid`; `None` when nothing of it lives. Reads one file a
/// thread: not during a window.
pub fn context_switches(pid: u32) -> Option<ContextSwitches> {
    let pids = Tree::of(pid).pids();
    let mut sum = ContextSwitches::default();
    for task in pids
        .iter()
        .flat_map(|pid| fs::read_dir(format!("/proc/{pid}/task")))
        .flatten()
    {
        let status = task.and_then(|task| fs::read_to_string(task.path().join("status")));
        let status = status.unwrap_or_default();
        let count = |key| {
            let line = status.lines().find_map(|line: &str| line.strip_prefix(key));
            line.and_then(|rest| rest.trim().parse().ok()).unwrap_or(0)
        };
        sum.voluntary_count += count("voluntary_ctxt_switches:");
        sum.involuntary_count += count("nonvoluntary_ctxt_switches:");
    }
    (!pids.is_empty()).then_some(sum)
}

/// Proportional set size of the tree of `pid`: private pages, and each shared page divided by the number of its
/// users. The kernel walks all pages for it: once after a window, not during one. `None` when it cannot be read.
pub fn pss_bytes(pid: u32) -> Option<u64> {
    memory::tree_pss_bytes(&Tree::of(pid).pids())
}

/// Resident pages of files that the tree of `pid` has mapped, programs and libraries among them: page cache. Pages
/// that members share count once for each. `None` when nothing of it lives.
pub fn mapped_bytes(pid: u32) -> Option<u64> {
    memory::tree_mapped_bytes(&Tree::of(pid).pids())
}

/// The descendants of a process, on a kernel without `CONFIG_PROC_CHILDREN`: by one look at every process.
fn scan(pid: u32) -> Vec<u32> {
    process::descendants(&process::all(), pid)
        .into_iter()
        .collect()
}

/// The children of all threads of a process; `None` when the kernel does not list them.
fn children(pid: u32) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Some(found);
    };
    for thread in threads.flatten() {
        let path = thread.path().join("children");
        if let Ok(list) = fs::read_to_string(path) {
            found.extend(
                list.split_whitespace()
                    .filter_map(|child| child.parse::<u32>().ok()),
            );
        } else if !fs::exists("/proc/thread-self/children").unwrap_or(false) {
            return None;
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_of_this_process_holds_it_and_has_used_cpu_and_memory() {
        let mut tree = Tree::of(std::process::id());
        assert!(tree.pids().contains(&std::process::id()));
        assert!(tree.cpu_ns().expect("alive") > 0);
        assert!(tree.memory_bytes().expect("alive") > 0);
    }

    #[test]
    fn a_tree_without_a_root_has_no_readings() {
        let mut tree = Tree::of(i32::MAX as u32);
        assert_eq!(
            (tree.pids(), tree.cpu_ns(), tree.memory_bytes()),
            (vec![], None, None)
        );
    }

    #[test]
    fn the_clocks_of_known_members_go_on_from_the_last_look() {
        let mut tree = Tree::of(std::process::id());
        let looked = tree.known_cpu_ns().expect("alive");
        let known = tree.known_cpu_ns().expect("alive");
        assert!(looked <= known && known <= tree.cpu_ns().expect("alive"));
    }

    #[test]
    fn a_thread_that_waits_gives_up_its_cpu() {
        let before = context_switches(std::process::id()).expect("alive");
        std::thread::sleep(std::time::Duration::from_millis(1));
        let after = context_switches(std::process::id()).expect("alive");
        assert!(before.voluntary_count > 0 && after.voluntary_count > 0);
        assert_eq!(context_switches(i32::MAX as u32), None);
    }

    #[test]
    fn a_member_that_ended_is_still_counted() {
        let mut tree = Tree::of(std::process::id());
        let before = tree.cpu_ns().expect("alive");
        // As if a member with an id that nothing has were gone at the next reading.
        let gone = Member {
            started_ticks: 1,
            own_ns: 3_600_000_000_000,
            reaped_ns: 0,
        };
        tree.members.insert(i32::MAX as u32, gone);
        assert!(tree.cpu_ns().expect("alive") >= before + gone.own_ns);
        assert!(tree.cpu_ns().expect("alive") >= before + gone.own_ns);
    }

    #[test]
    fn the_children_file_and_the_scan_of_everything_agree_on_init() {
        let Some(mut listed) = children(1) else {
            return;
        };
        let scanned = process::all();
        listed.retain(|pid| scanned.contains_key(pid));
        assert!(
            listed
                .iter()
                .all(|pid| scanned[pid].parent == 1 || process::stat(*pid).is_none())
        );
    }
}
