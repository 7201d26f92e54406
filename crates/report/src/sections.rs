//! The parts of a report that only some runs have, put together once for every renderer.

use crate::findings::{ClaimFindings, Findings, PublishedFigure};
use crate::paint::Paint;
use crate::table::{Align, Cell, Column};
use crate::text::plain;
use crate::{beside, claim_words, claims_text, cost_text, ladder_text, levels_table, prose};

/// A heading with what stands below it.
pub(crate) struct Section {
    /// The heading.
    pub(crate) title: String,
    /// What stands below it, in order.
    pub(crate) blocks: Vec<Block>,
}

/// One piece of a section.
pub(crate) enum Block {
    /// Text.
    Paragraph(String),
    /// A table.
    Table {
        lead: Vec<Column>,
        columns: Vec<Column>,
    },
    /// A list of labelled texts.
    Items(Vec<Item>),
    /// Lines that must stay as they are.
    Drawing(Vec<String>),
    /// A flowchart; a terminal cannot draw it.
    Mermaid(String),
    /// What only a page has room for.
    Page(Vec<Block>),
}

/// One of a list.
pub(crate) struct Item {
    /// What stands out, with its colour; may be empty.
    pub(crate) label: String,
    pub(crate) paint: Paint,
    pub(crate) text: String,
}

impl Item {
    pub(crate) fn plain(text: String) -> Item {
        Item {
            label: String::new(),
            paint: Paint::Plain,
            text,
        }
    }
}

/// What comes right after the verdicts. `columns` is the width of drawings.
pub(crate) fn after_verdicts(findings: &Findings, columns: usize) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    sections.extend(beside::what_if_section(findings));
    sections.extend(claims(findings));
    for family in levels_table::families(findings) {
        let mut blocks = vec![Block::Table {
            lead: family.lead,
            columns: family.columns,
        }];
        if !family.notes.is_empty() {
            blocks.push(Block::Items(
                family.notes.into_iter().map(Item::plain).collect(),
            ));
        }
        let pairs = family.levels.iter().flat_map(|level| {
            let line = |pair| Item::plain(format!("{}: {}", level.level, prose::verdict(pair)));
            level.pairs.iter().map(line)
        });
        let pairs: Vec<Item> = pairs.collect();
        if !pairs.is_empty() {
            blocks.push(Block::Page(vec![Block::Items(pairs)]));
        }
        sections.push(Section {
            title: family.title,
            blocks,
        });
    }
    sections.extend(ladder(findings, columns));
    sections.extend(beside::tools_section(findings));
    sections
}

/// What comes at the end: what it all costs.
pub(crate) fn costs(findings: &Findings) -> Vec<Section> {
    let mut sections = Vec::new();
    if !findings.cost.is_empty() {
        sections.push(Section {
            title: "What an answer takes".to_owned(),
            blocks: vec![Block::Page(vec![
                Block::Paragraph(cost_text::EXPLANATION.to_owned()),
                Block::Table {
                    lead: cost_text::lead(findings.cost.iter().map(|cost| &cost.title)),
                    columns: cost_text::cost_columns(&findings.cost),
                },
            ])],
        });
    }
    if let Some(priced) = &findings.priced {
        let titles = priced.treatments.iter().map(|found| &found.title);
        let savings = cost_text::savings(findings, priced);
        sections.push(Section {
            title: cost_text::priced_title(&priced.prices),
            blocks: vec![
                Block::Table {
                    lead: cost_text::lead(titles),
                    columns: cost_text::priced_columns(priced),
                },
                Block::Items(savings.into_iter().map(Item::plain).collect()),
            ],
        });
    }
    if let Some(plan) = &findings.plan {
        let titles = plan.treatments.iter().map(|found| &found.title);
        let prices = findings.priced.as_ref().map(|priced| &priced.prices);
        let bases = cost_text::plan_bases(plan);
        sections.push(Section {
            title: cost_text::plan_title(plan),
            blocks: vec![
                Block::Table {
                    lead: cost_text::lead(titles),
                    columns: cost_text::plan_columns(plan, prices),
                },
                Block::Items(bases.into_iter().map(Item::plain).collect()),
            ],
        });
    }
    sections
}

