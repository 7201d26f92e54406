//! Rank tests: does one thing go with another, and do groups differ?

use statrs::distribution::{ChiSquared, ContinuousCDF, StudentsT};

/// Ranks from 1, equal values sharing the mean of their ranks.
pub fn mid_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for group in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let shared = start as f64 + (group.len() + 1) as f64 / 2.0;
        for index in group {
            ranks[*index] = shared;
        }
        start += group.len();
    }
    ranks
}

/// A rank correlation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// −1 to 1.
    pub coefficient: f64,
    /// Chance of so strong a correlation, either way, where there is none.
    pub p_value: f64,
}

/// Spearman's rank correlation (1904) with its p-value from Student's t with n − 2 degrees of freedom. `None`
/// below five points, or where one of the variables does not vary.
pub fn spearman(points: &[(f64, f64)]) -> Option<Correlation> {
    if points.len() < 5 {
        return None;
    }
    let (x, y): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    let coefficient = pearson(&mid_ranks(&x), &mid_ranks(&y))?;
    let degrees = (points.len() - 2) as f64;
    let statistic = coefficient * (degrees / (1.0 - coefficient.powi(2)).max(1e-12)).sqrt();
    let t = StudentsT::new(0.0, 1.0, degrees).ok()?;
    Some(Correlation {
        coefficient,
        p_value: 2.0 * t.sf(statistic.abs()),
    })
}

fn pearson(x: &[f64], y: &[f64]) -> Option<f64> {
    let (centre_x, centre_y) = (crate::interval::mean(x)?, crate::interval::mean(y)?);
    let sum = |term: &dyn Fn(f64, f64) -> f64| -> f64 {
        x.iter()
            .zip(y)
            .map(|(x, y)| term(x - centre_x, y - centre_y))
            .sum()
    };
    let scale = (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    (scale > 0.0).then(|| (sum(&|x, y| x * y) / scale).clamp(-1.0, 1.0))
}

/// Whether groups differ in level: the p-value of Kruskal & Wallis (1952), corrected for equal values, from
/// the χ² distribution. `None` below two groups of at least two values each (smaller ones are left out), or
/// where no value differs.
pub fn kruskal_wallis(groups: &[Vec<f64>]) -> Option<f64> {
    let groups: Vec<&Vec<f64>> = groups.iter().filter(|group| group.len() >= 2).collect();
    if groups.len() < 2 {
        return None;
    }
    let ranks = mid_ranks(
        &groups
            .iter()
            .copied()
            .flatten()
            .copied()
            .collect::<Vec<f64>>(),
    );
    let count = ranks.len() as f64;
    let centre = f64::midpoint(count, 1.0);
    let total: f64 = ranks.iter().map(|rank| (rank - centre).powi(2)).sum();
    if total <= 0.0 {
        return None;
    }
    let mut start = 0;
    let mut between = 0.0;
    for group in &groups {
        let own = &ranks[start..start + group.len()];
        start += group.len();
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        between += own.len() as f64 * (mean - centre).powi(2);
    }
    let statistic = (count - 1.0) * between / total;
    let chi_squared = ChiSquared::new((groups.len() - 1) as f64).ok()?;
    Some(chi_squared.sf(statistic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_the_mean_of_their_ranks() {
        assert_eq!(
            mid_ranks(&[3.0, 1.0, 3.0, 2.0, 3.0]),
            [4.0, 1.0, 4.0, 2.0, 4.0]
        );
        assert!(mid_ranks(&[]).is_empty());
    }

    #[test]
    fn a_worked_example_of_spearman_gives_its_coefficient() {
        // Hours of television and intelligence quotient, ten people: ρ = −0.1758, p = 0.627.
        let people = [
            (106.0, 7.0),
            (100.0, 27.0),
            (86.0, 2.0),
            (101.0, 50.0),
            (99.0, 28.0),
            (103.0, 29.0),
            (97.0, 20.0),
            (113.0, 12.0),
            (112.0, 6.0),
            (110.0, 17.0),
        ];
        let found = spearman(&people).unwrap();
        assert!((found.coefficient + 0.175_757).abs() < 1e-6, "{found:?}");
        assert!((found.p_value - 0.6272).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn a_worked_example_of_kruskal_and_wallis_gives_its_p_value() {
        // Ranks 1, 2, 5 | 3, 4, 6: H = 12/(6·7)·(8²/3 + 13²/3) − 3·7 = 1.19048 on one degree.
        let groups = [vec![1.0, 2.0, 5.0], vec![3.0, 4.0, 6.0]];
        let found = kruskal_wallis(&groups).unwrap();
        assert!((found - 0.275_23).abs() < 1e-4, "{found}");
    }

    #[test]
    fn what_does_not_vary_correlates_with_nothing() {
        let level: Vec<(f64, f64)> = (0..9).map(|x| (f64::from(x), 1.0)).collect();
        assert_eq!(spearman(&level), None);
        assert_eq!(kruskal_wallis(&[vec![1.0, 1.0], vec![1.0, 1.0]]), None);
        assert_eq!(kruskal_wallis(&[vec![1.0, 2.0], vec![3.0]]), None);
    }
}
