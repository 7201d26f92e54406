//! Which treatments of a run are up together, where there are too many for one block.
//!
//! A block then holds one group. Every group holds the baseline; a treatment and its twin stay together, and so do a
//! what-if and what it changes, as far as a group has room. The rest is dealt anew in every round, so that over the
//! rounds any two treatments meet. A pair is compared in the blocks that held both, and in no other.

use std::cmp::Reverse;
use std::collections::VecDeque;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use record::{Design, Treatment};

/// Services up at once at most: eight treatments and the twin.
pub const SERVICES_AT_ONCE: usize = 9;

/// Indexes of the treatments that block `block` (from 1) holds, rising.
pub fn members(
    design: &Design,
    treatments: &[Treatment],
    baseline: &str,
    block: u32,
) -> Vec<usize> {
    let all: Vec<usize> = (0..treatments.len()).collect();
    let Some(at_once) = design.services_at_once_count else {
        return all;
    };
    let groups = groups_count(treatments.len(), at_once as usize);
    let (round, group) = ((block - 1) / groups as u32, (block - 1) as usize % groups);
    let is_base = |index: usize| treatments[index].name == baseline;
    let mut dealt: Vec<Vec<usize>> = vec![
        all.iter()
            .copied()
            .filter(|&index| is_base(index))
            .collect();
        groups
    ];
    let mut waiting = VecDeque::from(units(treatments, baseline, design.seed, round));
    while let Some(mut unit) = waiting.pop_front() {
        let Some(smallest) = dealt.iter_mut().min_by_key(|group| group.len()) else {
            break;
        };
        let room = size(at_once as usize).saturating_sub(smallest.len());
        let left = unit.split_off(room.clamp(1, unit.len()));
        smallest.extend(unit);
        if !left.is_empty() {
            waiting.push_back(left);
        }
    }
    let mut members = dealt.swap_remove(group);
    members.sort_unstable();
    members
}

/// Blocks in which every treatment is measured at least once.
pub fn groups_count(treatments: usize, at_once: usize) -> usize {
    treatments
        .saturating_sub(1)
        .div_ceil(size(at_once) - 1)
        .max(1)
}

/// Treatments of one group at most: the baseline and two that stay together fit in any.
fn size(at_once: usize) -> usize {
    at_once.max(3)
}

/// What is dealt, in the order of one round: each treatment with its twin and its what-ifs. The one with the twin is
/// first, so that it finds room, then the largest, so that the groups come out even. Those of the baseline, which is in
/// every group, are dealt alone.
fn units(treatments: &[Treatment], baseline: &str, seed: u64, round: u32) -> Vec<Vec<usize>> {
    let mut units: Vec<Vec<usize>> = Vec::new();
    for (index, treatment) in treatments.iter().enumerate() {
        if treatment.name == baseline {
            continue;
        }
        let name = original(treatment);
        let mut others = units.iter_mut();
        let with = others.find(|unit| original(&treatments[unit[0]]) == name);
        match with.filter(|_| name != baseline) {
            // Where a unit is too large for a group, its end is dealt apart.
            Some(unit) if treatment.twin_of.is_some() => unit.insert(1, index),
            Some(unit) => unit.push(index),
            None => units.push(vec![index]),
        }
    }
    let is_twin = |index: &usize| treatments[*index].twin_of.is_some();
    let (with_twin, mut rest): (Vec<_>, Vec<_>) =
        units.into_iter().partition(|unit| unit.iter().any(is_twin));
    let mut random = Pcg64::seed_from_u64(seed ^ (u64::from(round) << 32) ^ 0x67);
    rest.shuffle(&mut random);
    rest.sort_by_key(|unit| Reverse(unit.len()));
    let mut units: Vec<Vec<usize>> = with_twin.into_iter().chain(rest).collect();
    for unit in &mut units {
        let kept = unit.iter().take(2).filter(|index| is_twin(index)).count() + 1;
        if unit.len() > kept + 1 {
            unit[kept..].shuffle(&mut random);
        }
    }
    units
}

