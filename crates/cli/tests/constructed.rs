//! Services that were made to be limited by one thing each, measured for real on whatever machine this is. What else
//! runs here may void the block, which is not asked for; the limit stands all the same, and is.
#![allow(clippy::print_stderr)]

mod support;

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use catalog::Catalog;
use lab::place::{Placement, pin_this_thread};
use lab::supervise::Supervisor;
use lab::{Choices, Lab, LabError};
use record::RunDir;
use report::{Findings, Verdict};

/// Each treatment of the experiment `limits` with what limits it.
const LIMITS: [(&str, &str); 7] = [
    ("cpu", "application_cpu"),
    ("one-thread", "one_thread"),
    ("pool", "pool_wait"),
    ("slow-query", "database_cpu"),
    ("row-lock", "lock"),
    ("upstream", "upstream"),
    ("sleep", "idle"),
];
/// Runs of which one must be right in all.
const ATTEMPTS: usize = 3;
/// Threads that take the generator's CPU from it.
const HOGS: usize = 8;

/// The tests here share a cache and the CPUs, and the hogs of one are no foreign work to the audit of another: each
/// holds this from before its first hog to after its last figure.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs an experiment of the catalogue of constructed services here, in this process. `None`, said aloud, without
/// PostgreSQL.
fn measured(experiment: &str, folder: &Path, seed: u64) -> Option<RunDir> {
    let programs = support::bad_service();
    let programs = programs.parent().expect("the examples");
    let path = env::join_paths(
        std::iter::once(programs.to_path_buf())
            .chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    );
    let path = path.expect("a PATH").into_string().expect("UTF-8");
    let root = support::checkout().join("crates/lab/constructed");
    let catalog = Catalog::scan(&root);
    assert!(catalog.faults.is_empty(), "{:?}", catalog.faults);
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("constructed-cache");
    let guardian = ["__guardian".to_owned()];
    let supervisor = Supervisor::start(&support::bancada(), &guardian, &folder.join("state"));
    let supervisor = supervisor.expect("a guardian");
    let mut environment: BTreeMap<String, String> = env::vars().collect();
    environment.insert("PATH".to_owned(), path);
    let stop = AtomicBool::new(false);
    let mut lab = Lab {
        root,
        cache: cache.clone(),
        runs: folder.join("runs"),
        database_url: None,
        postgres_bin: None,
        prepare: lab::prepare::Settings {
            cache,
            environment,
            ..Default::default()
        },
        catalog: &catalog,
        supervisor: &supervisor,
        stop: &stop,
        tell: &mut |_| {},
    };
    let choices = Choices {
        seed,
        ..Choices::default()
    };
    let experiment = catalog.experiment(experiment).expect("in the catalogue");
    match lab.run_experiment(experiment, &choices) {
        Err(LabError::Failed(reason)) if reason.contains("PostgreSQL") => {
            eprintln!("skipped: {reason}");
            None
        }
        ended => Some(ended.expect("a run").dir),
    }
}

/// What a run showed, whatever else ran here: that spoils times, and who waits for what it hardly changes.
fn findings(experiment: &str, folder: &Path) -> Option<Findings> {
    judged(experiment, folder).map(|(findings, _)| findings)
}

/// The same, and whether the rules about the environment call its block void.
fn judged(experiment: &str, folder: &Path) -> Option<(Findings, bool)> {
    let dir = measured(experiment, folder, 1)?;
    let mut run = dir.run().expect("its record");
    let void = !run.voided_blocks.is_empty();
    run.voided_blocks.clear();
    let trials = dir.trials().expect("its trials").trials;
    for trial in &trials {
        let samples = dir.samples(&trial.trial).expect("its samples");
        assert!(samples.len() <= 48, "{}", trial.trial);
    }
    let findings = Findings::of(&run, &trials, &Default::default());
    Some((findings, void))
}

