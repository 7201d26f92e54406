//! The fairness sheet of a workload: what each treatment sends, asks its database and leaves out, side by side, so
//! that whoever reads a difference sees whether the same work was done.
//!
//! All of it is what the run recorded: facts found when the treatment was auditioned, its settings, its stack's manifest.

use std::collections::BTreeMap;

use record::{Run, Treatment};
use schemars::JsonSchema;
use serde::Serialize;

use crate::findings::Findings;
use crate::sections::{Block, Item, Section};
use crate::table::{Align, Cell, Column};
use crate::text::plain;

/// Facts that are about an answer or the handler; all others name a version.
const NOT_VERSIONS: [&str; 9] = [
    "status",
    "body_bytes",
    "header_bytes",
    "headers",
    "statements_per_request",
    "rows_per_request",
    "prepared_statements",
    "handler_lines",
    "source_lines",
];

/// Every treatment of one workload.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FairnessSheet {
    /// The workload.
    pub workload: String,
    /// One row each, in the order of the run.
    pub treatments: Vec<FairnessRow>,
}

/// What one treatment does for an answer. What was not found out is absent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FairnessRow {
    /// Name within the run.
    pub treatment: String,
    /// How reports name it.
    pub title: String,
    /// Length of the body, where it is always the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_bytes: Option<u64>,
    /// All header fields with their line ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header_bytes: Option<u64>,
    /// Names of the header fields, in the order they are sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
    /// SQL statements that one request costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statements_per_request: Option<f64>,
    /// Rows that these return or change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_per_request: Option<f64>,
    /// Whether statements are prepared once and executed many times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepared_statements: Option<bool>,
    /// `WORKERS`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers_count: Option<u64>,
    /// `DB_POOL_SIZE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub db_pool_size_count: Option<u64>,
    /// `DB_POOL_IDLE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub db_pool_idle_count: Option<u64>,
    /// Framework, server, driver and serializer, as far as the stack names them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, String>,
    /// What the service leaves out that others do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skips: Vec<String>,
    /// Lines of the workload's handler that are not blank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handler_lines_count: Option<u64>,
    /// Toolchain and libraries.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub versions: BTreeMap<String, String>,
}

/// A sheet for each workload of which anything was found out.
pub(crate) fn sheets(run: &Run) -> Vec<FairnessSheet> {
    let mut sheets: Vec<FairnessSheet> = Vec::new();
    let started = run.treatments.iter().filter(|one| one.twin_of.is_none());
    for treatment in started.filter(|one| one.facts.contains_key("header_bytes")) {
        let Some(workload) = &treatment.workload else {
            continue;
        };
        let row = row(run, treatment);
        match sheets.iter_mut().find(|sheet| sheet.workload == *workload) {
            Some(sheet) => sheet.treatments.push(row),
            None => sheets.push(FairnessSheet {
                workload: workload.clone(),
                treatments: vec![row],
            }),
        }
    }
    sheets
}

fn row(run: &Run, treatment: &Treatment) -> FairnessRow {
    let facts = &treatment.facts;
    let count = |name: &str| facts.get(name)?.parse().ok();
    let ratio = |name: &str| facts.get(name)?.parse().ok();
    let setting = |name: &str| treatment.settings.get(name)?.parse().ok();
    let manifest = treatment.stack.as_ref();
    let manifest = manifest.and_then(|stack| run.catalog.get(&format!("stack/{stack}")));
    let text = |key: &str| manifest?.get(key)?.as_str().map(str::to_owned);
    let parts = ["framework", "server", "driver", "serializer"];
    let skips = manifest.and_then(|manifest| manifest.get("skips")?.as_array());
    let is_version = |name: &str| !NOT_VERSIONS.contains(&name) && !name.starts_with("header ");
    FairnessRow {
        treatment: treatment.name.clone(),
        title: treatment.title.clone(),
        body_bytes: count("body_bytes"),
        header_bytes: count("header_bytes"),
        headers: facts.get("headers").map_or_else(Vec::new, |names| {
            names.split(", ").map(str::to_owned).collect()
        }),
        statements_per_request: ratio("statements_per_request"),
        rows_per_request: ratio("rows_per_request"),
        prepared_statements: facts.get("prepared_statements").map(|word| word == "yes"),
        workers_count: setting("WORKERS"),
        db_pool_size_count: setting("DB_POOL_SIZE"),
        db_pool_idle_count: setting("DB_POOL_IDLE"),
        parts: parts
            .iter()
            .filter_map(|part| Some(((*part).to_owned(), text(part)?)))
            .collect(),
        skips: skips.map_or_else(Vec::new, |skips| {
            let texts = skips.iter().filter_map(|skip| skip.as_str());
            texts.map(str::to_owned).collect()
        }),
        handler_lines_count: count("handler_lines"),
        versions: facts
            .iter()
            .filter(|(name, _)| is_version(name))
            .map(|(name, version)| (name.clone(), version.clone()))
            .collect(),
    }
}

