//! How the intervals of a run narrowed, block after block: `bancada.narrowing/1`.

use std::collections::BTreeMap;

use record::{Run, Trial};
use report::{Findings, RatioEstimate};
use serde::Serialize;

/// Points in time that are worked out at most; more are thinned evenly, the last always kept.
const POINTS_AT_MOST: usize = 40;

/// Each treatment's ratio to the baseline after so many blocks.
#[derive(Debug, Serialize)]
pub struct Narrowing {
    schema: &'static str,
    run: String,
    primary_metric: String,
    baseline: String,
    points: Vec<Point>,
}

#[derive(Debug, Serialize)]
struct Point {
    block: u32,
    ratios: BTreeMap<String, RatioEstimate>,
}

impl Narrowing {
    /// From a run and the trials that have ended so far.
    pub fn of(run: &Run, trials: &[Trial]) -> Narrowing {
        let mut blocks: Vec<u32> = trials.iter().map(|trial| trial.block).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let points = thinned(&blocks).into_iter().map(|block| {
            let until: Vec<Trial> = trials
                .iter()
                .filter(|trial| trial.block <= block)
                .cloned()
                .collect();
            let findings = Findings::of(run, &until, &BTreeMap::new());
            let ratios = findings.treatments.into_iter();
            Point {
                block,
                ratios: ratios
                    .filter_map(|treatment| Some((treatment.name, treatment.to_baseline?)))
                    .collect(),
            }
        });
        Narrowing {
            schema: "bancada.narrowing/1",
            run: run.run.clone(),
            primary_metric: run.primary_metric.clone(),
            baseline: run.baseline.clone(),
            points: points.collect(),
        }
    }
}

/// At most so many of these, evenly spread, the last among them.
fn thinned(blocks: &[u32]) -> Vec<u32> {
    let count = blocks.len();
    if count <= POINTS_AT_MOST {
        return blocks.to_vec();
    }
    (1..=POINTS_AT_MOST)
        .map(|point| blocks[point * count / POINTS_AT_MOST - 1])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_blocks_are_thinned_and_the_last_is_kept() {
        let blocks: Vec<u32> = (1..=1000).collect();
        let thinned = thinned(&blocks);
        assert_eq!(thinned.len(), POINTS_AT_MOST);
        assert_eq!(thinned.last(), Some(&1000));
        assert!(thinned.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn few_blocks_are_all_kept() {
        assert_eq!(thinned(&[1, 2, 5]), [1, 2, 5]);
        assert!(thinned(&[]).is_empty());
    }
}
