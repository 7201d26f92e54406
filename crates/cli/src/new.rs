//! `bancada new`: one folder of the catalogue, ready to edit.

mod answer;
mod openapi;
mod question;
mod scaffold;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use catalog::Catalog;
use clap::{Args, Subcommand};

use self::question::Question;
use self::scaffold::{Folder, write_all};
use crate::context::Context;
use crate::exit::Usage;

/// Arguments of `bancada new`.
#[derive(Args)]
#[command(after_help = "Examples:
  bancada new stack mine --command './serve' --workload orders
  bancada new workload search --record 'GET http://127.0.0.1:8000/search?q=x'
  bancada new experiment ours --workload orders --stack mine --stack theirs

`bancada new stack --help` has more of each. Nothing that is there already is overwritten.")]
pub struct NewArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// A stack from a command, with a workload of its own.
    #[command(after_help = "Examples:
  bancada new stack mine --command 'node server.js' --health /healthz --record 'GET http://127.0.0.1:8000/users'
  bancada new stack mine --command './serve' --openapi openapi.yaml --operation 'GET /users/{id}' --operation listOrders
  bancada new stack mine --command './serve' --workload orders      it serves a workload that is there already

The command is started with PORT in its environment and must listen there; --health must answer 200 once it is ready.")]
    Stack(Box<StackArgs>),
    /// A workload from an OpenAPI file or one recorded request.
    #[command(after_help = "Examples:
  bancada new workload search --record 'POST http://127.0.0.1:8000/search' --header 'Content-Type: application/json' --body '{\"text\":\"x\"}'
  bancada new workload users --openapi openapi.json --operation listUsers

Recording asks a running service three times and keeps what stayed the same as the contract.")]
    Workload(WorkloadArgs),
    /// An experiment over stacks that serve one workload.
    #[command(after_help = "Examples:
  bancada new experiment ours --workload orders --stack mine --stack theirs")]
    Experiment(ExperimentArgs),
}

#[derive(Args)]
struct StackArgs {
    /// Folder it gets under stacks/.
    name: String,
    /// Command line that starts the service.
    #[arg(long)]
    command: String,
    /// Path that answers 200 once the service is ready.
    #[arg(long, value_name = "PATH", default_value = "/health")]
    health: String,
    /// Folder the command is started in [default: the working directory]
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// How reports name it [default: its name]
    #[arg(long)]
    title: Option<String>,
    /// Programming language.
    #[arg(long, default_value = "other")]
    language: String,
    /// Web framework.
    #[arg(long, default_value = "none")]
    framework: String,
    /// Workload of the catalogue that it serves; may be repeated.
    #[arg(long, value_name = "WORKLOAD")]
    workload: Vec<String>,
    #[command(flatten)]
    source: SourceArgs,
}

#[derive(Args)]
struct WorkloadArgs {
    /// Folder it gets under workloads/.
    name: String,
    /// Path that answers 200 once a service is ready: the first case of the contract.
    #[arg(long, value_name = "PATH", default_value = "/health")]
    health: String,
    #[command(flatten)]
    source: SourceArgs,
}

/// Where a workload's request comes from.
#[derive(Args)]
struct SourceArgs {
    /// OpenAPI file, YAML or JSON.
    #[arg(
        long,
        value_name = "FILE",
        requires = "operation",
        conflicts_with = "record"
    )]
    openapi: Option<PathBuf>,
    /// GET or POST operation of it, by `GET /path` or its operationId; may be repeated.
    #[arg(long, value_name = "OPERATION", requires = "openapi")]
    operation: Vec<String>,
    /// Request to a running service, like `GET http://127.0.0.1:8000/users`.
    #[arg(long, value_name = "METHOD URL")]
    record: Option<String>,
    /// Header field of the recorded request, `Name: value`; may be repeated.
    #[arg(long, value_name = "FIELD", value_parser = crate::gate::header, requires = "record")]
    header: Vec<(String, String)>,
    /// Body of the recorded request.
    #[arg(long, value_name = "TEXT", requires = "record")]
    body: Option<String>,
}

#[derive(Args)]
struct ExperimentArgs {
    /// Folder it gets under experiments/.
    name: String,
    /// Workload that all of them serve.
    #[arg(long, value_name = "WORKLOAD")]
    workload: String,
    /// Stack to compare; the first is the baseline. Give two or more.
    #[arg(long, value_name = "STACK", required = true)]
    stack: Vec<String>,
    /// The question it answers.
    #[arg(long)]
    question: Option<String>,
}