fn claims(findings: &Findings) -> Option<Section> {
    let tally = claim_words::tally(&findings.claims)?;
    let item = |claim: &ClaimFindings| Item {
        label: format!("{} {}", claim.id, claim.verdict.words().to_uppercase()),
        paint: claims_text::paint(&claim.verdict),
        text: format!(
            "“{}” {}",
            claim.quote,
            claims_text::sentences(claim).join(" ")
        ),
    };
    let items = findings.claims.iter().map(item).collect();
    let mut blocks = vec![
        Block::Paragraph(format!("{tally}. {}", claims_text::explanation(findings))),
        Block::Page(vec![claims_table(&findings.claims)]),
        Block::Items(items),
    ];
    if !findings.published.is_empty() {
        blocks.push(Block::Page(vec![
            Block::Paragraph(
                "What the source published, beside what was measured here. The machines differ: compare ratios, \
                 not figures."
                    .to_owned(),
            ),
            published_table(findings),
        ]));
    }
    Some(Section {
        title: "The claims, put to the test".to_owned(),
        blocks,
    })
}

fn texts(heading: &str, align: Align, cells: Vec<String>) -> Column {
    Column {
        heading: [heading.to_owned(), String::new()],
        align,
        cells: cells.into_iter().map(Cell::new).collect(),
    }
}

fn claims_table(claims: &[ClaimFindings]) -> Block {
    let cells = |of: &dyn Fn(&ClaimFindings) -> String| claims.iter().map(of).collect();
    Block::Table {
        lead: vec![texts(
            "claim",
            Align::Left,
            cells(&|claim| claim.id.clone()),
        )],
        columns: vec![
            texts("about", Align::Left, cells(&claims_text::about)),
            texts("published", Align::Right, cells(&claims_text::published)),
            texts(
                "measured",
                Align::Right,
                cells(&|claim| claims_text::measured(claim.as_published.as_ref())),
            ),
            texts(
                "like for like",
                Align::Right,
                cells(&|claim| claims_text::measured(claim.like_for_like.as_ref())),
            ),
            texts(
                "verdict",
                Align::Left,
                cells(&|claim| claim.verdict.words().to_owned()),
            ),
        ],
    }
}

fn published_table(findings: &Findings) -> Block {
    let rows = &findings.published;
    let cells = |of: &dyn Fn(&PublishedFigure) -> String| rows.iter().map(of).collect();
    let metric = |row: &PublishedFigure| {
        record::metric(&row.metric).map_or(row.metric.clone(), |metric| metric.title.to_owned())
    };
    Block::Table {
        lead: vec![texts(
            "treatment",
            Align::Left,
            cells(&|row| plain(&prose::title(findings, &row.treatment))),
        )],
        columns: vec![
            texts("metric", Align::Left, cells(&metric)),
            texts(
                "level",
                Align::Left,
                cells(&|row| row.level.clone().unwrap_or_default()),
            ),
            texts(
                "published",
                Align::Right,
                cells(&|row| claims_text::published_cells(row)[0].clone()),
            ),
            texts(
                "here",
                Align::Right,
                cells(&|row| claims_text::published_cells(row)[1].clone()),
            ),
            texts(
                "note",
                Align::Left,
                cells(&|row| row.note.clone().unwrap_or_default()),
            ),
        ],
    }
}

fn ladder(findings: &Findings, columns: usize) -> Option<Section> {
    let ladder = findings.ladder.as_ref()?;
    // Before the first block has ended there is nothing to draw.
    ladder.rungs.iter().find(|rung| rung.total.is_some())?;
    let mut blocks = vec![Block::Table {
        lead: ladder_text::lead(ladder),
        columns: ladder_text::columns(ladder),
    }];
    let waterfall = ladder_text::waterfall(ladder, columns);
    if !waterfall.is_empty() {
        blocks.push(Block::Drawing(waterfall));
    }
    blocks.push(Block::Mermaid(ladder_text::mermaid(ladder)));
    blocks.push(Block::Paragraph(ladder_text::EXPLANATION.to_owned()));
    Some(Section {
        title: "What each layer costs".to_owned(),
        blocks,
    })
}
