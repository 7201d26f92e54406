//! The universal scalability law: how the completion rate grows with concurrency, and where it turns.
//!
//! X(N) = γN / (1 + α(N − 1) + βN(N − 1)), Gunther 1993, 2007: γ the rate of one, α the share spent
//! waiting for what is shared (contention), β the cost of keeping it consistent (coherency).

use std::array;

/// The fitted law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalability {
    /// γ: completion rate at a concurrency of one, in the unit of the rates fitted.
    pub rate_of_one: f64,
    /// α, 0 or more; 1 means that concurrency adds nothing.
    pub contention: f64,
    /// β, 0 or more; above 0 the rate falls again at high concurrency.
    pub coherency: f64,
    /// Root mean square of the relative error over the points.
    pub error_ratio: f64,
}

impl Scalability {
    /// The rate that the law expects at `concurrency`.
    pub fn rate_at(&self, concurrency: f64) -> f64 {
        let others = concurrency - 1.0;
        self.rate_of_one * concurrency
            / (1.0 + self.contention * others + self.coherency * concurrency * others)
    }

    /// Concurrency of the highest rate, √((1 − α)/β); `None` where the rate never falls.
    pub fn peak_concurrency(&self) -> Option<f64> {
        (self.coherency > 0.0).then(|| {
            ((1.0 - self.contention).max(0.0) / self.coherency)
                .sqrt()
                .max(1.0)
        })
    }
}

/// Fits the law to (concurrency, rate) points by weighted least squares of N/X, which is linear in 1/γ, α/γ and
/// β/γ; the weights make every point's relative error count alike, and α and β are kept at 0 or above. `None`
/// below four different concurrencies, or where a point is not positive.
pub fn fit(points: &[(f64, f64)]) -> Option<Scalability> {
    let positive = |value: f64| value.is_finite() && value > 0.0;
    if !points.iter().all(|(n, x)| positive(*n) && positive(*x)) {
        return None;
    }
    let mut concurrencies: Vec<f64> = points.iter().map(|(n, _)| *n).collect();
    concurrencies.sort_by(f64::total_cmp);
    concurrencies.dedup();
    if concurrencies.len() < 4 {
        return None;
    }
    // Scaled by the largest concurrency so that the three columns are of one size.
    let largest = concurrencies[concurrencies.len() - 1];
    let rows: Vec<[f64; 3]> = points
        .iter()
        .map(|(n, x)| {
            let weight = x / n;
            [1.0, (n - 1.0) / largest, n * (n - 1.0) / largest.powi(2)].map(|term| term * weight)
        })
        .collect();
    // The best point of a convex problem with two bounds is the best free fit on one of its four faces.
    let faces = [[true, true], [true, false], [false, true], [false, false]];
    let candidates = faces.iter().filter_map(|[contention, coherency]| {
        let terms = solve(&rows, [true, *contention, *coherency])?;
        (terms[0] > 0.0 && terms[1] >= 0.0 && terms[2] >= 0.0).then_some(terms)
    });
    let best = candidates.min_by(|a, b| squares(&rows, a).total_cmp(&squares(&rows, b)))?;
    let law = Scalability {
        rate_of_one: 1.0 / best[0],
        contention: best[1] / best[0] / largest,
        coherency: best[2] / best[0] / largest.powi(2),
        error_ratio: 0.0,
    };
    let errors = points
        .iter()
        .map(|(n, x)| (law.rate_at(*n) / x - 1.0).powi(2));
    Some(Scalability {
        error_ratio: (errors.sum::<f64>() / points.len() as f64).sqrt(),
        ..law
    })
}

/// Squared distance of the rows' values from the weighted target, which is 1 in every row.
fn squares(rows: &[[f64; 3]], terms: &[f64; 3]) -> f64 {
    let value = |row: &[f64; 3]| row.iter().zip(terms).map(|(a, b)| a * b).sum::<f64>();
    rows.iter().map(|row| (value(row) - 1.0).powi(2)).sum()
}

