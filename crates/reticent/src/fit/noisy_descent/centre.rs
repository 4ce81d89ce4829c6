//! The private centre that rows are shifted by before a descent for classes.
//!
//! Rows of length 1 that all lie on one side of 0, as one-hot rows do, have a large common part,
//! which uses up the bound of what a record adds to a gradient. Centred rows are scaled to length 1
//! again, and all of that length is about how they differ.

use super::Facts;
use crate::fit::FitError;
use crate::fit::spending::multiplier;
use crate::mechanism::gaussian;
use crate::noise::Generator;
use crate::population::{Directions, Population, SCALE_STEPS};
use crate::privacy::{Adjacency, Charge, Event, Ledger, NoiseMultiplier};
use crate::table::RecordBound;

/// The centre's share of ρ.
pub(in crate::fit) const SHARE: f64 = 0.04;
/// The most noise, in squared length, that a mean direction may have: directions have length 1.
const MOST_NOISE: f64 = 0.5;
/// The largest noise multiplier: beyond it the samplers would overflow.
const LARGEST: f64 = (1 << 20) as f64;
/// By how many deviations the constant's part of the mean direction must exceed its noise.
const CLEAR: f64 = 4.0;
/// Rows with less than this share of their squared length in common are not centred: a twentieth of
/// their length is gained at most, and sparse rows would take on the noise of the centre.
const LEAST_COMMON: f64 = 0.1;

/// Scales fall from 1 where the mean of a column exceeds its noise by so many deviations, as 1/√ of
/// what exceeds it, in units of so many.
const SCALED_BEYOND: f64 = 2.0;
const SCALED_BY: f64 = 3.0;

/// What the mean direction tells about the columns: a centre, or scales, or neither.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::fit) struct CentreAndScales {
    /// What rows are shifted by, one value per column; none for 0.
    pub centre: Vec<f64>,
    /// What columns are multiplied by, one value per column; none for 1.
    pub scales: Vec<f64>,
}

/// How the centre is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::fit) struct Centring {
    pub noise: NoiseMultiplier,
}

impl Centring {
    /// Where the whole plan costs ρ = 1/(2z²).
    pub fn new(z: NoiseMultiplier) -> Self {
        let noise = multiplier(z.get() / SHARE.sqrt());
        Self { noise }
    }

    /// Whether a centre that is found with its share of `rho` is more than noise.
    pub fn pays(facts: &Facts, adjacency: Adjacency, rho: f64) -> bool {
        // No less than the z that is calibrated in the end.
        let z = 1.0 / (2.0 * rho * SHARE).sqrt();
        let deviation = deviation(z, facts, adjacency);
        z <= LARGEST && facts.columns as f64 * deviation * deviation <= MOST_NOISE
    }

    /// What it will charge.
    pub fn charge(&self) -> Charge {
        Charge::once(Event::Gaussian { noise: self.noise })
    }

