//! What a start showed under one further load, as a level of its trial.

use load::Observations;
use record::{Design, Level, Slice};

use crate::design::{SliceKind, SliceLevel, TWIN_SUFFIX};
use crate::figures::{Metrics, counts, ratio};
use crate::watched::Around;

/// Share of the arrivals that must be answered in the window for an open loop to have kept its rate.
const ACHIEVED_MIN_RATIO: f64 = 0.99;
/// CPU the generator may use of its core before it is suspected of being the limit.
pub const GENERATOR_CPU_MAX_RATIO: f64 = 0.85;

/// Windows under the same load, together.
#[derive(Debug, Default)]
pub struct Window {
    /// What the generator saw; `None` before the first.
    pub seen: Option<Observations>,
    /// The windows one by one.
    pub slices: Vec<Slice>,
    /// What was seen around them.
    pub around: Around,
}

impl Window {
    /// Adds one.
    pub fn add(&mut self, slice: &Slice, seen: &Observations) {
        match &mut self.seen {
            Some(sum) => sum.merge(seen),
            None => self.seen = Some(seen.clone()),
        }
        self.slices.push(slice.clone());
    }

    /// Figures of an open or a closed loop, with what each good answer cost.
    pub fn metrics(&self, kind: SliceKind) -> Metrics {
        let mut metrics = Metrics::default();
        let Some(seen) = &self.seen else {
            return metrics;
        };
        self.around.put_into(&mut metrics);
        let slices: Vec<&Slice> = self.slices.iter().collect();
        match kind {
            SliceKind::Open => {
                metrics.of_open(seen);
                metrics.put("goodput_per_s", Some(seen.goodput_per_s()));
                let rate = seen.completion_rate_per_s();
                metrics.put("completion_rate_per_s", Some(rate));
            }
            SliceKind::Closed => metrics.of_closed(seen),
        }
        metrics.cpu_per_good_answer(&slices);
        metrics.cpu_ratios(&slices);
        metrics.put("good_answers_count", Some(seen.good_count() as f64));
        metrics.put("failed_requests_count", Some(seen.failed_count() as f64));
        metrics
    }

    /// What a reader should know of these figures.
    pub fn notes(&self) -> Vec<String> {
        let Some(seen) = &self.seen else {
            return Vec::new();
        };
        let (failed, all) = (seen.failed_count(), seen.scheduled_count());
        let mut notes = Vec::new();
        if failed > 0 {
            notes.push(format!(
                "{failed} of {all} requests did not end in a good answer"
            ));
        }
        if let Some(used) = self
            .generator_cpu_ratio()
            .filter(|used| *used > GENERATOR_CPU_MAX_RATIO)
        {
            notes.push(format!(
                "the generator used {:.0} % of its core: it may be the limit, not the service",
                used * 100.0
            ));
        }
        notes
    }

    /// CPU time of the generator over the wall time of the windows.
    pub fn generator_cpu_ratio(&self) -> Option<f64> {
        let cpu_ns: Option<u64> = self.slices.iter().map(|slice| slice.generator_cpu_ns).sum();
        let wall_s: f64 = self.slices.iter().map(|slice| slice.window_s).sum();
        ratio(cpu_ns? as f64 / 1e9, wall_s)
    }
}

/// The level of a load that was measured in slices.
pub fn of_slices(level: &SliceLevel, window: &Window, design: &Design, treatment: &str) -> Level {
    let rate = own_rate_per_s(level, design, treatment);
    let mut notes = window.notes();
    if let Some(seen) = window.seen.as_ref().filter(|seen| seen.open_loop) {
        // What is in flight when a window closes is answered after it.
        let in_flight = seen.in_flight_ns as f64 / seen.window_ns.max(1) as f64;
        let due = seen.scheduled_count() as f64 - in_flight.max(1.0) * window.slices.len() as f64;
        if (seen.answers_in_window_count as f64) < due * ACHIEVED_MIN_RATIO {
            notes.push(format!(
                "{:.0} answers/s of {:.0} arrivals/s: the rate was not kept",
                seen.completion_rate_per_s(),
                seen.offered_load_per_s()
            ));
        }
    }
    Level {
        level: level.name.clone(),
        load: level.kind.word().to_owned(),
        concurrency_count: Some(level.concurrency),
        arrival_rate_per_s: rate,
        capacity_ratio: level.capacity_ratio,
        metrics: window.metrics(level.kind).0,
        outcomes: counts(window.seen.iter()),
        notes,
    }
}

/// Arrival rate of a level for one treatment: a share of what it could do in the pilot, which a twin shares with
/// its original. `None` in the closed loop, and where there was no pilot.
pub fn own_rate_per_s(level: &SliceLevel, design: &Design, treatment: &str) -> Option<f64> {
    let capacity = pilot_capacity_per_s(design, treatment)?;
    Some((level.capacity_ratio? * capacity).max(1.0).round())
}

/// What a treatment could do in the pilot.
pub fn pilot_capacity_per_s(design: &Design, treatment: &str) -> Option<f64> {
    let original = treatment.strip_suffix(TWIN_SUFFIX).unwrap_or(treatment);
    design.pilot_capacity_per_s.get(original).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::slice_levels;
    use crate::design::tests::design;

    #[test]
    fn a_share_of_capacity_is_of_the_treatments_own_and_a_twin_has_its_originals() {
        let mut design = design(1);
        design.pilot_capacity_per_s = [("a".to_owned(), 1_000.0), ("b".to_owned(), 200.0)].into();
        let own80 = slice_levels(&design).pop().unwrap();
        assert_eq!(own_rate_per_s(&own80, &design, "a"), Some(800.0));
        assert_eq!(own_rate_per_s(&own80, &design, "b~twin"), Some(160.0));
        assert_eq!(own_rate_per_s(&own80, &design, "c"), None);
    }

    #[test]
    fn a_level_keeps_its_own_counts_and_says_what_went_wrong() {
        let mut design = design(1);
        design.pilot_capacity_per_s = [("a".to_owned(), 1_000.0)].into();
        let own30 = slice_levels(&design).remove(3);
        let mut seen = Observations::new(true);
        seen.window_ns = 1_000_000_000;
        seen.schedule_ns = seen.window_ns;
        for _ in 0..299 {
            seen.outcomes.count(load::Outcome::Ok);
        }
        seen.outcomes.count(load::Outcome::Timeout);
        seen.answers_in_window_count = 200;
        seen.good_answers_in_window_count = 200;
        let window = Window {
            seen: Some(seen),
            ..Window::default()
        };
        let level = of_slices(&own30, &window, &design, "a");
        assert_eq!(
            (level.level.as_str(), level.load.as_str()),
            ("own30", "open")
        );
        assert_eq!(level.arrival_rate_per_s, Some(300.0));
        assert_eq!(level.metrics["goodput_per_s"], 200.0);
        assert_eq!(level.outcomes["ok"], 299);
        assert_eq!(level.outcomes["timeout"], 1);
        assert_eq!(level.notes.len(), 2, "{:?}", level.notes);
    }
}
