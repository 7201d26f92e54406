//! What each layer adds to the one below it: CPU time per good answer, block by block.

use std::collections::BTreeMap;

use record::metric;

use crate::estimate::CONFIDENCE_LEVEL;
use crate::figures;
use crate::findings::{Added, Ladder, Rung};
use crate::grounds::{Grounds, Place};

/// Layers are told in time, which adds up; ratios and rates do not.
const METRIC: &str = "service_cpu_per_good_answer_us";

/// The rungs of the experiment's ladder, from the lowest; `None` where no treatment stands on another.
pub(crate) fn ladder(grounds: &Grounds) -> Option<Ladder> {
    let below = |name: &str| {
        let after = grounds.treatment(name)?.after.as_deref()?;
        grounds.treatment(after).map(|found| found.name.as_str())
    };
    let names: Vec<&str> = grounds
        .treatments()
        .map(|found| found.name.as_str())
        .collect();
    let links: BTreeMap<&str, &str> = names
        .iter()
        .filter_map(|name| Some((*name, below(name)?)))
        .collect();
    let roots = names
        .iter()
        .filter(|name| !links.contains_key(*name) && links.values().any(|below| below == *name));
    let mut order = Vec::new();
    for root in roots {
        climb(root, 0, &names, &links, &mut order);
    }
    if order.is_empty() {
        return None;
    }
    let rungs = order.into_iter().map(|(name, depth_count)| {
        let after = links.get(name).copied();
        rung(grounds, name, after, depth_count)
    });
    Some(Ladder {
        metric: METRIC.to_owned(),
        rungs: rungs.collect(),
    })
}

/// Puts a rung and then everything that stands on it in order. A ring of rungs has no root, so this ends.
fn climb<'a>(
    name: &'a str,
    depth_count: usize,
    names: &[&'a str],
    links: &BTreeMap<&'a str, &'a str>,
    order: &mut Vec<(&'a str, usize)>,
) {
    order.push((name, depth_count));
    for above in names
        .iter()
        .filter(|above| links.get(*above) == Some(&name))
    {
        climb(above, depth_count + 1, names, links, order);
    }
}

fn rung(grounds: &Grounds, name: &str, after: Option<&str>, depth_count: usize) -> Rung {
    let trials = grounds.selection.usable(name);
    Rung {
        treatment: name.to_owned(),
        title: grounds.title(name).to_owned(),
        after: after.map(str::to_owned),
        depth_count,
        total: figures::figures(&trials, grounds.histograms).remove(METRIC),
        added: after.and_then(|after| {
            let place = Place {
                metric: metric(METRIC)?,
                level: None,
            };
            added(
                &grounds.by_block(name, place),
                &grounds.by_block(after, place),
            )
        }),
    }
}

/// The mean of `one − other` over the blocks of both.
pub(crate) fn added(one: &BTreeMap<u32, f64>, other: &BTreeMap<u32, f64>) -> Option<Added> {
    let column = |of: &BTreeMap<u32, f64>| -> Vec<Option<f64>> {
        one.keys().map(|block| of.get(block).copied()).collect()
    };
    let found = stats::difference::difference(&column(one), &column(other), CONFIDENCE_LEVEL)?;
    Some(Added {
        estimate: found.difference,
        low: found.interval.map(|interval| interval.low),
        high: found.interval.map(|interval| interval.high),
        blocks_count: found.blocks,
    })
}
