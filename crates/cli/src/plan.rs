//! `bancada plan`: what a run would do, and what it could see.

use std::process::ExitCode;
use std::time::Duration;

use catalog::{Catalog, Experiment};
use clap::{Args, ValueEnum};
use lab::plan::{RunPlan, plan as work_out, visible_ratio};
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
    match args.format {
        Format::Terminal => print!("{}", text(experiment, &planned)),
        Format::Json => println!(
            "{}",
            serde_json::to_string_pretty(&document(experiment, &planned))?
        ),
    }
    Ok(ExitCode::SUCCESS)
}

fn text(experiment: &Experiment, plan: &RunPlan) -> String {
    let manifest = &experiment.manifest;
    let mut lines = vec![
        format!("{}: {}", manifest.title, manifest.question),
        String::new(),
        format!("Treatments  {}", plan.treatments.join(", ")),
        format!(
            "A block     every treatment started fresh and warmed (at most {} s), then {} open and {} closed slices of {} s each, interleaved",
            manifest.warm_up_cap_s, manifest.open_slices, manifest.closed_slices, manifest.slice_s
        ),
        format!(
            "Load        {} connections; open slices at {:.0} % of the slowest pilot capacity",
            manifest.connections,
            manifest.rate_ratio_of_slowest * 100.0
        ),
        format!(
            "Duration    about {:.0} s of verification and pilot, then {} blocks of about {:.0} s: {:.0} min",
            plan.pilot_s,
            plan.blocks,
            plan.block_s,
            (plan.pilot_s + f64::from(plan.blocks) * plan.block_s) / 60.0
        ),
        format!("Block 1     starts {}", plan.first_starts.join(", ")),
        String::new(),
        format!(
            "What {} blocks can tell from no difference, all pairs together at 95 %:",
            plan.blocks
        ),
    ];
    for spread in SPREADS {
        let visible = visible_ratio(spread, plan.blocks, manifest.treatment.len());
        lines.push(format!(
            "  {:>4.1} %  when ratios vary by {:.0} % from block to block",
            visible * 100.0,
            spread * 100.0
        ));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn document(experiment: &Experiment, plan: &RunPlan) -> serde_json::Value {
    let visible: Vec<_> = SPREADS
        .iter()
        .map(|spread| {
            json!({
                "block_sd_ratio": spread,
                "visible_difference_ratio": visible_ratio(*spread, plan.blocks, experiment.manifest.treatment.len()),
            })
        })
        .collect();
    json!({
        "schema": "bancada.plan/1",
        "experiment": experiment.name,
        "treatments": plan.treatments,
        "blocks_count": plan.blocks,
        "block_s": plan.block_s,
        "pilot_s": plan.pilot_s,
        "first_block_starts": plan.first_starts,
        "visible": visible,
    })
}
