//! The theorem, checked: the excess risk of private Frank–Wolfe falls with n as promised, and
//! lies below the bound with its constants written out (`docs/derivations/frank-wolfe.md`).
//!
//! Linear data: ±1 features, five true weights inside the unit ball, targets in [−1, 1], no
//! intercept, T ∝ n^⅔, ε = 1 at δ = 1e-6. The least loss on the ball is that of ordinary least
//! squares where its weights lie in the ball, as they do for many records; else it comes from
//! the solver without noise, whose duality gap is far below what is measured.

use std::num::NonZeroU64;

use reticent::fit::{Facts, FitInput, FrankWolfe, FrankWolfePlan as Plan, Planned, StepRule, Task};
use reticent::loss::Loss;
use reticent::matrix::{Dense, Matrix};
use reticent::noise::{Generator, Randomness};
use reticent::population::Records;
use reticent::privacy::{Adjacency, Budget, Delta, Epsilon};
use reticent::solve::{Problem, Region, Stop, frank_wolfe, mean_loss};
use reticent::table::{Layout, RecordBound, Table, Target, TargetRange};

const WIDTH: usize = 50;
const TRUE_WEIGHTS: [f64; 5] = [0.2, -0.2, 0.15, -0.15, 0.1];
const BALL: Region = Region::L1 { radius: 1.0 };

fn uniform(rng: &mut Generator) -> f64 {
    (rng.next_u64() >> 11) as f64 * 2f64.powi(-53)
}

/// Features of ±1 and targets x·w + noise within ±0.2: within ±1 in all.
fn generated(n: usize, seed: u64) -> (Matrix<'static>, Vec<f64>) {
    let mut rng = Generator::not_private(seed);
    let mut values = Vec::with_capacity(n * WIDTH);
    let mut targets = Vec::with_capacity(n);
    for _ in 0..n {
        let bits = rng.next_u64();
        let sign = |j: usize| if bits >> j & 1 == 0 { 1.0 } else { -1.0 };
        let exact: f64 = TRUE_WEIGHTS
            .iter()
            .enumerate()
            .map(|(j, w)| w * sign(j))
            .sum();
        targets.push(exact + 0.4 * uniform(&mut rng) - 0.2);
        values.extend((0..WIDTH).map(|j| sign(j) as f32));
    }
    (
        Matrix::Dense(Dense::new(values, n, WIDTH).unwrap()),
        targets,
    )
}

