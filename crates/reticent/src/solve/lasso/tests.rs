//! Optima that are known, from scikit-learn and by hand, and promises that hold for any table.

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::loss::Loss;
use crate::matrix::{Dense, Matrix};
use crate::solve::{Design, Problem, Region, frank_wolfe};
use crate::testing::pairs;

const SQUARE: Loss = Loss::Squared {
    threshold: f64::INFINITY,
};
const FINE: Stop = Stop {
    gap: 1e-13,
    steps: 300,
};

#[derive(Deserialize)]
struct Vectors {
    features: Vec<Vec<f32>>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    loss: String,
    targets: Vec<f64>,
    intercept: bool,
    radius: f64,
    weights: Vec<f64>,
    bias: f64,
}

impl Case {
    /// The penalty that scikit-learn was given: alpha, or 1/(C·n).
    fn lambda(&self) -> f64 {
        let number: f64 = self.name.split('=').nth(1).unwrap().parse().unwrap();
        match self.loss.as_str() {
            "squared" => number,
            _ => 1.0 / (number * self.targets.len() as f64),
        }
    }

    fn loss(&self) -> Loss {
        match self.loss.as_str() {
            "squared" => SQUARE,
            _ => Loss::Logistic,
        }
    }

    fn assert_is(&self, point: &LassoPoint, tolerance: f64) {
        let found = all_of(point, self.weights.len());
        for (found, expected) in pairs(&found, &self.weights) {
            assert!(
                (found - expected).abs() < tolerance,
                "{}: {point:?}",
                self.name
            );
        }
        assert!(
            (point.intercept - self.bias).abs() < tolerance,
            "{}",
            self.name
        );
    }
}

fn all_of(point: &LassoPoint, width: usize) -> Vec<f64> {
    let mut weights = vec![0.0; width];
    for &(j, weight) in &point.weights {
        weights[j as usize] = weight;
    }
    weights
}

fn vectors() -> (Matrix<'static>, Vec<Case>) {
    let text = include_str!("../../../tests/data/constrained-optima.json");
    let vectors: Vectors = serde_json::from_str(text).unwrap();
    let (rows, width) = (vectors.features.len(), vectors.features[0].len());
    let dense = Dense::new(vectors.features.concat(), rows, width).unwrap();
    (Matrix::Dense(dense), vectors.cases)
}

#[test]
fn it_agrees_with_scikit_learn_penalised_and_in_the_ball() {
    let (features, cases) = vectors();
    assert!(!cases.is_empty());
    for case in &cases {
        let problem = LinearProblem {
            design: (&features).into(),
            targets: &case.targets,
            loss: case.loss(),
            intercept: case.intercept,
        };
        let point = lasso(problem, case.lambda(), FINE);
        assert!(point.gap <= FINE.gap, "{}: {}", case.name, point.gap);
        case.assert_is(&point, 1e-6);
        let point = lasso_in_ball(problem, case.radius, Stop { gap: 1e-10, ..FINE });
        assert!(point.gap <= 1e-10, "{}: {}", case.name, point.gap);
        assert!(point.l1_norm() <= case.radius);
        case.assert_is(&point, 1e-6);
    }
}

/// Eight rows of ±1 with three orthogonal columns, and targets whose correlations with them are
/// 0.5, −0.3 and 0.1: the LASSO is their soft threshold.
fn orthogonal() -> (Matrix<'static>, Vec<f64>) {
    let entry = |i: usize, j: usize| if i >> j & 1 == 0 { 1.0f32 } else { -1.0 };
    let row = |i: usize| [entry(i, 0), entry(i, 1), entry(i, 2)];
    let target = |i: usize| {
        let row = row(i).map(f64::from);
        0.25 + 0.5 * row[0] - 0.3 * row[1] + 0.1 * row[2]
    };
    let dense = Dense::new((0..8).flat_map(row).collect(), 8, 3).unwrap();
    (Matrix::Dense(dense), (0..8).map(target).collect())
}

