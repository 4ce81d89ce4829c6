//! The result of a vector release.

use crate::noise::Grid;
use crate::parallel;
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
        let mut steps = values.to_vec();
        add(&mut steps, noise);
        Self { steps, grid }
    }

    /// The same by blocks of `size` values, on all threads: `noise` draws that of a block, by its
    /// number.
    pub(super) fn noisy_by_blocks(
        values: &[i64],
        size: usize,
        grid: Grid,
        noise: impl Fn(usize, &mut [i64]) + Sync,
    ) -> Self {
        let mut steps = vec![0; values.len()];
        let blocks = steps.chunks_mut(size).zip(values.chunks(size)).enumerate();
        // A draw takes as long as several entries.
        let threads = parallel::threads(4 * values.len());
        parallel::share(blocks, threads, |(block, (steps, values))| {
            noise(block, steps);
            add(steps, values.iter().copied());
        });
        Self { steps, grid }
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

/// Adds noise and clamps.
fn add(steps: &mut [i64], noise: impl IntoIterator<Item = i64>) {
    let most = LIMIT - 1;
    for (value, noise) in steps.iter_mut().zip(noise) {
        *value = value.saturating_add(noise).clamp(-most, most);
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

    #[test]
    fn blocks_have_the_noise_of_their_number_on_any_number_of_threads() {
        let grid = Grid::new(0).unwrap();
        let values: Vec<i64> = (0..100).collect();
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let noise = |block: usize, draws: &mut [i64]| {
                for (draw, i) in draws.iter_mut().zip(0..) {
                    *draw = 1000 * (block as i64 + 1) + i;
                }
            };
            let released = pool
                .unwrap()
                .install(|| Released::noisy_by_blocks(&values, 8, grid, noise));
            for (place, step) in released.steps().iter().enumerate() {
                let (block, rest) = (place as i64 / 8, place as i64 % 8);
                assert_eq!(*step, place as i64 + 1000 * (block + 1) + rest);
            }
        }
    }
}