fn enforced(features: Matrix<'static>, targets: Vec<f64>) -> Records<'static> {
    let table = Table {
        features,
        target: Target::Values(targets),
        layout: Layout::Numbered {
            first: 1,
            width: WIDTH,
        },
        assumed: Vec::new(),
        units: None,
    };
    let range = TargetRange {
        low: -1.0,
        high: 1.0,
    };
    table
        .enforce(
            RecordBound::Linf(1.0),
            Some(range),
            true,
            Adjacency::ReplaceOne,
        )
        .unwrap()
}

/// T = n^⅔/10. A true square: a residual is at most 1 + 1.
fn plan(n: usize, steps: StepRule) -> Plan {
    let budget = Budget::new(Epsilon::new(1.0).unwrap(), Delta::new(1e-6).unwrap());
    let iterations = ((n as f64).powf(2.0 / 3.0) / 10.0).round() as u64;
    let params = FrankWolfe {
        region: Some(BALL),
        iterations: NonZeroU64::new(iterations),
        step_rule: steps,
        intercept: false,
        huber_threshold: Some(2.0),
        ..FrankWolfe::new(Task::Linear, budget)
    };
    let facts = Facts {
        records: n as u64,
        columns: WIDTH,
        rows: RecordBound::Linf(1.0),
    };
    params.plan(facts).unwrap()
}

/// The least loss on the ball, and how far it may be off.
fn least_loss(features: &Matrix, targets: &[f64], loss: Loss) -> (f64, f64) {
    let weights = least_squares(features, targets);
    if weights.iter().map(|w| w.abs()).sum::<f64>() <= 1.0 {
        // A residual is then at most 2, and the loss a true square.
        return (mean_loss(features, targets, loss, &weights, 0.0), 0.0);
    }
    let problem = Problem {
        features,
        targets,
        loss,
        region: &BALL,
        intercept: false,
    };
    let stop = Stop {
        gap: 1e-5,
        steps: 3_000,
    };
    let solution = frank_wolfe(problem, stop);
    (solution.loss, solution.gap)
}

/// XᵀX·w = Xᵀy by elimination; XᵀX is near n times the identity, so no pivoting.
fn least_squares(features: &Matrix, targets: &[f64]) -> Vec<f64> {
    let mut system = vec![[0.0; WIDTH + 1]; WIDTH];
    let mut row = [0.0; WIDTH + 1];
    for (i, target) in targets.iter().enumerate() {
        features.for_row(i, |j, x| row[j] = f64::from(x));
        row[WIDTH] = *target;
        for j in 0..WIDTH {
            for k in 0..=WIDTH {
                system[j][k] += row[j] * row[k];
            }
        }
    }
    for pivot in 0..WIDTH {
        let from = system[pivot];
        for (j, equation) in system.iter_mut().enumerate() {
            let factor = equation[pivot] / from[pivot];
            for k in 0..=WIDTH {
                equation[k] = if j == pivot {
                    from[k] / from[pivot]
                } else {
                    equation[k] - factor * from[k]
                };
            }
        }
    }
    system.iter().map(|equation| equation[WIDTH]).collect()
}

/// The mean excess risk over `seeds` fits, and the bound of it.
fn measured(n: usize, steps: StepRule, seeds: u64) -> (f64, f64) {
    let plan = plan(n, steps);
    let (features, targets) = generated(n, 1);
    let (least, gap) = least_loss(&features, &targets, plan.loss());
    let records = enforced(features.clone(), targets.clone());
    let excess = |seed| {
        let mut rng = Generator::not_private(seed);
        let fitted = plan
            .run(FitInput::Sealed(&records), &mut rng, &mut ())
            .unwrap();
        let mut weights = vec![0.0; WIDTH];
        for &(column, weight) in &fitted.outputs()[0].weights {
            weights[column as usize] = weight;
        }
        mean_loss(&features, &targets, plan.loss(), &weights, 0.0) - least
    };
    let mean = (0..seeds).map(excess).sum::<f64>() / seeds as f64;
    // The least loss is known to a fiftieth of what is measured.
    assert!(gap <= 0.02 * mean, "{gap} {mean}");
    (mean, plan.excess_risk_bound().unwrap())
}

/// The least-squares slope of log excess on log n, each point checked against its bound.
fn slope(sizes: &[usize], steps: StepRule, seeds: u64) -> f64 {
    let points: Vec<(f64, f64)> = sizes
        .iter()
        .map(|&n| {
            let (excess, bound) = measured(n, steps, seeds);
            println!("{steps:?} n = {n}: excess {excess:.3e}, bound {bound:.3e}");
            assert!(excess <= bound, "n = {n}: {excess} exceeds {bound}");
            ((n as f64).ln(), excess.ln())
        })
        .collect();
    let count = points.len() as f64;
    let (x, y) = points
        .iter()
        .fold((0.0, 0.0), |sum, p| (sum.0 + p.0, sum.1 + p.1));
    let (x, y) = (x / count, y / count);
    let covariance: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    covariance / points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum::<f64>()
}

/// Fixed seeds. `cargo xtask reproduce frank-wolfe` goes on to a million records.
#[test]
fn the_excess_risk_falls_as_the_theorem_promises() {
    for steps in [StepRule::Standard, StepRule::Average] {
        let slope = slope(&[1_000, 4_000, 16_000], steps, 4);
        println!("{steps:?}: slope {slope:.2}");
        assert!(slope <= -0.6, "{steps:?}: {slope}");
    }
}
