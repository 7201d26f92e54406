//! What an answer takes of a machine, whatever the prices.

use crate::figures;
use crate::findings::{Cost, CostBlock, Figure};
use crate::grounds::Grounds;

const GIB_BYTES: f64 = 1_073_741_824.0;

/// Every treatment whose CPU time was measured, in the order of the run.
pub(crate) fn cost(grounds: &Grounds) -> Vec<Cost> {
    let treatments = grounds.treatments();
    treatments
        .filter_map(|treatment| one(grounds, &treatment.name, &treatment.title))
        .collect()
}

fn one(grounds: &Grounds, name: &str, title: &str) -> Option<Cost> {
    let blocks: Vec<CostBlock> = grounds
        .selection
        .usable(name)
        .into_iter()
        .filter_map(|trial| {
            let figure = |metric: &str| {
                let value = trial.metrics.get(metric).copied();
                value.filter(|value| *value > 0.0 && value.is_finite())
            };
            Some(CostBlock {
                block: trial.block,
                service_cpu_us: figure("service_cpu_per_good_answer_us")?,
                database_cpu_us: figure("database_cpu_per_good_answer_us"),
                memory_bytes: figure("memory_peak_bytes"),
                completion_rate_per_s: figure("completion_rate_per_s"),
            })
        })
        .collect();
    let over = |of: &dyn Fn(&CostBlock) -> Option<f64>| -> Option<Figure> {
        let values: Vec<f64> = blocks.iter().filter_map(of).collect();
        figures::geometric(&values)
    };
    Some(Cost {
        treatment: name.to_owned(),
        title: title.to_owned(),
        answers_per_core_s: over(&|block| Some(1e6 / block.service_cpu_us))?,
        answers_per_core_with_database_s: over(&|block| {
            Some(1e6 / (block.service_cpu_us + block.database_cpu_us?))
        }),
        answers_per_gib_s: over(&|block| {
            Some(block.completion_rate_per_s? / (block.memory_bytes? / GIB_BYTES))
        }),
        blocks,
    })
}
