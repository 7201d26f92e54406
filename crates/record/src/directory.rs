//! A run directory, `runs/<date>T<time>-<experiment>/`: the only memory of a run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::files::{self, RecordError, io_error};
use crate::{Run, document};

/// `run.json` with every catalogue entry stays far below.
const RUN_LIMIT_BYTES: u64 = 8 << 20;
/// Copied handlers are a few hundred lines each.
const SOURCE_LIMIT_BYTES: u64 = 1 << 20;

/// The folder of one run. Opening it reads nothing but `run.json`; nothing is cached.
#[derive(Clone, Debug)]
pub struct RunDir {
    path: PathBuf,
}

impl RunDir {
    /// Makes a new, empty run directory under `runs_root`, named after the UTC time and the experiment.
    /// Where that name is taken, a number follows it.
    ///
    /// # Errors
    /// When the experiment's name cannot be part of a file name, or the folder cannot be made.
    pub fn create(
        runs_root: &Path,
        experiment: &str,
        now: Timestamp,
    ) -> Result<RunDir, RecordError> {
        let stem = format!("{}-{experiment}", now.strftime("%Y-%m-%dT%H%M%S"));
        files::check_name(&stem)?;
        fs::create_dir_all(runs_root).map_err(io_error(runs_root, "make the folder"))?;
        for attempt in 1_u32.. {
            let name = match attempt {
                1 => stem.clone(),
                _ => format!("{stem}-{attempt}"),
            };
            let path = runs_root.join(name);
            match fs::create_dir(&path) {
                Ok(()) => {
                    files::sync_folder(runs_root).map_err(io_error(runs_root, "sync"))?;
                    return Ok(RunDir { path });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => {}
                Err(error) => return Err(io_error(&path, "make the folder")(error)),
            }
        }
        unreachable!("the last attempt returns")
    }

    /// Opens a run directory that holds a `run.json` this version reads.
    ///
    /// # Errors
    /// When it is not one: missing, damaged, foreign or unsafe to read.
    pub fn open(path: &Path) -> Result<RunDir, RecordError> {
        RunDir::open_run(path).map(|(directory, _)| directory)
    }

    /// Opens a run directory as [`RunDir::open`] does, and gives the `run.json` that was read for it.
    ///
    /// # Errors
    /// When it is not one: missing, damaged, foreign or unsafe to read.
    pub fn open_run(path: &Path) -> Result<(RunDir, Run), RecordError> {
        let directory = RunDir {
            path: path.to_path_buf(),
        };
        let run = directory.run()?;
        Ok((directory, run))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its folder name.
    pub fn name(&self) -> String {
        let real = self.path.canonicalize();
        let path = real.as_deref().unwrap_or(&self.path);
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    }

    /// Reads `run.json`.
    ///
    /// # Errors
    /// When it is missing, damaged, foreign or unsafe to read.
    pub fn run(&self) -> Result<Run, RecordError> {
        let path = self.path.join("run.json");
        let bytes = files::read_bounded(&self.path, Path::new("run.json"), RUN_LIMIT_BYTES)?
            .ok_or_else(|| RecordError::NotARun {
                path: self.path.clone(),
                missing: "run.json",
            })?;
        document::parse(&bytes, Run::SCHEMA, &path, 1)
    }

    /// The content of a file of the run, by its path within; `None` when there is no such file.
    ///
    /// # Errors
    /// When it is not a regular file, leads out of the run directory or is larger than `limit_bytes`.
    pub fn read(&self, relative: &Path, limit_bytes: u64) -> Result<Option<Vec<u8>>, RecordError> {
        files::read_bounded(&self.path, relative, limit_bytes)
    }

    /// Writes `run.json` in one step: a crash leaves the earlier one.
    ///
    /// # Errors
    /// When the run's schema is not this version's, or the file cannot be written.
    pub fn write_run(&self, run: &Run) -> Result<(), RecordError> {
        let path = self.path.join("run.json");
        if run.schema != Run::SCHEMA {
            return Err(RecordError::Unwritable {
                path,
                reason: format!("schema must be \"{}\"", Run::SCHEMA),
            });
        }
        self.write_json("run.json", run)
    }

    /// Writes a JSON document beside the run, in one step.
    ///
    /// # Errors
    /// When `name` is not a plain file name, the value is not JSON, or the file cannot be written.
    pub fn write_json(&self, name: &str, value: &impl serde::Serialize) -> Result<(), RecordError> {
        let mut bytes =
            serde_json::to_vec_pretty(value).map_err(|error| RecordError::Unwritable {
                path: self.path.join(name),
                reason: error.to_string(),
            })?;
        bytes.push(b'\n');
        self.write_file(name, &bytes)
    }

    /// Writes a file beside the run, in one step.
    ///
    /// # Errors
    /// When `name` is not a plain file name, or the file cannot be written.
    pub fn write_file(&self, name: &str, bytes: &[u8]) -> Result<(), RecordError> {
        files::check_name(name)?;
        files::write_atomic(&self.path.join(name), bytes)
    }

    /// Copies the handlers of a stack to `sources/<stack>/`, keeping their relative paths.
    /// `handlers` are relative to `stack_folder`.
    ///
    /// # Errors
    /// When a handler is missing, not a plain relative path, outside the stack's folder, or larger than 1 MiB.
    pub fn copy_sources(
        &self,
        stack: &str,
        stack_folder: &Path,
        handlers: &[String],
    ) -> Result<(), RecordError> {
        files::check_name(stack)?;
        for handler in handlers {
            let relative = Path::new(handler);
            for part in handler.split('/') {
                files::check_name(part)?;
            }
            let source = stack_folder.join(relative);
            let bytes = files::read_bounded(stack_folder, relative, SOURCE_LIMIT_BYTES)?
                .ok_or_else(|| io_error(&source, "copy")(io::ErrorKind::NotFound.into()))?;
            let target = self.path.join("sources").join(stack).join(relative);
            let folder = target.parent().unwrap_or(&self.path);
            fs::create_dir_all(folder).map_err(io_error(folder, "make the folder"))?;
            files::write_atomic(&target, &bytes)?;
        }
        Ok(())
    }

    /// A handler that [`RunDir::copy_sources`] kept; `None` where there is none. What is not UTF-8 is replaced.
    ///
    /// # Errors
    /// When a name is not plain, or the file is unsafe to read: a link out of the folder, no file, too large.
    pub fn source(&self, stack: &str, handler: &str) -> Result<Option<String>, RecordError> {
        files::check_name(stack)?;
        for part in handler.split('/') {
            files::check_name(part)?;
        }
        let relative = Path::new("sources").join(stack).join(handler);
        let bytes = files::read_bounded(&self.path, &relative, SOURCE_LIMIT_BYTES)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// A folder inside the run directory, made when it is not there.
    pub(crate) fn folder(&self, name: &'static str) -> Result<PathBuf, RecordError> {
        let folder = self.path.join(name);
        fs::create_dir_all(&folder).map_err(io_error(&folder, "make the folder"))?;
        Ok(folder)
    }
}
