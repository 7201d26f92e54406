//! `bancada load`: the load engine alone.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use load::{
    Arrivals, Dispatch, Expectation, FeedOrder, JsonField, LoadError, Pacing, Plan, Progress, Rate,
    Requests, Slice, Slo, Stage, StatusRule, Summary, Target, Url, notation,
};

const EXAMPLES: &str = "\
Examples:
  Closed loop: 50 connections for 10 s, each sending when its last answer is in
    bancada load http://127.0.0.1:8000/users -c 50 -d 10s

  Open loop: 1,000 arrivals a second whether or not earlier ones are answered
    bancada load http://127.0.0.1:8000/users -r 1000 --arrivals poisson -d 30s --warm-up 5s

  Users of a thread group: 100 begun over 20 s, 50 requests each, 1 s between them
    bancada load http://127.0.0.1:8000/ --users 100 --ramp-up 20s --requests-per-user 50 --think-time 1s

  Stages of rates, the second a ramp
    bancada load http://127.0.0.1:8000/ --stages 100:10s,100..500:20s,500:30s

  Post a different body each time, and fail CI when an objective is broken
    bancada load http://127.0.0.1:8000/user -X POST -H 'Content-Type: application/json' \\
      --body '{\"id\":{seq},\"age\":{rand:18..99}}' -r 200 -d 20s \\
      --expect-status 201 --slo 'response_p99<50ms' --slo 'errors<0.1%'

  For programs: JSON with histograms
    bancada load http://127.0.0.1:8000/ -n 100000 --format json --histograms --output result.json";

