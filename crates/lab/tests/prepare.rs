//! Preparing stacks, with tools and stacks made up for the purpose.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use catalog::{Catalog, Stack};
use lab::prepare::{PrepareError, Prepared, Preparer, Progress, Settings};
use tempfile::TempDir;

/// Builds a program that prints what it was given.
const BUILDS: &str = r#"[["sh", "-c", "mkdir -p $BANCADA_BUILD/bin && cp one.sh $BANCADA_BUILD/bin/one && echo built >> $BANCADA_BUILD/count"]]"#;

struct Place {
    folder: TempDir,
}

impl Place {
    /// A catalogue with one stack, which needs `go` and is built by `prepare`.
    fn new(prepare: &str) -> Place {
        let place = Place {
            folder: tempfile::tempdir().expect("a folder"),
        };
        fs::create_dir_all(place.folder.path().join("workloads/any")).expect("a folder");
        place.write("stacks/one/one.sh", "#!/bin/sh\n", 0o755);
        place.write(
            "stacks/one/stack.toml",
            &format!(
                "schema = \"bancada.stack/1\"\ntitle = \"One\"\nlanguage = \"sh\"\nframework = \"none\"\n\
                 needs = [\"go\"]\nprepare = {prepare}\nworkloads = [\"any\"]\nworkers = \"threads\"\nsources = [\"one.sh\"]\n\
                 [launch.default]\ncommand = [\"one\", \"--serve\"]\nenv = {{ MODE = \"default\" }}\n"
            ),
            0o644,
        );
        place.write("tools/go", "#!/bin/sh\necho go version go9\n", 0o755);
        place
    }

    fn write(&self, path: &str, text: &str, mode: u32) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("its mode");
    }

    fn built_count(&self) -> usize {
        let count = self.folder.path().join("cache/stacks/one/count");
        fs::read_to_string(count).map_or(0, |text| text.lines().count())
    }

    fn settings(&self, require: &[&str]) -> Settings {
        let tools = self.folder.path().join("tools");
        let path = format!("{}:/usr/bin:/bin", tools.display());
        Settings {
            cache: self.folder.path().join("cache"),
            environment: BTreeMap::from([("PATH".to_owned(), path)]),
            python: None,
            require: require.iter().map(|tool| (*tool).to_owned()).collect(),
        }
    }

    fn stack(&self) -> Stack {
        let catalog = Catalog::scan(self.folder.path());
        catalog.stack("one").expect("a sound stack").clone()
    }

    fn prepare(&self, require: &[&str]) -> (Result<Prepared, PrepareError>, Vec<Progress>) {
        self.prepare_until(require, &AtomicBool::new(false))
    }

    fn prepare_until(
        &self,
        require: &[&str],
        stop: &AtomicBool,
    ) -> (Result<Prepared, PrepareError>, Vec<Progress>) {
        let supervisor = support::supervisor(&self.folder);
        let mut preparer =
            Preparer::new(&supervisor, self.settings(require), stop).expect("a cache");
        let mut seen = Vec::new();
        let prepared = preparer.prepare(&self.stack(), &mut |progress| seen.push(progress));
        (prepared, seen)
    }
}

#[test]
fn a_stack_is_built_once_until_something_changes() {
    let place = Place::new(BUILDS);
    let (prepared, seen) = place.prepare(&[]);
    let prepared = prepared.expect("prepared");
    assert_eq!(prepared.facts["go"], "go version go9");
    assert!(matches!(
        seen[..],
        [
            Progress::Command {
                number: 1,
                count: 1,
                ..
            },
            ..,
            Progress::Done { .. }
        ]
    ));

    let (again, seen) = place.prepare(&[]);
    assert!(again.is_ok());
    assert_eq!((seen, place.built_count()), (vec![Progress::UpToDate], 1));

    place.write("stacks/one/more.sh", "", 0o644);
    assert!(place.prepare(&[]).0.is_ok());
    assert_eq!(place.built_count(), 2, "a file was added");

    place.write("tools/go", "#!/bin/sh\necho go version go10\n", 0o755);
    assert!(place.prepare(&[]).0.is_ok());
    assert_eq!(place.built_count(), 3, "a tool has another version");

    fs::remove_file(prepared.build.join("bin/one")).expect("removed");
    assert!(place.prepare(&[]).0.is_ok());
    assert_eq!(place.built_count(), 4, "what was built is gone");
}

#[test]
fn what_is_started_is_what_was_built_in_the_folder_of_the_stack() {
    let place = Place::new(BUILDS);
    let prepared = place.prepare(&[]).0.expect("prepared");
    let start = prepared.launch("default").expect("a launch mode");
    assert_eq!(start.program, prepared.build.join("bin/one"));
    assert_eq!(
        (start.args, start.cwd),
        (vec!["--serve".to_owned()], prepared.stack.folder.clone())
    );
    let names: Vec<&str> = start.env.keys().map(String::as_str).collect();
    assert_eq!(names, ["HOME", "LANG", "MODE", "PATH"]);
    let error = prepared.launch("other").expect_err("no such mode");
    assert_eq!(
        error.to_string(),
        "one has no launch mode `other`; use one of `default`"
    );
}

#[test]
fn a_missing_tool_is_a_reason_to_skip_unless_it_is_required() {
    let place = Place::new(BUILDS);
    fs::remove_file(place.folder.path().join("tools/go")).expect("removed");
    if Path::new("/usr/bin/go").exists() || Path::new("/bin/go").exists() {
        return;
    }
    let expected = "go is not on the PATH; install Go and put its bin folder on the PATH";
    match place.prepare(&[]).0 {
        Err(PrepareError::Skipped {
            missing, reason, ..
        }) => {
            assert_eq!((missing.as_str(), reason.as_str()), ("go", expected));
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        place.prepare(&["node"]).0,
        Err(PrepareError::Skipped { .. })
    ));
    let required = place.prepare(&["node", "go"]).0.expect_err("required");
    assert!(
        required.to_string().contains("BANCADA_REQUIRE"),
        "{required}"
    );
    assert_eq!(place.built_count(), 0);
}

#[test]
fn a_failing_command_is_named_with_its_last_lines_and_its_log_and_tried_again() {
    let place = Place::new(r#"[["sh", "-c", "echo starts; echo the disk is full >&2; exit 7"]]"#);
    for _ in 0..2 {
        match place.prepare(&[]).0 {
            Err(PrepareError::Failed {
                status, tail, log, ..
            }) => {
                assert_eq!(status, "exit status 7");
                assert_eq!(tail, ["starts", "the disk is full"]);
                assert!(log.ends_with("logs/prepare-one.log") && log.is_file());
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_build_that_brings_no_program_to_start_fails() {
    let place = Place::new(r#"[["true"]]"#);
    let error = place.prepare(&[]).0.expect_err("nothing to start");
    assert!(matches!(error, PrepareError::NoProgram { .. }), "{error}");
    assert!(
        error
            .to_string()
            .contains("starts `one`, which is neither in"),
        "{error}"
    );
}

#[test]
fn a_command_in_progress_ends_when_the_caller_wants_to_stop() {
    let place = Place::new(r#"[["sleep", "600"]]"#);
    let stopped = place.prepare_until(&[], &AtomicBool::new(true)).0;
    assert!(
        matches!(stopped, Err(PrepareError::Interrupted)),
        "{stopped:?}"
    );
}
