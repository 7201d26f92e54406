//! Ratios of pairs with intervals.

/// The middle of a set of figures.
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    if figures.len() % 2 == 1 {
        figures[middle]
    } else {
        (figures[middle - 1] + figures[middle]) / 2.0
    }
}

/// Median of the ratios of pairs with its interval: the two order statistics that a two-sided sign test at 5 % does not
/// rule out (Conover 1999, section 3.2). It supposes nothing of the noise but that pairs are independent. Fewer than six
/// pairs have no such interval.
pub fn of_ratios(mut ratios: Vec<f64>) -> String {
    if ratios.is_empty() {
        return "–".to_owned();
    }
    ratios.sort_by(f64::total_cmp);
    let middle = median(ratios.clone());
    match outside_count(ratios.len()) {
        Some(count) => {
            let (low, high) = (ratios[count], ratios[ratios.len() - 1 - count]);
            format!("{middle:.3} [{low:.3}, {high:.3}]")
        }
        None => format!("{middle:.3}"),
    }
}

/// How many of `count` sorted values lie below the interval of their median, and as many above it.
fn outside_count(count: usize) -> Option<usize> {
    let mut outside = None;
    let mut exactly = 0.5_f64.powi(i32::try_from(count).unwrap_or(i32::MAX));
    let mut at_most = exactly;
    for below in 0..count {
        if 2.0 * at_most > 0.05 {
            break;
        }
        outside = Some(below);
        exactly *= (count - below) as f64 / (below + 1) as f64;
        at_most += exactly;
    }
    outside
}
