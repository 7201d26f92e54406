//! A catalogue of services that are wrong on purpose, and the binary run on it.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// No test waits longer for anything; a machine this slow is broken.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The binary under test.
pub fn bancada() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_bancada"))
}

/// The checkout that this test belongs to.
pub fn checkout() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("crates/");
    crates.parent().expect("the checkout").to_path_buf()
}

/// The program with the ten faults, an example of the crate `lab` that `cargo test` builds.
pub fn bad_service() -> PathBuf {
    let path = bancada()
        .parent()
        .expect("the build profile")
        .join("examples/badservice");
    assert!(
        path.is_file(),
        "{} is missing: cargo build -p lab --examples",
        path.display()
    );
    path
}

/// A folder with a catalogue of its own.
pub struct Bench {
    pub folder: tempfile::TempDir,
}

impl Bench {
    /// One workload, `five`, whose contract wants five users; with a database when asked.
    pub fn new(with_database: bool) -> Bench {
        let bench = Bench {
            folder: tempfile::tempdir().expect("a temporary folder"),
        };
        for name in ["stacks", "experiments", "workloads/five"] {
            fs::create_dir_all(bench.path().join(name)).expect("a folder");
        }
        let database = if with_database {
            "database = [\"schema.sql\"]\n"
        } else {
            ""
        };
        bench.write(
            "workloads/five/schema.sql",
            "CREATE TABLE t (id int PRIMARY KEY);\n",
        );
        bench.write("workloads/five/README.md", "Five users.\n");
        bench.write(
            "workloads/five/workload.toml",
            &format!(
                "schema = \"bancada.workload/1\"\ntitle = \"Five\"\nasks = \"Five users.\"\nmethod = \"GET\"\npath = \"/users\"\n{database}"
            ),
        );
        let users: Vec<String> =
            (1..=5).map(|id| format!("{{\"user_id\":{id},\"username\":\"user{id}\",\"email\":\"user{id}@example.com\"}}")).collect();
        bench.write(
            "workloads/five/contract.toml",
            &format!(
                "schema = \"bancada.contract/1\"\n\n[[case]]\nname = \"it is ready\"\npath = \"/health\"\nstatus = 200\n\n[[case]]\nname = \"five users by id\"\npath = \"/users\"\nstatus = 200\njson = '[{}]'\n",
                users.join(",")
            ),
        );
        bench
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, file: &str, text: &str) {
        let path = self.path().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// A stack that starts the bad service in a mode.
    pub fn stack(&self, name: &str, mode: &str) {
        let words: Vec<String> = mode.split(' ').map(|word| format!("\"{word}\"")).collect();
        self.write(&format!("stacks/{name}/README.md"), "Wrong on purpose.\n");
        self.write(
            &format!("stacks/{name}/stack.toml"),
            &format!(
                "schema = \"bancada.stack/1\"\ntitle = \"{name}\"\nlanguage = \"rust\"\nframework = \"none\"\nneeds = []\nprepare = []\nworkloads = [\"five\"]\nworkers = \"threads\"\nsources = [\"README.md\"]\n\n[launch.default]\ncommand = [\"{}\", {}]\n",
                bad_service().display(),
                words.join(", ")
            ),
        );
    }

    /// An experiment over stacks of the same names, with short slices.
    pub fn experiment(&self, name: &str, treatments: &[&str], blocks: u32, pool: Option<u32>) {
        let mut text = format!(
            "schema = \"bancada.experiment/1\"\ntitle = \"{name}\"\nquestion = \"Which?\"\nbaseline = \"{0}\"\ntwin = \"{0}\"\nbudget_s = 600\nmin_blocks = {blocks}\nmax_blocks = {blocks}\nconnections = 4\nslice_s = 0.2\nopen_slices = 1\nclosed_slices = 1\nwarm_up_cap_s = 0.2\nready_within_s = 3\n",
            treatments[0]
        );
        for treatment in treatments {
            text += &format!(
                "\n[[treatment]]\nname = \"{treatment}\"\nstack = \"{treatment}\"\nworkload = \"five\"\n"
            );
            if let Some(pool) = pool {
                text += &format!("db_pool_size = {pool}\n");
            }
        }
        self.write(&format!("experiments/{name}/experiment.toml"), &text);
        self.write(&format!("experiments/{name}/README.md"), "A test.\n");
    }

    /// The binary with this catalogue.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(bancada());
        command
            .arg("--root")
            .arg(self.path())
            .args(args)
            .env("NO_COLOR", "1");
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("the binary runs")
    }

    /// The only run directory.
    pub fn run_dir(&self) -> Option<PathBuf> {
        let entries = fs::read_dir(self.path().join("runs")).ok()?;
        entries
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .find(|path| path.join("run.json").is_file())
    }

    /// A document of the run.
    pub fn run_json(&self) -> serde_json::Value {
        let path = self.run_dir().expect("a run").join("run.json");
        serde_json::from_slice(&fs::read(path).expect("run.json")).expect("JSON")
    }

    /// Its trials.
    pub fn trials(&self) -> Vec<serde_json::Value> {
        let Some(dir) = self.run_dir() else {
            return Vec::new();
        };
        let text = fs::read_to_string(dir.join("trials.jsonl")).unwrap_or_default();
        text.lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }
}

/// What a command printed on standard error.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a command printed on standard output.
pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Waits until `look` finds something.
pub fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Pids of processes whose working folder, environment or command line names `folder`.
pub fn processes_of(folder: &Path) -> Vec<u32> {
    let needle = folder.to_string_lossy().into_owned();
    let entries = fs::read_dir("/proc").expect("/proc").filter_map(Result::ok);
    let pids = entries.filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok());
    pids.filter(|pid| {
        let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let text = [read("cmdline"), read("environ")].concat();
        let cwd = fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default();
        *pid != std::process::id()
            && (String::from_utf8_lossy(&text).contains(&needle) || cwd.starts_with(folder))
    })
    .collect()
}