/// Makes the folders, holds them against the catalogue's rules, and says what to do next.
///
/// # Errors
/// When a name is taken or cannot be one, or the source of the request cannot be used. Nothing is written then.
#[expect(clippy::print_stdout, reason = "what was made is the command's output")]
pub fn new(args: NewArgs, context: &Context) -> anyhow::Result<ExitCode> {
    let catalog = Catalog::scan(&context.root);
    let (folders, next) = match args.what {
        What::Stack(args) => stack(&args, &catalog)?,
        What::Workload(args) => {
            let folders = workloads(&args.name, &args.health, &args.source)?;
            if folders.is_empty() {
                let message = "give --openapi FILE --operation OPERATION, or --record 'METHOD URL'";
                return Err(Usage(message.to_owned()).into());
            }
            let name = &args.name;
            (
                folders,
                format!(
                    "add \"{name}\" to the `workloads` of a stack, then: bancada verify --workload {name}"
                ),
            )
        }
        What::Experiment(args) => experiment(&args, &catalog)?,
    };
    write_all(&context.root, &folders)?;
    for folder in &folders {
        for (file, _) in &folder.files {
            println!("{}/{}/{file}", folder.kind, folder.name);
        }
    }
    let catalog = Catalog::scan(&context.root);
    let own = |fault: &&catalog::Fault| {
        folders.iter().any(|folder| {
            fault
                .path
                .starts_with(PathBuf::from(folder.kind).join(&folder.name))
        })
    };
    let faults: Vec<String> = catalog
        .faults
        .iter()
        .filter(own)
        .map(ToString::to_string)
        .collect();
    if !faults.is_empty() {
        anyhow::bail!("what was made needs an edit: {}", faults.join("; "));
    }
    println!("Next: {next}");
    Ok(ExitCode::SUCCESS)
}

fn stack(args: &StackArgs, catalog: &Catalog) -> anyhow::Result<(Vec<Folder>, String)> {
    let dir = match &args.dir {
        Some(dir) => dir
            .canonicalize()
            .with_context(|| format!("no folder {}", dir.display()))?,
        None => std::env::current_dir()?,
    };
    for name in &args.workload {
        catalog.workload(name)?;
    }
    let mut folders = workloads(&args.name, &args.health, &args.source)?;
    if folders.is_empty() && args.workload.is_empty() {
        let question = Question::health(&args.health);
        folders.push(scaffold::workload(&args.name, &args.health, &question)?);
    }
    let served: Vec<String> = folders
        .iter()
        .map(|folder| folder.name.clone())
        .chain(args.workload.clone())
        .collect();
    folders.push(scaffold::stack(&scaffold::StackFacts {
        name: &args.name,
        title: args.title.as_deref().unwrap_or(&args.name),
        command: &args.command,
        dir: &dir,
        health: &args.health,
        language: &args.language,
        framework: &args.framework,
        workloads: &served,
    })?);
    Ok((folders, format!("bancada verify {}", args.name)))
}

/// The workloads that a source describes; none where no source is given.
fn workloads(name: &str, health: &str, source: &SourceArgs) -> anyhow::Result<Vec<Folder>> {
    if let Some(record) = &source.record {
        let question = answer::recorded(record, &source.header, source.body.as_deref())?;
        return Ok(vec![scaffold::workload(name, health, &question)?]);
    }
    let Some(file) = &source.openapi else {
        return Ok(Vec::new());
    };
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let document = openapi::Document::parse(&text)
        .map_err(|reason| Usage(format!("{}: {reason}", file.display())))?;
    let mut folders: Vec<Folder> = Vec::new();
    for asked in &source.operation {
        let question = document
            .question(asked)
            .map_err(|reason| Usage(format!("{}: {reason}", file.display())))?;
        let name = match source.operation.len() {
            1 => name.to_owned(),
            _ => format!("{name}-{}", scaffold::slug(asked)),
        };
        if folders.iter().any(|folder| folder.name == name) {
            return Err(Usage(format!("--operation {asked} is there twice")).into());
        }
        folders.push(scaffold::workload(&name, health, &question)?);
    }
    Ok(folders)
}

fn experiment(args: &ExperimentArgs, catalog: &Catalog) -> anyhow::Result<(Vec<Folder>, String)> {
    let workload = catalog.workload(&args.workload)?;
    if args.stack.len() < 2 {
        let message = "one --stack has nothing to be compared with: give another";
        return Err(Usage(message.to_owned()).into());
    }
    for name in &args.stack {
        let stack = catalog.stack(name)?;
        if !stack.manifest.workloads.contains(&args.workload) {
            let serves = stack.manifest.workloads.join(", ");
            let message = format!(
                "stack {name} does not serve {}; it serves {serves}",
                args.workload
            );
            return Err(Usage(message).into());
        }
    }
    let has_database = !workload.manifest.database.is_empty();
    let question = args.question.clone().unwrap_or_else(|| {
        format!(
            "What does {} cost on {}?",
            workload.manifest.title,
            args.stack.join(", ")
        )
    });
    let folder = scaffold::experiment(
        &args.name,
        &question,
        &args.workload,
        &args.stack,
        has_database,
    )?;
    let next = format!("bancada plan {0}, then: bancada run {0}", args.name);
    Ok((vec![folder], next))
}
