//! The gradient at the point returned, computed again with twice the digits.

use proptest::prelude::*;

use super::*;
use crate::matrix::{Csr, Dense, Matrix};
use crate::testing::pairs;

/// A sum with its rounding errors summed beside it (Neumaier 1974).
#[derive(Default)]
struct Careful {
    sum: f64,
    lost: f64,
}

impl Careful {
    fn add(&mut self, x: f64) {
        let next = self.sum + x;
        self.lost += if self.sum.abs() >= x.abs() {
            (self.sum - next) + x
        } else {
            (x - next) + self.sum
        };
        self.sum = next;
    }

    /// Adds a·b with the rounding of the product.
    fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.add(product);
        self.add(a.mul_add(b, -product));
    }

    fn total(&self) -> f64 {
        self.sum + self.lost
    }
}

/// ‖∇F‖₂ with careful sums; the slopes are as good as the exponential.
fn careful_norm(problem: RidgeProblem<'_>, weights: &[f64]) -> f64 {
    let RidgeProblem { design, ones, .. } = problem;
    let n = design.rows();
    let mut sums: Vec<Careful> = weights.iter().map(|_| Careful::default()).collect();
    for i in 0..n {
        let mut row = vec![0.0; weights.len()];
        design
            .features
            .for_row(i, |j, x| row[j] = f64::from(x) * design.unit);
        if let Some(ones) = ones {
            row[weights.len() - 1] = ones;
        }
        let mut margin = Careful::default();
        for (x, w) in row.iter().zip(weights) {
            margin.add_product(*x, *w);
        }
        let slope = problem.loss.slope(margin.total(), problem.targets[i]);
        let slope = slope * problem.record_weights.map_or(1.0, |v| v[i]) / n as f64;
        for (sum, x) in sums.iter_mut().zip(&row) {
            sum.add_product(*x, slope);
        }
    }
    let mut norm = Careful::default();
    for (j, sum) in sums.iter_mut().enumerate() {
        sum.add_product(problem.lambda, weights[j]);
        sum.add(problem.linear.map_or(0.0, |linear| linear[j]));
        norm.add_product(sum.total(), sum.total());
    }
    norm.total().sqrt()
}

fn assert_solved(problem: RidgeProblem<'_>, tolerance: f64) -> RidgeSolution {
    let solution = ridge(problem, tolerance);
    assert!(solution.gradient_norm <= tolerance, "{solution:?}");
    let exact = careful_norm(problem, &solution.weights);
    assert!(exact <= solution.gradient_norm, "{exact}: {solution:?}");
    solution
}

/// Numbers that look random: the fractional parts of multiples of the golden ratio.
fn scattered(k: usize) -> f64 {
    (k as f64 * 0.618_033_988_749_894_9).fract() - 0.5
}

fn dense(rows: usize, width: usize, value: impl Fn(usize, usize) -> f64) -> Matrix<'static> {
    let entries = (0..rows * width).map(|k| value(k / width, k % width) as f32);
    Matrix::Dense(Dense::new(entries.collect(), rows, width).unwrap())
}

fn plain<'a>(features: &'a Matrix, targets: &'a [f64], loss: Loss) -> RidgeProblem<'a> {
    RidgeProblem {
        design: features.into(),
        targets,
        loss,
        record_weights: None,
        ones: Some(1.0),
        lambda: 1e-4,
        linear: None,
    }
}

/// scikit-learn 1.9.1: LogisticRegression(C=2.5, fit_intercept=False, solver='newton-cholesky',
/// tol=1e-14), so that λ = 1/(C·n) = 0.1.
#[test]
fn it_agrees_with_scikit_learn() {
    let rows = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 2.0]];
    let features = dense(4, 2, |i, j| rows[i][j]);
    let problem = RidgeProblem {
        ones: None,
        lambda: 0.1,
        ..plain(&features, &[1.0, 0.0, 1.0, 0.0], Loss::Logistic)
    };
    let solution = assert_solved(problem, 1e-12);
    let expected = [1.415_608_389_177_922_3, -0.549_317_901_449_335_2];
    for (found, expected) in pairs(&solution.weights, expected) {
        assert!((found - expected).abs() < 1e-9, "{solution:?}");
    }
}

#[test]
fn a_square_is_solved_in_closed_form() {
    // One column x = (1, 2), y = (1, 1), λ = 0.5, linear 0.25: (5/2 + 1/2)w = 3/2 − 1/4.
    let features = dense(2, 1, |i, _| i as f64 + 1.0);
    let problem = RidgeProblem {
        ones: None,
        lambda: 0.5,
        linear: Some(&[0.25]),
        ..plain(&features, &[1.0, 1.0], Loss::Squared { threshold: 100.0 })
    };
    let solution = assert_solved(problem, 1e-12);
    assert!((solution.weights[0] - 1.25 / 3.0).abs() < 1e-12);
    // With weights 2 and 0 the first record counts alone: (1 + 1/2)w = 1 − 1/4.
    let problem = RidgeProblem {
        record_weights: Some(&[2.0, 0.0]),
        ..problem
    };
    let solution = assert_solved(problem, 1e-12);
    assert!((solution.weights[0] - 0.5).abs() < 1e-12);
}