/// Put load on a service and say truthfully how it answered.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct LoadArgs {
    /// http://host:port/path; may hold {seq} and {rand:a..b}
    url: String,

    /// Connections
    #[arg(
        short,
        long,
        value_name = "N",
        default_value_t = 50,
        help_heading = "Pacing"
    )]
    connections: u32,
    /// Threads that send
    #[arg(
        short,
        long,
        value_name = "N",
        default_value_t = 1,
        help_heading = "Pacing"
    )]
    threads: u32,
    /// How long to measure [default: 10s, or until --requests are sent]
    #[arg(short, long, value_name = "TIME", value_parser = notation::duration, help_heading = "Pacing")]
    duration: Option<Duration>,
    /// How many requests to send, exactly
    #[arg(short = 'n', long, value_name = "N", help_heading = "Pacing")]
    requests: Option<u64>,
    /// Open loop: arrivals per second
    #[arg(short, long, value_name = "PER_S", help_heading = "Pacing")]
    rate: Option<f64>,
    /// Spacing of arrivals
    #[arg(long, value_enum, default_value_t = ArrivalsArg::Constant, help_heading = "Pacing")]
    arrivals: ArrivalsArg,
    /// Which connection takes an arrival: its own, any free one, or a new one
    #[arg(long, value_enum, default_value_t = DispatchArg::Shared, help_heading = "Pacing")]
    dispatch: DispatchArg,
    /// Users, each with one connection
    #[arg(long, value_name = "N", conflicts_with_all = ["rate", "stages"], help_heading = "Pacing")]
    users: Option<u32>,
    /// Users begin evenly over this time
    #[arg(long, value_name = "TIME", value_parser = notation::duration, requires = "users", help_heading = "Pacing")]
    ramp_up: Option<Duration>,
    /// Requests of each user
    #[arg(long, value_name = "N", requires = "users", help_heading = "Pacing")]
    requests_per_user: Option<u64>,
    /// Levels over time, like 100:10s,500:20s; 100..500:20s is a ramp
    #[arg(
        long,
        value_name = "STAGES",
        conflicts_with = "rate",
        help_heading = "Pacing"
    )]
    stages: Option<String>,
    /// What the levels of --stages are
    #[arg(long, value_enum, default_value_t = StagesOf::Rate, requires = "stages", help_heading = "Pacing")]
    stages_of: StagesOf,
    /// Pause between an answer and the next request (closed loop)
    #[arg(long, value_name = "TIME", value_parser = notation::duration, help_heading = "Pacing")]
    think_time: Option<Duration>,
    /// Send this long before measuring
    #[arg(long, value_name = "TIME", value_parser = notation::duration, help_heading = "Pacing")]
    warm_up: Option<Duration>,
    /// Longest time for one request
    #[arg(long, value_name = "TIME", value_parser = notation::duration, default_value = "10s", help_heading = "Pacing")]
    timeout: Duration,

    /// Method [default: GET, or POST with a body]
    #[arg(short = 'X', long, help_heading = "Request")]
    method: Option<String>,
    /// Header field, like 'Name: value'
    #[arg(short = 'H', long, value_name = "FIELD", help_heading = "Request")]
    header: Vec<String>,
    /// Body; may hold {seq} and {rand:a..b}
    #[arg(
        long,
        value_name = "TEXT",
        conflicts_with = "body_file",
        help_heading = "Request"
    )]
    body: Option<String>,
    /// Body from a file, as it is
    #[arg(long, value_name = "FILE", help_heading = "Request")]
    body_file: Option<PathBuf>,
    /// One request target (starting with /) or one body per line
    #[arg(long, value_name = "FILE", help_heading = "Request")]
    feed: Option<PathBuf>,
    /// In which order the lines of the feed are used
    #[arg(long, value_enum, default_value_t = FeedOrderArg::InOrder, requires = "feed", help_heading = "Request")]
    feed_order: FeedOrderArg,
    /// A new connection for every request
    #[arg(long, help_heading = "Request")]
    no_keep_alive: bool,

    /// Status of a good answer [default: any 2xx]
    #[arg(long, value_name = "STATUS", value_parser = clap::value_parser!(u16).range(100..=999), help_heading = "Expectation")]
    expect_status: Option<u16>,
    /// Length of its body
    #[arg(long, value_name = "BYTES", help_heading = "Expectation")]
    expect_length: Option<u64>,
    /// SHA-256 of its body
    #[arg(long, value_name = "HEX", value_parser = notation::sha256, help_heading = "Expectation")]
    expect_body_sha256: Option<[u8; 32]>,
    /// Field of its JSON body, like /items/0/id or /status="ok"
    #[arg(long, value_name = "POINTER[=JSON]", value_parser = json_field, help_heading = "Expectation")]
    expect_json: Option<JsonField>,
    /// Look into every Nth body only (status and length are always checked)
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        help_heading = "Expectation"
    )]
    check_every: u32,
    /// Objective, like 'response_p99<50ms' or 'errors<0.1%'; exit 1 when broken
    #[arg(long, value_name = "SLO", help_heading = "Expectation")]
    slo: Vec<Slo>,

    /// How the kernel is asked
    #[arg(long, value_enum, default_value_t = EngineArg::Auto, help_heading = "Generator")]
    engine: EngineArg,
    /// Bind threads to these CPUs, like 1 or 0,2-3
    #[arg(long, value_name = "CPUS", value_parser = cpus, help_heading = "Generator")]
    pin: Option<Cpus>,
    /// Seed of everything random
    #[arg(long, default_value_t = 1, help_heading = "Generator")]
    seed: u64,
    /// Send to a public address: you answer for the host, or have leave to load it
    #[arg(long, help_heading = "Generator")]
    i_may_load_this_host: bool,

    /// What is printed
    #[arg(long, value_enum, default_value_t = Format::Terminal, help_heading = "Output")]
    format: Format,
    /// Also write the JSON to FILE; the summary as text if it ends in .txt, an HdrHistogram log if in .hlog
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Put the histograms into the JSON
    #[arg(long, help_heading = "Output")]
    histograms: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ArrivalsArg {
    Constant,
    Poisson,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum DispatchArg {
    PerConnection,
    Shared,
    Unbounded,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StagesOf {
    Rate,
    Connections,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FeedOrderArg {
    InOrder,
    Random,
    Zipf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum EngineArg {
    Auto,
    Epoll,
    IoUring,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Terminal,
    Json,
}

/// A list of CPUs, as a type of its own so that the argument parser takes it as one value.
#[derive(Clone, Debug)]
struct Cpus(Vec<usize>);

fn cpus(text: &str) -> Result<Cpus, String> {
    notation::cpus(text).map(Cpus)
}

fn json_field(text: &str) -> Result<JsonField, String> {
    let (pointer, value) = match text.split_once('=') {
        Some((pointer, value)) => {
            let value = serde_json::from_str(value)
                .map_err(|error| format!("'{value}' is not JSON ({error}); text needs quotes"))?;
            (pointer, Some(value))
        }
        None => (text, None),
    };
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return Err(format!(
            "'{pointer}' should be a JSON Pointer like /items/0/id"
        ));
    }
    Ok(JsonField {
        pointer: pointer.to_owned(),
        value,
    })
}

static STOP: AtomicBool = AtomicBool::new(false);

/// Runs `bancada load`. Exit codes: 0 done, 1 nothing answered or an objective broken, 2 wrong
/// usage, 130 interrupted.
pub fn load(args: LoadArgs) -> anyhow::Result<ExitCode> {
    let plan = match plan(&args) {
        Ok(plan) => plan,
        Err(error) => {
            eprintln!("error: {error:#}");
            let usage = error
                .downcast_ref::<LoadError>()
                .is_none_or(LoadError::is_usage);
            return Ok(ExitCode::from(if usage { 2 } else { 1 }));
        }
    };
    stop_on_interrupt();
    let shows_progress = std::io::stderr().is_terminal();
    let mut last = 0;
    let mut progress = |standing: &Progress| {
        if shows_progress {
            show(standing, &mut last);
        }
    };
    let seen = match load::run(&plan, &mut progress, &STOP) {
        Ok(seen) => seen,
        Err(error) if error.is_usage() => {
            eprintln!("error: {error}");
            return Ok(ExitCode::from(2));
        }
        Err(error) => return Err(error.into()),
    };
    if shows_progress {
        eprint!("\r\x1b[K");
    }
    let mut summary = Summary::of(&plan, &seen).with_slos(&args.slo);
    if args.histograms {
        summary = summary.with_histograms(&seen);
    }
    let json = serde_json::to_string_pretty(&summary)? + "\n";
    let text = load::terminal(&args.url, &summary);
    if let Some(path) = &args.output {
        let bytes = match path.extension().and_then(|extension| extension.to_str()) {
            Some("txt") => text.clone().into_bytes(),
            Some("hlog") => load::export::histogram_log(&seen, SystemTime::now()),
            _ => json.clone().into_bytes(),
        };
        std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let shown = if args.format == Format::Json {
        &json
    } else {
        &text
    };
    // A reader that has gone away is no failure of ours.
    let _ = std::io::stdout().write_all(shown.as_bytes());
    Ok(exit_code(&summary))
}

fn exit_code(summary: &Summary) -> ExitCode {
    let broken = summary.slo.iter().any(|finding| !finding.met);
    if summary.interrupted {
        ExitCode::from(130)
    } else if broken || summary.service_time_ns.answered_count == Some(0) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn show(standing: &Progress, last: &mut u64) {
    let counts = standing.counts;
    let elapsed = standing.elapsed.as_secs_f64();
    let of = match standing.duration {
        endless if endless >= ENDLESS => String::new(),
        duration => format!(" of {:.0}", duration.as_secs_f64()),
    };
    let rate = counts.answers as f64 / elapsed.max(f64::MIN_POSITIVE);
    let phase = if standing.warming_up {
        "warming up"
    } else {
        "measuring"
    };
    let wrong = counts.answers - counts.good + counts.lost;
    if counts.answers >= *last {
        *last = counts.answers;
        eprint!(
            "\r\x1b[K{phase} {elapsed:.1}{of} s · {} answers, {rate:.0}/s · {} in flight · {wrong} not good",
            counts.answers, counts.in_flight
        );
    }
}

extern "C" fn interrupted(_: libc::c_int) {
    STOP.store(true, Ordering::Relaxed);
    // A second time ends the process: the default is back.
    // SAFETY: signal is async-signal-safe.
    unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
}

fn stop_on_interrupt() {
    let handler = interrupted as extern "C" fn(libc::c_int);
    // SAFETY: the handler does nothing but store to an atomic and call signal.
    unsafe {
        libc::signal(libc::SIGINT, handler as libc::sighandler_t);
        libc::signal(libc::SIGTERM, handler as libc::sighandler_t);
    }
}

/// Stands for "until all requests are sent".
const ENDLESS: Duration = Duration::from_secs(365 * 24 * 3600);

fn plan(args: &LoadArgs) -> anyhow::Result<Plan> {
    if args.engine == EngineArg::IoUring {
        bail!("--engine io_uring is not built into this version: use --engine epoll, or auto");
    }
    if args.threads == 0 || args.connections == 0 {
        bail!("--threads and --connections need at least 1");
    }
    let url: Url = args.url.parse()?;
    let requests = requests(args, &url)?;
    let addr = url.resolve(args.i_may_load_this_host)?;
    let target = Target {
        expectation: Expectation {
            status: args
                .expect_status
                .map_or(StatusRule::Success, StatusRule::Exact),
            body_bytes: args.expect_length,
            body_sha256: args.expect_body_sha256,
            json_field: args.expect_json.clone(),
            sample_every: args.check_every,
        },
        timeout: args.timeout,
        keep_alive: !args.no_keep_alive,
        ..Target::new(addr, url.authority, requests)
    };
    let slice = slice(args)?;
    if let (false, Some(slo)) = (
        slice.pacing.is_open(),
        args.slo.iter().find(|slo| slo.needs_open_loop()),
    ) {
        bail!(
            "--slo '{}': a closed loop has no response time, because it sends later when answers are late; \
             give a --rate, or use service_…",
            slo.text()
        );
    }
    if args.threads > slice.pacing.concurrency() {
        bail!("--threads {} are more than the connections", args.threads);
    }
    let cpus = args.pin.clone().map(|cpus| cpus.0).unwrap_or_default();
    Ok(Plan {
        target,
        slice,
        threads: args.threads,
        cpus,
    })
}

fn slice(args: &LoadArgs) -> anyhow::Result<Slice> {
    let think_time = args.think_time.unwrap_or_default();
    let stages = args
        .stages
        .as_deref()
        .map(notation::stages)
        .transpose()
        .map_err(anyhow::Error::msg)?;
    let length = |stages: &[Stage]| stages.iter().map(|stage| stage.duration).sum::<Duration>();
    let staged = stages.as_deref().map(length);
    let arrivals = match args.arrivals {
        ArrivalsArg::Constant => Arrivals::Constant,
        ArrivalsArg::Poisson => Arrivals::Poisson,
    };
    let dispatch = match args.dispatch {
        DispatchArg::PerConnection => Dispatch::PerConnection,
        DispatchArg::Shared => Dispatch::Shared,
        DispatchArg::Unbounded => Dispatch::Unbounded,
    };
    let open = |rate| Pacing::Open {
        rate,
        connections: args.connections,
        dispatch,
    };
    let pacing = match (stages, args.rate, args.users) {
        (Some(stages), ..) if args.stages_of == StagesOf::Connections => {
            Pacing::ClosedStages { stages, think_time }
        }
        (Some(stages), ..) => open(Rate::staged(stages, arrivals)),
        (_, Some(rate), _) if !rate.is_finite() || rate <= 0.0 => {
            bail!("--rate {rate} should be above 0")
        }
        (_, Some(rate), _) => open(Rate {
            arrivals,
            ..Rate::constant(rate)
        }),
        (_, _, Some(users)) => Pacing::Users {
            users,
            ramp_up: args.ramp_up.unwrap_or_default(),
            requests_per_user: args.requests_per_user,
            think_time,
        },
        _ => Pacing::Closed {
            concurrency: args.connections,
            think_time,
        },
    };
    if pacing.is_open() && args.think_time.is_some() {
        bail!("--think-time belongs to a closed loop: with a rate, the schedule says when to send");
    }
    let counted = args.requests.is_some() || args.requests_per_user.is_some();
    let usual = if counted {
        ENDLESS
    } else {
        Duration::from_secs(10)
    };
    let warm_up = args.warm_up.unwrap_or_default();
    let measured = args
        .duration
        .or(staged.map(|all| all.saturating_sub(warm_up)))
        .unwrap_or(usual);
    if measured.is_zero() {
        bail!(
            "nothing is left to measure: --duration must be above 0, and --stages longer than --warm-up"
        );
    }
    Ok(Slice {
        requests: args.requests,
        discard: warm_up,
        drain: args.timeout,
        seed: args.seed,
        ..Slice::new(pacing, warm_up + measured)
    })
}

fn requests(args: &LoadArgs, url: &Url) -> anyhow::Result<Requests> {
    let mut headers = args
        .header
        .iter()
        .map(|field| header(field))
        .collect::<anyhow::Result<Vec<_>>>()?;
    if args.no_keep_alive {
        headers.push(("Connection".to_owned(), "close".to_owned()));
    }
    if let Some(path) = &args.body_file {
        let body = std::fs::read(path)
            .with_context(|| format!("cannot read --body-file {}", path.display()))?;
        if args.feed.is_none() {
            let method = args.method.as_deref().unwrap_or("POST");
            check_method(method)?;
            let bytes =
                load::request_bytes(method, &url.target, &url.authority, &headers, Some(&body));
            return Ok(Requests::same(bytes));
        }
        bail!("--feed and --body-file do not go together: put the bodies into the feed");
    }
    let text = match &args.feed {
        None => String::new(),
        Some(path) => std::fs::read_to_string(path)
            .with_context(|| format!("cannot read --feed {}", path.display()))?,
    };
    let body = args.body.as_deref().map(str::as_bytes);
    let feeds_targets = text.starts_with('/');
    if args.feed.is_some() && !feeds_targets && body.is_some() {
        bail!("--feed with bodies and --body do not go together: put the bodies into the feed");
    }
    let rows: Vec<(&str, Option<&[u8]>)> = match &args.feed {
        None => vec![(url.target.as_str(), body)],
        Some(_) if feeds_targets => text.lines().map(|line| (line, body)).collect(),
        Some(_) => text
            .lines()
            .map(|line| (url.target.as_str(), Some(line.as_bytes())))
            .collect(),
    };
    let feed_error = |line: Option<usize>, reason: String| LoadError::Feed {
        path: args.feed.as_ref().map_or_else(
            || "command line".to_owned(),
            |path| path.display().to_string(),
        ),
        line,
        reason,
    };
    for ((target, _), line) in rows.iter().zip(1..) {
        if !target.starts_with('/') || target.contains(char::is_whitespace) {
            let reason = format!(
                "'{target}' is no request target: it should start with / and hold no blanks"
            );
            return Err(feed_error(Some(line), reason).into());
        }
    }
    let has_body = rows.iter().any(|(_, body)| body.is_some());
    let method = args
        .method
        .as_deref()
        .unwrap_or(if has_body { "POST" } else { "GET" });
    check_method(method)?;
    let order = match args.feed_order {
        FeedOrderArg::InOrder => FeedOrder::InOrder,
        FeedOrderArg::Random => FeedOrder::Random,
        FeedOrderArg::Zipf => FeedOrder::Zipf,
    };
    Requests::feed(method, &url.authority, &headers, rows, order)
        .map_err(|(row, reason)| feed_error(args.feed.is_some().then_some(row + 1), reason).into())
}

fn check_method(method: &str) -> anyhow::Result<()> {
    let sound = !method.is_empty()
        && method
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    if !sound || method == "CONNECT" {
        bail!("--method '{method}' should be like GET or POST");
    }
    Ok(())
}

fn header(field: &str) -> anyhow::Result<(String, String)> {
    let wrong = || format!("-H '{field}' should be like 'Name: value'");
    let (name, value) = field.split_once(':').with_context(wrong)?;
    let is_token =
        |letter: char| letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter);
    if name.is_empty() || !name.chars().all(is_token) || value.contains(['\r', '\n', '\0']) {
        bail!(wrong());
    }
    Ok((name.to_owned(), value.trim().to_owned()))
}
