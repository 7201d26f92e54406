//! Whether the level of a series shifts somewhere.
//!
//! The rank test of Pettitt (1979): for each split, how far the values after it outrank those before it. It
//! asks for no distribution, so a few slow seconds do not make a shift.

/// The most likely shift of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// First value of the new level.
    pub at: usize,
    /// Chance of so clear a split in a series without a shift (Pettitt's approximation, at most 1).
    pub p_value: f64,
    /// Median after over median before.
    pub ratio: f64,
}

/// The most likely change point of `series`; `None` below eight values, where nothing could be told.
pub fn change_point(series: &[f64]) -> Option<ChangePoint> {
    if series.len() < 8 {
        return None;
    }
    // U grows by the sum of signs of each value against all others (Pettitt 1979, eq. 2.3).
    let (mut split, mut best) = (0.0, (0, 0.0_f64));
    for (index, value) in series[..series.len() - 1].iter().enumerate() {
        split += series.iter().map(|other| sign(value, other)).sum::<f64>();
        if split.abs() > best.1 {
            best = (index + 1, split.abs());
        }
    }
    let (at, statistic) = best;
    if at == 0 {
        return None;
    }
    let count = series.len() as f64;
    let exponent = -6.0 * statistic.powi(2) / (count.powi(3) + count.powi(2));
    Some(ChangePoint {
        at,
        p_value: (2.0 * exponent.exp()).min(1.0),
        ratio: crate::quantile::median(&series[at..])? / crate::quantile::median(&series[..at])?,
    })
}

fn sign(one: &f64, other: &f64) -> f64 {
    match one.total_cmp(other) {
        std::cmp::Ordering::Less => -1.0,
        std::cmp::Ordering::Equal => 0.0,
        std::cmp::Ordering::Greater => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    use super::*;

    #[test]
    fn a_shift_is_found_where_it_happens() {
        let series: Vec<f64> = (0..40)
            .map(|i| if i < 25 { 1.0 } else { 1.5 } + f64::from(i * 37 % 11) / 50.0)
            .collect();
        let found = change_point(&series).unwrap();
        assert_eq!(found.at, 25);
        assert!(found.p_value < 0.001, "{found:?}");
        assert!((found.ratio - 1.5).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn a_level_series_shifts_no_more_often_than_the_p_value_says() {
        let mut random = Pcg64::seed_from_u64(11);
        let alarms = (0..1000).filter(|_| {
            let series: Vec<f64> = (0..30).map(|_| random.random()).collect();
            change_point(&series).unwrap().p_value < 0.05
        });
        assert!(alarms.count() <= 60);
    }

    #[test]
    fn equal_values_and_short_series_have_no_change_point() {
        assert_eq!(change_point(&[1.0; 20]), None);
        assert_eq!(change_point(&[1.0, 2.0, 3.0]), None);
    }
}