/// The treatment that this one is entered beside, as its twin or as a change of it; else itself.
fn original(treatment: &Treatment) -> &str {
    let beside = treatment.twin_of.as_ref().or(treatment.what_if_of.as_ref());
    beside.unwrap_or(&treatment.name)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::design::tests::design;
    use crate::design::twin_of;

    fn treatment(name: &str) -> Treatment {
        Treatment {
            name: name.to_owned(),
            twin_of: None,
            title: name.to_owned(),
            stack: None,
            workload: None,
            url: None,
            launch: None,
            after: None,
            what_if_of: None,
            ranked: true,
            settings: BTreeMap::new(),
            database_settings: BTreeMap::new(),
            facts: BTreeMap::new(),
        }
    }

    /// So many treatments, and the twin of one of them.
    pub(crate) fn treatments(count: usize, twin: usize) -> Vec<Treatment> {
        let mut all: Vec<Treatment> = (0..count).map(|n| treatment(&format!("t{n}"))).collect();
        let second = twin_of(&all[twin]);
        all.push(second);
        all
    }

    fn grouped(seed: u64) -> Design {
        Design {
            services_at_once_count: Some(SERVICES_AT_ONCE as u32),
            ..design(seed)
        }
    }

    #[test]
    fn a_run_that_is_not_grouped_has_all_in_every_block() {
        let all = treatments(4, 1);
        assert_eq!(members(&design(1), &all, "t0", 7), [0, 1, 2, 3, 4]);
    }

    proptest! {
        #[test]
        fn every_round_has_each_treatment_once_and_the_baseline_in_every_group(
            count in 9_usize..40, twin in 0_usize..9, seed in any::<u64>(), round in 0_u32..20,
        ) {
            let (all, design) = (treatments(count, twin), grouped(seed));
            let groups = groups_count(all.len(), SERVICES_AT_ONCE) as u32;
            let mut seen = vec![0; all.len()];
            let mut sizes = Vec::new();
            for block in round * groups + 1..=(round + 1) * groups {
                let members = members(&design, &all, "t0", block);
                sizes.push(members.len());
                prop_assert!(members.contains(&0) && members.len() <= SERVICES_AT_ONCE);
                let has = |index| members.contains(&index);
                prop_assert!(has(count) == has(twin) || twin == 0, "a twin stays with its original");
                members.iter().for_each(|&index| seen[index] += 1);
            }
            prop_assert!(seen[1..].iter().all(|&times| times == 1), "{seen:?}");
            let spread = sizes.iter().max().unwrap() - sizes.iter().min().unwrap();
            prop_assert!(spread <= 1, "{sizes:?}");
        }
    }

    /// Treatments and a twin, every treatment entered again with each of so many changes.
    fn with_changes(count: usize, twin: usize, changes: usize) -> Vec<Treatment> {
        let mut all = treatments(count, twin);
        let twin = all.pop();
        for change in 0..changes {
            for index in 0..count {
                all.push(Treatment {
                    what_if_of: Some(all[index].name.clone()),
                    ..treatment(&format!("t{index}+change={change}"))
                });
            }
        }
        all.extend(twin);
        all
    }

    proptest! {
        #[test]
        fn one_change_to_every_treatment_is_dealt_with_what_it_changes(
            count in 5_usize..30, twin in 0_usize..5, seed in any::<u64>(), round in 0_u32..20,
        ) {
            let (all, design) = (with_changes(count, twin, 1), grouped(seed));
            let groups = groups_count(all.len(), SERVICES_AT_ONCE) as u32;
            let mut seen = vec![0; all.len()];
            for block in round * groups + 1..=(round + 1) * groups {
                let members = members(&design, &all, "t0", block);
                prop_assert!(members.len() <= SERVICES_AT_ONCE);
                let together = |index| members.contains(&index) == members.contains(&(count + index));
                prop_assert!((1..count).all(together), "{members:?}");
                prop_assert!(members.contains(&(all.len() - 1)) == members.contains(&twin) || twin == 0);
                members.iter().for_each(|&index| seen[index] += 1);
            }
            prop_assert!(seen[1..].iter().all(|&times| times == 1), "{seen:?}");
        }

        #[test]
        fn more_changes_than_a_group_has_room_for_are_dealt_apart(
            count in 1_usize..8, twin in 0_usize..8, changes in 2_usize..14, seed in any::<u64>(),
        ) {
            let (all, design) = (with_changes(count, twin % count, changes), grouped(seed));
            let groups = groups_count(all.len(), SERVICES_AT_ONCE) as u32;
            let mut seen = vec![0; all.len()];
            for block in 1..=groups {
                let members = members(&design, &all, "t0", block);
                prop_assert!(members.len() <= SERVICES_AT_ONCE, "{members:?}");
                let has_twin = members.contains(&(all.len() - 1));
                prop_assert!(has_twin == members.contains(&(twin % count)) || twin % count == 0);
                members.iter().for_each(|&index| seen[index] += 1);
            }
            prop_assert!(seen[1..].iter().all(|&times| times == 1), "{seen:?}");
        }
    }

    #[test]
    fn over_the_rounds_any_two_treatments_meet() {
        let (all, design) = (treatments(14, 3), grouped(5));
        let met = |a: usize, b: usize| {
            (1..=80).any(|block| {
                let members = members(&design, &all, "t0", block);
                members.contains(&a) && members.contains(&b)
            })
        };
        for a in 1..all.len() {
            assert!((a + 1..all.len()).all(|b| met(a, b)), "{a}");
        }
    }
}
