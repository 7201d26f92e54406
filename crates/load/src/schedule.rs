//! When requests are due, as pure arithmetic: no clock, no IO, randomness from a seed.
//!
//! Let Λ(t) be the integral of the arrival rate. With constant arrivals the k-th request
//! (from 0) is due where Λ(t) = k. With Poisson arrivals it is due where Λ(t) equals the sum of
//! k + 1 unit exponentials: the time-rescaling theorem for inhomogeneous Poisson processes.

use std::time::Duration;

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// A stretch of time in which the level (a rate, or a number of connections) is constant, or
/// goes in a straight line from one value to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Level at its start.
    pub from: f64,
    /// Level at its end.
    pub to: f64,
    /// How long it lasts.
    pub duration: Duration,
}

impl Stage {
    /// A stage that stays at one level.
    pub fn constant(level: f64, duration: Duration) -> Stage {
        Stage {
            from: level,
            to: level,
            duration,
        }
    }

    fn area(&self) -> f64 {
        (self.from + self.to) / 2.0 * self.duration.as_secs_f64()
    }

    /// Seconds into the stage at which the area under it reaches `area`.
    fn seconds_at(&self, area: f64) -> f64 {
        // At the foot of a ramp from 0 the formulas below would divide 0 by 0.
        if area <= 0.0 {
            return 0.0;
        }
        let slope = (self.to - self.from) / self.duration.as_secs_f64();
        if slope == 0.0 || !slope.is_finite() {
            return area / self.from;
        }
        // The root of from·t + slope·t²/2 = area in the form that does not cancel.
        let under_root = (self.from * self.from + 2.0 * slope * area).max(0.0);
        2.0 * area / (self.from + under_root.sqrt())
    }
}

/// How far apart arrivals are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Evenly spaced.
    Constant,
    /// Independent of each other.
    Poisson,
}

/// The rate of arrivals over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    /// Stages in order. Arrivals end with the last.
    pub stages: Vec<Stage>,
    /// How far apart they are.
    pub arrivals: Arrivals,
}

/// Longer than any drive: a single stage of this length never ends.
const FOREVER: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

impl Rate {
    /// Evenly spaced arrivals, `per_s` in a second.
    pub fn constant(per_s: f64) -> Rate {
        Rate {
            stages: vec![Stage::constant(per_s, FOREVER)],
            arrivals: Arrivals::Constant,
        }
    }

    /// Independent arrivals, `per_s` in a second on average.
    pub fn poisson(per_s: f64) -> Rate {
        Rate {
            arrivals: Arrivals::Poisson,
            ..Rate::constant(per_s)
        }
    }

    /// Arrivals by stages of rates, each per second.
    pub fn staged(stages: Vec<Stage>, arrivals: Arrivals) -> Rate {
        Rate { stages, arrivals }
    }

    /// Λ(t): arrivals expected before `at`.
    pub fn integral(&self, at: Duration) -> f64 {
        let mut left = at.as_secs_f64();
        let mut area = 0.0;
        for stage in &self.stages {
            let length = stage.duration.as_secs_f64();
            if left < length {
                let slope = (stage.to - stage.from) / length;
                return area + stage.from * left + slope * left * left / 2.0;
            }
            area += stage.area();
            left -= length;
        }
        area
    }
}

/// The part of a schedule that one of several threads sends: arrivals k with k mod `of` = `index`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Which part, from 0.
    pub index: u32,
    /// Of how many.
    pub of: u32,
}

impl Share {
    /// The whole.
    pub const WHOLE: Share = Share { index: 0, of: 1 };

    /// How many of `total` things numbered from 0 are in this part.
    pub fn count(self, total: u64) -> u64 {
        let (index, of) = (u64::from(self.index), u64::from(self.of));
        total / of + u64::from(index < total % of)
    }
}

/// One arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its number in the whole schedule, from 0.
    pub index: u64,
    /// When it is due, nanoseconds after the start.
    pub at_ns: u64,
}

/// The arrivals of one share, in order of time.
#[derive(Clone, Debug)]
pub struct Schedule {
    stages: Vec<Stage>,
    arrivals: Arrivals,
    rng: Pcg64,
    share: Share,
    index: u64,
    /// Λ at the last Poisson arrival of the whole schedule.
    reached: f64,
    /// The stage we are in, with Λ and the time at its start.
    stage: usize,
    stage_area: f64,
    stage_s: f64,
    until_ns: u64,
}

