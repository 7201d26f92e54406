//! From a run directory to what people read: findings first, then a rendering of them.
//!
//! `Findings::of` is pure and decides everything; the renderers only draw. All of it depends on the
//! run directory alone, so the same run gives the same bytes on any machine.

mod answer;
mod audit;
mod beside;
mod claim_reasons;
mod claim_sides;
mod claim_users;
mod claim_words;
mod claim_zero;
mod claims;
mod claims_text;
mod compare;
mod compare_change;
mod compare_differences;
mod compare_shared;
mod compare_text;
mod compare_words;
mod comparison;
mod cost;
mod cost_text;
mod curves;
mod estimate;
mod fairness;
mod figures;
mod figures_table;
mod findings;
mod grounds;
mod html;
mod json;
mod ladder;
mod ladder_text;
mod level_audit;
mod levels;
mod levels_table;
mod limiter;
mod manifest;
mod markdown;
mod markdown_sections;
mod of;
mod overview;
mod page;
mod page_samples;
mod page_trials;
mod paint;
mod percentiles;
mod plot;
mod priced;
mod prose;
mod replay;
mod saved;
mod schema;
mod sections;
mod selection;
mod svg;
mod svg_percentiles;
mod svg_tiers;
mod table;
mod terminal;
mod terminal_sections;
mod text;
mod units;
mod verdicts;

pub use beside::{ToolFindings, WhatIf};
pub use compare::{
    Ahead, Change, CompareChoices, CompareError, Comparison, JudgedChange, Loss, NotCompared,
    Recorded, Side, TreatmentChange,
};
pub use compare_differences::Difference;
pub use compare_text::{compare_json, compare_markdown, compare_terminal};
pub use curves::Curve;
pub use fairness::{FairnessRow, FairnessSheet};
pub use findings::{
    Added, Audit, AuditReason, Basis, BesideRatio, CapacityPlan, CheckCount, ClaimComparison,
    ClaimFindings, ClaimVerdict, Control, Cost, CostBlock, Exploratory, Figure, Findings, Ladder,
    LevelFindings, LevelTreatment, LimiterEvidence, LimiterFinding, OrderCheck, Pair,
    PlannedTreatment, Priced, PricedTreatment, Prices, PublishedFigure, RatioEstimate, Rung,
    Scaling, ScalingPoint, SignedRank, Standing, Suffices, TreatmentFindings, Verdict,
};
pub use html::{NotATemplate, html};
pub use json::json;
pub use markdown::{markdown, markdown_with};
pub use overview::{CommittedRun, ExperimentResults, overview};
pub use page::{Page, page};
pub use page_samples::TrialSamples;
pub use priced::{plan, priced, time_ns};
pub use replay::{Outcome, Replay, Replayed, replay, replay_text};
pub use saved::{Chart, charts, read, save};
pub use schema::schema;
pub use terminal::{provisional, terminal};
pub use verdicts::Verdicts;
