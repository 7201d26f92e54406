//! The knee of a curve: where more load begins to cost more than it brings.
//!
//! The point farthest from the chord between the first and the last, both axes scaled to 1 (the distance that
//! Satopää et al. 2011 call Kneedle, without its smoothing: a sweep has a dozen points, not a thousand).

/// How a curve bends at its knee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bend {
    /// Level at first, then steep: response time over arrival rate.
    Upwards,
    /// Steep at first, then level: completion rate over concurrency.
    Level,
}

/// Least distance from the chord, both axes scaled to 1, that counts as a knee.
const CLEAR: f64 = 0.1;

/// Index of the knee of `points`, sorted by x. `None` where the curve is nearly straight, has fewer than four
/// points, or does not rise.
pub fn knee(points: &[(f64, f64)], bend: Bend) -> Option<usize> {
    let ((x0, y0), (x1, y1)) = (*points.first()?, *points.last()?);
    if points.len() < 4 || x1 <= x0 || y1 <= y0 {
        return None;
    }
    let distance = |(x, y): &(f64, f64)| {
        let above = (y - y0) / (y1 - y0) - (x - x0) / (x1 - x0);
        match bend {
            Bend::Upwards => -above,
            Bend::Level => above,
        }
    };
    let (index, farthest) = points
        .iter()
        .map(distance)
        .enumerate()
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    (farthest >= CLEAR).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_bends_upwards_near_its_capacity() {
        // Mean response time of an M/M/1 queue of capacity 1, steps of a tenth.
        let points: Vec<(f64, f64)> = (1..10)
            .map(|step| f64::from(step) / 10.0)
            .map(|rate| (rate, 1.0 / (1.0 - rate)))
            .collect();
        assert_eq!(knee(&points, Bend::Upwards), Some(6));
        assert_eq!(knee(&points, Bend::Level), None);
    }

    #[test]
    fn a_rate_levels_off_where_the_cores_are_used_up() {
        let points: Vec<(f64, f64)> = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
            .map(|n: f64| (n, n.min(4.0)))
            .to_vec();
        assert_eq!(knee(&points, Bend::Level), Some(2));
    }

    #[test]
    fn a_straight_line_a_fall_and_three_points_have_no_knee() {
        let straight: Vec<(f64, f64)> = (0..9).map(f64::from).map(|x| (x, 2.0 * x)).collect();
        assert_eq!(knee(&straight, Bend::Upwards), None);
        let falling: Vec<(f64, f64)> = straight.iter().map(|(x, y)| (*x, -y)).collect();
        assert_eq!(knee(&falling, Bend::Level), None);
        assert_eq!(knee(&straight[..3], Bend::Level), None);
        assert_eq!(knee(&[], Bend::Level), None);
    }
}
