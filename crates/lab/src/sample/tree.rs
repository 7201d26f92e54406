//! A process and everything below it.

use std::fs;

use super::{cpu, memory};
use crate::supervise::process;

/// A process tree, looked up afresh at every reading: workers come and go.
///
/// What left the tree, a daemon whose parent ended, belongs to the guardian and is not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    root: u32,
}

impl Tree {
    /// The tree below the process with this id.
    pub fn of(root: u32) -> Tree {
        Tree { root }
    }

    /// The root, and its living descendants; empty when the root is gone.
    pub fn pids(&self) -> Vec<u32> {
        if process::stat(self.root).is_none_or(|stat| stat.is_zombie()) {
            return Vec::new();
        }
        let mut found = vec![self.root];
        let mut next = 0;
        while let Some(&pid) = found.get(next) {
            next += 1;
            match children(pid) {
                Some(children) => {
                    found.extend(children.into_iter().filter(|&child| child != self.root))
                }
                // A kernel without CONFIG_PROC_CHILDREN: one scan of everything instead.
                None if pid == self.root => {
                    found.extend(process::descendants(&process::all(), self.root));
                    break;
                }
                None => {}
            }
        }
        found
    }

    /// CPU time of the tree so far: the clocks of the living, exact to the nanosecond, and what they
    /// reaped, exact to one clock tick (10 ms) for each living parent. `None` when the root is gone.
    ///
    /// A difference of two readings misses what a process used that ended in between without being
    /// waited for by a member of the tree, and may go down when such a one ends.
    pub fn cpu_ns(&self) -> Option<u64> {
        let pids = self.pids();
        let ns_per_tick = 1_000_000_000 / rustix::param::clock_ticks_per_second();
        let used = |&pid: &u32| {
            let own = cpu::process_cpu_ns(pid)?;
            let reaped = process::stat(pid).map_or(0, |stat| stat.reaped_ticks);
            Some(own + reaped * ns_per_tick)
        };
        (!pids.is_empty()).then(|| pids.iter().filter_map(used).sum())
    }

    /// Anonymous plus shared resident memory of the tree, page cache left out; `None` when the root is gone.
    /// Memory that members share counts once for each: for a server that forks, [`pss_bytes`] is fairer.
    pub fn memory_bytes(&self) -> Option<u64> {
        memory::tree_bytes(&self.pids())
    }
}

/// Proportional set size of the tree of `pid`: private pages, and each shared page divided by the number of its
/// users. The kernel walks all pages for it: once after a window, not during one. `None` when it cannot be read.
pub fn pss_bytes(pid: u32) -> Option<u64> {
    memory::tree_pss_bytes(&Tree::of(pid).pids())
}

/// The children of all threads of a process; `None` when the kernel does not list them.
fn children(pid: u32) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    for thread in fs::read_dir(format!("/proc/{pid}/task")).ok()? {
        let path = thread.ok()?.path().join("children");
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
    fn the_tree_of_this_process_begins_with_it_and_has_used_cpu_and_memory() {
        let tree = Tree::of(std::process::id());
        assert_eq!(tree.pids().first(), Some(&std::process::id()));
        assert!(tree.cpu_ns().expect("alive") > 0);
        assert!(tree.memory_bytes().expect("alive") > 0);
    }

    #[test]
    fn a_tree_without_a_root_has_no_readings() {
        let tree = Tree::of(i32::MAX as u32);
        assert_eq!(
            (tree.pids(), tree.cpu_ns(), tree.memory_bytes()),
            (vec![], None, None)
        );
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