/// Least squares over the terms in `use_term`, the others 0, by the normal equations; `None` where singular.
fn solve(rows: &[[f64; 3]], use_term: [bool; 3]) -> Option<[f64; 3]> {
    let mut matrix: [[f64; 4]; 3] = array::from_fn(|i| {
        array::from_fn(|j| {
            let right = |row: &[f64; 3]| if j == 3 { 1.0 } else { row[j] };
            rows.iter().map(|row| row[i] * right(row)).sum()
        })
    });
    for term in (0..3).filter(|term| !use_term[*term]) {
        matrix[term] = [0.0; 4];
        matrix[term][term] = 1.0;
        for (other, row) in matrix.iter_mut().enumerate() {
            if other != term {
                row[term] = 0.0;
            }
        }
    }
    eliminate(matrix)
}

/// Gauss–Jordan elimination with row pivoting of three equations.
fn eliminate(mut matrix: [[f64; 4]; 3]) -> Option<[f64; 3]> {
    for column in 0..3 {
        let pivot = (column..3).max_by(|a, b| {
            matrix[*a][column]
                .abs()
                .total_cmp(&matrix[*b][column].abs())
        })?;
        matrix.swap(column, pivot);
        let pivot_row = matrix[column];
        if pivot_row[column].abs() < 1e-300 {
            return None;
        }
        for (index, row) in matrix.iter_mut().enumerate() {
            let factor = row[column] / pivot_row[column];
            for (value, pivot_value) in row.iter_mut().zip(pivot_row) {
                *value = if index == column {
                    *value / pivot_row[column]
                } else {
                    *value - factor * pivot_value
                };
            }
        }
    }
    let terms: [f64; 3] = array::from_fn(|i| matrix[i][3]);
    terms.iter().all(|term| term.is_finite()).then_some(terms)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CONCURRENCIES: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

    fn curve(law: &Scalability) -> Vec<(f64, f64)> {
        CONCURRENCIES
            .iter()
            .map(|n| (*n, law.rate_at(*n)))
            .collect()
    }

    #[test]
    fn a_curve_that_only_grows_has_no_peak_and_no_negative_terms() {
        // Faster than linear at first, which the law cannot follow with terms at 0 or above.
        let points = [(1.0, 100.0), (2.0, 240.0), (4.0, 500.0), (8.0, 1000.0)];
        let law = fit(&points).unwrap();
        assert!(law.contention >= 0.0 && law.coherency >= 0.0);
        assert_eq!(law.peak_concurrency(), None);
        assert!(law.error_ratio < 0.15);
    }

    #[test]
    fn three_concurrencies_or_a_rate_of_nothing_fit_no_law() {
        assert_eq!(fit(&[(1.0, 1.0), (2.0, 2.0), (4.0, 3.0)]), None);
        assert_eq!(fit(&[(1.0, 1.0), (2.0, 2.0), (4.0, 3.0), (8.0, 0.0)]), None);
    }

    proptest! {
        #[test]
        fn a_law_is_found_again_from_its_own_curve(
            rate_of_one in 1.0..1e5_f64, contention in 0.001..0.9_f64, coherency in 1e-5..0.01_f64,
        ) {
            let law = Scalability { rate_of_one, contention, coherency, error_ratio: 0.0 };
            let found = fit(&curve(&law)).unwrap();
            prop_assert!((found.rate_of_one / rate_of_one - 1.0).abs() < 1e-4, "{found:?}");
            prop_assert!((found.contention / contention - 1.0).abs() < 1e-3, "{found:?}");
            prop_assert!((found.coherency / coherency - 1.0).abs() < 1e-3, "{found:?}");
            prop_assert!(found.error_ratio < 1e-4);
            let peak = found.peak_concurrency().unwrap();
            prop_assert!(found.rate_at(peak) >= found.rate_at(peak * 1.5) && found.rate_at(peak) >= found.rate_at((peak / 1.5).max(1.0)));
        }
    }
}
