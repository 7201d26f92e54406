//! `bancada plan`: what a run would do, and what it could see.

use std::process::ExitCode;
use std::time::Duration;

use catalog::{Catalog, Experiment};
use clap::{Args, ValueEnum};
use lab::plan::{Measured, RunPlan, last_spread, plan as work_out, visible_ratio};
use serde_json::json;

use crate::context::Context;

/// Arguments of `bancada plan`.
#[derive(Args)]
#[command(after_help = "Examples:
  bancada plan                        the first look
  bancada plan first-look --budget 20m --format json")]
pub struct PlanArgs {
    /// Experiment, as `bancada list experiments` names it.
    #[arg(default_value = "first-look")]
    experiment: String,
    /// Measuring time, instead of the experiment's own.
    #[arg(long, value_name = "TIME", value_parser = load::notation::duration)]
    budget: Option<Duration>,
    /// Seed of the orders shown.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Terminal,
    Json,
}

/// Spreads of a log ratio from block to block that small machines show.
const SPREADS: [f64; 3] = [0.01, 0.02, 0.05];

/// Prints the plan.
#[expect(clippy::print_stdout, reason = "the plan is the command's output")]
pub fn plan(args: PlanArgs, context: &Context) -> anyhow::Result<ExitCode> {
    let catalog = Catalog::scan(&context.root);
    let experiment = catalog.experiment(&args.experiment)?;
    let planned = work_out(
        &experiment.manifest,
        args.seed,
        args.budget.map(|budget| budget.as_secs().max(1)),
    );
    let measured = last_spread(&context.runs, &experiment.name);
    match args.format {
        Format::Terminal => print!("{}", text(experiment, &planned, measured.as_ref())),
        Format::Json => println!(
            "{}",
            serde_json::to_string_pretty(&document(experiment, &planned, measured.as_ref()))?
        ),
    }
    Ok(ExitCode::SUCCESS)
}

fn text(experiment: &Experiment, plan: &RunPlan, measured: Option<&Measured>) -> String {
    let manifest = &experiment.manifest;
    let mut lines = vec![
        format!("{}: {}", manifest.title, manifest.question),
        String::new(),
        format!("Treatments  {}", plan.treatments.join(", ")),
        format!("A block     {}", block_in_words(plan)),
        format!(
            "Load        {} connections{}; open slices at {:.0} % of the slowest pilot capacity",
            manifest.connections,
            if manifest.keep_alive {
                ""
            } else {
                ", one for every request"
            },
            manifest.rate_ratio_of_slowest * 100.0
        ),
    ];
    lines.extend(besides(plan).map(|besides| format!("Besides     {besides}")));
    lines.push(format!(
        "Duration    about {:.0} s of verification and pilot, then {} blocks of about {:.0} s: {:.0} min",
        plan.pilot_s,
        plan.blocks,
        plan.block_s,
        (plan.pilot_s + f64::from(plan.blocks) * plan.block_s) / 60.0
    ));
    if !plan.first_starts.is_empty() {
        lines.push(format!(
            "Block 1     starts {}",
            plan.first_starts.join(", ")
        ));
    }
    lines.push(String::new());
    lines.push(format!(
        "What {} blocks of each can tell from no difference, all pairs together at 95 %:",
        plan.blocks_per_treatment
    ));
    let visible = |spread| {
        let blocks = plan.blocks_per_treatment;
        visible_ratio(spread, blocks, manifest.treatment.len()) * 100.0
    };
    match measured {
        Some(measured) => lines.push(format!(
            "  {:>4.1} %  as ratios varied by {:.1} % from block to block in {}",
            visible(measured.spread),
            measured.spread * 100.0,
            measured.run
        )),
        None => lines.extend(SPREADS.map(|spread| {
            format!(
                "  {:>4.1} %  when ratios vary by {:.0} % from block to block",
                visible(spread),
                spread * 100.0
            )
        })),
    }
    lines.push(String::new());
    lines.join("\n")
}

fn block_in_words(plan: &RunPlan) -> String {
    let design = &plan.design;
    let who = match (design.kind.as_str(), plan.treatments_per_block) {
        ("solo_trials", _) => {
            "every treatment alone, one after the other, started fresh".to_owned()
        }
        (_, some) if some < plan.treatments.len() => format!(
            "a group of {some} treatments that holds the baseline, drawn anew every round, each started fresh"
        ),
        _ => "every treatment started fresh".to_owned(),
    };
    format!(
        "{who} and warmed (at most {} s), then {} open and {} closed slices of {} s each{}",
        design.warm_up_cap_s,
        design.open_slices_count,
        design.closed_slices_count,
        design.slice_s,
        if design.kind == "solo_trials" {
            ""
        } else {
            ", interleaved"
        }
    )
}

/// What is measured besides the main slices.
fn besides(plan: &RunPlan) -> Option<String> {
    let design = &plan.design;
    let mut parts = Vec::new();
    if let Some(requests) = design.cold_requests_count {
        parts.push(format!("{requests} requests right after the start"));
    }
    for level in lab::design::slice_levels(design) {
        parts.push(match level.capacity_ratio {
            Some(ratio) => format!("{:.0} % of own capacity", ratio * 100.0),
            None => format!("closed loop at {}", level.concurrency),
        });
    }
    if let Some(objective) = &design.objective {
        parts.push(format!("the capacity that keeps {objective}"));
    }
    if let (Some(users), Some(ramp_up_s)) = (design.users_count, design.ramp_up_s) {
        parts.push(format!("{users} users over {ramp_up_s} s"));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn document(
    experiment: &Experiment,
    plan: &RunPlan,
    measured: Option<&Measured>,
) -> serde_json::Value {
    let spreads = match measured {
        Some(measured) => vec![measured.spread],
        None => SPREADS.to_vec(),
    };
    let visible: Vec<_> = spreads
        .iter()
        .map(|spread| {
            json!({
                "block_sd_ratio": spread,
                "visible_difference_ratio": visible_ratio(*spread, plan.blocks_per_treatment, experiment.manifest.treatment.len()),
            })
        })
        .collect();
    json!({
        "schema": "bancada.plan/1",
        "experiment": experiment.name,
        "treatments": plan.treatments,
        "design": plan.design.kind,
        "blocks_count": plan.blocks,
        "blocks_per_treatment_count": plan.blocks_per_treatment,
        "block_s": plan.block_s,
        "pilot_s": plan.pilot_s,
        "first_block_starts": plan.first_starts,
        "visible": visible,
    })
}
