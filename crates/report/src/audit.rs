//! Whether a run can be trusted: its trials by status and its checks by outcome.

use record::{AuditStatus, Run, Trial, TrialStatus};

use crate::findings::{Audit, AuditReason, CheckCount};

/// Counts the trials and checks of a run.
pub(crate) fn summary(run: &Run, trials: &[Trial]) -> Audit {
    let mut audit = Audit {
        voided_blocks: run.voided_blocks.clone(),
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