impl Schedule {
    /// The arrivals of `share` that are due before `duration`.
    pub fn new(rate: &Rate, share: Share, duration: Duration, seed: u64) -> Schedule {
        Schedule {
            stages: rate.stages.clone(),
            arrivals: rate.arrivals,
            rng: Pcg64::seed_from_u64(seed),
            share,
            index: u64::from(share.index),
            reached: 0.0,
            stage: 0,
            stage_area: 0.0,
            stage_s: 0.0,
            until_ns: u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX),
        }
        .skipped(share.index)
    }

    /// Which part of the whole this is.
    pub fn share(&self) -> Share {
        self.share
    }

    fn skipped(mut self, arrivals: u32) -> Schedule {
        self.pass(arrivals);
        self
    }

    fn pass(&mut self, arrivals: u32) {
        if self.arrivals == Arrivals::Poisson {
            for _ in 0..arrivals {
                let uniform: f64 = self.rng.random();
                self.reached -= (1.0 - uniform).ln();
            }
        }
    }

    /// The inverse of Λ in nanoseconds; `None` beyond the last stage.
    fn instant(&mut self, area: f64) -> Option<u64> {
        loop {
            let stage = self.stages.get(self.stage)?;
            let within = area - self.stage_area;
            if within < stage.area() {
                let seconds = self.stage_s + stage.seconds_at(within);
                return Some((seconds * 1e9).round() as u64);
            }
            self.stage_area += stage.area();
            self.stage_s += stage.duration.as_secs_f64();
            self.stage += 1;
        }
    }
}

impl Iterator for Schedule {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        let area = match self.arrivals {
            Arrivals::Constant => self.index as f64,
            Arrivals::Poisson => {
                self.pass(1);
                self.reached
            }
        };
        let at_ns = self.instant(area).filter(|&at_ns| at_ns < self.until_ns)?;
        let arrival = Arrival {
            index: self.index,
            at_ns,
        };
        self.index += u64::from(self.share.of);
        self.pass(self.share.of - 1);
        Some(arrival)
    }
}

/// When connections (or users) begin and stop to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Nanoseconds after the start.
    pub at_ns: u64,
    /// Which of the share's connections, from 0.
    pub place: u32,
    /// Whether it begins to work; else it stops after the request it is at.
    pub begins: bool,
}

/// `count` connections that all begin at once.
pub fn all_at_once(count: u32, share: Share) -> Vec<Turn> {
    ramp(count, Duration::ZERO, share)
}

/// `count` users begun evenly over `over`: user i of n at i/n of it.
pub fn ramp(count: u32, over: Duration, share: Share) -> Vec<Turn> {
    let over_ns = over.as_nanos();
    (share.index..count)
        .step_by(share.of as usize)
        .zip(0..)
        .map(|(user, place)| Turn {
            at_ns: u64::try_from(over_ns * u128::from(user) / u128::from(count))
                .unwrap_or(u64::MAX),
            place,
            begins: true,
        })
        .collect()
}

/// Connections by stages: connection p (from 0) works while the level is at least p + 1. One that would
/// work for a single instant, at a peak, does not; a place has one turn at an instant at most.
pub fn staged(stages: &[Stage], share: Share) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    let most = stages
        .iter()
        .map(|stage| stage.from.max(stage.to))
        .fold(0.0, f64::max)
        .ceil() as u32;
    for (connection, place) in (share.index..most).step_by(share.of as usize).zip(0..) {
        let wanted = f64::from(connection) + 1.0;
        let mut working = false;
        let mut at_s = 0.0;
        let mut turn = |at_s: f64, begins: bool, working: &mut bool| {
            if *working == begins {
                return;
            }
            *working = begins;
            let at_ns = (at_s * 1e9).round() as u64;
            if turns
                .pop_if(|last| last.place == place && last.at_ns == at_ns)
                .is_none()
            {
                turns.push(Turn {
                    at_ns,
                    place,
                    begins,
                });
            }
        };
        for stage in stages {
            let length = stage.duration.as_secs_f64();
            turn(at_s, stage.from >= wanted, &mut working);
            if (stage.from >= wanted) != (stage.to >= wanted) {
                let crossing = length * ((wanted - stage.from) / (stage.to - stage.from));
                turn(
                    at_s + crossing.min(length),
                    stage.to >= wanted,
                    &mut working,
                );
            }
            at_s += length;
        }
        turn(at_s, false, &mut working);
    }
    turns.sort_by_key(|turn| (turn.at_ns, turn.place));
    turns
}