#[test]
fn each_of_seven_services_is_limited_by_what_it_was_made_to_be_limited_by() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let mut wrong_each_time: Option<BTreeMap<&str, String>> = None;
    // Work of others may hide a limit: what a block showed that the rules call void is no proof against the rule, and
    // one quiet block that showed something else is none either. The same service wrong every time is.
    for _ in 0..ATTEMPTS {
        let Some((findings, void)) = judged("limits", folder.path()) else {
            return;
        };
        let wrong = wrongly_limited(&findings);
        if wrong.is_empty() {
            return;
        }
        eprintln!("void: {void}, {wrong:#?}");
        if void {
            continue;
        }
        match &mut wrong_each_time {
            None => wrong_each_time = Some(wrong),
            Some(so_far) => so_far.retain(|name, _| wrong.contains_key(name)),
        }
    }
    let wrong = wrong_each_time.unwrap_or_default();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Each service whose limiter is not the one it was made for, with what was found.
fn wrongly_limited(findings: &Findings) -> BTreeMap<&'static str, String> {
    LIMITS
        .iter()
        .filter_map(|(name, wanted)| {
            let treatment = findings.treatment(name);
            let limiter = treatment.and_then(|one| one.limiter.as_ref());
            let found = limiter.map_or("none", |limiter| limiter.kind);
            (found != *wanted).then(|| (*name, format!("{limiter:?}, {:?}", findings.skipped)))
        })
        .collect()
}

#[test]
fn a_generator_that_is_kept_from_its_cpu_is_the_limit_and_the_audit_says_so() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let hogs = Hogs::on(&Placement::of_this_machine().bench_cpus);
    let findings = findings("fast", folder.path());
    drop(hogs);
    let Some(findings) = findings else { return };
    let fast = findings.treatment("fast").expect("it took part");
    let limiter = fast.limiter.as_ref().expect("a limiter");
    assert_eq!(limiter.kind, "generator", "{limiter:?}");
    assert_eq!(fast.valid_count, 0, "{:?}", findings.audit);
    let reasons = format!("{:?}", findings.audit.reasons);
    assert!(
        reasons.contains("generator_wait: the generator waited for a CPU"),
        "{reasons}"
    );
}

/// Each planted difference in per cent, run ten times. Hours on a machine that does nothing else.
#[test]
#[ignore = "hours on a quiet machine, with --release"]
fn a_planted_difference_lies_inside_its_interval_in_nine_of_ten_runs() {
    let _alone = alone();
    for per_cent in [3_u32, 5, 10, 25] {
        let planted = 1.0 + f64::from(per_cent) / 100.0;
        let mut held = 0;
        for seed in 1..=10 {
            let folder = tempfile::tempdir().expect("a folder");
            let name = format!("planted-{per_cent}");
            let dir = measured(&name, folder.path(), seed).expect("it needs no database");
            let findings = report::read(&dir).expect("its findings");
            let more = findings
                .treatment("more")
                .and_then(|one| one.to_baseline.clone());
            let more = more.expect("a ratio to the baseline");
            let (low, high) = more.interval().expect("two blocks or more");
            let verdict = findings.pairs.first().map(|pair| pair.verdict);
            let holds = low <= planted && planted <= high;
            held += u32::from(holds);
            eprintln!(
                "{per_cent} %, seed {seed}: {:.4} ({low:.4} – {high:.4}), {} blocks, {verdict:?}, {}",
                more.ratio,
                more.blocks_count,
                if holds { "holds" } else { "does not hold" }
            );
            let is_faster = matches!(verdict, Some(Verdict::Faster { .. }));
            assert!(per_cent != 25 || is_faster, "25 % must be called faster");
            let is_equal = matches!(verdict, Some(Verdict::PracticallyEqual));
            assert!(
                per_cent < 10 || !is_equal,
                "{per_cent} % must not be called equal"
            );
        }
        assert!(
            held >= 9,
            "{per_cent} %: {held} of 10 intervals hold the planted value"
        );
    }
}

/// Threads of this process that compute all the time, so that nobody foreign is to blame.
struct Hogs {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Hogs {
    fn on(cpus: &[u32]) -> Hogs {
        let stop = Arc::new(AtomicBool::new(false));
        let hog = |_| {
            let (stop, cpus) = (Arc::clone(&stop), cpus.to_vec());
            thread::spawn(move || {
                pin_this_thread(&cpus).expect("CPUs of this process");
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            })
        };
        Hogs {
            threads: (0..HOGS * cpus.len()).map(hog).collect(),
            stop,
        }
    }
}

impl Drop for Hogs {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
