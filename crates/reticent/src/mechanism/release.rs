//! The result of a vector release.

use crate::noise::Grid;
use crate::population::query::LIMIT;

/// A noisy vector on the public grid: free to read, print and store.
#[derive(Debug, Clone, PartialEq)]
pub struct Released {
    steps: Vec<i64>,
    grid: Grid,
}

impl Released {
    /// Adds noise to values, and clamps the sums to ±(2⁶² − 1).
    ///
    /// *The samplers stop at ±(2⁶³ − 1), and that is not visible.* With |value| ≤ 2⁶² every noise n
    /// ≥ 2⁶³ − 1 gives value + n ≥ 2⁶² − 1, hence the same clamped result whether n is the exact
    /// draw or the sampler's limit; likewise below. So what is released is a function of the
    /// *exact* noisy value: post-processing. (Adding the limited noise without clamping would
    /// reveal the value itself.)
    pub(super) fn noisy(values: &[i64], noise: impl IntoIterator<Item = i64>, grid: Grid) -> Self {
        let most = LIMIT - 1;
        let add = |(value, noise): (&i64, i64)| value.saturating_add(noise).clamp(-most, most);
        Self {
            steps: values.iter().zip(noise).map(add).collect(),
            grid,
        }
    }

    /// The values in whole grid steps.
    pub fn steps(&self) -> &[i64] {
        &self.steps
    }

    /// The grid that the values are on.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// The values as real numbers.
    pub fn to_real(&self) -> Vec<f64> {
        self.steps
            .iter()
            .map(|steps| self.grid.to_real(*steps))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_sampler_stops_says_nothing_of_the_value() {
        let grid = Grid::new(0).unwrap();
        let released = |value, noise| Released::noisy(&[value], [noise], grid).steps[0];
        for value in [-LIMIT, -5, 0, 5, LIMIT] {
            assert_eq!(released(value, i64::MAX), LIMIT - 1);
            assert_eq!(released(value, -i64::MAX), 1 - LIMIT);
        }
        assert_eq!(released(-5, 7), 2);
    }
}
