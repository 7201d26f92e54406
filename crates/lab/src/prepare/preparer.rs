//! Prepares one stack after the other.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use catalog::Stack;

use super::command::{Command, Hand};
use super::environment::{Folders, Settings};
use super::error::PrepareError;
use super::launch::{self, Prepared};
use super::python::{self, Interpreter};
use super::stamp::Stamp;
use super::tool::{self, Found, Missing, find_program, not_on_the_path};
use super::uv;
use crate::supervise::Supervisor;

/// What is going on while a stack is prepared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A tool is being installed for the project alone.
    Installing {
        /// Its name.
        tool: String,
    },
    /// A command begins.
    Command {
        /// As one would type it.
        line: String,
        /// Which of the stack's commands it is, from 1.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// It goes on.
    Running {
        /// For how long so far.
        elapsed: Duration,
        /// Its last line of output.
        last_line: Option<String>,
    },
    /// Nothing changed since the last time, so that nothing is done.
    UpToDate,
    /// All commands succeeded.
    Done {
        /// What they took together.
        elapsed: Duration,
    },
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Progress::Installing { tool } => write!(f, "installing {tool} for this project"),
            Progress::Command {
                line,
                number,
                count,
            } => write!(f, "{number}/{count} {line}"),
            Progress::Running { elapsed, last_line } => {
                write!(f, "{} s", elapsed.as_secs())?;
                last_line
                    .iter()
                    .try_for_each(|line| write!(f, " {}", line.trim()))
            }
            Progress::UpToDate => f.write_str("nothing changed"),
            Progress::Done { elapsed } => write!(f, "done in {:.1} s", elapsed.as_secs_f64()),
        }
    }
}

/// Finds tools and prepares stacks. What it found is remembered from stack to stack.
pub struct Preparer<'a> {
    hand: Hand<'a>,
    settings: Settings,
    folders: Folders,
    tools: BTreeMap<String, Result<Found, Missing>>,
    interpreter: Option<Option<Interpreter>>,
}

