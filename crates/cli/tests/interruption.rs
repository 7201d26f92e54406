//! However a run ends, nothing it started survives it, and no trial that ended is lost or repeated.

mod support;

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};

use support::{Bench, eventually, processes_of, stdout};

/// A run over three blocks with a private PostgreSQL, stopped in the middle of its second block.
fn run_into_its_second_block(bench: &Bench) -> Child {
    bench.stack("one", "ok");
    bench.stack("other", "ok");
    bench.experiment("long", &["one", "other"], 3, Some(4));
    let mut command = bench.command(&["run", "long"]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    eventually("the first block's trials are stored", || {
        assert!(
            child.try_wait().expect("the child").is_none(),
            "it ended before its second block"
        );
        (bench.trials().len() >= 3).then_some(())
    });
    child
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status()
        .expect("kill");
    assert!(status.success());
}

fn names(bench: &Bench) -> Vec<String> {
    bench
        .trials()
        .iter()
        .map(|trial| trial["trial"].as_str().expect("a name").to_owned())
        .collect()
}

/// Three blocks of two treatments and the twin, each trial once.
fn assert_whole(bench: &Bench, before: &[String]) {
    let after = names(bench);
    assert_eq!(&after[..before.len()], before, "trials that had ended stay");
    let distinct: BTreeSet<&String> = after.iter().collect();
    assert_eq!((after.len(), distinct.len()), (9, 9), "{after:?}");
}

#[test]
fn after_kill_9_nothing_survives_and_a_resumed_run_is_whole() {
    if !support_postgres() {
        return;
    }
    let bench = Bench::new(true);
    let mut child = run_into_its_second_block(&bench);
    assert!(!processes_of(bench.path()).is_empty());
    signal(&child, "-KILL");
    child.wait().expect("it was killed");
    eventually("every descendant is gone", || {
        processes_of(bench.path()).is_empty().then_some(())
    });
    let before = names(&bench);
    let resumed = bench.run(&["run", "--resume", "latest"]);
    assert_ne!(resumed.status.code(), None, "{}", support::stderr(&resumed));
    assert_whole(&bench, &before);
}

#[test]
fn after_ctrl_c_the_exit_code_is_130_and_what_was_measured_is_reported() {
    if !support_postgres() {
        return;
    }
    let bench = Bench::new(true);
    let child = run_into_its_second_block(&bench);
    signal(&child, "-INT");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert!(
        support::stderr(&output).contains("--resume"),
        "{}",
        support::stderr(&output)
    );
    assert!(
        stdout(&output).contains("PROVISIONAL"),
        "{}",
        stdout(&output)
    );
    eventually("every descendant is gone", || {
        processes_of(bench.path()).is_empty().then_some(())
    });
    let before = names(&bench);
    let resumed = bench.run(&["run", "--resume", "latest"]);
    assert_ne!(resumed.status.code(), None, "{}", support::stderr(&resumed));
    assert_whole(&bench, &before);
}

/// Whether PostgreSQL can be had; a machine without it skips, unless `BANCADA_REQUIRE` says otherwise.
#[expect(clippy::print_stderr, reason = "a skip says why")]
fn support_postgres() -> bool {
    let required = std::env::var("BANCADA_REQUIRE").is_ok_and(|list| list.contains("postgres"));
    let bench = Bench::new(true);
    bench.stack("probe", "ok");
    let output = bench.run(&["verify", "probe"]);
    let there = output.status.success();
    assert!(there || !required, "{}", support::stderr(&output));
    if !there {
        eprintln!("skipped: {}", support::stderr(&output));
    }
    there
}
