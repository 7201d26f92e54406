//! Servers whose times are known, the load that suits each, and the same in virtual time.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use load::simulated::Simulated;
use load::{Dispatch, Observations, Pacing, Rate, Session, Share, Slice, Target};

/// Nanoseconds that request `number` takes when it arrives `since_start_ns` after the first.
pub type Behaviour = fn(number: u64, since_start_ns: u64) -> u64;

const MS: u64 = 1_000_000;

/// Longest time that generators wait for an answer, where they can be told.
pub const TIMEOUT: Duration = Duration::from_secs(2);

/// A server, and the load that suits it.
#[derive(Clone, Copy)]
pub struct Scenario {
    pub name: &'static str,
    pub what: &'static str,
    pub behaviour: Behaviour,
    pub rate_per_s: f64,
    pub connections: u32,
}

const SCENARIOS: [Scenario; 4] = [
    Scenario {
        name: "instant",
        what: "answers at once: what is seen is the way there and back",
        behaviour: |_, _| 0,
        rate_per_s: 500.0,
        connections: 10,
    },
    Scenario {
        name: "stall",
        what: "5 ms, and nothing moves in the first second of every five",
        behaviour: |_, since| 5 * MS + (1_000 * MS).saturating_sub(since % (5_000 * MS)),
        rate_per_s: 500.0,
        connections: 10,
    },
    Scenario {
        name: "mixture",
        what: "one in twenty takes 200 ms instead of 5",
        behaviour: |number, _| if one_in(20, number) { 200 * MS } else { 5 * MS },
        rate_per_s: 500.0,
        connections: 20,
    },
    Scenario {
        name: "slow",
        what: "one in ten takes 3 s instead of 5 ms; 2 s are waited for",
        behaviour: |number, _| {
            if one_in(10, number) {
                3_000 * MS
            } else {
                5 * MS
            }
        },
        rate_per_s: 500.0,
        connections: 200,
    },
];

/// Irregular, so that the slow ones do not keep meeting the same connection, and the same each time.
fn one_in(share: u64, number: u64) -> bool {
    // Finalizer of splitmix64 (Steele, Lea, Flood 2014).
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)).is_multiple_of(share)
}

/// The scenario of that name; ends the process when there is none.
pub fn scenario(name: &str) -> Scenario {
    let found = SCENARIOS.into_iter().find(|scenario| scenario.name == name);
    found.unwrap_or_else(|| {
        eprintln!(
            "there are: {}",
            SCENARIOS.map(|scenario| scenario.name).join(", ")
        );
        std::process::exit(2);
    })
}

/// How connections are given requests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Drive {
    Open(Dispatch),
    Closed,
}

impl Drive {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Drive::Open(Dispatch::PerConnection) => "open, a schedule for each connection",
            Drive::Open(Dispatch::Shared) => "open, any free connection",
            Drive::Open(Dispatch::Unbounded) => "open, more connections when all are busy",
            Drive::Closed => "closed",
        }
    }

    /// So driven for so many seconds.
    pub fn slice(self, scenario: &Scenario, seconds: f64) -> Slice {
        let pacing = match self {
            Drive::Open(dispatch) => Pacing::Open {
                rate: Rate::constant(scenario.rate_per_s),
                connections: scenario.connections,
                dispatch,
            },
            Drive::Closed => Pacing::Closed {
                concurrency: scenario.connections,
                think_time: Duration::ZERO,
            },
        };
        Slice::new(pacing, Duration::from_secs_f64(seconds))
    }
}

/// What is true: the same drive of the same server in virtual time.
pub fn in_virtual_time(scenario: &Scenario, target: Target, slice: &Slice) -> Observations {
    let (mut first, behaviour) = (None, scenario.behaviour);
    let server = Simulated::unlimited_workers(move |number, at| {
        behaviour(number, at - *first.get_or_insert(at))
    });
    let mut session = Session::with_transport(server, Share::WHOLE, 1);
    let target = session.add_target(target);
    session
        .drive(target, slice, &mut |_| {}, &AtomicBool::new(false))
        .unwrap()
}