impl<'a> Preparer<'a> {
    /// A preparer that works below `settings.cache` and gives up when `stop` becomes true.
    ///
    /// # Errors
    /// When the cache folder cannot be made.
    pub fn new(
        supervisor: &'a Supervisor,
        settings: Settings,
        stop: &'a AtomicBool,
    ) -> Result<Preparer<'a>, PrepareError> {
        Ok(Preparer {
            folders: Folders::below(&settings.cache)?,
            hand: Hand { supervisor, stop },
            settings,
            tools: BTreeMap::new(),
            interpreter: None,
        })
    }

    /// Where a tool is, and its version. Looks, and installs nothing.
    ///
    /// # Errors
    /// When it could not even be looked for.
    pub fn find(&mut self, tool: &str) -> Result<Result<Found, Missing>, PrepareError> {
        if let Some(known) = self.tools.get(tool) {
            return Ok(known.clone());
        }
        let own = (tool == "uv")
            .then(|| uv::installed(&self.folders))
            .flatten();
        let program = find_program(self.settings.path(), tool).or(own);
        let found = match program {
            None => Err(not_on_the_path(tool)),
            Some(program) => self.version_of(tool, program)?,
        };
        self.tools.insert(tool.to_owned(), found.clone());
        Ok(found)
    }

    /// The interpreter that Python services run on: the one of the settings, else the best there is.
    ///
    /// # Errors
    /// When interpreters could not be asked.
    pub fn interpreter(&mut self) -> Result<Option<Interpreter>, PrepareError> {
        if let Some(known) = &self.interpreter {
            return Ok(known.clone());
        }
        let candidates = match &self.settings.python {
            Some(python) => vec![python.clone()],
            None => python::candidates(self.settings.path()),
        };
        let mut found: Vec<Interpreter> = Vec::new();
        for program in candidates {
            let answer = self.ask("python", program, &["-c", python::QUESTION])?;
            let interpreter = answer.as_deref().and_then(Interpreter::of);
            found.extend(interpreter.filter(|one| !found.contains(one)));
        }
        let chosen = python::best(found);
        self.interpreter = Some(chosen.clone());
        Ok(chosen)
    }

    /// Builds or installs a stack, unless nothing changed since that was last done.
    ///
    /// # Errors
    /// [`PrepareError::Skipped`] when a tool is missing, unless it is required; otherwise what failed.
    pub fn prepare(
        &mut self,
        stack: &Stack,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Prepared, PrepareError> {
        let build = self.folders.stacks.join(&stack.name);
        let mut environment = self.settings.for_prepare(&build, &self.folders);
        let mut facts = BTreeMap::new();
        let mut warnings = Vec::new();
        let mut versions = Vec::new();
        for need in &stack.manifest.needs {
            let found = self.provide(need, progress)?;
            let found = found.map_err(|missing| self.missing(stack, need, missing.to_string()))?;
            versions.push(format!("{} {}", found.program.display(), found.version));
            put_first(&mut environment, &self.folders.tools, &found.program);
            facts.insert(need.clone(), found.version);
        }
        if stack
            .manifest
            .needs
            .iter()
            .any(|need| need == "uv" || need == "python3")
        {
            let interpreter = self
                .interpreter()?
                .ok_or_else(|| self.missing(stack, "python3", self.no_python()))?;
            versions.push(format!(
                "{} {}",
                interpreter.program.display(),
                interpreter.description()
            ));
            environment.insert(
                "UV_PYTHON".to_owned(),
                interpreter.program.display().to_string(),
            );
            facts.insert("python".to_owned(), interpreter.description());
            if !interpreter.is_optimised {
                warnings.push(format!(
                    "{} is {}",
                    interpreter.program.display(),
                    interpreter.description()
                ));
            }
        }
        self.build(stack, &build, &environment, &versions, progress)?;
        Ok(Prepared {
            environment: self.settings.for_services(&build),
            stack: stack.clone(),
            build,
            facts,
            warnings,
        })
    }

    /// A tool, installed for the project where that is possible.
    fn provide(
        &mut self,
        tool: &str,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Result<Found, Missing>, PrepareError> {
        let found = self.find(tool)?;
        let Err(missing) = found else {
            return Ok(found);
        };
        // Once for all stacks: a failure is remembered with its own reason.
        if tool != "uv" || missing != not_on_the_path("uv") {
            return Ok(Err(missing));
        }
        progress(Progress::Installing {
            tool: tool.to_owned(),
        });
        let found = match uv::install(self.hand, &self.settings, &self.folders)? {
            Ok(program) => self.version_of(tool, program)?,
            Err(reason) => Err(Missing { reason, ..missing }),
        };
        self.tools.insert(tool.to_owned(), found.clone());
        Ok(found)
    }

    fn build(
        &self,
        stack: &Stack,
        build: &Path,
        environment: &BTreeMap<String, String>,
        versions: &[String],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), PrepareError> {
        let path = self.folders.stacks.join(format!("{}.stamp", stack.name));
        let now = Stamp::of(&stack.folder, versions)?;
        let unchanged = Stamp::read(&path).is_some_and(|last| last.covers(&now));
        if unchanged && self.can_start(stack, build).is_ok() {
            progress(Progress::UpToDate);
            return Ok(());
        }
        let started_at = Instant::now();
        let _ = std::fs::remove_file(&path);
        std::fs::create_dir_all(build).map_err(PrepareError::file("make", build))?;
        let count = stack.manifest.prepare.len();
        for (index, line) in stack.manifest.prepare.iter().enumerate() {
            let command = self.command(stack, index, line, environment);
            progress(Progress::Command {
                line: command.line(),
                number: index + 1,
                count,
            });
            self.hand.run(&command, &mut |elapsed, last_line| {
                progress(Progress::Running { elapsed, last_line })
            })?;
        }
        self.can_start(stack, build)?;
        Stamp::of(&stack.folder, versions)?.write(&path)?;
        progress(Progress::Done {
            elapsed: started_at.elapsed(),
        });
        Ok(())
    }

    fn command<'c>(
        &self,
        stack: &'c Stack,
        index: usize,
        line: &[String],
        environment: &BTreeMap<String, String>,
    ) -> Command<'c> {
        let (name, args) = line
            .split_first()
            .map_or(("", &[][..]), |(name, args)| (name.as_str(), args));
        let path = environment.get("PATH").map_or("", String::as_str);
        let suffix = if index == 0 {
            String::new()
        } else {
            format!("-{}", index + 1)
        };
        Command {
            name: &stack.name,
            // One that is nowhere fails to start, with its name in the message.
            program: find_program(path, name).unwrap_or_else(|| PathBuf::from(name)),
            args: args.to_vec(),
            cwd: &stack.folder,
            env: environment.clone(),
            log: self
                .folders
                .logs
                .join(format!("prepare-{}{suffix}.log", stack.name)),
        }
    }

    /// Whether the program of every launch mode is there.
    fn can_start(&self, stack: &Stack, build: &Path) -> Result<(), PrepareError> {
        let environment = self.settings.for_services(build);
        for mode in stack.manifest.launch.keys() {
            launch::launch(stack, build, &environment, mode)?;
        }
        Ok(())
    }

    fn missing(&self, stack: &Stack, tool: &str, reason: String) -> PrepareError {
        let (stack, missing) = (stack.name.clone(), tool.to_owned());
        match self.settings.require.contains(&missing) {
            true => PrepareError::Required {
                stack,
                missing,
                reason,
            },
            false => PrepareError::Skipped {
                stack,
                missing,
                reason,
            },
        }
    }

    fn no_python(&self) -> String {
        let (major, minor) = python::OLDEST_PYTHON;
        match &self.settings.python {
            Some(python) => format!(
                "{} is no Python {major}.{minor} or newer; set BANCADA_PYTHON to one",
                python.display()
            ),
            None => format!(
                "there is no Python {major}.{minor} or newer; {}, or set BANCADA_PYTHON to one",
                tool::remedy("python3").unwrap_or_default()
            ),
        }
    }

    fn version_of(
        &self,
        tool: &str,
        program: PathBuf,
    ) -> Result<Result<Found, Missing>, PrepareError> {
        let printed = self.ask(tool, program.clone(), tool::version_args(tool))?;
        Ok(
            match printed
                .as_deref()
                .and_then(|text| text.lines().find(|line| !line.trim().is_empty()))
            {
                Some(line) => Ok(Found {
                    program,
                    version: line.trim().to_owned(),
                }),
                None => Err(Missing {
                    reason: format!("{} does not say its version", program.display()),
                    remedy: tool::remedy(tool).unwrap_or("install it").to_owned(),
                }),
            },
        )
    }

    fn ask(
        &self,
        name: &str,
        program: PathBuf,
        args: &[&str],
    ) -> Result<Option<String>, PrepareError> {
        self.hand.ask(&Command {
            name,
            program,
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            cwd: &self.folders.tools,
            env: self.settings.for_tools(),
            log: self.folders.logs.join(format!("tool-{name}.log")),
        })
    }
}

/// Puts the folder of a tool that was installed for the project first on the PATH.
fn put_first(environment: &mut BTreeMap<String, String>, tools: &Path, program: &Path) {
    if let Some(folder) = program.parent().filter(|_| program.starts_with(tools)) {
        let path = environment.entry("PATH".to_owned()).or_default();
        *path = format!("{}:{path}", folder.display());
    }
}
