//! `bancada list`: what the catalogue holds, what is wrong with it, and which runs there are.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use catalog::{Catalog, Fault};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::context::Context;
use crate::screen;

/// Arguments of `bancada list`.
#[derive(Args)]
#[command(after_help = "Examples:
  bancada list stacks                      what can be compared
  bancada list workloads                   what it can be asked
  bancada list experiments --format json   for programs
  bancada list runs                        what was measured, committed runs included")]
pub struct ListArgs {
    /// What to list.
    what: What,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    Stacks,
    Workloads,
    Experiments,
    Runs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Terminal,
    Json,
}

/// What a list shows of one entry.
struct Row {
    cells: Vec<String>,
    json: Value,
}

/// A list: the heads of its columns, its rows, and what is wrong with what is not in it.
struct Listing {
    heads: &'static [&'static str],
    rows: Vec<Row>,
    faults: Vec<String>,
}

/// Prints the list. Entries with a mistake are named after it, and make the exit code 1.
#[expect(clippy::print_stderr, reason = "mistakes are not part of the list")]
pub fn list(args: ListArgs, context: &Context) -> anyhow::Result<ExitCode> {
    let (name, listing) = match args.what {
        What::Stacks => ("stacks", stacks(&Catalog::scan(&context.root))),
        What::Workloads => ("workloads", workloads(&Catalog::scan(&context.root))),
        What::Experiments => ("experiments", experiments(&Catalog::scan(&context.root))),
        What::Runs => ("runs", runs(context)?),
    };
    let text = match args.format {
        Format::Terminal => table(&listing, screen::columns()),
        Format::Json => {
            let entries: Vec<&Value> = listing.rows.iter().map(|row| &row.json).collect();
            let document = json!({
                "schema": "bancada.list/1",
                name: entries,
                "faults": listing.faults,
            });
            format!("{}\n", serde_json::to_string_pretty(&document)?)
        }
    };
    print(&text)?;
    if args.format == Format::Terminal {
        for fault in &listing.faults {
            eprintln!("error: {fault}");
        }
    }
    Ok(match listing.faults.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Writes to standard output; whoever closed it has seen enough.
fn print(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

fn faults(catalog: &Catalog, folder: &str) -> Vec<String> {
    let here = |fault: &&Fault| fault.path.starts_with(folder);
    catalog
        .faults
        .iter()
        .filter(here)
        .map(Fault::to_string)
        .collect()
}

fn stacks(catalog: &Catalog) -> Listing {
    let row = |stack: &catalog::Stack| {
        let manifest = &stack.manifest;
        let title = match manifest.ranked {
            true => manifest.title.clone(),
            false => format!("{} (not ranked)", manifest.title),
        };
        Row {
            cells: vec![
                stack.name.clone(),
                title,
                manifest.needs.join(" "),
                manifest.workloads.join(" "),
            ],
            json: json!({ "name": stack.name, "manifest": manifest }),
        }
    };
    Listing {
        heads: &["STACK", "TITLE", "NEEDS", "SERVES"],
        rows: catalog.stacks.iter().map(row).collect(),
        faults: faults(catalog, "stacks"),
    }
}

fn workloads(catalog: &Catalog) -> Listing {
    let row = |workload: &catalog::Workload| {
        let manifest = &workload.manifest;
        let stacks = catalog.stacks.iter();
        let serving: Vec<&str> = stacks
            .filter(|stack| stack.manifest.workloads.contains(&workload.name))
            .map(|stack| stack.name.as_str())
            .collect();
        Row {
            cells: vec![
                workload.name.clone(),
                format!("{} {}", manifest.method, manifest.path),
                workload.contract.case.len().to_string(),
                serving.len().to_string(),
                manifest.asks.clone(),
            ],
            json: json!({
                "name": workload.name,
                "manifest": manifest,
                "contract": workload.contract,
                "stacks": serving,
            }),
        }
    };
    Listing {
        heads: &["WORKLOAD", "REQUEST", "CASES", "STACKS", "ASKS"],
        rows: catalog.workloads.iter().map(row).collect(),
        faults: faults(catalog, "workloads"),
    }
}

fn experiments(catalog: &Catalog) -> Listing {
    let row = |experiment: &catalog::Experiment| {
        let manifest = &experiment.manifest;
        Row {
            cells: vec![
                experiment.name.clone(),
                format!("{} s", manifest.budget_s),
                manifest.treatment.len().to_string(),
                manifest.question.clone(),
            ],
            json: json!({ "name": experiment.name, "manifest": manifest }),
        }
    };
    Listing {
        heads: &["EXPERIMENT", "BUDGET", "TREATMENTS", "QUESTION"],
        rows: catalog.experiments.iter().map(row).collect(),
        faults: faults(catalog, "experiments"),
    }
}

/// Runs of this machine, then those that are committed beside their experiments.
fn runs(context: &Context) -> anyhow::Result<Listing> {
    let mut found = record::list_runs(&context.runs)?;
    for experiment in &Catalog::scan(&context.root).experiments {
        found.extend(record::list_runs(&experiment.folder.join("results"))?);
    }
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    for listed in found {
        let folder = shown(&context.root, &listed.path);
        match listed.run {
            Ok(run) => rows.push(run_row(folder, &run)),
            Err(error) => faults.push(error.to_string()),
        }
    }
    Ok(Listing {
        heads: &["RUN", "STARTED", "ENDED BY", "TREATMENTS"],
        rows,
        faults,
    })
}

fn run_row(folder: String, run: &record::Run) -> Row {
    let treatments: Vec<&str> = run
        .treatments
        .iter()
        .map(|entry| entry.name.as_str())
        .collect();
    Row {
        cells: vec![
            folder.clone(),
            run.started_at.clone(),
            run.ended_by
                .clone()
                .unwrap_or_else(|| "not ended".to_owned()),
            treatments.join(" "),
        ],
        json: json!({
            "run": run.run,
            "folder": folder,
            "experiment": run.experiment,
            "started_at": run.started_at,
            "ended_at": run.ended_at,
            "ended_by": run.ended_by,
            "treatments": treatments,
        }),
    }
}

fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Columns as wide as their cells; the last takes what is left of the line, over as many lines as it needs.
fn table(listing: &Listing, columns: usize) -> String {
    if listing.rows.is_empty() {
        return "none\n".to_owned();
    }
    let heads = listing
        .heads
        .iter()
        .map(|head| (*head).to_owned())
        .collect();
    let lines: Vec<Vec<String>> = std::iter::once(heads)
        .chain(
            listing
                .rows
                .iter()
                .map(|row| row.cells.iter().map(|cell| printable(cell)).collect()),
        )
        .collect();
    let widest = |column: usize| {
        lines
            .iter()
            .map(|line: &Vec<String>| line[column].chars().count())
            .max()
    };
    let widths: Vec<usize> = (0..listing.heads.len()).filter_map(widest).collect();
    let before: usize = widths[..widths.len() - 1]
        .iter()
        .map(|width| width + 2)
        .sum();
    let left = columns.saturating_sub(before).max(24);
    let mut out = String::new();
    for cells in &lines {
        let (last, others) = cells.split_last().expect("every list has columns");
        let lead: String = others
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}  "))
            .collect();
        for (index, part) in wrap(last, left).iter().enumerate() {
            let lead = if index == 0 {
                lead.clone()
            } else {
                " ".repeat(before)
            };
            out.push_str(format!("{lead}{part}").trim_end());
            out.push('\n');
        }
    }
    out
}

fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= columns {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Text from a file without what would move the cursor.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(rows: &[[&str; 2]]) -> Listing {
        let row = |cells: &[&str; 2]| Row {
            cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
            json: Value::Null,
        };
        Listing {
            heads: &["NAME", "SAYS"],
            rows: rows.iter().map(row).collect(),
            faults: Vec::new(),
        }
    }

    #[test]
    fn the_last_column_goes_on_below_itself_and_no_line_ends_in_blanks() {
        let text = table(
            &listing(&[["a", "one two three four five six"], ["long-name", ""]]),
            36,
        );
        assert_eq!(
            text,
            "NAME       SAYS\n\
             a          one two three four five\n           six\n\
             long-name\n"
        );
    }

    #[test]
    fn an_empty_list_says_so() {
        assert_eq!(table(&listing(&[]), 80), "none\n");
    }

    #[test]
    fn text_from_a_file_cannot_move_the_cursor() {
        assert!(!table(&listing(&[["a\u{1b}[2J", "b"]]), 80).contains('\u{1b}'));
    }
}
