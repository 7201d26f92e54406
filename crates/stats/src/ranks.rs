//! Ranks as intervals: a treatment's rank is known only as far as its pairs are decided
//! (after Mogstad, Romano, Shaikh & Wilhelm 2024).

/// The ranks a treatment may have, from the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RankInterval {
    /// 1 + the number of treatments that are better.
    pub best: usize,
    /// k − the number of treatments that are worse.
    pub worst: usize,
}

/// Rank intervals of `count` treatments. `better(i, j)` says that i is decidedly better than j.
pub fn rank_intervals(count: usize, better: impl Fn(usize, usize) -> bool) -> Vec<RankInterval> {
    let others = |i: usize| (0..count).filter(move |j| *j != i);
    (0..count)
        .map(|i| RankInterval {
            best: 1 + others(i).filter(|j| better(*j, i)).count(),
            worst: count - others(i).filter(|j| better(i, *j)).count(),
        })
        .collect()
}

/// Tiers from 1: treatments in the order of their best rank, a new tier beginning where the next one's ranks
/// all lie behind those of every treatment before it. Treatments whose intervals overlap, directly or through
/// others, share a tier.
pub fn tiers(ranks: &[RankInterval]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by_key(|&i| ranks[i]);
    let mut tiers = vec![0; ranks.len()];
    let (mut tier, mut reach) = (0, 0);
    for i in order {
        if ranks[i].best > reach {
            tier += 1;
        }
        reach = reach.max(ranks[i].worst);
        tiers[i] = tier;
    }
    tiers
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decided_pairs_separate_and_undecided_ones_share_a_tier() {
        // 0 and 1 undecided, both better than 2, 2 better than 3.
        let better = |i: usize, j: usize| matches!((i, j), (0 | 1, 2 | 3) | (2, 3));
        let ranks = rank_intervals(4, better);
        let pairs: Vec<(usize, usize)> = ranks.iter().map(|rank| (rank.best, rank.worst)).collect();
        assert_eq!(pairs, [(1, 2), (1, 2), (3, 3), (4, 4)]);
        assert_eq!(tiers(&ranks), [1, 1, 2, 3]);
    }

    #[test]
    fn nothing_decided_is_one_tier() {
        let ranks = rank_intervals(5, |_, _| false);
        assert!(
            ranks
                .iter()
                .all(|rank| *rank == RankInterval { best: 1, worst: 5 })
        );
        assert_eq!(tiers(&ranks), [1; 5]);
    }

    proptest! {
        #[test]
        fn a_true_order_lies_in_its_rank_intervals(
            values in prop::collection::vec(0.0..10.0_f64, 1..12), margin in 0.0..3.0_f64,
        ) {
            let ranks = rank_intervals(values.len(), |i, j| values[i] + margin < values[j]);
            for (i, rank) in ranks.iter().enumerate() {
                let true_rank = 1 + values.iter().filter(|value| **value < values[i]).count();
                prop_assert!(rank.best <= true_rank && true_rank <= rank.worst);
            }
        }
    }
}
