//! Memory of processes: never page cache.

use std::fs;

/// Anonymous plus shared resident memory (`RssAnon` + `RssShmem`), summed over processes. Files mapped from
/// disk are page cache and are left out. Memory that processes share with each other counts once for each:
/// for a server that forks, [`super::pss_bytes`] is fairer. `None` when none of them can be read.
pub(super) fn tree_bytes(pids: &[u32]) -> Option<u64> {
    let of = |pid: &u32| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        Some(kilobytes(&status, "RssAnon:")? + kilobytes(&status, "RssShmem:")?)
    };
    sum(pids.iter().filter_map(of))
}

/// Resident pages of mapped files (`RssFile`), summed over processes: page cache, never memory of theirs.
pub(super) fn tree_mapped_bytes(pids: &[u32]) -> Option<u64> {
    let of = |pid: &u32| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        kilobytes(&status, "RssFile:")
    };
    sum(pids.iter().filter_map(of))
}

/// Proportional set size, summed over processes: private pages, and each shared page divided by the number of
/// its users; pages mapped from files are in it. The kernel walks all pages for it: once after a window,
/// not during one. `None` when none can be read, for instance another user's.
pub(super) fn tree_pss_bytes(pids: &[u32]) -> Option<u64> {
    let of = |pid: &u32| {
        let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
        kilobytes(&rollup, "Pss:")
    };
    sum(pids.iter().filter_map(of))
}

fn sum(kilobytes: impl Iterator<Item = u64>) -> Option<u64> {
    kilobytes.reduce(|sum, one| sum + one).map(|sum| sum * 1024)
}

fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_megabyte_written_is_a_megabyte_more() {
        let me = [std::process::id()];
        let before = tree_bytes(&me).expect("this process");
        let written = std::hint::black_box(vec![1_u8; 64 << 20]);
        let after = tree_bytes(&me).expect("this process");
        assert!(after >= before + (48 << 20), "{before} then {after}");
        drop(written);
    }

    #[test]
    fn pss_of_this_process_is_not_nothing() {
        if let Some(bytes) = tree_pss_bytes(&[std::process::id()]) {
            assert!(bytes > 0);
        }
    }
}
