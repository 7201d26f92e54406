//! Where a finished series becomes steady.
//!
//! That there is no steady state is a result: of the pairs of virtual machine and program that Barrett et al. 2017
//! measured, less than half reached one consistently.

/// Values in a batch of the truncation rule.
const BATCH: usize = 5;

/// Values to discard at the start of a series by MSER-5 (White 1997): the truncation that leaves the smallest
/// squared standard error of the mean of the batches of five that remain. `None` where that lies in the second
/// half, that is, where the series shows no steady state, and below four batches.
pub fn truncation(series: &[f64]) -> Option<usize> {
    let batches: Vec<f64> = series
        .chunks_exact(BATCH)
        .map(|batch| batch.iter().sum::<f64>() / BATCH as f64)
        .collect();
    if batches.len() < 4 {
        return None;
    }
    // Fewer than three remaining batches may agree by chance alone.
    let error = |from: usize| {
        let rest = &batches[from..];
        let count = rest.len() as f64;
        let mean = rest.iter().sum::<f64>() / count;
        rest.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count.powi(2)
    };
    let best = (0..=batches.len() - 3).min_by(|a, b| error(*a).total_cmp(&error(*b)))?;
    (best <= batches.len() / 2).then_some(best * BATCH)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_warm_up_is_cut_off_and_a_series_without_end_of_it_has_no_steady_state() {
        let noise = |i: usize| ((i * 7919) % 13) as f64 / 100.0;
        let warming: Vec<f64> = (0..100)
            .map(|i| if i < 20 { 10.0 } else { 1.0 } + noise(i))
            .collect();
        assert_eq!(truncation(&warming), Some(20));
        let drifting: Vec<f64> = (0..100).map(|i| i as f64 + noise(i)).collect();
        assert_eq!(truncation(&drifting), None);
        assert_eq!(truncation(&warming[..19]), None);
    }

    proptest! {
        #[test]
        fn a_truncation_keeps_at_least_half_of_the_batches(series in prop::collection::vec(0.1..10.0_f64, 20..200)) {
            if let Some(cut) = truncation(&series) {
                prop_assert!(cut <= series.len() / 2);
            }
        }
    }
}