#[test]
fn hard_tables_are_solved_to_the_stated_norm() {
    let class = |i: usize| f64::from(u8::from(scattered(7 * i * i + i) > 0.1));
    let tables = [
        (
            "more columns than rows",
            dense(12, 40, |i, j| scattered(i * i * 31 + j * 7)),
        ),
        (
            "baseline columns",
            dense(30, 6, |i, j| scattered(i * i + j / 2)),
        ),
        (
            "zero rows",
            dense(20, 4, |i, j| {
                if i % 2 == 0 {
                    0.0
                } else {
                    scattered(i + 9 * j)
                }
            }),
        ),
        (
            "long rows",
            dense(25, 3, |i, j| 1e3 * scattered(i * i * 5 + j)),
        ),
        (
            "many columns",
            dense(10, 600, |i, j| scattered(i * i * 17 + j * j)),
        ),
        ("no columns", dense(6, 0, |_, _| 0.0)),
    ];
    for (name, features) in &tables {
        let n = features.rows();
        let targets: Vec<f64> = (0..n).map(class).collect();
        let one_class = vec![1.0; n];
        for targets in [&targets, &one_class] {
            for loss in [
                Loss::Logistic,
                Loss::Squared { threshold: 0.4 },
                Loss::Squared { threshold: 1e6 },
            ] {
                for lambda in [1.0, 1e-3, 1e-6] {
                    let problem = RidgeProblem {
                        lambda,
                        ..plain(features, targets, loss)
                    };
                    let tolerance = if *name == "long rows" { 1e-6 } else { 1e-8 };
                    let solution = ridge(problem, tolerance);
                    assert!(
                        solution.gradient_norm <= tolerance,
                        "{name} {loss:?} {lambda}: {} after {}",
                        solution.gradient_norm,
                        solution.evaluations
                    );
                    let exact = careful_norm(problem, &solution.weights);
                    assert!(exact <= solution.gradient_norm, "{name} {loss:?}: {exact}");
                }
            }
        }
    }
}

#[test]
fn without_newton_the_fallback_arrives_within_its_bound() {
    let features = dense(30, 5, |i, j| scattered(i * i * 3 + j * 11));
    let targets: Vec<f64> = (0..30).map(|i| f64::from(u8::from(i % 3 == 0))).collect();
    for loss in [Loss::Logistic, Loss::Squared { threshold: 0.3 }] {
        let problem = RidgeProblem {
            lambda: 1e-3,
            ..plain(&features, &targets, loss)
        };
        let state = State::new(problem);
        let mut search = Search {
            here: state.evaluate(vec![0.0; 6]),
            evaluations: 1,
            tolerance: 1e-9,
            state: &state,
        };
        search.accelerated();
        assert!(search.arrived(), "{loss:?} {}", search.here.bound());
        assert!(careful_norm(problem, &search.here.weights) <= 1e-9);
    }
}

#[test]
fn a_tolerance_below_rounding_ends_and_says_so() {
    let features = dense(40, 5, |i, j| scattered(i * i * 3 + j * 11));
    let targets = vec![1.0; 40];
    let solution = ridge(plain(&features, &targets, Loss::Logistic), 1e-30);
    assert!(solution.gradient_norm > 1e-30 && solution.gradient_norm < 1e-13);
}

#[test]
fn sparse_rows_with_a_unit_are_the_dense_ones() {
    let starts = vec![0, 2, 2, 3, 5];
    let sparse = Csr::new(
        starts,
        vec![0, 2, 1, 0, 1],
        vec![8.0, -16.0, 4.0, 12.0, 20.0],
        3,
    );
    let sparse = Matrix::Sparse(sparse.unwrap());
    let mut values = vec![0f32; 12];
    for i in 0..4 {
        sparse.for_row(i, |j, x| values[3 * i + j] = x / 16.0);
    }
    let real = Matrix::Dense(Dense::new(values, 4, 3).unwrap());
    let targets = [1.0, 0.0, 0.0, 1.0];
    let problem = plain(&real, &targets, Loss::Logistic);
    let expected = assert_solved(problem, 1e-12);
    let design = Design {
        features: &sparse,
        unit: 1.0 / 16.0,
    };
    let found = assert_solved(RidgeProblem { design, ..problem }, 1e-12);
    for (found, expected) in pairs(&found.weights, &expected.weights) {
        // Both within τ/λ of the minimiser.
        assert!((found - expected).abs() <= 2e-8);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_least_tolerance_of_the_facts_is_always_reached(
        values in prop::collection::vec(-1.0..1.0f32, 24),
        classes in prop::collection::vec(any::<bool>(), 8),
        linear in prop::collection::vec(-0.5..0.5f64, 4),
        weights in prop::collection::vec(0.0..2.0f64, 8),
        power in -8..1i32, threshold in 0.1..5.0f64
    ) {
        let features = Matrix::Dense(Dense::new(values, 8, 3).unwrap());
        let targets: Vec<f64> = classes.iter().map(|&y| f64::from(u8::from(y))).collect();
        for loss in [Loss::Logistic, Loss::Squared { threshold }] {
            let lambda = 10f64.powi(power);
            let problem = RidgeProblem {
                lambda,
                linear: Some(&linear),
                record_weights: Some(&weights),
                ..plain(&features, &targets, loss)
            };
            let facts = RidgeFacts {
                records: 8,
                weights: 4,
                row_bound: 2.0,
                record_weight: 2.0,
                loss,
                target_bound: 1.0,
                lambda,
                linear_norm: 1.0,
            };
            let tolerance = facts.least_tolerance();
            let solution = ridge(problem, tolerance);
            prop_assert!(solution.gradient_norm <= tolerance, "{} {:?}", tolerance, solution);
            // The check itself rounds slopes: a unit in the last place of each.
            let exact = careful_norm(problem, &solution.weights);
            prop_assert!(exact <= solution.gradient_norm);
        }
    }
}
