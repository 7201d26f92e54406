//! `verdicts.json`: the decisions alone, for programs that read nothing else.

use serde::Serialize;

use crate::findings::{Control, Findings, Pair};

/// `bancada.verdicts/1`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdicts {
    schema: &'static str,
    run: String,
    primary_metric: String,
    relevant_difference_ratio: f64,
    confidence_level_ratio: f64,
    blocks_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    provisional: Option<String>,
    answer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    control: Option<Control>,
    tiers: Vec<Vec<String>>,
    pairs: Vec<Pair>,
}

impl Verdicts {
    /// Takes the decisions out of the findings.
    pub fn of(findings: &Findings) -> Verdicts {
        let mut tiers: Vec<Vec<String>> = Vec::new();
        for treatment in &findings.treatments {
            let Some(tier) = treatment.tier() else {
                continue;
            };
            tiers.resize(tiers.len().max(tier), Vec::new());
            tiers[tier - 1].push(treatment.name.clone());
        }
        Verdicts {
            schema: "bancada.verdicts/1",
            run: findings.run.clone(),
            primary_metric: findings.primary_metric.clone(),
            relevant_difference_ratio: findings.relevant_difference_ratio,
            confidence_level_ratio: findings.confidence_level_ratio,
            blocks_count: findings.blocks_count,
            provisional: findings.provisional.clone(),
            answer: findings.answer.clone(),
            control: findings.control.clone(),
            tiers,
            pairs: findings.pairs.clone(),
        }
    }
}
