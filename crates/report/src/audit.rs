//! Whether a run can be trusted: its trials by status and its checks by outcome.

use std::collections::BTreeMap;

use record::{AuditStatus, Run, Trial, TrialStatus};

use stats::carryover::{Placed, order_effects};

use crate::findings::{Audit, AuditReason, CheckCount, OrderCheck};

/// Counts the trials and checks of a run.
pub(crate) fn summary(run: &Run, trials: &[Trial]) -> Audit {
    let mut audit = Audit {
        voided_blocks: run.voided_blocks.clone(),
        order: order(run, trials),
        ..Audit::default()
    };
    for trial in trials {
        match trial.status {
            TrialStatus::Valid => audit.valid_count += 1,
            TrialStatus::Degraded => audit.degraded_count += 1,
            TrialStatus::Invalid => audit.invalid_count += 1,
        }
        if trial.status != TrialStatus::Valid {
            audit.reasons.push(AuditReason {
                trial: trial.trial.clone(),
                treatment: trial.treatment.clone(),
                status: trial.status,
                reasons: trial.reasons.clone(),
            });
        }
        count_checks(trial, &mut audit.checks);
    }
    // The gravest first; the order within a status is that of the run.
    audit
        .reasons
        .sort_by_key(|reason| std::cmp::Reverse(reason.status));
    audit
}

/// Level at which the order of measuring is held to have left a trace.
const ORDER_LEVEL: f64 = 0.01;
/// Blocks below which it is not looked for.
const ORDER_BLOCKS_MIN: usize = 6;

/// Whether what a treatment costs goes with when in its block it was started, or with what was started before it.
fn order(run: &Run, trials: &[Trial]) -> Option<OrderCheck> {
    let is_void = |block| run.voided_blocks.iter().any(|void| void.block == block);
    let mut names = BTreeMap::new();
    let mut blocks = BTreeMap::new();
    let placed: Vec<Placed> = trials
        .iter()
        .filter(|trial| trial.status != TrialStatus::Invalid && !is_void(trial.block))
        .filter_map(|trial| {
            let value = *trial.metrics.get(&run.primary_metric)?;
            let count = names.len();
            let treatment = *names.entry(trial.treatment.as_str()).or_insert(count);
            blocks.insert(trial.block, ());
            (value > 0.0).then(|| Placed {
                block: trial.block as usize,
                treatment,
                position: trial.position.saturating_sub(1) as usize,
                log_value: value.ln(),
            })
        })
        .collect();
    if blocks.len() < ORDER_BLOCKS_MIN {
        return None;
    }
    let effects = order_effects(&placed);
    let position = effects.position?;
    let after = effects.predecessor_p_value.map_or(String::new(), |p| {
        format!(", with the predecessor {}", p_value(p))
    });
    let found = effects.found_at(ORDER_LEVEL);
    let says = match found {
        true => "a trace of the order of measuring",
        false => "no trace of the order of measuring",
    };
    Some(OrderCheck {
        found,
        sentence: format!(
            "{says}: with the place in the block {}{after}.",
            p_value(position.p_value)
        ),
    })
}

/// A p value to two digits, which never says that it is 0.
fn p_value(p: f64) -> String {
    match p < 0.005 {
        true => "p < 0.005".to_owned(),
        false => format!("p = {p:.2}"),
    }
}

fn count_checks(trial: &Trial, checks: &mut Vec<CheckCount>) {
    for line in &trial.audit {
        let index = checks.iter().position(|count| count.check == line.check);
        let index = index.unwrap_or_else(|| {
            checks.push(CheckCount {
                check: line.check.clone(),
                pass_count: 0,
                warn_count: 0,
                fail_count: 0,
            });
            checks.len() - 1
        });
        match line.status {
            AuditStatus::Pass => checks[index].pass_count += 1,
            AuditStatus::Warn => checks[index].warn_count += 1,
            AuditStatus::Fail => checks[index].fail_count += 1,
        }
    }
}
