//! What a claim holds against what: two treatments at one level, at two levels, or two such ratios.

use std::collections::BTreeMap;

use record::Metric;
use stats::{Terms, Verdict};

use crate::grounds::{Compared, Grounds, Place};
use crate::manifest::Claim;

/// How the main slices are named beside a level.
pub(crate) const MAIN: &str = "the main slices";

/// A treatment and where its figure is taken.
pub(crate) type Side<'a> = (&'a str, Place<'a>);

/// The sides of a claim, in one setting.
pub(crate) struct Sides<'a> {
    of: [Side<'a>; 2],
    /// The ratio that the first one is held against, where the claim is about two.
    beside: Option<[Side<'a>; 2]>,
}

impl<'a> Sides<'a> {
    /// The sides of a claim about this pair at this place.
    pub(crate) fn of(claim: &'a Claim, pair: [&'a str; 2], place: Place<'a>) -> Sides<'a> {
        let at = |level: &'a Option<String>| Place {
            level: level.as_deref().or(place.level),
            ..place
        };
        let [one, other] = pair;
        let beside = claim.is_of_two_ratios().then(|| {
            let place = at(&claim.beside_level);
            let one = claim.beside_treatment.as_deref().unwrap_or(one);
            let other = claim.beside_against.as_deref().unwrap_or(other);
            [(one, place), (other, place)]
        });
        Sides {
            of: [(one, place), (other, at(&claim.against_level))],
            beside,
        }
    }

    /// Every side, so that each can be asked for its figure.
    pub(crate) fn all(&self) -> impl Iterator<Item = Side<'a>> {
        self.of.into_iter().chain(self.beside.into_iter().flatten())
    }

    /// The pair and its place, where the claim is about two treatments at one level and nothing more.
    pub(crate) fn plain(&self) -> Option<([&'a str; 2], Place<'a>)> {
        let [(one, place), (other, against)] = self.of;
        let plain = self.beside.is_none() && place.level == against.level;
        plain.then_some(([one, other], place))
    }

    /// Each pair with the places of its sides.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = [Side<'a>; 2]> {
        std::iter::once(self.of).chain(self.beside)
    }

    /// What counts as a difference: at two places, by the wider of their twins' bounds; of two ratios, each may be off by
    /// its own.
    pub(crate) fn terms(&self, grounds: &Grounds) -> Terms {
        let [(_, first), (_, second)] = self.of;
        let mut terms = grounds.terms_at(first);
        let bound = |place: Place| grounds.terms_at(place).bound_ratio;
        if second.level != first.level {
            terms.bound_ratio = terms.bound_ratio.max(bound(second));
        }
        if let Some([(_, place), _]) = self.beside {
            terms.bound_ratio = (1.0 + terms.bound_ratio) * (1.0 + bound(place)) - 1.0;
        }
        terms
    }

    /// The ratio block by block, standing alone; `None` without a block that has every figure.
    pub(crate) fn compare(&self, grounds: &Grounds) -> Option<Compared> {
        let mut logs = grounds.log_ratios(self.of);
        if let Some(beside) = self.beside {
            let beside: BTreeMap<u32, f64> = grounds.log_ratios(beside);
            logs = logs
                .into_iter()
                .filter_map(|(block, log)| Some((block, log - beside.get(&block)?)))
                .collect();
        }
        grounds.compared(logs, 1, &self.terms(grounds))
    }

    /// What was found, in words.
    pub(crate) fn sentence(&self, grounds: &Grounds, found: &Compared, metric: &Metric) -> String {
        let title = |(name, place): Side| {
            format!("{} at {}", grounds.title(name), place.level.unwrap_or(MAIN))
        };
        let pair = |sides: [Side; 2]| sides.map(title);
        match self.beside {
            None => {
                let titles = pair(self.of);
                let titles = [titles[0].as_str(), titles[1].as_str()];
                found.pair(["", ""], titles, metric).sentence
            }
            Some(beside) => {
                let [one, other] = pair(self.of);
                let [third, fourth] = pair(beside);
                let than = match found.called {
                    Verdict::FasterByAtLeast(_) => "is larger than",
                    Verdict::SlowerByAtLeast(_) => "is smaller than",
                    Verdict::PracticallyEqual => "is practically equal to",
                    Verdict::FasterMayBeTooSmall => {
                        "is larger, perhaps by too little to matter, than"
                    }
                    Verdict::SlowerMayBeTooSmall => {
                        "is smaller, perhaps by too little to matter, than"
                    }
                    Verdict::Undecided(_) => "cannot be told from",
                };
                format!("the ratio of {one} to {other} {than} that of {third} to {fourth}")
            }
        }
    }
}
