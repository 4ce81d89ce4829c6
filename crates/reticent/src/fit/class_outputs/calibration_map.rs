//! From a margin to log-odds.

/// The most points of a map: nobody needs more, and a file could claim any number.
const MOST_POINTS: usize = 64;

/// An increasing map from the margin of a linear function to the log-odds of the second class: straight
/// between its points, and of slope 1 beyond them.
///
/// It increases, so that neither the order of records nor the AUC depends on it.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationMap {
    points: Vec<(f64, f64)>,
}

impl CalibrationMap {
    /// The map through these points, a margin and its log-odds each; `None` if they are not 2 to 64
    /// finite ones that increase in both.
    pub fn new(points: Vec<(f64, f64)>) -> Option<Self> {
        let finite = |(margin, log_odds): &(f64, f64)| margin.is_finite() && log_odds.is_finite();
        let increase = |ends: &[(f64, f64)]| ends[0].0 < ends[1].0 && ends[0].1 < ends[1].1;
        let valid = (2..=MOST_POINTS).contains(&points.len())
            && points.iter().all(finite)
            && points.windows(2).all(increase);
        valid.then_some(Self { points })
    }

    /// The points.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// The log-odds of a margin.
    pub fn log_odds(&self, margin: f64) -> f64 {
        let points = &self.points;
        let (first, last) = (points[0], points[points.len() - 1]);
        if margin <= first.0 {
            return first.1 + (margin - first.0);
        }
        if margin >= last.0 {
            return last.1 + (margin - last.0);
        }
        // A margin that is not a number is in no segment: the first serves, and gives NaN again.
        let after = points.partition_point(|point| point.0 <= margin).max(1);
        let (low, high) = (points[after - 1], points[after]);
        let share = (margin - low.0) / (high.0 - low.0);
        low.1 + (high.1 - low.1) * share
    }

    /// The margin whose log-odds are 0.
    fn even(&self) -> f64 {
        let turned = Self {
            points: self.points.iter().map(|(x, y)| (*y, *x)).collect(),
        };
        turned.log_odds(0.0)
    }

    /// The same with larger log-odds.
    pub(super) fn plus(self, log_odds: f64) -> Self {
        let points = self.points.into_iter().map(|(x, y)| (x, y + log_odds));
        Self {
            points: points.collect(),
        }
    }

    /// The same map of margins that are smaller by a shift, which is such that 0 stays 0: a class is
    /// the likelier one where the linear function says so. The shift comes with it.
    pub(super) fn around_even(self) -> (f64, Self) {
        let even = self.even();
        let points = self.points.into_iter().map(|(x, y)| (x - even, y));
        (
            even,
            Self {
                points: points.collect(),
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> CalibrationMap {
        CalibrationMap::new(vec![(-2.0, -5.0), (0.0, -1.0), (1.0, 1.5)]).unwrap()
    }

    #[test]
    fn it_is_straight_between_points_and_of_slope_one_beyond() {
        let expected = [
            (-4.0, -7.0),
            (-2.0, -5.0),
            (-1.0, -3.0),
            (0.0, -1.0),
            (0.5, 0.25),
            (1.0, 1.5),
            (9.0, 9.5),
        ];
        for (margin, log_odds) in expected {
            assert_eq!(map().log_odds(margin), log_odds);
        }
        assert!(map().log_odds(f64::NAN).is_nan());
        assert_eq!(map().log_odds(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn around_even_it_keeps_the_sign() {
        for shift in [-3.0, 0.0, 0.3, 7.0] {
            let moved = map().points.into_iter().map(|(x, y)| (x, y + shift));
            let moved = CalibrationMap::new(moved.collect()).unwrap();
            let (even, around) = moved.clone().around_even();
            assert!(around.log_odds(0.0).abs() < 1e-12);
            for margin in [-5.0, -1.0, 0.1, 0.7, 4.0] {
                let off = around.log_odds(margin - even) - moved.log_odds(margin);
                assert!(off.abs() < 1e-12);
            }
        }
    }

    #[test]
    fn points_that_do_not_increase_are_refused() {
        let refused = [
            vec![],
            vec![(0.0, 0.0)],
            vec![(0.0, 0.0), (0.0, 1.0)],
            vec![(0.0, 1.0), (1.0, 1.0)],
            vec![(0.0, 1.0), (1.0, f64::NAN)],
            vec![(0.0, 1.0), (f64::INFINITY, 2.0)],
            (0..65).map(|k| (f64::from(k), f64::from(k))).collect(),
        ];
        for points in refused {
            assert_eq!(CalibrationMap::new(points), None);
        }
    }
}
