//! From flags to a plan: everything that can be wrong with them is found here, before anything is sent.

use load::{
    Arrivals, Dispatch, Expectation, FeedOrder, LoadError, Pacing, Plan, Rate, Requests, Slice,
    StatusRule, Target, Url, notation,
};

use super::arguments::{ArrivalsArg, DispatchArg, EngineArg, FeedOrderArg, LoadArgs, StagesOf};
use super::lengths::lengths;
use crate::exit::{Usage, refuse};

/// Connections where no flag says how many.
const CONNECTIONS: u32 = 50;

/// The plan that the flags describe.
pub(super) fn plan(args: &LoadArgs) -> anyhow::Result<Plan> {
    if args.engine == EngineArg::IoUring {
        refuse!("--engine io_uring is not built into this version: use --engine epoll, or auto");
    }
    if args.threads == 0 || args.connections == Some(0) {
        refuse!("--threads and --connections need at least 1");
    }
    if args.timeout.is_zero() {
        refuse!("--timeout must be above 0: no answer is there at once");
    }
    if args.check_every.is_some() && args.expect_body_sha256.is_none() && args.expect_json.is_none()
    {
        refuse!(
            "--check-every says how many bodies are looked into, and nothing is looked for: \
             give --expect-body-sha256 or --expect-json"
        );
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
            sample_every: args.check_every.unwrap_or(1),
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
        refuse!(
            "--slo '{}': a closed loop has no response time, because it sends later when answers are late; \
             give a --rate, or use service_…",
            slo.text()
        );
    }
    let cpus = args.pin.clone().map(|cpus| cpus.0).unwrap_or_default();
    if let Err(reason) = load::check_cpus(&cpus) {
        refuse!("--pin: {reason}");
    }
    Ok(Plan {
        target,
        slice,
        threads: args.threads,
        cpus,
        busy_poll: args.busy_poll,
    })
}

fn slice(args: &LoadArgs) -> anyhow::Result<Slice> {
    let think_time = args.think_time.unwrap_or_default();
    let stages = args
        .stages
        .as_deref()
        .map(notation::stages)
        .transpose()
        .map_err(Usage)?;
    let arrivals = match args.arrivals {
        None | Some(ArrivalsArg::Constant) => Arrivals::Constant,
        Some(ArrivalsArg::Poisson) => Arrivals::Poisson,
    };
    let dispatch = match args.dispatch {
        Some(DispatchArg::PerConnection) => Dispatch::PerConnection,
        None | Some(DispatchArg::Shared) => Dispatch::Shared,
        Some(DispatchArg::Unbounded) => Dispatch::Unbounded,
    };
    let connections = args.connections.unwrap_or(CONNECTIONS);
    let open = |rate| Pacing::Open {
        rate,
        connections,
        dispatch,
    };
    let pacing = match (stages, args.rate, args.users) {
        (Some(stages), ..) if args.stages_of == StagesOf::Connections => {
            Pacing::ClosedStages { stages, think_time }
        }
        (Some(stages), ..) => open(Rate::staged(stages, arrivals)),
        (_, Some(rate), _) if !rate.is_finite() || rate <= 0.0 => {
            refuse!("--rate {rate} should be above 0")
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
            concurrency: connections,
            think_time,
        },
    };
    let counts_itself = matches!(pacing, Pacing::Users { .. } | Pacing::ClosedStages { .. });
    if counts_itself && args.connections.is_some() {
        refuse!(
            "--connections does not go with --users or --stages-of connections, which say how many there are"
        );
    }
    if !pacing.is_open() && (args.arrivals.is_some() || args.dispatch.is_some()) {
        refuse!(
            "--arrivals and --dispatch belong to an open loop: give a --rate, or --stages of rates"
        );
    }
    if pacing.is_open() && args.think_time.is_some() {
        refuse!(
            "--think-time belongs to a closed loop: with a rate, the schedule says when to send"
        );
    }
    let lasts = lengths(args, &pacing)?;
    Ok(Slice {
        requests: args.requests,
        discard: lasts.warm_up,
        drain: args.timeout,
        seed: args.seed,
        ..Slice::new(pacing, lasts.warm_up + lasts.measured)
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
        let body = std::fs::read(path).map_err(|error| {
            Usage(format!(
                "cannot read --body-file {}: {error}",
                path.display()
            ))
        })?;
        let filled = |text: &str| {
            headers.iter().any(|(_, value)| value.contains(text)) || url.target.contains(text)
        };
        if let Some(found) = ["{seq}", "{rand:"].iter().find(|text| filled(text)) {
            refuse!(
                "--body-file is sent as it is, and {found} in the address or in -H would be too: give --body or \
                 --feed, whose placeholders are filled"
            );
        }
        if args.feed.is_none() {
            let method = args.method.as_deref().unwrap_or("POST");
            check_method(method)?;
            let bytes =
                load::request_bytes(method, &url.target, &url.authority, &headers, Some(&body));
            return Ok(Requests::same(bytes));
        }
        refuse!("--feed and --body-file do not go together: put the bodies into the feed");
    }
    let text = match &args.feed {
        None => String::new(),
        Some(path) => std::fs::read_to_string(path)
            .map_err(|error| Usage(format!("cannot read --feed {}: {error}", path.display())))?,
    };
    let body = args.body.as_deref().map(str::as_bytes);
    let feeds_targets = text.starts_with('/');
    if args.feed.is_some() && !feeds_targets && body.is_some() {
        refuse!("--feed with bodies and --body do not go together: put the bodies into the feed");
    }
    let rows: Vec<(&str, Option<&[u8]>)> = match &args.feed {
        None => vec![(url.target.as_str(), body)],
        Some(_) if feeds_targets => text.lines().map(|line| (line, body)).collect(),
        Some(_) => text
            .lines()
            .map(|line| (url.target.as_str(), Some(line.as_bytes())))
            .collect(),
    };
    let feed_error = |line: usize, reason: String| match &args.feed {
        Some(path) => anyhow::Error::from(LoadError::Feed {
            path: path.display().to_string(),
            line,
            reason,
        }),
        None => Usage(format!("{reason}; look at the address, -H and --body")).into(),
    };
    for ((target, _), line) in rows.iter().zip(1..) {
        if !target.starts_with('/') || target.contains(char::is_whitespace) {
            let reason = format!(
                "'{target}' is no request target: it should start with / and hold no blanks"
            );
            return Err(feed_error(line, reason));
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
        .map_err(|(row, reason)| feed_error(row + 1, reason))
}

fn check_method(method: &str) -> anyhow::Result<()> {
    let sound = !method.is_empty()
        && method
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    if !sound || method == "CONNECT" {
        refuse!("--method '{method}' should be like GET or POST");
    }
    Ok(())
}

fn header(field: &str) -> anyhow::Result<(String, String)> {
    let is_token =
        |letter: char| letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter);
    let Some((name, value)) = field.split_once(':') else {
        refuse!("-H '{field}' should be like 'Name: value'");
    };
    if name.is_empty() || !name.chars().all(is_token) || value.contains(['\r', '\n', '\0']) {
        refuse!("-H '{field}' should be like 'Name: value'");
    }
    if name.eq_ignore_ascii_case("content-length") || name.eq_ignore_ascii_case("transfer-encoding")
    {
        refuse!("-H '{field}': the length of the body is said by bancada itself");
    }
    Ok((name.to_owned(), value.trim().to_owned()))
}
