//! Other load generators beside ours: the same fresh start, loaded by the source's own tool and then by our engine.

mod arguments;
mod said;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use catalog::{Experiment, ToolManifest};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use record::{Event, Run, RunDir, ToolTrial};

use crate::block::{Hands, start};
use crate::design::SliceKind;
use crate::error::LabError;
use crate::level::Window;
use crate::measure::{Bench, CountsFor, DISCARD_RATIO, DRAIN_WITHIN, pacing};
use crate::prepare::find_program;
use crate::supervise::{Spec, SuperviseError};
use crate::sut::Sut;
use crate::tools::arguments::{Template, Words, templates};
use crate::treatment::{Entry, Origin};
use crate::warm::warm_up;

/// Fresh starts of every treatment for every tool: one run of one tool says little.
const ROUNDS: u32 = 3;
/// Longest wait for a tool to say its version.
const VERSION_WITHIN: Duration = Duration::from_secs(10);

/// A generator that the user asked for.
#[derive(Clone, Debug)]
pub struct Tool {
    manifest: ToolManifest,
    templates: Vec<Template>,
    /// Folder of the experiment.
    folder: PathBuf,
    /// Where it is; `None` where it is not on the PATH.
    program: Option<PathBuf>,
    path: String,
}

/// The tools of an experiment that were asked for by name.
///
/// # Errors
/// When the experiment has no arguments for one of them, or names a file in them that cannot be read.
pub fn find(
    experiment: &Experiment,
    with: &[String],
    environment: &BTreeMap<String, String>,
) -> Result<Vec<Tool>, LabError> {
    let path = environment.get("PATH").cloned().unwrap_or_default();
    let tools = &experiment.manifest.tool;
    let find = |name: &String| {
        let manifest = tools.iter().find(|tool| tool.name == *name);
        let manifest = manifest.cloned().ok_or_else(|| {
            let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
            let known = match names.is_empty() {
                true => "it has none".to_owned(),
                false => format!("it has {}", names.join(", ")),
            };
            LabError::Usage(format!(
                "--with {name}: {} has no [[tool]] of that name; {known}",
                experiment.name
            ))
        })?;
        let templates = templates(&manifest, &experiment.folder)?;
        Ok(Tool {
            templates,
            program: find_program(&path, &manifest.name),
            folder: experiment.folder.clone(),
            path: path.clone(),
            manifest,
        })
    };
    with.iter().map(find).collect()
}

/// Runs every tool against every treatment but the twin, each on fresh starts, and stores what it said.
///
/// # Errors
/// When the bench or the record fails. A tool that fails is told and kept.
pub fn run_tools(
    bench: &mut Bench,
    hands: &mut Hands,
    dir: &RunDir,
    run: &Run,
    entries: &[Entry],
    tools: &[Tool],
) -> Result<(), LabError> {
    for tool in tools {
        let Some(program) = &tool.program else {
            (hands.tell)(Event::Noticed {
                message: format!("{} is not run: it is not on the PATH", tool.manifest.name),
            });
            continue;
        };
        let version = version(hands, tool, program);
        for round in 1..=ROUNDS {
            let mut order: Vec<&Entry> = entries
                .iter()
                .filter(|entry| entry.treatment.twin_of.is_none())
                .collect();
            order.shuffle(&mut Pcg64::seed_from_u64(
                run.design.seed ^ u64::from(round),
            ));
            for entry in order {
                if bench.is_stopped() {
                    return Ok(());
                }
                let one = Loaded {
                    tool,
                    program,
                    version: version.clone(),
                    round,
                };
                if let Some((trial, output)) = one.trial(bench, hands, run, entry)? {
                    dir.append_tool_trial(&trial, &output)?;
                }
            }
        }
    }
    Ok(())
}

struct Loaded<'a> {
    tool: &'a Tool,
    program: &'a Path,
    version: Option<String>,
    round: u32,
}