#[test]
fn on_an_orthogonal_design_the_path_is_a_soft_threshold() {
    let (features, targets) = orthogonal();
    let problem = LinearProblem {
        design: (&features).into(),
        targets: &targets,
        loss: SQUARE,
        intercept: true,
    };
    let path = Path {
        points: 9,
        least: 0.01,
    };
    let points = lasso_path(problem, path, FINE);
    assert_eq!(points.len(), 9);
    assert!((points[0].lambda - 0.5).abs() < 1e-12);
    assert!((points[8].lambda - 0.005).abs() < 1e-12);
    for point in points {
        let expected = [0.5f64, -0.3, 0.1].map(|v| v.signum() * (v.abs() - point.lambda).max(0.0));
        for (found, expected) in pairs(all_of(&point, 3), expected) {
            assert!((found - expected).abs() < 1e-9, "{point:?}");
        }
        assert!((point.intercept - 0.25).abs() < 1e-9);
    }
    // At a threshold of 0.2 the norm is 0.4.
    let point = lasso_in_ball(problem, 0.4, Stop { gap: 1e-10, ..FINE });
    assert!((point.lambda - 0.2).abs() < 1e-8, "{point:?}");
    for s in 0..=3 {
        assert_eq!(lasso_of_size(problem, s, FINE).weights.len(), s);
    }
}

/// Numbers that look random: the fractional parts of multiples of the golden ratio.
fn scattered(k: usize) -> f64 {
    (k as f64 * 0.618_033_988_749_894_9).fract() - 0.5
}

fn wide(rows: usize, width: usize) -> (Matrix<'static>, Vec<f64>) {
    let value = |k: usize| (scattered(k * k + 3 * k) * 4.0) as f32;
    let dense = Dense::new((0..rows * width).map(value).collect(), rows, width).unwrap();
    let class = |i: usize| f64::from(u8::from(scattered(7 * i * i + i) > 0.1));
    (Matrix::Dense(dense), (0..rows).map(class).collect())
}

#[test]
fn separable_classes_one_class_and_no_rows_all_come_to_an_end() {
    let (features, targets) = wide(20, 60);
    for targets in [targets, vec![1.0; 20], vec![0.0; 20]] {
        for loss in [Loss::Logistic, SQUARE, Loss::Squared { threshold: 0.3 }] {
            let problem = LinearProblem {
                design: (&features).into(),
                targets: &targets,
                loss,
                intercept: true,
            };
            let stop = Stop {
                gap: 1e-7,
                steps: 200,
            };
            let path = Path {
                points: 20,
                least: 1e-3,
            };
            let points = lasso_path(problem, path, stop);
            assert_eq!(points.len(), 20);
            for point in points {
                assert!(point.gap <= stop.gap, "{loss:?}: {point:?}");
            }
            for radius in [0.0, 0.5, 1e3] {
                let point = lasso_in_ball(problem, radius, stop);
                assert!(
                    point.l1_norm() <= radius && point.gap <= stop.gap,
                    "{point:?}"
                );
            }
        }
    }
    let empty = Matrix::Dense(Dense::new(Vec::new(), 0, 3).unwrap());
    let problem = LinearProblem {
        design: (&empty).into(),
        targets: &[],
        loss: Loss::Logistic,
        intercept: true,
    };
    assert!(lasso(problem, 0.1, FINE).weights.is_empty());
    assert!(lasso_of_size(problem, 2, FINE).weights.is_empty());
    assert!(lasso_in_ball(problem, 1.0, FINE).weights.is_empty());
}

#[test]
fn columns_of_zeros_and_twins_do_no_harm() {
    let rows = 30;
    let values = (0..rows).flat_map(|i| {
        let x = scattered(i * i + 1) as f32;
        [x, x, 0.0, 1.0]
    });
    let features = Matrix::Dense(Dense::new(values.collect(), rows, 4).unwrap());
    let targets: Vec<f64> = (0..rows)
        .map(|i| {
            f64::from(u8::from(
                scattered(i * i + 1) + 0.3 * scattered(5 * i) > 0.0,
            ))
        })
        .collect();
    let problem = LinearProblem {
        design: (&features).into(),
        targets: &targets,
        loss: Loss::Logistic,
        intercept: true,
    };
    let stop = Stop { gap: 1e-9, ..FINE };
    let point = lasso(problem, 0.01, stop);
    assert!(point.gap <= stop.gap);
    assert!(!point.weights.is_empty());
    assert!(point.weights.iter().all(|(j, _)| *j != 2));
}