/// The sheets as sections, one a workload.
pub(crate) fn sections(findings: &Findings) -> Vec<Section> {
    let section = |sheet: &FairnessSheet| Section {
        title: format!("Is it the same work? {}", plain(&sheet.workload)),
        blocks: vec![
            table(&sheet.treatments),
            Block::Page(vec![Block::Items(
                sheet.treatments.iter().flat_map(item).collect(),
            )]),
        ],
    };
    findings.fairness.iter().map(section).collect()
}

fn table(rows: &[FairnessRow]) -> Block {
    let number = |value: Option<u64>| value.map(|value| value.to_string());
    let ratio = |value: Option<f64>| value.map(|value| value.to_string());
    let columns = [
        column("body", "bytes", rows, &|row| number(row.body_bytes)),
        column("headers", "bytes", rows, &|row| number(row.header_bytes)),
        column("statements", "a request", rows, &|row| {
            ratio(row.statements_per_request)
        }),
        column("rows", "a request", rows, &|row| {
            ratio(row.rows_per_request)
        }),
        column("prepared", "", rows, &|row| {
            let word = |prepared| if prepared { "yes" } else { "no" };
            row.prepared_statements
                .map(|prepared| word(prepared).to_owned())
        }),
        column("workers", "", rows, &|row| number(row.workers_count)),
        column("pool", "", rows, &|row| number(row.db_pool_size_count)),
        column("handler", "lines", rows, &|row| {
            number(row.handler_lines_count)
        }),
    ];
    Block::Table {
        lead: vec![Column {
            heading: ["treatment".to_owned(), String::new()],
            align: Align::Left,
            cells: rows
                .iter()
                .map(|row| Cell::new(plain(&row.title)))
                .collect(),
        }],
        columns: columns.into_iter().flatten().collect(),
    }
}

/// A column, unless no treatment has anything in it.
fn column(
    heading: &str,
    under: &str,
    rows: &[FairnessRow],
    cell: &dyn Fn(&FairnessRow) -> Option<String>,
) -> Option<Column> {
    let cells: Vec<Option<String>> = rows.iter().map(cell).collect();
    cells.iter().any(Option::is_some).then(|| Column {
        heading: [heading.to_owned(), under.to_owned()],
        align: Align::Right,
        cells: cells
            .into_iter()
            .map(|cell| Cell::new(cell.unwrap_or_else(|| crate::figures_table::ABSENT.to_owned())))
            .collect(),
    })
}

/// A tool's version may begin with its name.
fn named(name: &str, version: &str) -> String {
    match version.starts_with(name) {
        true => version.to_owned(),
        false => format!("{name} {version}"),
    }
}

/// What has no room in a table.
fn item(row: &FairnessRow) -> Option<Item> {
    let mut sentences = Vec::new();
    let parts: Vec<String> = row
        .parts
        .iter()
        .map(|(part, name)| format!("{part} {name}"))
        .collect();
    let versions: Vec<String> = row
        .versions
        .iter()
        .map(|(name, version)| named(name, version))
        .collect();
    for (what, list) in [
        ("", &parts),
        ("versions ", &versions),
        ("sends ", &row.headers),
        ("leaves out ", &row.skips),
    ] {
        if !list.is_empty() {
            sentences.push(format!("{what}{}", list.join(", ")));
        }
    }
    (!sentences.is_empty()).then(|| Item::plain(format!("{}: {}", row.title, sentences.join("; "))))
}