impl Loaded<'_> {
    /// One start, loaded by the tool, then by us. `None` where the service or the tool did not start.
    fn trial(
        &self,
        bench: &mut Bench,
        hands: &mut Hands,
        run: &Run,
        entry: &Entry,
    ) -> Result<Option<(ToolTrial, Vec<u8>)>, LabError> {
        let (tool, treatment) = (&self.tool.manifest.name, &entry.treatment);
        let name = format!("t{}-{}-{tool}", self.round, treatment.name);
        (hands.tell)(Event::StepBegan {
            step: tool.clone(),
            detail: format!("{}, start {} of {ROUNDS}", treatment.title, self.round),
        });
        let sut = match start(bench, hands, entry, &name) {
            Ok(sut) => sut,
            Err(LabError::Failed(reason)) => {
                let message = format!("{tool} is not run on {}: {reason}", treatment.title);
                (hands.tell)(Event::Noticed { message });
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let mut suts = [Some(sut)];
        let trial = self.load(bench, hands, run, entry, &name, &mut suts);
        // Whatever went wrong: a service that is only dropped goes on and disturbs the next.
        suts.into_iter().flatten().for_each(|sut: Sut| {
            sut.stop(&mut bench.session);
        });
        trial
    }

    /// Warms a service, lets the tool load it, then does so itself. `None` where the tool did not start.
    fn load(
        &self,
        bench: &mut Bench,
        hands: &mut Hands,
        run: &Run,
        entry: &Entry,
        name: &str,
        suts: &mut [Option<Sut>; 1],
    ) -> Result<Option<(ToolTrial, Vec<u8>)>, LabError> {
        let (tool, treatment) = (&self.tool.manifest.name, &entry.treatment);
        let design = &run.design;
        let cap = Duration::from_secs_f64(design.warm_up_cap_s);
        let [Some(sut)] = suts else {
            return Ok(None);
        };
        warm_up(bench, sut, design.connections_count, cap)?;
        let words = Words {
            addr: sut.addr,
            path: match &entry.origin {
                Origin::Started(_) => target_of(&entry.question.request),
                Origin::Running(_) => "/".to_owned(),
            },
            folder: &self.tool.folder,
        };
        let arguments = words.put_into(&self.tool.templates, hands.logs, name)?;
        let spec = self.spec(hands, name, arguments.clone());
        let within = Duration::from_secs(self.tool.manifest.within_s);
        let ended = match hands.supervisor.run(&spec, within) {
            Ok(finished) => finished.status,
            Err(SuperviseError::Deadline { seconds, .. }) => format!("stopped after {seconds} s"),
            Err(SuperviseError::Spawn { reason, .. }) => {
                let message = format!("{tool} does not start: {reason}");
                (hands.tell)(Event::Noticed { message });
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        let ours = ours(bench, suts, run)?;
        let output = fs::read(&spec.log).unwrap_or_default();
        let trial = ToolTrial {
            schema: ToolTrial::SCHEMA.to_owned(),
            trial: name.to_owned(),
            round: self.round,
            treatment: treatment.name.clone(),
            tool: tool.clone(),
            version: self.version.clone(),
            arguments,
            ended,
            said: said::figures(&String::from_utf8_lossy(&output)),
            ours,
            ours_concurrency_count: design.connections_count,
        };
        Ok(Some((trial, output)))
    }

    fn spec(&self, hands: &Hands, name: &str, args: Vec<String>) -> Spec {
        Spec {
            name: name.to_owned(),
            program: self.program.to_path_buf(),
            args,
            cwd: hands.logs.to_path_buf(),
            env: vec![("PATH".to_owned(), self.tool.path.clone())],
            cpus: hands.placement.bench_cpus.clone(),
            user: None,
            log: hands.logs.join(format!("tool-{name}.txt")),
        }
    }
}

/// The request target of a whole request.
fn target_of(request: &[u8]) -> String {
    let text = String::from_utf8_lossy(request);
    text.split(' ').nth(1).unwrap_or("/").to_owned()
}

/// Our closed loop on the same start: as many slices as a block has.
fn ours(
    bench: &mut Bench,
    suts: &mut [Option<Sut>],
    run: &Run,
) -> Result<BTreeMap<String, f64>, LabError> {
    let length = Duration::from_secs_f64(run.design.slice_s);
    let kind = SliceKind::Closed;
    let mut window = Window::default();
    for _ in 0..run.design.closed_slices_count {
        if bench.is_stopped() || suts[0].as_mut().is_none_or(Sut::has_exited) {
            break;
        }
        let slice = load::Slice {
            discard: length.mul_f64(DISCARD_RATIO),
            drain: DRAIN_WITHIN,
            ..load::Slice::new(pacing(kind, run.design.connections_count, 0.0), length)
        };
        let (seen, record) =
            bench.window(suts, 0, CountsFor::Level, kind, &slice, &mut window.around)?;
        window.add(&record, &seen);
    }
    Ok(window.metrics(kind).0)
}

/// What a tool says of its version: the first line with a digit of what it prints for `--version`.
fn version(hands: &Hands, tool: &Tool, program: &Path) -> Option<String> {
    let one = Loaded {
        tool,
        program,
        version: None,
        round: 0,
    };
    let name = format!("{}-version", tool.manifest.name);
    let argument = if tool.manifest.name == "k6" {
        "version"
    } else {
        "--version"
    };
    let spec = one.spec(hands, &name, vec![argument.to_owned()]);
    hands.supervisor.run(&spec, VERSION_WITHIN).ok()?;
    let text = fs::read_to_string(&spec.log).ok()?;
    let line = text.lines().find(|line| {
        let lower = line.to_lowercase();
        line.contains(|c: char| c.is_ascii_digit()) && !lower.contains("usage")
    });
    line.map(|line| line.trim().chars().take(120).collect())
}
