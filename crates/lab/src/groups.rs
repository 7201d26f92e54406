//! Which treatments of a run are up together, where there are too many for one block.
//!
//! A block then holds one group. Every group holds the baseline; a treatment and its twin stay together. The rest
//! is dealt anew in every round, so that over the rounds any two treatments meet. A pair is compared in the blocks
//! that held both, and in no other.

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
    for unit in units(treatments, baseline, design.seed, round) {
        if let Some(smallest) = dealt.iter_mut().min_by_key(|group| group.len()) {
            smallest.extend(unit);
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
        .div_ceil(at_once.max(3) - 1)
        .max(1)
}

/// What is dealt, in the order of one round: the pair with the twin first, so that the groups come out even.
fn units(treatments: &[Treatment], baseline: &str, seed: u64, round: u32) -> Vec<Vec<usize>> {
    let place = |name: &str| treatments.iter().position(|other| other.name == name);
    let twins: Vec<Vec<usize>> = treatments
        .iter()
        .enumerate()
        .filter_map(|(index, treatment)| {
            let original = treatment.twin_of.as_deref()?;
            let with = place(original).filter(|_| original != baseline);
            Some(with.into_iter().chain([index]).collect())
        })
        .collect();
    let mut rest: Vec<Vec<usize>> = (0..treatments.len())
        .filter(|index| treatments[*index].name != baseline)
        .filter(|index| !twins.iter().flatten().any(|twin| twin == index))
        .map(|index| vec![index])
        .collect();
    rest.shuffle(&mut Pcg64::seed_from_u64(
        seed ^ (u64::from(round) << 32) ^ 0x67,
    ));
    twins.into_iter().chain(rest).collect()
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
