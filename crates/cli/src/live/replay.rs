//! A stored run as the events it was told by: for pictures and tests of the view.

use record::{Event, Run, Trial};

/// The events of one block, in order: slices by the time they were measured at.
pub fn block(run: &Run, trials: &[Trial], block: u32) -> Vec<Event> {
    let mut of_block: Vec<&Trial> = trials.iter().filter(|trial| trial.block == block).collect();
    of_block.sort_by_key(|trial| trial.position);
    let mut events = vec![Event::BlockBegan {
        block,
        blocks_at_most: run.design.max_blocks_count,
        order: of_block
            .iter()
            .map(|trial| trial.treatment.clone())
            .collect(),
    }];
    events.extend(of_block.iter().map(|trial| Event::TreatmentBegan {
        block,
        treatment: trial.treatment.clone(),
        phase: "starting and warming".to_owned(),
    }));
    let mut slices: Vec<(&Trial, &record::Slice)> = of_block
        .iter()
        .flat_map(|trial| trial.slices.iter().map(move |slice| (*trial, slice)))
        .collect();
    slices.sort_by(|one, other| one.1.at_s.total_cmp(&other.1.at_s));
    let count = slices.len() as u32;
    let ended_s = slices
        .last()
        .map_or(0.0, |(_, slice)| slice.at_s + slice.window_s);
    events.extend(
        slices
            .iter()
            .enumerate()
            .map(|(done, (trial, slice))| Event::SliceEnded {
                block,
                treatment: trial.treatment.clone(),
                load: slice.load.clone(),
                completion_rate_per_s: slice.good_answers_count as f64 / slice.window_s,
                response_p50_ns: None,
                response_p90_ns: None,
                slices_done: done as u32 + 1,
                slices_in_block: count,
            }),
    );
    events.extend(of_block.iter().map(|trial| Event::TrialEnded {
        trial: Box::new((*trial).clone()),
    }));
    events.push(Event::BlockEnded {
        block,
        remaining_s: (run.design.budget_s as f64 - ended_s).max(0.0),
    });
    events
}
