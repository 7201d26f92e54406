//! What a run tried besides its question: changes of its treatments, and what other load generators said.

use std::collections::BTreeMap;

use record::{Metric, ToolTrial};
use schemars::JsonSchema;
use serde::Serialize;

use crate::findings::{Findings, Pair};
use crate::grounds::{Grounds, Place};
use crate::paint::Paint;
use crate::prose;
use crate::sections::{Block, Item, Section};
use crate::table::{Align, Cell, Column};
use crate::text::plain;
use crate::units::{digits, grouped, ratio};

/// A treatment entered a second time with one change.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WhatIf {
    /// The treatment with the change.
    pub treatment: String,
    /// The treatment without it.
    pub of: String,
    /// The change: `db_pool=20`.
    pub change: String,
    /// How reports name the treatment without it.
    pub title: String,
    /// The two on the primary metric; absent where no block has a usable figure of both. Where either is shown apart
    /// and not ranked, its interval stands alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair: Option<Pair>,
}

/// What another load generator said of one treatment, beside our closed loop on the same fresh starts. Medians.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ToolFindings {
    /// Program.
    pub tool: String,
    /// What it says of its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Treatment that was loaded.
    pub treatment: String,
    /// Fresh starts.
    pub starts_count: usize,
    /// Its arguments at the last start.
    pub arguments: Vec<String>,
    /// What it said, by the metric that is nearest; absent where its output could not be read.
    pub said: BTreeMap<String, f64>,
    /// What our closed loop saw, the same metrics.
    pub ours: BTreeMap<String, f64>,
    /// Connections of our closed loop.
    pub ours_concurrency_count: u32,
    /// How it ended where that was not with success.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
}

/// The figures that a tool and our closed loop are shown by.
const SHOWN: [&str; 4] = [
    "completion_rate_per_s",
    "closed_service_mean_ns",
    "closed_service_p50_ns",
    "closed_service_p99_ns",
];

/// The changes that a run tried, held against what they change on the primary metric.
pub(crate) fn what_if(grounds: &Grounds, primary: &'static Metric, pairs: &[Pair]) -> Vec<WhatIf> {
    let place = Place {
        metric: primary,
        level: None,
    };
    let apart = |treatment: &str, of: &str| {
        let found = grounds.compare([treatment, of], place, 1)?;
        let titles = [grounds.title(treatment), grounds.title(of)];
        Some(found.pair([treatment, of], titles, primary))
    };
    grounds
        .treatments()
        .filter_map(|treatment| {
            let of = treatment.what_if_of.clone()?;
            let between = |pair: &&Pair| {
                (pair.treatment == of && pair.against == treatment.name)
                    || (pair.treatment == treatment.name && pair.against == of)
            };
            Some(WhatIf {
                change: treatment
                    .name
                    .strip_prefix(&format!("{of}+"))
                    .unwrap_or(&treatment.name)
                    .to_owned(),
                title: grounds.title(&of).to_owned(),
                pair: pairs
                    .iter()
                    .find(between)
                    .cloned()
                    .or_else(|| apart(&treatment.name, &of)),
                treatment: treatment.name.clone(),
                of,
            })
        })
        .collect()
}

