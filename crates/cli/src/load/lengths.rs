//! How long a run lasts, and whether the flags that say so agree.

use std::time::Duration;

use load::{Pacing, Stage};

use super::arguments::LoadArgs;
use crate::exit::refuse;

/// Stands for "until all requests are sent".
pub(in crate::load) const ENDLESS: Duration = Duration::from_secs(365 * 24 * 3600);

/// Measured where no flag says how long.
const USUAL: Duration = Duration::from_secs(10);

/// The two parts of a run.
pub(super) struct Lengths {
    pub warm_up: Duration,
    pub measured: Duration,
}

/// What the flags say, or what is usual for this pacing.
pub(super) fn lengths(args: &LoadArgs, pacing: &Pacing) -> anyhow::Result<Lengths> {
    let warm_up = args.warm_up.unwrap_or_default();
    let staged = args.stages.is_some().then(|| stages_last(pacing));
    let measured = args
        .duration
        .or(staged.map(|all| all.saturating_sub(warm_up)))
        .unwrap_or_else(|| usual(args, pacing));
    if measured.is_zero() {
        refuse!(
            "nothing is left to measure: --duration must be above 0, and --stages longer than --warm-up"
        );
    }
    let whole = warm_up + measured;
    if let Some(all) = staged.filter(|all| whole > *all) {
        refuse!(
            "--warm-up and --duration are {whole:?} together, and --stages end after {all:?}: nothing would be sent \
             after that; leave --duration out, or add a stage"
        );
    }
    if let Pacing::Users { users, ramp_up, .. } = pacing
        && *ramp_up > whole
    {
        let begun = (f64::from(*users) * whole.as_secs_f64() / ramp_up.as_secs_f64()).ceil();
        refuse!(
            "only {begun} of {users} users would begin: --ramp-up is {ramp_up:?}, and the run lasts {whole:?}; \
             give a longer --duration"
        );
    }
    Ok(Lengths { warm_up, measured })
}

fn usual(args: &LoadArgs, pacing: &Pacing) -> Duration {
    match pacing {
        _ if args.requests.is_some() || args.requests_per_user.is_some() => ENDLESS,
        Pacing::Users { ramp_up, .. } => ramp_up.saturating_add(USUAL),
        _ => USUAL,
    }
}

fn stages_last(pacing: &Pacing) -> Duration {
    let length = |stages: &[Stage]| stages.iter().map(|stage| stage.duration).sum();
    match pacing {
        Pacing::Open { rate, .. } => length(&rate.stages),
        Pacing::ClosedStages { stages, .. } => length(stages),
        Pacing::Closed { .. } | Pacing::Users { .. } => Duration::ZERO,
    }
}
