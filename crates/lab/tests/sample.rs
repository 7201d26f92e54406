//! Nothing that a process tree used is lost while its members come and go.

mod support;

use lab::sample::{Tree, context_switches, process_cpu_ns, pss_bytes};
use support::{eventually, line_after, send, spec, supervisor};

const WORK: &str = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done";

#[test]
fn the_cpu_time_of_workers_that_ended_stays_in_the_sum() {
    let folder = tempfile::tempdir().expect("a folder");
    let supervisor = supervisor(&folder);
    let script = format!("while :; do ({WORK}); done");
    let child = supervisor
        .spawn(&spec(&folder, "sh", &["-c", &script]))
        .expect("a shell");
    let mut tree = Tree::of(child.pid());
    let mut last = 0;
    eventually("one second of work", || {
        let now = tree.cpu_ns().expect("it runs");
        assert!(now >= last, "{now} after {last}");
        last = now;
        (now > 1_000_000_000).then_some(())
    });
    let of_the_shell = process_cpu_ns(child.pid()).expect("it runs");
    assert!(
        of_the_shell < last / 2,
        "the workers did the work: {of_the_shell} of {last}"
    );
}

#[test]
fn a_worker_whose_parent_ended_stays_in_the_tree() {
    let folder = tempfile::tempdir().expect("a folder");
    let supervisor = supervisor(&folder);
    let script = "sh -c 'sleep 600 & echo worker $!; echo parent $$; wait' & wait; sleep 600";
    let child = supervisor
        .spawn(&spec(&folder, "sh", &["-c", script]))
        .expect("a shell");
    let pid = |name| {
        line_after(child.log(), name)
            .parse::<u32>()
            .expect("a process id")
    };
    let (worker, parent) = (pid("worker "), pid("parent "));
    let mut tree = Tree::of(child.pid());
    tree.cpu_ns().expect("it runs");
    send(parent, rustix::process::Signal::KILL);
    support::gone(parent);
    assert!(tree.pids().contains(&worker) && !tree.pids().contains(&parent));
    assert!(
        !Tree::of(child.pid()).pids().contains(&worker),
        "below the root it is no more"
    );
}

#[test]
fn memory_and_switches_of_a_tree_are_those_of_all_its_members() {
    let folder = tempfile::tempdir().expect("a folder");
    let supervisor = supervisor(&folder);
    let child = supervisor
        .spawn(&spec(
            &folder,
            "sh",
            &["-c", "sleep 600 & echo worker $!; wait"],
        ))
        .expect("a shell");
    let worker: u32 = line_after(child.log(), "worker ")
        .parse()
        .expect("a process id");
    let (all, one) = (Tree::of(child.pid()), Tree::of(worker));
    assert!(all.memory_bytes().expect("it runs") > one.memory_bytes().expect("it runs"));
    if let (Some(all), Some(one)) = (pss_bytes(child.pid()), pss_bytes(worker)) {
        assert!(all > one);
    }
    eventually("both wait", || {
        let all = context_switches(child.pid())?.voluntary_count;
        let one = context_switches(worker)?.voluntary_count;
        (one > 0 && all > one).then_some(())
    });
}