/// What the tools said, by tool and treatment in the order they ran.
pub(crate) fn tools(trials: &[ToolTrial]) -> Vec<ToolFindings> {
    let mut groups: Vec<(&str, &str)> = Vec::new();
    for trial in trials {
        let group = (trial.tool.as_str(), trial.treatment.as_str());
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    groups.sort_unstable();
    groups
        .into_iter()
        .filter_map(|(tool, treatment)| {
            let of: Vec<&ToolTrial> = trials
                .iter()
                .filter(|trial| trial.tool == tool && trial.treatment == treatment)
                .collect();
            let last = of.last()?;
            let medians = |figures: fn(&ToolTrial) -> &BTreeMap<String, f64>| {
                let median = |name: &str| {
                    let values: Vec<f64> = of
                        .iter()
                        .filter_map(|trial| figures(trial).get(name).copied())
                        .collect();
                    Some((name.to_owned(), stats::quantile::median(&values)?))
                };
                SHOWN.into_iter().filter_map(median).collect()
            };
            Some(ToolFindings {
                tool: tool.to_owned(),
                version: last.version.clone(),
                treatment: treatment.to_owned(),
                starts_count: of.len(),
                arguments: last.arguments.clone(),
                said: medians(|trial| &trial.said),
                ours: medians(|trial| &trial.ours),
                ours_concurrency_count: last.ours_concurrency_count,
                failures: of
                    .iter()
                    .filter(|trial| trial.ended != "exit status 0")
                    .map(|trial| format!("{}: {}", trial.trial, trial.ended))
                    .collect(),
            })
        })
        .collect()
}

/// The section about changes; none where none was tried.
pub(crate) fn what_if_section(findings: &Findings) -> Option<Section> {
    let item = |one: &WhatIf| Item {
        label: format!("{} with {}", plain(&one.title), plain(&one.change)),
        paint: Paint::Strong,
        text: match &one.pair {
            Some(pair) => prose::verdict(pair),
            None => "no block has a usable figure of both".to_owned(),
        },
    };
    let items: Vec<Item> = findings.what_if.iter().map(item).collect();
    (!items.is_empty()).then(|| Section {
        title: "What if".to_owned(),
        blocks: vec![Block::Items(items)],
    })
}

/// The section about other generators; none where none was run.
pub(crate) fn tools_section(findings: &Findings) -> Option<Section> {
    let rows = &findings.tools;
    let first = rows.first()?;
    let cells = |of: &dyn Fn(&ToolFindings) -> String| {
        rows.iter()
            .map(|row| Cell::new(of(row)))
            .collect::<Vec<_>>()
    };
    let column = |heading: [&str; 2], align, cells| Column {
        heading: heading.map(str::to_owned),
        align,
        cells,
    };
    let figure = |figures: &BTreeMap<String, f64>, name: &str| figures.get(name).copied();
    let rate = |figures: &BTreeMap<String, f64>| {
        figure(figures, SHOWN[0]).map_or_else(|| "—".to_owned(), |rate| grouped(rate.round()))
    };
    let ms = |figures: &BTreeMap<String, f64>, name: &str| {
        figure(figures, name).map_or_else(|| "—".to_owned(), |ns| digits(ns / 1e6))
    };
    let over = |row: &ToolFindings| {
        let both = figure(&row.said, SHOWN[0]).zip(figure(&row.ours, SHOWN[0]));
        both.map_or_else(|| "—".to_owned(), |(said, ours)| ratio(said / ours))
    };
    let table = Block::Table {
        lead: vec![
            column(["tool", ""], Align::Left, cells(&|row| row.tool.clone())),
            column(
                ["treatment", ""],
                Align::Left,
                cells(&|row| row.treatment.clone()),
            ),
        ],
        columns: vec![
            column(
                ["said", "answers/s"],
                Align::Right,
                cells(&|row| rate(&row.said)),
            ),
            column(
                ["ours", "answers/s"],
                Align::Right,
                cells(&|row| rate(&row.ours)),
            ),
            column(["said/ours", ""], Align::Right, cells(&over)),
            column(
                ["said mean", "ms"],
                Align::Right,
                cells(&|row| ms(&row.said, SHOWN[1])),
            ),
            column(
                ["ours mean", "ms"],
                Align::Right,
                cells(&|row| ms(&row.ours, SHOWN[1])),
            ),
            column(
                ["said p99", "ms"],
                Align::Right,
                cells(&|row| ms(&row.said, SHOWN[3])),
            ),
            column(
                ["ours p99", "ms"],
                Align::Right,
                cells(&|row| ms(&row.ours, SHOWN[3])),
            ),
        ],
    };
    let mut notes = vec![Item {
        label: String::new(),
        paint: Paint::Plain,
        text: format!(
            "Medians of {} fresh starts each, first loaded by the tool with the arguments below, then by our closed \
             loop at {} connections. Nothing here is ranked.",
            first.starts_count, first.ours_concurrency_count
        ),
    }];
    let mut seen: Vec<&str> = Vec::new();
    for row in rows {
        if !seen.contains(&row.tool.as_str()) {
            seen.push(&row.tool);
            notes.push(Item {
                label: plain(row.version.as_deref().unwrap_or(&row.tool)),
                paint: Paint::Plain,
                text: plain(&format!("{} {}", row.tool, row.arguments.join(" "))),
            });
        }
        notes.extend(row.failures.iter().map(|failure| Item {
            label: String::new(),
            paint: Paint::Warning,
            text: plain(failure),
        }));
    }
    Some(Section {
        title: "What other generators said".to_owned(),
        blocks: vec![table, Block::Items(notes)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(round: u32, treatment: &str, said: Option<f64>, ended: &str) -> ToolTrial {
        let rate = |value: f64| BTreeMap::from([("completion_rate_per_s".to_owned(), value)]);
        ToolTrial {
            schema: ToolTrial::SCHEMA.to_owned(),
            trial: format!("t{round}-{treatment}-wrk"),
            round,
            treatment: treatment.to_owned(),
            tool: "wrk".to_owned(),
            version: None,
            arguments: Vec::new(),
            ended: ended.to_owned(),
            said: said.map(rate).unwrap_or_default(),
            ours: rate(100.0),
            ours_concurrency_count: 10,
        }
    }

    #[test]
    fn medians_are_over_the_starts_that_said_something_and_failures_are_kept() {
        let trials = [
            trial(1, "a", Some(90.0), "exit status 0"),
            trial(1, "b", Some(10.0), "exit status 0"),
            trial(2, "a", None, "stopped after 3 s"),
            trial(3, "a", Some(110.0), "exit status 0"),
        ];
        let found = tools(&trials);
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].treatment.as_str(), found[0].starts_count),
            ("a", 3)
        );
        assert_eq!(found[0].said["completion_rate_per_s"], 100.0);
        assert_eq!(found[0].failures, ["t2-a-wrk: stopped after 3 s"]);
        assert!(!found[1].said.contains_key("closed_service_p99_ns"));
    }
}
