//! How many weights a LASSO without privacy needs, as a count that a mechanism can release.

use super::CentralRecords;
use crate::loss::Loss;
use crate::population::query::{Count, CountBoundsError};
use crate::solve::{Design, LinearProblem, Stop, lasso_in_ball};

/// The LASSO whose weights are counted: public.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LassoCount {
    /// The loss, of two classes or a number; several classes are taken one against the rest.
    pub loss: Loss,
    /// The radius of the ℓ₁ ball that holds the weights of each linear function.
    pub radius: f64,
    /// Whether there is an intercept.
    pub intercept: bool,
    /// The least count.
    pub lo: i64,
    /// The greatest.
    pub hi: i64,
}

/// How near the solver comes to the least mean loss, and how many steps it has a penalty: public.
const STOP: Stop = Stop {
    gap: 1e-4,
    steps: 100,
};

impl CentralRecords<'_> {
    /// The number of weights of a LASSO without privacy on these records, clipped to public
    /// integers lo < hi; nothing of the solution itself is kept.
    ///
    /// With several classes there is a LASSO for each, of that class against the rest, and their
    /// counts are added.
    ///
    /// # Privacy
    ///
    /// One record can turn a LASSO's support into any other: nothing is known of the count but
    /// its bounds, so that its sensitivity is hi − lo under either adjacency, *whatever the solver
    /// does*. The solver ends on every table, after a public number of steps, without an error.
    /// (How long it takes is not protected.)
    pub fn lasso_count(&self, lasso: LassoCount) -> Result<Count, CountBoundsError> {
        let records = self.records;
        let count: i64 = match records.classes {
            0 | 2 => self.weights_needed(&records.targets, lasso),
            classes => (0..classes)
                .map(|class| {
                    let is_it = |target: &f64| f64::from(u8::from(*target == f64::from(class)));
                    let against_the_rest: Vec<f64> = records.targets.iter().map(is_it).collect();
                    self.weights_needed(&against_the_rest, lasso)
                })
                .sum(),
        };
        Count::clipped(count, lasso.lo, lasso.hi)
    }

    fn weights_needed(&self, targets: &[f64], lasso: LassoCount) -> i64 {
        let problem = LinearProblem {
            // Features are in grid steps here.
            design: Design {
                features: &self.records.features,
                unit: self.records.clip.grid.step(),
            },
            targets,
            loss: lasso.loss,
            intercept: lasso.intercept,
        };
        lasso_in_ball(problem, lasso.radius, STOP).weights.len() as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Dense, Matrix};
    use crate::mechanism::geometric;
    use crate::noise::SeededGenerator;
    use crate::population::{Population, Records};
    use crate::privacy::{Adjacency, Budget, Delta, Epsilon, Ledger};
    use crate::table::{Layout, RecordBound, Table, Target, TargetRange};

    fn records(rows: &[&[f32]], targets: &[f64], bound: RecordBound) -> Records<'static> {
        let width = rows.first().map_or(2, |row| row.len());
        let table = Table {
            features: Matrix::Dense(Dense::new(rows.concat(), rows.len(), width).unwrap()),
            target: Target::Values(targets.to_vec()),
            layout: Layout::Numbered { first: 1, width },
            assumed: Vec::new(),
            units: None,
        };
        let range = Some(TargetRange {
            low: 0.0,
            high: 1.0,
        });
        let records = table.enforce(bound, range, false, Adjacency::AddRemove);
        records.unwrap()
    }

    /// The count, through a mechanism with next to no noise.
    fn told(count: &Count) -> i64 {
        let budget = Budget::new(Epsilon::new(1e9).unwrap(), Delta::new(1e-6).unwrap());
        let mut ledger = Ledger::filter(budget, Adjacency::AddRemove);
        let mut rng = SeededGenerator::not_private(1);
        let epsilon = Epsilon::new(1e4).unwrap();
        geometric(count, epsilon, &mut ledger, &mut rng).unwrap()
    }

    fn lasso(radius: f64, intercept: bool) -> LassoCount {
        LassoCount {
            loss: Loss::Logistic,
            radius,
            intercept,
            lo: 0,
            hi: 9,
        }
    }

    /// Column 1 decides the class and column 0 says nothing: a small ball needs one weight, in
    /// whatever unit the rows are.
    #[test]
    fn it_counts_the_weights_that_are_needed() {
        for unit in [1e-6f32, 1.0, 1e6] {
            let rows: Vec<[f32; 2]> = (0..40)
                .map(|i| [(i / 2 % 2) as f32 - 0.5, (i % 2) as f32 - 0.5])
                .map(|row| row.map(|x| x * unit))
                .collect();
            let rows: Vec<&[f32]> = rows.iter().map(|row| &row[..]).collect();
            let targets: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
            let bound = RecordBound::Linf(f64::from(unit));
            let count = |radius: f64| {
                let records = records(&rows, &targets, bound);
                let two =
                    records.of_classes(&targets.iter().map(|y| *y as u32).collect::<Vec<_>>(), 2);
                told(
                    &two.central()
                        .unwrap()
                        .lasso_count(lasso(radius / f64::from(unit), true))
                        .unwrap(),
                )
            };
            assert_eq!(count(1.0), 1, "{unit}");
        }
    }

    /// One class against the rest, added up: each of three classes needs a weight of its own, and
    /// there are two columns each.
    #[test]
    fn several_classes_are_counted_one_against_the_rest() {
        let rows: Vec<[f32; 2]> = (0..60)
            .map(|i| match i % 3 {
                0 => [1.0, 0.0],
                1 => [0.0, 1.0],
                _ => [-1.0, -1.0],
            })
            .collect();
        let rows: Vec<&[f32]> = rows.iter().map(|row| &row[..]).collect();
        let classes: Vec<u32> = (0..60).map(|i| i % 3).collect();
        let records = records(&rows, &[0.0; 60], RecordBound::Linf(1.0)).of_classes(&classes, 3);
        let count = records
            .central()
            .unwrap()
            .lasso_count(lasso(1.0, true))
            .unwrap();
        assert!((3..=6).contains(&told(&count)));
    }

    /// No table makes the solver fail: an error would tell something of it.
    #[test]
    fn every_table_has_a_count() {
        let zero: &[f32] = &[0.0, 0.0];
        let tables: [(Vec<&[f32]>, Vec<u32>); 5] = [
            (vec![], vec![]),
            (vec![zero], vec![1]),
            (vec![zero; 5], vec![0, 1, 0, 1, 0]),
            (vec![&[1.0, 1.0]; 5], vec![1; 5]),
            (vec![&[1.0, -1.0], &[-1.0, 1.0]], vec![0, 1]),
        ];
        for (rows, classes) in tables {
            for radius in [1e-9, 1.0, 1e9] {
                for intercept in [true, false] {
                    let targets = vec![0.0; rows.len()];
                    let records = records(&rows, &targets, RecordBound::Linf(1.0));
                    let records = records.of_classes(&classes, 2);
                    let count = records
                        .central()
                        .unwrap()
                        .lasso_count(lasso(radius, intercept))
                        .unwrap();
                    assert!((0..=2).contains(&told(&count)));
                }
            }
        }
    }

    #[test]
    fn bounds_that_leave_nothing_to_say_are_refused() {
        let records = records(&[&[1.0, 0.0]], &[1.0], RecordBound::Linf(1.0));
        let lasso = LassoCount {
            lo: 3,
            hi: 3,
            ..lasso(1.0, true)
        };
        let refused = records.central().unwrap().lasso_count(lasso);
        assert_eq!(refused.map(drop), Err(CountBoundsError { lo: 3, hi: 3 }));
    }
}
