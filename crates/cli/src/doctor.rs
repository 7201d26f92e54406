//! `bancada doctor`: what this machine lacks, and what would disturb a measurement.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use catalog::TOOLS;
use clap::{Args, ValueEnum};
use lab::place::Placement;
use lab::prepare::Preparer;
use lab::sample::MachineReading;
use lab::supervise::Supervisor;
use serde::Serialize;
use serde_json::json;

use crate::context::Context;

/// Arguments of `bancada doctor`.
#[derive(Args)]
#[command(after_help = "Examples:
  bancada doctor
  bancada doctor --format json")]
pub struct DoctorArgs {
    /// How to print it.
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Terminal,
    Json,
}

/// How serious a finding is.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Grade {
    Fine,
    Disturbs,
    Missing,
}

#[derive(Serialize)]
struct Finding {
    what: String,
    grade: Grade,
    detail: String,
}

/// How long the machine is watched for what else runs on it.
const WATCH: Duration = Duration::from_millis(500);
/// Share of all CPUs' time that others may use.
const BUSY_MAX_RATIO: f64 = 0.05;
/// Share of time that the hypervisor may take away.
const STEAL_MAX_RATIO: f64 = 0.01;

/// Looks around and prints what it found. What is missing is no failure: stacks that need it are skipped.
#[expect(clippy::print_stdout, reason = "the findings are the command's output")]
pub fn doctor(args: DoctorArgs, context: &Context) -> anyhow::Result<ExitCode> {
    let findings = examine(context)?;
    match args.format {
        Format::Terminal => findings
            .iter()
            .for_each(|finding| println!("{}", line(finding))),
        Format::Json => {
            let document = json!({ "schema": "bancada.doctor/1", "findings": findings });
            println!("{}", serde_json::to_string_pretty(&document)?);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn line(finding: &Finding) -> String {
    let mark = match finding.grade {
        Grade::Fine => "ok      ",
        Grade::Disturbs => "disturbs",
        Grade::Missing => "missing ",
    };
    format!("{mark}  {:<12} {}", finding.what, finding.detail)
}

fn examine(context: &Context) -> anyhow::Result<Vec<Finding>> {
    let supervisor = crate::supervisor::start(context)?;
    let mut findings = tools(context, &supervisor)?;
    findings.push(postgres(context, &supervisor));
    findings.push(cpus());
    findings.extend(machine());
    findings.extend(governor());
    Ok(findings)
}

fn tools(context: &Context, supervisor: &Supervisor) -> anyhow::Result<Vec<Finding>> {
    let stop = AtomicBool::new(false);
    let mut preparer = Preparer::new(supervisor, context.prepare_settings(), &stop)?;
    let mut findings = Vec::new();
    for tool in TOOLS {
        findings.push(match preparer.find(tool)? {
            Ok(found) => fine(
                tool,
                format!("{} ({})", found.version, found.program.display()),
            ),
            Err(missing) => Finding {
                what: tool.to_owned(),
                grade: Grade::Missing,
                detail: missing.to_string(),
            },
        });
    }
    if let Some(python) = preparer.interpreter()? {
        let detail = format!("{} ({})", python.description(), python.program.display());
        findings.push(graded("interpreter", python.is_optimised, detail));
    }
    Ok(findings)
}

fn postgres(context: &Context, supervisor: &Supervisor) -> Finding {
    if context.database_url.is_some() {
        return fine(
            "postgres",
            "an external server, from DATABASE_URL".to_owned(),
        );
    }
    match lab::postgres::installed(supervisor, &context.postgres_settings()) {
        Ok(found) => fine("postgres", found),
        Err(reason) => Finding {
            what: "postgres".to_owned(),
            grade: Grade::Missing,
            detail: format!("{reason}; it is fetched with mvn or npm when it is first needed"),
        },
    }
}

fn cpus() -> Finding {
    let placement = Placement::of_this_machine();
    let detail = format!(
        "services on {:?}, generator and PostgreSQL on {:?}",
        placement.service_cpus, placement.bench_cpus
    );
    graded("CPUs", !placement.is_shared(), detail)
}

fn machine() -> Vec<Finding> {
    let Some(before) = MachineReading::now() else {
        return Vec::new();
    };
    std::thread::sleep(WATCH);
    let Some(after) = MachineReading::now() else {
        return Vec::new();
    };
    let seen = after.since(&before);
    vec![
        graded(
            "other work",
            seen.busy_ratio <= BUSY_MAX_RATIO,
            format!("{:.0} % of all CPUs in use", seen.busy_ratio * 100.0),
        ),
        graded(
            "steal",
            seen.steal_ratio <= STEAL_MAX_RATIO,
            format!("{:.1} % taken by the hypervisor", seen.steal_ratio * 100.0),
        ),
    ]
}

fn governor() -> Option<Finding> {
    let text =
        std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").ok()?;
    let governor = text.trim();
    Some(graded(
        "governor",
        governor == "performance",
        governor.to_owned(),
    ))
}

fn fine(what: &str, detail: String) -> Finding {
    graded(what, true, detail)
}

fn graded(what: &str, fine: bool, detail: String) -> Finding {
    let grade = if fine { Grade::Fine } else { Grade::Disturbs };
    Finding {
        what: what.to_owned(),
        grade,
        detail,
    }
}
