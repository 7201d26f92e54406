//! Closed loop: a connection sends again when its answer is in, after thinking.

use std::collections::VecDeque;

use super::{Limit, Next, Start};
use crate::schedule::Turn;

/// How long a connection that could not be opened rests before it tries again, so that a server
/// that refuses is not asked a million times a second.
const REST_NS: u64 = 10_000_000;

pub(crate) struct ClosedPacer {
    turns: VecDeque<Turn>,
    think_ns: u64,
    places: Vec<Place>,
    limit: Limit,
    /// Connections that think, with the instant they are done: in order, for all think alike.
    thinking: VecDeque<(u64, u32)>,
    /// Connections that rest after they could not be opened.
    resting: VecDeque<(u64, u32)>,
    /// Whether a place closes its connection when it has sent all it may.
    closes: bool,
}

#[derive(Clone, Copy)]
struct Place {
    working: bool,
    at_request: bool,
    left: u64,
}

impl ClosedPacer {
    pub(crate) fn new(
        turns: Vec<Turn>,
        think_ns: u64,
        per_place: Option<u64>,
        start_at: u64,
        limit: Limit,
    ) -> ClosedPacer {
        let places = turns
            .iter()
            .map(|turn| turn.place as usize + 1)
            .max()
            .unwrap_or(0);
        let place = Place {
            working: false,
            at_request: false,
            left: per_place.unwrap_or(u64::MAX),
        };
        let turns = turns
            .into_iter()
            .map(|turn| Turn {
                at_ns: start_at.saturating_add(turn.at_ns),
                ..turn
            })
            .collect();
        ClosedPacer {
            turns,
            think_ns,
            places: vec![place; places],
            limit,
            thinking: VecDeque::new(),
            resting: VecDeque::new(),
            closes: per_place.is_some(),
        }
    }

    pub(crate) fn due(&mut self, now: u64) -> Option<Start> {
        while let Some(&turn) = self.turns.front().filter(|turn| turn.at_ns <= now) {
            self.turns.pop_front();
            let place = &mut self.places[turn.place as usize];
            place.working = turn.begins;
            if turn.begins && !place.at_request && self.begin(turn.place, now) {
                return Some(Start {
                    place: turn.place,
                    scheduled_at: now,
                });
            }
        }
        while let Some(place) = self.ready(now) {
            self.places[place as usize].at_request = false;
            if self.begin(place, now) {
                return Some(Start {
                    place,
                    scheduled_at: now,
                });
            }
        }
        None
    }

    /// A connection whose pause is over.
    fn ready(&mut self, now: u64) -> Option<u32> {
        let over = |queue: &mut VecDeque<(u64, u32)>| {
            let (_, place) = *queue.front().filter(|(at, _)| *at <= now)?;
            queue.pop_front();
            Some(place)
        };
        over(&mut self.thinking).or_else(|| over(&mut self.resting))
    }

    fn begin(&mut self, place: u32, now: u64) -> bool {
        let place = &mut self.places[place as usize];
        let may = place.working && place.left > 0 && self.limit.allows(now);
        if may {
            self.limit.spend(now);
            // As for the limit: what a warm-up sends does not count.
            place.left -= u64::from(now >= self.limit.opens_at);
            place.at_request = true;
        }
        may
    }

    pub(crate) fn freed(&mut self, place: u32, now: u64, connected: bool) -> Next {
        if !connected {
            self.resting.push_back((now + REST_NS, place));
            return Next::Idle;
        }
        if self.think_ns > 0 {
            let done = self.closes && self.places[place as usize].left == 0;
            if done {
                self.places[place as usize].at_request = false;
                return Next::Close;
            }
            self.thinking
                .push_back((now.saturating_add(self.think_ns), place));
            return Next::Idle;
        }
        if self.begin(place, now) {
            return Next::Send { scheduled_at: now };
        }
        let state = &mut self.places[place as usize];
        state.at_request = false;
        if self.closes && state.left == 0 {
            Next::Close
        } else {
            Next::Idle
        }
    }

    pub(crate) fn next_at(&self) -> Option<u64> {
        let ready = [&self.thinking, &self.resting]
            .into_iter()
            .filter_map(|queue| queue.front());
        let turn = self.turns.front().map(|turn| turn.at_ns);
        ready.map(|(at, _)| *at).chain(turn).min()
    }

    pub(crate) fn end(&mut self) {
        self.turns.clear();
        self.thinking.clear();
        self.resting.clear();
        self.limit.left = Some(0);
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.turns.is_empty() && self.thinking.is_empty() && self.resting.is_empty()
            || self.limit.left == Some(0)
    }
}
