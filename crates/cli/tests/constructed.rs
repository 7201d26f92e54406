//! Services that were made to be limited by one thing each, or to do one thing wrong, measured for real on whatever
//! machine this is. What else runs here may void the block, which is not asked for but where the test itself brings it
//! about; the limit and the fault stand all the same, and are.
#![allow(clippy::print_stderr)]

mod support;

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use catalog::Catalog;
use lab::place::{Placement, pin_this_thread};
use lab::supervise::Supervisor;
use lab::{Choices, Lab, LabError};
use record::{AuditStatus, Run, RunDir, Trial, TrialStatus};
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
/// Each treatment of the experiment `faults` with what its trial must end as, and the check that must say why.
const FAULTS: [(&str, TrialStatus, &str); 5] = [
    ("caches", TrialStatus::Invalid, "database_work"),
    ("errors", TrialStatus::Invalid, "answers"),
    ("starves", TrialStatus::Degraded, "fairness"),
    ("maps", TrialStatus::Degraded, "memory"),
    ("overflows", TrialStatus::Invalid, "pool_overflow"),
];
/// What `maps` maps, less what a program needs itself.
const MAPPED_BYTES: f64 = 300.0 * 1_048_576.0;
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

/// A run of one block and its trials.
fn recorded(experiment: &str, folder: &Path) -> Option<(Run, Vec<Trial>)> {
    let dir = measured(experiment, folder, 1)?;
    let trials = dir.trials().expect("its trials").trials;
    for trial in &trials {
        let samples = dir.samples(&trial.trial).expect("its samples");
        assert!(samples.len() <= 48, "{}", trial.trial);
    }
    Some((dir.run().expect("its record"), trials))
}

/// What a run showed, whatever else ran here: that spoils times, and who waits for what it hardly changes.
fn findings(experiment: &str, folder: &Path) -> Option<Findings> {
    let (mut run, trials) = recorded(experiment, folder)?;
    run.voided_blocks.clear();
    Some(Findings::of(&run, &trials, &Default::default()))
}

/// What is wrong in every one of a few runs that the rules do not call void, by treatment; nothing as soon as a run has
/// nothing wrong. Work of others may hide a limit or a fault: what a block showed that the rules call void is no proof
/// against them, and one quiet block that showed something else is none either. The same service wrong every time is.
fn wrong_each_time(
    experiment: &str,
    wrong_in: impl Fn(&Run, &[Trial]) -> BTreeMap<&'static str, String>,
) -> BTreeMap<&'static str, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut each_time: Option<BTreeMap<&str, String>> = None;
    for _ in 0..ATTEMPTS {
        let Some((mut run, trials)) = recorded(experiment, folder.path()) else {
            return BTreeMap::new();
        };
        let void = std::mem::take(&mut run.voided_blocks);
        let wrong = wrong_in(&run, &trials);
        if wrong.is_empty() {
            return wrong;
        }
        eprintln!("void: {void:?}, {wrong:#?}");
        match &mut each_time {
            _ if !void.is_empty() => {}
            None => each_time = Some(wrong),
            Some(so_far) => so_far.retain(|name, _| wrong.contains_key(name)),
        }
    }
    each_time.unwrap_or_default()
}

#[test]
fn each_of_seven_services_is_limited_by_what_it_was_made_to_be_limited_by() {
    let _alone = alone();
    let wrong = wrong_each_time("limits", |run, trials| {
        wrongly_limited(&Findings::of(run, trials, &Default::default()))
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn each_of_five_services_ends_as_its_planted_fault_asks_and_a_check_says_why() {
    let _alone = alone();
    let wrong = wrong_each_time("faults", |run, trials| {
        let mut wrong = wrongly_judged(run, trials);
        for trial in trials.iter().filter(|one| one.treatment == "sound") {
            let faults = FAULTS.map(|(_, _, check)| check);
            let accused = trial
                .audit
                .iter()
                .any(|line| faults.contains(&&*line.check) && line.status != AuditStatus::Pass);
            if accused || trial.status == TrialStatus::Invalid {
                wrong.insert("sound", format!("{:?}", trial.reasons));
            }
        }
        wrong
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Each service whose trial did not end as its fault asks, or whose memory is told by what it only maps.
fn wrongly_judged(run: &Run, trials: &[Trial]) -> BTreeMap<&'static str, String> {
    let is_right = |trial: &Trial, status: TrialStatus, check: &str| {
        let wanted = match status {
            TrialStatus::Invalid => AuditStatus::Fail,
            _ => AuditStatus::Warn,
        };
        let mut lines = trial.audit.iter();
        let memory = trial.metrics.get("memory_peak_bytes");
        trial.status == status
            && lines.any(|line| line.check == check && line.status == wanted)
            && memory.is_none_or(|bytes| *bytes < MAPPED_BYTES)
    };
    let mut wrong = BTreeMap::new();
    for (name, status, check) in FAULTS {
        match trials.iter().find(|trial| trial.treatment == name) {
            Some(trial) if is_right(trial, status, check) => {}
            Some(trial) => {
                let found = format!("{:?}: {:?}", trial.status, trial.reasons);
                wrong.insert(name, format!("{found}, {:?}", trial.metrics));
            }
            None => {
                wrong.insert(name, format!("took no part: {:?}", run.skipped));
            }
        }
    }
    wrong
}

#[test]
fn a_block_beside_a_process_that_uses_a_cpu_for_a_third_of_the_time_is_void_and_says_so() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let stranger = Stranger::start();
    let recorded = recorded("foreign", folder.path());
    drop(stranger);
    let (run, _) = recorded.expect("it needs no database");
    let reasons = format!("{:?}", run.voided_blocks);
    assert_eq!(run.voided_blocks.len(), 1, "{reasons}");
    assert!(reasons.contains("other processes used"), "{reasons}");
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

/// A process that is nobody's child here, in a session of its own, and computes 0.1 s in every 0.3 s.
struct Stranger {
    group: String,
}

impl Stranger {
    fn start() -> Stranger {
        // One loop for each of two CPUs: the scheduler puts them where least else runs.
        let computes = r#"
            hog() { while :; do timeout --foreground 0.1 sh -c "while :; do :; done"; sleep 0.2; done; }
            hog & hog & wait"#;
        // Of itself it ends after some minutes, whatever becomes of this test.
        let detached = format!("setsid timeout 300 sh -c '{computes}' >/dev/null 2>&1 & echo $!");
        let output = Command::new("sh").args(["-c", &detached]).output();
        let printed = output.expect("a shell").stdout;
        let group = String::from_utf8_lossy(&printed).trim().to_owned();
        assert!(group.parse::<u32>().is_ok(), "{group}");
        Stranger { group }
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let group = format!("-{}", self.group);
        let killed = Command::new("kill").args(["-KILL", "--", &group]).status();
        if !killed.is_ok_and(|status| status.success()) {
            eprintln!("process group {group} could not be stopped");
        }
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
