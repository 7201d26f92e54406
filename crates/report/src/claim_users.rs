//! Whether a rate of users that come and go is a figure of the services.

use crate::claims::at;
use crate::grounds::{Grounds, Place};
use crate::units;

/// How near to the rate at which users ask a rate of answers is that rate. The last answer comes after the last user.
const SAME_RATIO: f64 = 0.01;

/// Why the rates of two treatments say nothing of these: both answered everyone who came. `None` where one of them
/// fell behind, and of any other load.
pub(crate) fn why_no_rate(grounds: &Grounds, pair: [&str; 2], place: Place) -> Option<String> {
    if place.metric.unit != "per_s" || !is_of_users(grounds, pair[0], place) {
        return None;
    }
    let design = &grounds.run.design;
    let ramp_up_s = design.ramp_up_s.filter(|seconds| *seconds > 0.0)?;
    let requests = design.requests_per_user_count.unwrap_or(1) as f64;
    let offered_per_s = f64::from(design.users_count?) * requests / ramp_up_s;
    let all_kept_up = pair.iter().all(|name| {
        let rates = grounds.by_block(name, place);
        let mean = rates.values().sum::<f64>() / rates.len() as f64;
        (mean / offered_per_s - 1.0).abs() <= SAME_RATIO
    });
    all_kept_up.then(|| {
        format!(
            "both answered everyone: {}{} is the rate of users starting, {}, not of the services",
            place.metric.title,
            at(place.level),
            units::with_unit("per_s", offered_per_s)
        )
    })
}

fn is_of_users(grounds: &Grounds, name: &str, place: Place) -> bool {
    let trials = grounds.selection.usable(name);
    let mut levels = trials.iter().flat_map(|trial| &trial.levels);
    levels.any(|level| Some(level.level.as_str()) == place.level && level.load == "users")
}
