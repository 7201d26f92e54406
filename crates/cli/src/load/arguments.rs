//! The flags of `bancada load`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use load::{JsonField, Slo, notation};

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
    pub(super) url: String,

    /// Connections [default: 50]
    #[arg(short, long, value_name = "N", help_heading = "Pacing")]
    pub(super) connections: Option<u32>,
    /// Threads that send
    #[arg(
        short,
        long,
        value_name = "N",
        default_value_t = 1,
        help_heading = "Pacing"
    )]
    pub(super) threads: u32,
    /// How long to measure [default: 10s after --ramp-up, as long as --stages, or until all requests are sent]
    #[arg(short, long, value_name = "TIME", value_parser = notation::duration, help_heading = "Pacing")]
    pub(super) duration: Option<Duration>,
    /// How many requests to send, exactly, unless --duration or --stages end first
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Pacing")]
    pub(super) requests: Option<u64>,
    /// Open loop: arrivals per second
    #[arg(short, long, value_name = "PER_S", help_heading = "Pacing")]
    pub(super) rate: Option<f64>,
    /// Spacing of arrivals (open loop) [default: constant]
    #[arg(long, value_enum, help_heading = "Pacing")]
    pub(super) arrivals: Option<ArrivalsArg>,
    /// Which connection takes an arrival: its own, any free one of its thread, or a new one (open loop)
    /// [default: shared]
    #[arg(long, value_enum, help_heading = "Pacing")]
    pub(super) dispatch: Option<DispatchArg>,
    /// Users, each with one connection
    #[arg(long, value_name = "N", conflicts_with_all = ["rate", "stages"], value_parser = clap::value_parser!(u32).range(1..), help_heading = "Pacing")]
    pub(super) users: Option<u32>,
    /// Users begin evenly over this time
    #[arg(long, value_name = "TIME", value_parser = notation::duration, requires = "users", help_heading = "Pacing")]
    pub(super) ramp_up: Option<Duration>,
    /// Requests of each user
    #[arg(long, value_name = "N", requires = "users", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Pacing")]
    pub(super) requests_per_user: Option<u64>,
    /// Levels over time, like 100:10s,500:20s; 100..500:20s is a ramp
    #[arg(
        long,
        value_name = "STAGES",
        conflicts_with = "rate",
        help_heading = "Pacing"
    )]
    pub(super) stages: Option<String>,
    /// What the levels of --stages are
    #[arg(long, value_enum, default_value_t = StagesOf::Rate, requires = "stages", help_heading = "Pacing")]
    pub(super) stages_of: StagesOf,
    /// Pause between an answer and the next request (closed loop)
    #[arg(long, value_name = "TIME", value_parser = notation::duration, help_heading = "Pacing")]
    pub(super) think_time: Option<Duration>,
    /// Send this long before measuring
    #[arg(long, value_name = "TIME", value_parser = notation::duration, help_heading = "Pacing")]
    pub(super) warm_up: Option<Duration>,
    /// Longest time for one request
    #[arg(long, value_name = "TIME", value_parser = notation::duration, default_value = "10s", help_heading = "Pacing")]
    pub(super) timeout: Duration,

    /// Method [default: GET, or POST with a body]
    #[arg(short = 'X', long, help_heading = "Request")]
    pub(super) method: Option<String>,
    /// Header field, like 'Name: value'; may hold {seq} and {rand:a..b}
    #[arg(short = 'H', long, value_name = "FIELD", help_heading = "Request")]
    pub(super) header: Vec<String>,
    /// Body; may hold {seq} and {rand:a..b}
    #[arg(
        long,
        value_name = "TEXT",
        conflicts_with = "body_file",
        help_heading = "Request"
    )]
    pub(super) body: Option<String>,
    /// Body from a file, as it is
    #[arg(long, value_name = "FILE", help_heading = "Request")]
    pub(super) body_file: Option<PathBuf>,
    /// One request target (starting with /) or one body per line
    #[arg(long, value_name = "FILE", help_heading = "Request")]
    pub(super) feed: Option<PathBuf>,
    /// In which order the lines of the feed are used
    #[arg(long, value_enum, default_value_t = FeedOrderArg::InOrder, requires = "feed", help_heading = "Request")]
    pub(super) feed_order: FeedOrderArg,
    /// A new connection for every request
    #[arg(long, help_heading = "Request")]
    pub(super) no_keep_alive: bool,

    /// Status of a good answer [default: any 2xx]
    #[arg(long, value_name = "STATUS", value_parser = clap::value_parser!(u16).range(100..=999), help_heading = "Expectation")]
    pub(super) expect_status: Option<u16>,
    /// Length of its body
    #[arg(long, value_name = "BYTES", help_heading = "Expectation")]
    pub(super) expect_length: Option<u64>,
    /// SHA-256 of its body
    #[arg(long, value_name = "HEX", value_parser = notation::sha256, help_heading = "Expectation")]
    pub(super) expect_body_sha256: Option<[u8; 32]>,
    /// Field of its JSON body, like /items/0/id or /status="ok"
    #[arg(long, value_name = "POINTER[=JSON]", value_parser = json_field, help_heading = "Expectation")]
    pub(super) expect_json: Option<JsonField>,
    /// Look into every Nth body only (status and length are always checked) [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Expectation")]
    pub(super) check_every: Option<u32>,
    /// Objective, like 'response_p99<50ms' or 'errors<0.1%'; exit 1 when broken
    #[arg(long, value_name = "SLO", help_heading = "Expectation")]
    pub(super) slo: Vec<Slo>,

    /// How the kernel is asked
    #[arg(long, value_enum, default_value_t = EngineArg::Auto, help_heading = "Generator")]
    pub(super) engine: EngineArg,
    /// Bind threads to these CPUs, like 1 or 0,2-3
    #[arg(long, value_name = "CPUS", value_parser = cpus, help_heading = "Generator")]
    pub(super) pin: Option<Cpus>,
    /// Never sleep, which takes a whole CPU for each thread: times without the waking of the generator
    #[arg(long, help_heading = "Generator")]
    pub(super) busy_poll: bool,
    /// Seed of everything random
    #[arg(long, default_value_t = 1, help_heading = "Generator")]
    pub(super) seed: u64,
    /// Send to a public address: you answer for the host, or have leave to load it
    #[arg(long, help_heading = "Generator")]
    pub(super) i_may_load_this_host: bool,

    /// What is printed
    #[arg(long, value_enum, default_value_t = Format::Terminal, help_heading = "Output")]
    pub(super) format: Format,
    /// Also write the JSON to FILE; the summary as text if it ends in .txt, an HdrHistogram log if in .hlog
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,
    /// Put the histograms into the JSON; service_time and response_time are of answers, right or wrong: what had
    /// none is in failed_time alone
    #[arg(long, help_heading = "Output")]
    pub(super) histograms: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ArrivalsArg {
    Constant,
    Poisson,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum DispatchArg {
    PerConnection,
    Shared,
    Unbounded,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum StagesOf {
    Rate,
    Connections,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum FeedOrderArg {
    InOrder,
    Random,
    Zipf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum EngineArg {
    Auto,
    Epoll,
    IoUring,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Terminal,
    Json,
}

/// A list of CPUs, as a type of its own so that the argument parser takes it as one value.
#[derive(Clone, Debug)]
pub(super) struct Cpus(pub(super) Vec<usize>);

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
