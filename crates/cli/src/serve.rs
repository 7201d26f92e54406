//! `bancada serve`: runs, live progress and the catalogue in a browser.

use std::io::Write;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context as _;
use catalog::Catalog;
use clap::Args;
use lab::supervise::Supervisor;
use lab::{Choices, Lab};
use record::{Event, RunDir};
use web::{Order, Starter, Token, Told};

use crate::context::{self, Context};
use crate::exit::Usage;
use crate::interrupt;
use crate::page;
use crate::run::drawn_seed;

/// Where it listens unless told otherwise.
const PORT: u16 = 8420;
/// Random bytes of a token that is drawn.
const TOKEN_BYTES: usize = 16;
/// How many of the newest run directories are looked at for the one that has just begun.
const NEWEST: usize = 5;

/// Arguments of `bancada serve`.
#[derive(Args)]
#[command(after_help = "Examples:
  bancada serve                          on http://127.0.0.1:8420/, for this machine alone
  bancada serve --port 0                 on any port that is free; the address is printed
  bancada serve --host 0.0.0.0           for the network: everything then needs the token

The token that is printed is needed to start a run. There is no TLS: on a network you do not trust, leave it
on loopback and forward the port (ssh -L 8420:127.0.0.1:8420 HOST).")]
pub struct ServeArgs {
    /// Port to listen on; 0 for any that is free.
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// Name or address to listen on.
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// Secret of at least 16 characters that starting a run needs [default: the environment's BANCADA_TOKEN, else one
    /// is drawn and printed once]. Every user of a machine can read arguments: prefer the variable
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
}

/// Serves until Ctrl-C.
pub fn serve(args: ServeArgs, context: &Context) -> anyhow::Result<ExitCode> {
    let (secret, is_drawn) = match args.token.or_else(context::token_variable) {
        Some(given) => (given, false),
        None => (drawn_token()?, true),
    };
    if secret.chars().count() < Token::LEAST_CHARS || !secret.chars().all(|c| c.is_ascii_graphic())
    {
        let message = format!(
            "--token or BANCADA_TOKEN needs at least {} printable ASCII characters without blanks",
            Token::LEAST_CHARS
        );
        return Err(Usage(message).into());
    }
    let listener = web::bind(&args.host, args.port)?;
    let address = listener
        .local_addr()
        .context("the listener has no address")?;
    let stop = interrupt::stop_flag()?;
    let supervisor = crate::supervisor::start(context)?;
    let pages = page::app_under(context, &supervisor, &stop)
        .and_then(|app| Ok((app, page::template_under(context, &supervisor, &stop)?)));
    let (app, template) = pages.map_err(no_app).ok().unzip();
    announce(address, is_drawn.then_some(secret.as_str()));
    let settings = web::Settings {
        folders: web::Folders {
            root: context.root.clone(),
            runs: context.runs.clone(),
        },
        host: args.host,
        token: Token::new(&secret),
        app,
        starter: Some(Arc::new(Bench {
            context: context.clone(),
            supervisor,
            template: template.clone(),
        })),
        template,
    };
    web::serve(listener, settings, &stop)?;
    Ok(ExitCode::SUCCESS)
}

/// Says why there is only a plain list of runs.
#[expect(clippy::print_stderr, reason = "a note that is not the address")]
fn no_app(error: anyhow::Error) {
    eprintln!("note: the web app is not served: {error:#}");
}

/// The address comes first and alone on its line; whoever starts this from a script reads it.
fn announce(address: SocketAddr, drawn: Option<&str>) {
    let mut text = format!("http://{address}/\n");
    if let Some(token) = drawn {
        text += &format!("to start runs too: http://{address}/#token={token}\n");
    }
    let mut out = std::io::stdout().lock();
    // A reader that has gone away is no failure of ours.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn drawn_token() -> anyhow::Result<String> {
    let mut bytes = [0_u8; TOKEN_BYTES];
    let count = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())
        .context("cannot draw a token")?;
    anyhow::ensure!(
        count == TOKEN_BYTES,
        "cannot draw a token: too few random bytes"
    );
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Makes the runs that are asked for, the way `bancada run` does.
struct Bench {
    context: Context,
    supervisor: Supervisor,
    template: Option<String>,
}

impl Starter for Bench {
    fn run(
        &self,
        order: &Order,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Told),
    ) -> Result<(), String> {
        self.make(order, stop, tell)
            .map_err(|error| format!("{error:#}"))
    }
}

impl Bench {
    fn make(
        &self,
        order: &Order,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Told),
    ) -> anyhow::Result<()> {
        let context = &self.context;
        let catalog = Catalog::scan(&context.root);
        let experiment = catalog.experiment(&order.experiment)?;
        let choices = Choices {
            budget_s: order.budget_s.map(|budget_s| budget_s.max(1)),
            seed: drawn_seed(),
            strict: false,
            ..Choices::default()
        };
        let mut is_found = false;
        let mut tell_with_directory = |event: Event| {
            if !is_found && matches!(event, Event::BlockBegan { .. } | Event::TrialEnded { .. }) {
                let name = self.begun(choices.seed);
                is_found = name.is_some();
                name.into_iter()
                    .for_each(|name| tell(Told::Directory(name)));
            }
            tell(Told::Event(event));
        };
        let mut lab = Lab {
            root: context.root.clone(),
            cache: context.cache.clone(),
            runs: context.runs.clone(),
            database_url: context.database_url.clone(),
            postgres_bin: context.postgres_bin.clone(),
            prepare: context.prepare_settings(),
            catalog: &catalog,
            supervisor: &self.supervisor,
            stop,
            tell: &mut tell_with_directory,
        };
        let ended = lab.run_experiment(experiment, &choices)?;
        report::save(&ended.dir, &report::read(&ended.dir)?)?;
        if let Some(template) = &self.template {
            let html = page::html(&ended.dir, template)?;
            ended.dir.write_file(page::FILE, html.as_bytes())?;
        }
        Ok(())
    }

    /// Name of the run that has just begun with this seed.
    fn begun(&self, seed: u64) -> Option<String> {
        let entries = std::fs::read_dir(&self.context.runs).ok()?;
        let mut names: Vec<String> = entries
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort_unstable();
        let newest = names.into_iter().rev().take(NEWEST);
        newest.into_iter().find(|name| {
            let run = RunDir::open(&self.context.runs.join(name)).and_then(|dir| dir.run());
            run.is_ok_and(|run| run.design.seed == seed)
        })
    }
}
