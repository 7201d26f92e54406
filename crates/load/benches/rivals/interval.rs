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

/// Two-sided 95 % points of Student's t for 1 to 30 degrees of freedom.
const T: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// Geometric mean of ratios with its 95 % interval: Student's t over their logarithms.
pub fn of_ratios(ratios: Vec<f64>) -> String {
    let n = ratios.len();
    if n == 0 {
        return "–".to_owned();
    }
    let logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
    let mean = logs.iter().sum::<f64>() / n as f64;
    if n < 2 {
        return format!("{:.3}", mean.exp());
    }
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (n - 1) as f64;
    let t = T.get(n - 2).copied().unwrap_or(1.96);
    let half = t * (variance / n as f64).sqrt();
    format!(
        "{:.3} [{:.3}, {:.3}]",
        mean.exp(),
        (mean - half).exp(),
        (mean + half).exp()
    )
}
