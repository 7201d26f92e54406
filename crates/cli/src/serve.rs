//! `bancada serve`: runs, live progress and the catalogue in a browser.

use std::io::Write;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context as _;
use catalog::Catalog;
use clap::Args;
use lab::place::{Placement, allowed_cpus, pin_this_thread};
use lab::supervise::Supervisor;
use lab::{Choices, Ended, Lab};
use record::Event;
use web::{Order, Starter, Token, Told};

use crate::begun::begun;
use crate::context::{self, Context};
use crate::exit::Usage;
use crate::interrupt;
use crate::page;
use crate::run::drawn_seed;

/// Where it listens unless told otherwise.
const PORT: u16 = 8420;
/// Random bytes of a token that is drawn.
const TOKEN_BYTES: usize = 16;

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
    announce(&announcement(address, is_drawn.then_some(secret.as_str())));
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
            cpus: allowed_cpus(),
        })),
        template,
    };
    // Whatever is measured meanwhile has the services' CPUs to itself: threads that answer are started by this one,
    // and stay where it is. Where no CPU is to be had for the bench alone, any will do.
    let _ = pin_this_thread(&Placement::of_this_machine().bench_cpus);
    web::serve(listener, settings, &stop)?;
    Ok(ExitCode::SUCCESS)
}

/// Says why there is only a plain list of runs.
#[expect(clippy::print_stderr, reason = "a note that is not the address")]
fn no_app(error: anyhow::Error) {
    eprintln!("note: the web app is not served: {error:#}");
}

/// The address comes first and alone on its line; whoever starts this from a script reads it.
fn announcement(address: SocketAddr, drawn: Option<&str>) -> String {
    let mut text = format!("http://{address}/\n");
    if let Some(token) = drawn {
        let what = match address.ip().is_loopback() {
            true => "to start runs too",
            false => "everything needs the token",
        };
        text += &format!("{what}: http://{address}/#token={token}\n");
    }
    text
}

fn announce(text: &str) {
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
    /// What this program may use: the thread that answers, and starts runs, has given some of it up.
    cpus: Vec<u32>,
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
        pin_this_thread(&self.cpus).context("cannot have all CPUs back for a run")?;
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
                let name = begun(&context.runs, choices.seed).map(|dir| dir.name());
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
        let saved = self.save(&ended);
        // What ended the run says more than what became of its report.
        match ended.failure {
            Some(failure) => Err(failure.into()),
            None => saved,
        }
    }

    fn save(&self, ended: &Ended) -> anyhow::Result<()> {
        report::save(&ended.dir, &report::read(&ended.dir)?)?;
        if let Some(template) = &self.template {
            let html = page::html(&ended.dir, template)?;
            ended.dir.write_file(page::FILE, html.as_bytes())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn off_loopback_the_token_is_said_to_be_needed_for_everything() {
        let said = |address: &str, drawn| announcement(address.parse().expect("an address"), drawn);
        assert_eq!(
            said("127.0.0.1:8420", Some("secret")),
            "http://127.0.0.1:8420/\nto start runs too: http://127.0.0.1:8420/#token=secret\n"
        );
        assert_eq!(
            said("[2001:db8::1]:80", Some("secret")),
            "http://[2001:db8::1]:80/\neverything needs the token: http://[2001:db8::1]:80/#token=secret\n"
        );
        assert_eq!(said("192.0.2.1:80", None), "http://192.0.2.1:80/\n");
    }
}
