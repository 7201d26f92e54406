//! The template of the HTML report, and the web app: inside this binary, or built from `ui/` when it is first needed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use catalog::{STACK_SCHEMA, Stack, StackManifest, WorkerKind};
use lab::prepare::{PrepareError, Preparer};
use lab::supervise::Supervisor;
use record::RunDir;

use crate::context::Context;
use crate::exit::Usage;
use crate::prepare::prepare_shown;

/// The page, where it was built before this binary was.
const EMBEDDED: Option<&str> = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The web app, the same way.
const EMBEDDED_APP: Option<&str> = include!(concat!(env!("OUT_DIR"), "/app.rs"));

/// What the page of a run is called in its directory.
pub const FILE: &str = "report.html";

/// The report's page and the web app, as the build in `ui/` names them.
const TEMPLATE: &str = "index.html";
const APP: &str = "app.html";

/// What the build is called in the cache and in logs; no stack may have a `~` in its name.
const NAME: &str = "ui~page";

/// The template that `ui/` makes.
///
/// # Errors
/// As wrong usage, when there is neither a built page nor what it takes to build one.
pub fn template(context: Option<&Context>) -> anyhow::Result<String> {
    if let Some(page) = EMBEDDED {
        return Ok(page.to_owned());
    }
    let context = context.filter(|context| context.root.join("ui/package.json").is_file());
    let Some(context) = context else {
        return Err(unavailable(
            "this binary was built without it, and here is no ui/ to build it from",
        )
        .into());
    };
    let stop = crate::interrupt::stop_flag()?;
    let supervisor = crate::supervisor::start(context)?;
    built(context, &supervisor, &stop, TEMPLATE)
}

/// The same, with a guardian that is already there.
///
/// # Errors
/// As [`template`].
pub fn template_under(
    context: &Context,
    supervisor: &Supervisor,
    stop: &AtomicBool,
) -> anyhow::Result<String> {
    under(EMBEDDED, TEMPLATE, context, supervisor, stop)
}

/// The web app, with a guardian that is already there.
///
/// # Errors
/// As [`template`].
pub fn app_under(
    context: &Context,
    supervisor: &Supervisor,
    stop: &AtomicBool,
) -> anyhow::Result<String> {
    under(EMBEDDED_APP, APP, context, supervisor, stop)
}

fn under(
    embedded: Option<&str>,
    file: &str,
    context: &Context,
    supervisor: &Supervisor,
    stop: &AtomicBool,
) -> anyhow::Result<String> {
    match embedded {
        Some(page) => Ok(page.to_owned()),
        None if context.root.join("ui/package.json").is_file() => {
            built(context, supervisor, stop, file)
        }
        None => Err(unavailable("there is no ui/ to build the page from").into()),
    }
}

/// The HTML report of a run.
///
/// # Errors
/// When the run cannot be read, or the template is none.
pub fn html(directory: &RunDir, template: &str) -> anyhow::Result<String> {
    Ok(report::html(template, &report::page(directory)?)?)
}

fn built(
    context: &Context,
    supervisor: &Supervisor,
    stop: &AtomicBool,
    file: &str,
) -> anyhow::Result<String> {
    let mut preparer = Preparer::new(supervisor, context.prepare_settings(), stop)?;
    let prepared = match prepare_shown(&mut preparer, &source(&context.root.join("ui"))) {
        Err(PrepareError::Skipped { reason, .. }) => return Err(unavailable(&reason).into()),
        prepared => prepared?,
    };
    let page: PathBuf = prepared.build.join(file);
    std::fs::read_to_string(&page)
        .map_err(|error| anyhow::anyhow!("cannot read {}: {error}", page.display()))
}

/// `ui/` in the terms of what is prepared: installed and built once, again when a file of it changed.
fn source(folder: &Path) -> Stack {
    let line = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    Stack {
        name: NAME.to_owned(),
        folder: folder.to_owned(),
        manifest: StackManifest {
            schema: STACK_SCHEMA.to_owned(),
            title: "The report's page".to_owned(),
            language: "typescript".to_owned(),
            framework: "none".to_owned(),
            server: None,
            driver: None,
            serializer: None,
            needs: vec!["node".to_owned(), "npm".to_owned()],
            prepare: vec![
                line(&["npm", "ci", "--no-audit", "--no-fund"]),
                line(&["npm", "run", "build"]),
            ],
            health: "/health".to_owned(),
            workloads: Vec::new(),
            workers: WorkerKind::Processes,
            ranked: false,
            differs: None,
            skips: Vec::new(),
            sources: Vec::new(),
            launch: BTreeMap::new(),
        },
    }
}

fn unavailable(reason: &str) -> Usage {
    Usage(format!(
        "there is no HTML report: {reason}; --format terminal, markdown and json need none of it"
    ))
}