    /// Finds the centre: one value per column, within the bound of the rows; none where rows have so
    /// little in common that they are better left where they are. Columns of such rows are scaled
    /// instead, where rows are bounded in ℓ₂: the same release tells which of them are frequent.
    ///
    /// The mean of (x, c)/‖(x, c)‖₂ is released, with a c about as long as rows may be. It is a
    /// mean of the rows, each weighed by 1/‖(x, c)‖₂, times a number that the constant's part
    /// determines, which also tells how long rows are. The result is shrunk by what noise is likely to
    /// have added (James and Stein 1961).
    pub fn find(
        &self,
        population: &dyn Population,
        facts: &Facts,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<CentreAndScales, FitError> {
        let constant = super::typical_length(facts, facts.columns, 0.0);
        let directions = Directions { constant }.ask(population)?;
        let released = gaussian(&directions, self.noise, ledger, randomness)?.to_real();
        let mean = released.iter().map(|sum| sum / facts.records as f64);
        let mut mean: Vec<f64> = mean.collect();
        let last = mean.pop().unwrap_or(0.0);
        let deviation = deviation(self.noise.get(), facts, ledger.adjacency());
        let squares: f64 = mean.iter().map(|x| x * x).sum();
        let noise = facts.columns as f64 * deviation * deviation;
        if last < CLEAR * deviation || squares <= noise {
            return Ok(CentreAndScales::default());
        }
        let mut factor = (1.0 - noise / squares) * constant / last;
        // Of rows of length N, the constant's part is c/√(N² + c²).
        let squared_length = constant * constant * (1.0 / (last * last) - 1.0);
        if factor * factor * squares < LEAST_COMMON * squared_length {
            let scales = match (facts.rows, ledger.adjacency()) {
                (RecordBound::L2(_), Adjacency::ReplaceOne) => scales(&mean, deviation),
                // Of a private number of records so many are possible that scales would leave coarse slopes.
                _ => Vec::new(),
            };
            let centre = Vec::new();
            return Ok(CentreAndScales { centre, scales });
        }
        let entry = match facts.rows {
            RecordBound::Linf(bound) => bound,
            RecordBound::L2(bound) => {
                factor = factor.min(bound / squares.sqrt());
                bound
            }
        };
        let within = |x: &f64| (factor * x).clamp(-entry, entry);
        Ok(CentreAndScales {
            centre: mean.iter().map(within).collect(),
            scales: Vec::new(),
        })
    }
}

/// The scales of columns with these means, each with noise of a `deviation`.
///
/// A frequent column uses up much of the length of many rows and tells little about each, as the
/// commonest words of a text do: divided by the root of its mean it leaves the length to the others,
/// and noise is the same for all. Where a mean is not clearly more than noise its scale is 1.
fn scales(mean: &[f64], deviation: f64) -> Vec<f64> {
    let steps = f64::from(SCALE_STEPS);
    let unit = SCALED_BY * deviation;
    let scale = |x: &f64| {
        let exceeding = (x.abs() - SCALED_BEYOND * deviation).max(0.0);
        let scale = (unit / (unit + exceeding)).sqrt();
        (steps * scale).ceil() / steps
    };
    mean.iter().map(scale).collect()
}

/// Of the noise on a coordinate of the mean direction.
fn deviation(z: f64, facts: &Facts, adjacency: Adjacency) -> f64 {
    Directions::moved(adjacency) * z / facts.records as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::Task;
    use crate::fit::testing::wide::{WIDTH, facts, records_above};
    use crate::noise::Generator;
    use crate::privacy::{Budget, Delta, Epsilon};

    fn find(low: f32, noise: f64, facts: &Facts, seed: u64) -> Vec<f64> {
        let records = records_above(low, Task::Logistic, Adjacency::ReplaceOne);
        let centring = Centring {
            noise: multiplier(noise),
        };
        let budget = Budget::new(Epsilon::new(1e5).unwrap(), Delta::new(1e-6).unwrap());
        let charges = vec![centring.charge()];
        let mut ledger = Ledger::planned(budget, Adjacency::ReplaceOne, charges).unwrap();
        let mut rng = Generator::not_private(seed);
        let found = centring.find(&records, facts, &mut ledger, &mut rng);
        found.unwrap().centre
    }

    fn norm(values: &[f64]) -> f64 {
        values.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    /// Rows are weighed by their lengths, which hardly differ here.
    #[test]
    fn the_centre_is_that_of_the_rows() {
        for (low, centre) in [(0.6, 0.8), (0.0, 0.5)] {
            let values = find(low, 0.1, &facts(), 1);
            assert_eq!(values.len(), WIDTH);
            for found in values {
                assert!((found - centre).abs() < 0.03, "{found} for {centre}");
            }
        }
        // Around 0 there is nothing to find, however large the noise is.
        for noise in [0.1, 30.0, 1e3] {
            assert!(find(-1.0, noise, &facts(), 2).is_empty());
        }
    }

    #[test]
    fn the_centre_is_within_the_bound_whatever_the_noise() {
        for rows in [RecordBound::Linf(0.5), RecordBound::L2(0.5)] {
            let facts = Facts { rows, ..facts() };
            for seed in 0..40 {
                let noise = f64::from(10 << (seed % 10));
                let found = find(0.6, noise, &facts, u64::from(seed as u32));
                assert!(found.is_empty() || found.len() == WIDTH);
                assert!(found.iter().all(|x| x.abs() <= 0.5));
                let length = norm(&found);
                assert!(length <= 0.5 + 1e-9 || matches!(rows, RecordBound::Linf(_)));
            }
        }
    }

    #[test]
    fn frequent_columns_are_scaled_and_those_within_their_noise_are_not() {
        let found = scales(&[0.0, 0.002, -0.0015, 0.1, -0.1, 3.0], 0.001);
        assert_eq!(found[..3], [1.0; 3]);
        // √(0.003/0.101) = 0.172, up to the next of 16 steps.
        assert_eq!(found[3..5], [3.0 / 16.0; 2]);
        assert_eq!(found[5], 1.0 / 16.0);
    }

    #[test]
    fn a_centre_that_would_be_noise_is_not_paid_for() {
        let pays = |records, columns| {
            let facts = Facts {
                records,
                columns,
                ..facts()
            };
            Centring::pays(&facts, Adjacency::ReplaceOne, 0.02)
        };
        assert!(pays(10_000, 100) && pays(1_000_000, 60_000));
        assert!(!pays(100, 100) && !pays(10_000, 60_000));
    }

    /// Samplers take a deviation of at most 2⁵⁶ steps, however many records there are.
    #[test]
    fn the_smallest_budgets_have_room_for_their_noise() {
        let records = records_above(0.6, Task::Logistic, Adjacency::ReplaceOne);
        let noise = multiplier(LARGEST);
        let charges = vec![Centring { noise }.charge()];
        let budget = Budget::new(Epsilon::new(1.0).unwrap(), Delta::new(1e-6).unwrap());
        let mut ledger = Ledger::planned(budget, Adjacency::ReplaceOne, charges).unwrap();
        let mut rng = Generator::not_private(3);
        let directions = Directions { constant: 1.0 }.ask(&records).unwrap();
        let released = gaussian(&directions, noise, &mut ledger, &mut rng).unwrap();
        assert_eq!(released.to_real().len(), WIDTH + 1);
        // Beyond that no centre is paid for.
        let facts = Facts {
            records: 1 << 40,
            columns: 1,
            ..facts()
        };
        let rho = |z: f64| 1.0 / (2.0 * z * z * SHARE);
        assert!(Centring::pays(
            &facts,
            Adjacency::ReplaceOne,
            rho(0.99 * LARGEST)
        ));
        assert!(!Centring::pays(
            &facts,
            Adjacency::ReplaceOne,
            rho(1.01 * LARGEST)
        ));
    }
}
