//! Optima that are known: by hand, and from scikit-learn.

use serde::Deserialize;

use super::*;
use crate::matrix::{Csr, Dense};
use crate::solve::{LinearOracle, Vertices};
use crate::testing::pairs;

const SQUARE: Loss = Loss::Squared { threshold: 1e9 };
const STOP: Stop = Stop {
    gap: 1e-10,
    steps: 20_000,
};

/// Eight rows of ±1 with four orthogonal columns, so that the loss of weights w is
/// ½‖w − v‖² + a constant, v the mean of target times column.
fn orthogonal() -> Matrix<'static> {
    let entry = |i: usize, j: usize| if i >> j & 1 == 0 { 1.0 } else { -1.0 };
    let columns = |i| {
        [
            entry(i, 0),
            entry(i, 1),
            entry(i, 2),
            entry(i, 0) * entry(i, 1),
        ]
    };
    Matrix::Dense(Dense::new((0..8).flat_map(columns).collect(), 8, 4).unwrap())
}

/// Targets whose v is (0.5, −0.3, 0.1, 0), shifted by `mean`, which no column can explain.
fn targets(mean: f64) -> Vec<f64> {
    let mut targets = vec![mean; 8];
    for (i, target) in targets.iter_mut().enumerate() {
        orthogonal().for_row(i, |j, x| *target += f64::from(x) * [0.5, -0.3, 0.1, 0.0][j]);
    }
    targets
}

fn solve(region: Region, mean: f64, intercept: bool) -> Solution {
    let (features, targets) = (orthogonal(), targets(mean));
    let problem = Problem {
        features: &features,
        targets: &targets,
        loss: SQUARE,
        region: &region,
        intercept,
    };
    frank_wolfe(problem, STOP)
}

fn assert_near(solution: &Solution, expected: &[f64], tolerance: f64) {
    for (weight, expected) in pairs(&solution.weights, expected) {
        assert!((weight - expected).abs() < tolerance, "{solution:?}");
    }
}

#[test]
fn an_optimum_inside_the_ball_is_the_unconstrained_one() {
    let solution = solve(Region::L1 { radius: 3.0 }, 0.25, true);
    assert!(solution.gap <= STOP.gap);
    assert_near(&solution, &[0.5, -0.3, 0.1, 0.0], 2e-5);
    assert!((solution.intercept - 0.25).abs() < 1e-9);
}

#[test]
fn on_an_orthogonal_design_the_ball_is_a_soft_threshold() {
    // Soft threshold at 0.2: (0.3, −0.1, 0, 0), of ℓ₁ norm 0.4.
    let solution = solve(Region::L1 { radius: 0.4 }, 0.25, true);
    assert_near(&solution, &[0.3, -0.1, 0.0, 0.0], 1e-3);
    assert!((solution.intercept - 0.25).abs() < 1e-9);
}

#[test]
fn corners_of_the_ball_are_the_ball() {
    let axis = |j: usize, value: f64| {
        let mut point = vec![0.0; 4];
        point[j] = value;
        point
    };
    let points = (0..4).flat_map(|j| [axis(j, 0.4), axis(j, -0.4)]).collect();
    let solution = solve(Region::Polytope(Vertices { points }), 0.0, false);
    assert_near(&solution, &[0.3, -0.1, 0.0, 0.0], 1e-3);
}

#[test]
fn on_the_simplex_it_is_the_projection() {
    // The projection of v on {w ≥ 0, Σw = 0.5} is max(v − τ, 0), τ = 0.05.
    let solution = solve(Region::Simplex { radius: 0.5 }, 0.0, false);
    assert_near(&solution, &[0.45, 0.0, 0.05, 0.0], 1e-3);
}

#[test]
fn on_the_round_ball_it_is_v_shortened() {
    let norm = 0.35f64.sqrt();
    let solution = solve(Region::L2 { radius: 0.1 }, 0.0, false);
    assert!(solution.gap <= STOP.gap);
    let shortened = [0.5, -0.3, 0.1, 0.0].map(|v| 0.1 * v / norm);
    assert_near(&solution, &shortened, 1e-5);
}

/// |w_j| ≤ 0.2 each.
struct Cube;

