//! `bancada load`: the load engine alone.
#![expect(clippy::print_stderr, reason = "progress goes to standard error")]

mod arguments;
mod lengths;
mod plan;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::Context;
use load::{Progress, Summary};

use arguments::Format;
pub use arguments::LoadArgs;

/// Runs `bancada load`: exit code 0 done, 1 nothing answered or an objective broken, 130 interrupted.
///
/// # Errors
/// When the flags make no sense, the host cannot be found, or the output cannot be written.
pub fn load(args: LoadArgs) -> anyhow::Result<ExitCode> {
    let plan = plan::plan(&args)?;
    crate::output::check(args.output.as_deref())?;
    let stop = crate::interrupt::stop_flag()?;
    let shows_progress = std::io::stderr().is_terminal();
    let mut progress = |standing: &Progress| {
        if shows_progress {
            show(standing);
        }
    };
    let seen = load::run(&plan, &mut progress, &stop)?;
    if shows_progress {
        eprint!("\r\x1b[K");
    }
    let mut summary = Summary::of(&plan, &seen).with_slos(&args.slo);
    if args.histograms {
        summary = summary.with_histograms(&seen);
    }
    let json = serde_json::to_string_pretty(&summary)? + "\n";
    let text = load::terminal(&args.url, &summary);
    let shown = if args.format == Format::Json {
        &json
    } else {
        &text
    };
    // First, so that nothing measured is lost. A reader that has gone away is no failure of ours.
    let _ = std::io::stdout().write_all(shown.as_bytes());
    if let Some(path) = &args.output {
        let bytes = match path.extension().and_then(|extension| extension.to_str()) {
            Some("txt") => text.clone().into_bytes(),
            Some("hlog") => load::export::histogram_log(&seen, SystemTime::now()),
            _ => json.clone().into_bytes(),
        };
        std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(exit_code(&summary))
}

fn exit_code(summary: &Summary) -> ExitCode {
    let broken = summary.slo.iter().any(|finding| !finding.met);
    if summary.interrupted {
        ExitCode::from(crate::exit::INTERRUPTED)
    } else if broken || summary.service_time_ns.answered_count == Some(0) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn show(standing: &Progress) {
    let counts = standing.counts;
    let elapsed = standing.elapsed.as_secs_f64();
    let of = match standing.duration {
        endless if endless >= lengths::ENDLESS => String::new(),
        duration => format!(" of {:.0}", duration.as_secs_f64()),
    };
    let rate = counts.answers as f64 / elapsed.max(f64::MIN_POSITIVE);
    let phase = match standing {
        _ if standing.warming_up => "warming up",
        _ if standing.elapsed > standing.duration => "awaiting answers",
        _ => "measuring",
    };
    let not_good = counts.answers - counts.good + counts.lost;
    eprint!(
        "\r\x1b[K{phase} {elapsed:.1}{of} s · {} answers, {rate:.0}/s · {} in flight · {not_good} not good",
        counts.answers, counts.in_flight
    );
}
