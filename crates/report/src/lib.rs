//! From a run directory to what people read: findings first, then a rendering of them.
//!
//! `Findings::of` is pure and decides everything; the renderers only draw. All of it depends on the
//! run directory alone, so the same run gives the same bytes on any machine.

mod answer;
mod audit;
mod compare;
mod compare_differences;
mod compare_text;
mod comparison;
mod curves;
mod estimate;
mod figures;
mod figures_table;
mod findings;
mod html;
mod json;
mod limiter;
mod markdown;
mod of;
mod page;
mod page_samples;
mod page_trials;
mod paint;
mod percentiles;
mod plot;
mod prose;
mod saved;
mod selection;
mod table;
mod terminal;
mod text;
mod units;
mod verdicts;

pub use compare::{
    Ahead, Change, CompareChoices, CompareError, Comparison, JudgedChange, NotCompared, Recorded,
    Side, TreatmentChange,
};
pub use compare_differences::Difference;
pub use compare_text::{compare_json, compare_markdown, compare_terminal};
pub use curves::Curve;
pub use findings::{
    Audit, AuditReason, Basis, CheckCount, Control, Exploratory, Figure, Findings, LimiterEvidence,
    LimiterFinding, Pair, RatioEstimate, SignedRank, Standing, TreatmentFindings, Verdict,
};
pub use html::{NotATemplate, html};
pub use json::json;
pub use markdown::markdown;
pub use page::{Page, page};
pub use page_samples::TrialSamples;
pub use saved::{read, save};
pub use terminal::{provisional, terminal};
pub use verdicts::Verdicts;