impl LinearOracle for Cube {
    fn least(&self, direction: &[f64]) -> Vertex {
        Vertex::Point(direction.iter().map(|x| -0.2 * x.signum()).collect())
    }
    fn l1_radius(&self) -> f64 {
        0.8
    }
    fn l2_radius(&self) -> f64 {
        0.4
    }
}

#[test]
fn through_an_oracle_it_is_the_nearest_point_of_the_set() {
    let solution = solve(Region::Oracle(Box::new(Cube)), 0.0, false);
    assert_near(&solution, &[0.2, -0.2, 0.1, 0.0], 2e-2);
    let least = 0.5 * (0.09 + 0.01);
    assert!(solution.loss - least <= solution.gap + 1e-12);
}

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
    objective: f64,
}

/// The same optimum as scikit-learn's penalised one, at the radius that the penalty led to;
/// and the gap is honest: the loss is within it of the least.
#[test]
fn it_agrees_with_scikit_learn_at_the_matched_radius() {
    let text = include_str!("../../../tests/data/constrained-optima.json");
    let vectors: Vectors = serde_json::from_str(text).unwrap();
    let (rows, width) = (vectors.features.len(), vectors.features[0].len());
    let dense = Dense::new(vectors.features.concat(), rows, width).unwrap();
    let starts = (0..=rows).map(|i| i * width).collect();
    let columns: Vec<_> = (0..rows).flat_map(|_| 0..width as u32).collect();
    let sparse = Csr::new(starts, columns, vectors.features.concat(), width).unwrap();
    assert!(!vectors.cases.is_empty());
    for case in vectors.cases {
        for features in [Matrix::Dense(dense.clone()), Matrix::Sparse(sparse.clone())] {
            let region = Region::L1 {
                radius: case.radius,
            };
            let loss = match case.loss.as_str() {
                "squared" => SQUARE,
                _ => Loss::Logistic,
            };
            let problem = Problem {
                features: &features,
                targets: &case.targets,
                loss,
                region: &region,
                intercept: case.intercept,
            };
            let stop = Stop {
                gap: 2e-4,
                steps: 50_000,
            };
            let solution = frank_wolfe(problem, stop);
            assert!(solution.gap <= stop.gap, "{}: {}", case.name, solution.gap);
            let excess = solution.loss - case.objective;
            assert!(
                (-1e-9..=solution.gap + 1e-9).contains(&excess),
                "{}: {excess}",
                case.name
            );
            assert_near(&solution, &case.weights, 1e-2);
            assert!(
                (solution.intercept - case.bias).abs() < 1e-2,
                "{}",
                case.name
            );
            let again = mean_loss(
                &features,
                &case.targets,
                loss,
                &solution.weights,
                solution.intercept,
            );
            assert!((again - solution.loss).abs() < 1e-12, "{}", case.name);
        }
    }
}

#[test]
fn the_gap_bounds_the_distance_from_the_least_at_every_step() {
    let (features, targets) = (orthogonal(), targets(0.25));
    let region = Region::L1 { radius: 0.4 };
    // ½‖w* − v‖² with w* = (0.3, −0.1, 0, 0).
    let least = 0.5 * (0.04 + 0.04 + 0.01);
    let mut last = f64::INFINITY;
    for steps in 0..30 {
        let problem = Problem {
            features: &features,
            targets: &targets,
            loss: SQUARE,
            region: &region,
            intercept: true,
        };
        let solution = frank_wolfe(problem, Stop { gap: 0.0, steps });
        assert!(
            solution.loss - least <= solution.gap + 1e-12,
            "{solution:?}"
        );
        assert!(solution.loss <= last + 1e-15, "a line search never climbs");
        last = solution.loss;
    }
}

#[test]
fn one_class_alone_neither_hangs_nor_diverges() {
    let features = orthogonal();
    let region = Region::L1 { radius: 1.0 };
    let problem = Problem {
        features: &features,
        targets: &[1.0; 8],
        loss: Loss::Logistic,
        region: &region,
        intercept: true,
    };
    let solution = frank_wolfe(problem, STOP);
    assert!(solution.gap <= STOP.gap);
    assert!(solution.intercept > 0.0 && solution.intercept < 5.0);
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let solve_on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap()
            .install(|| solve(Region::L1 { radius: 0.4 }, 0.1, true))
    };
    assert_eq!(solve_on(1), solve_on(3));
}
