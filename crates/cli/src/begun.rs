//! Which run directory a run that has just begun is kept in: others may be made beside it, by other commands.

use std::path::Path;

use record::RunDir;

/// The run under `runs` with this seed that has not ended; of several the one that began last. `None` where there is
/// none, or `runs` cannot be read.
pub fn begun(runs: &Path, seed: u64) -> Option<RunDir> {
    let listed = record::list_runs(runs).ok()?;
    let of_seed = listed.into_iter().filter_map(|listed| {
        let run = listed.run.ok()?;
        let goes_on = run.design.seed == seed && run.ended_at.is_none();
        goes_on.then_some((run.started_at, listed.path))
    });
    let (_, path) = of_seed.max()?;
    RunDir::open(&path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    use record::Run;

    /// `run.json` of any run, with what is looked at here.
    fn put(runs: &Path, name: &str, seed: u64, started_at: &str, ended_at: Option<&str>) {
        let run = serde_json::json!({
            "schema": Run::SCHEMA, "run": name, "experiment": "any", "title": "Any", "question": "Which?",
            "bancada_version": "0.1.0", "started_at": started_at, "baseline": "one",
            "primary_metric": "service_cpu_per_good_answer_us", "relevant_difference_ratio": 0.05,
            "design": {
                "kind": "sliced_blocks", "seed": seed, "budget_s": 600, "min_blocks_count": 2,
                "max_blocks_count": 8, "target_half_width_ratio": 0.03, "slice_s": 1.0,
                "discard_ratio": 0.1, "open_slices_count": 1, "closed_slices_count": 1,
                "warm_up_cap_s": 1.0, "connections_count": 4, "service_cpus": [0], "bench_cpus": [1],
            },
            "treatments": [], "environment": { "cpus_count": 2 }, "catalog": {},
        });
        let mut run: Run = serde_json::from_value(run).expect("a run");
        run.ended_at = ended_at.map(str::to_owned);
        std::fs::create_dir_all(runs.join(name)).expect("a folder");
        let path = runs.join(name).join("run.json");
        std::fs::write(path, serde_json::to_vec(&run).expect("JSON")).expect("a file");
    }

    #[test]
    fn a_run_is_found_by_its_seed_among_others_whatever_their_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let found = |seed| begun(folder.path(), seed).map(|dir| dir.name());
        assert_eq!(found(7), None);
        put(
            folder.path(),
            "2026-03-24T1",
            7,
            "2026-03-24T10:00:00Z",
            None,
        );
        assert_eq!(found(7).as_deref(), Some("2026-03-24T1"));
        for other in 0..9 {
            let name = format!("zz-copied-{other}");
            put(folder.path(), &name, 8, "2026-03-24T11:00:00Z", None);
        }
        assert_eq!(found(7).as_deref(), Some("2026-03-24T1"));
        assert_eq!(found(9), None);
    }

    #[test]
    fn of_runs_with_one_seed_the_last_that_goes_on_is_meant() {
        let folder = tempfile::tempdir().expect("a folder");
        let ended = Some("2026-03-24T13:00:00Z");
        put(folder.path(), "z-killed", 7, "2026-03-24T10:00:00Z", None);
        put(folder.path(), "z-ended", 7, "2026-03-24T12:00:00Z", ended);
        put(folder.path(), "a-new", 7, "2026-03-24T11:00:00Z", None);
        std::fs::create_dir(folder.path().join("damaged")).expect("a folder");
        let found = begun(folder.path(), 7).map(|dir| dir.name());
        assert_eq!(found.as_deref(), Some("a-new"));
    }
}