#[test]
fn grid_steps_and_their_unit_are_the_real_numbers() {
    let (features, targets) = wide(40, 10);
    let mut steps = Vec::new();
    for i in 0..40 {
        features.for_row(i, |_, value| steps.push((value * 1024.0).round()));
    }
    let real = steps.iter().map(|steps| steps / 1024.0).collect();
    let steps = Matrix::Dense(Dense::new(steps, 40, 10).unwrap());
    let real = Matrix::Dense(Dense::new(real, 40, 10).unwrap());
    let solve = |design: Design<'_>| {
        let problem = LinearProblem {
            design,
            targets: &targets,
            loss: Loss::Logistic,
            intercept: true,
        };
        lasso(problem, 0.02, FINE)
    };
    let by_steps = solve(Design {
        features: &steps,
        unit: 1.0 / 1024.0,
    });
    // The unit is a power of two: nothing is rounded differently.
    assert_eq!(by_steps, solve((&real).into()));
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let (features, targets) = wide(50, 80);
    let solve_on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let problem = LinearProblem {
            design: (&features).into(),
            targets: &targets,
            loss: Loss::Logistic,
            intercept: true,
        };
        pool.unwrap().install(|| lasso_of_size(problem, 7, FINE))
    };
    assert_eq!(solve_on(1), solve_on(3));
}

/// With every residual beyond its threshold Huber's loss is straight: at one λ the norm jumps from 0
/// to where the first residual is within the threshold, and radii between are met nevertheless.
#[test]
fn a_radius_that_the_norm_jumps_over_is_met() {
    // Loss 0.1·(|w − 1| − 0.05) until w = 0.9: the slope is −0.1 throughout.
    let features = Matrix::Dense(Dense::new(vec![1.0; 4], 4, 1).unwrap());
    let problem = LinearProblem {
        design: (&features).into(),
        targets: &[1.0; 4],
        loss: Loss::Squared { threshold: 0.1 },
        intercept: false,
    };
    for radius in [0.2, 0.5, 0.85] {
        let point = lasso_in_ball(problem, radius, Stop { gap: 1e-10, ..FINE });
        assert!(point.gap <= 1e-10 && point.l1_norm() <= radius, "{point:?}");
        assert!((point.l1_norm() - radius).abs() < 1e-8, "{point:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Two solvers that share no step: each is within its own gap of the least.
    #[test]
    fn in_the_ball_it_agrees_with_frank_wolfe(
        values in prop::collection::vec(-2.0..2.0f32, 60),
        targets in prop::collection::vec(any::<bool>(), 12),
        radius in 0.05..3.0f64, threshold in 0.2..3.0f64
    ) {
        let features = Matrix::Dense(Dense::new(values, 12, 5).unwrap());
        let targets: Vec<f64> = targets.into_iter().map(|y| f64::from(u8::from(y))).collect();
        // Both classes occur: of one alone no intercept is best, and none is compared with.
        let targets = [&[0.0, 1.0], &targets[2..]].concat();
        for loss in [Loss::Logistic, Loss::Squared { threshold }] {
            let design = (&features).into();
            let problem = LinearProblem { design, targets: &targets, loss, intercept: true };
            let stop = Stop { gap: 1e-8, steps: 500 };
            let point = lasso_in_ball(problem, radius, stop);
            let region = Region::L1 { radius };
            let problem = Problem {
                features: &features, targets: &targets, loss, region: &region, intercept: true,
            };
            let other = frank_wolfe(problem, Stop { gap: 1e-3, steps: 300 });
            // Near to absolute residuals Huber's parabolas shorten, and the last digits come
            // slowly: the gap says how far it came.
            let enough = if loss == Loss::Logistic { stop.gap } else { 1e-6 };
            prop_assert!(point.gap <= enough && point.l1_norm() <= radius, "{:?}", point);
            prop_assert!(point.loss <= other.loss + point.gap + 1e-12);
            prop_assert!(other.loss <= point.loss + other.gap + 1e-12);
        }
    }
}
