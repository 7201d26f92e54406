//! What the kernel says of one process: `/proc/<pid>/stat` and `/proc/<pid>/environ`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The fields of `/proc/<pid>/stat` that supervision and sampling need (proc(5)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Process id.
    pub pid: u32,
    /// One letter: `R`, `S`, `D`, `Z`, …
    pub state: char,
    /// Parent's process id.
    pub parent: u32,
    /// Process group id.
    pub group: u32,
    /// CPU time of children that were waited for, in clock ticks.
    pub reaped_ticks: u64,
    /// Start time in clock ticks since boot; with the pid it identifies a process.
    pub started_ticks: u64,
}

impl Stat {
    /// Whether it has ended and only waits to be reaped.
    pub fn is_zombie(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }
}

/// Reads one process; `None` when there is none with this id.
pub fn stat(pid: u32) -> Option<Stat> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse(pid, &String::from_utf8_lossy(&text))
}

/// The name is in parentheses and may itself hold spaces and parentheses: fields follow the last one.
fn parse(pid: u32, text: &str) -> Option<Stat> {
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    // proc(5) counts from 1 and `state` is field 3, so field n stands at n − 3.
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(Stat {
        pid,
        state: fields.first()?.chars().next()?,
        parent: u32::try_from(number(4)?).ok()?,
        group: u32::try_from(number(5)?).ok()?,
        reaped_ticks: number(16)? + number(17)?,
        started_ticks: number(22)?,
    })
}

/// Every process of the machine that can be read, by id.
pub fn all() -> BTreeMap<u32, Stat> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return BTreeMap::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Some((pid, stat(pid)?)))
        .collect()
}

/// The descendants of `root` among `processes`, `root` not included.
pub fn descendants(processes: &BTreeMap<u32, Stat>, root: u32) -> BTreeSet<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for process in processes.values() {
        children
            .entry(process.parent)
            .or_default()
            .push(process.pid);
    }
    let mut found = BTreeSet::new();
    let mut frontier = vec![root];
    while let Some(parent) = frontier.pop() {
        for &child in children.get(&parent).into_iter().flatten() {
            if child != root && found.insert(child) {
                frontier.push(child);
            }
        }
    }
    found
}

/// The value of a variable in the environment that a process was started with.
pub fn variable(pid: u32, name: &str) -> Option<String> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    environment.split(|&byte| byte == 0).find_map(|entry| {
        let entry = std::str::from_utf8(entry).ok()?;
        let (key, value) = entry.split_once('=')?;
        (key == name).then(|| value.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_name_with_spaces_and_parentheses_does_not_shift_the_fields() {
        let text = "42 (a) b (c) S 7 41 40 0 -1 0 0 0 0 0 5 6 30 4 20 0 1 0 12345 0 0";
        let stat = parse(42, text).expect("well formed");
        assert_eq!((stat.state, stat.parent, stat.group), ('S', 7, 41));
        assert_eq!((stat.reaped_ticks, stat.started_ticks), (34, 12345));
    }

    #[test]
    fn a_line_cut_short_is_no_process() {
        assert_eq!(parse(42, "42 (a) S 7"), None);
    }

    #[test]
    fn this_process_is_a_descendant_of_its_parent_and_not_of_itself() {
        let me = std::process::id();
        let processes = all();
        let parent = processes[&me].parent;
        assert!(descendants(&processes, parent).contains(&me));
        assert!(!descendants(&processes, me).contains(&me));
    }
}
