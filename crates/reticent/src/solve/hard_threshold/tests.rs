//! Supports that are known, and promises that hold for any table.

use super::*;
use crate::loss::Loss;
use crate::matrix::Dense;
use crate::noise::{Randomness, SeededGenerator};
use crate::solve::mean_loss;
use crate::testing::pairs;

const SQUARE: Loss = Loss::Squared { threshold: 1e6 };
const STOP: Stop = Stop {
    gap: 1e-12,
    steps: 3000,
};

/// Rows of numbers in [−1, 1].
fn uniform(rows: usize, width: usize, seed: u64) -> Matrix<'static> {
    let mut rng = SeededGenerator::not_private(seed);
    let mut value = || (rng.next_u64() >> 40) as f32 * 2f32.powi(-23) - 1.0;
    let values = (0..rows * width).map(|_| value()).collect();
    Matrix::Dense(Dense::new(values, rows, width).unwrap())
}

fn margins(features: &Matrix, weights: &[(u32, f64)], intercept: f64) -> Vec<f64> {
    let mut all = vec![0.0; features.width()];
    weights.iter().for_each(|&(j, w)| all[j as usize] = w);
    let margins = Design::from(features).margins(&all);
    margins.iter().map(|margin| margin + intercept).collect()
}

#[test]
fn without_noise_the_true_weights_are_found() {
    let features = uniform(200, 40, 11);
    let truth = vec![(3, 1.0), (17, -2.0), (30, 0.5)];
    let targets = margins(&features, &truth, 0.75);
    let problem = LinearProblem {
        design: (&features).into(),
        targets: &targets,
        loss: SQUARE,
        intercept: true,
    };
    for refit in [false, true] {
        let found = hard_threshold(problem, 3, refit, STOP);
        let columns: Vec<u32> = found.weights.iter().map(|(j, _)| *j).collect();
        assert_eq!(columns, [3, 17, 30], "{found:?}");
        for ((_, w), (_, t)) in pairs(&found.weights, &truth) {
            assert!((w - t).abs() < 1e-3, "{found:?}");
        }
        assert!((found.intercept - 0.75).abs() < 1e-3);
    }
}

#[test]
fn classes_are_told_by_the_true_columns_and_a_refit_is_no_worse() {
    let features = uniform(600, 50, 12);
    let truth = [(1, 4.0), (20, -4.0), (44, 4.0)];
    let targets: Vec<f64> = margins(&features, &truth, 0.5)
        .iter()
        .map(|&m| f64::from(u8::from(m > 0.0)))
        .collect();
    let problem = LinearProblem {
        design: (&features).into(),
        targets: &targets,
        loss: Loss::Logistic,
        intercept: true,
    };
    let stop = Stop {
        gap: 1e-9,
        steps: 500,
    };
    let found = hard_threshold(problem, 3, false, stop);
    let columns: Vec<u32> = found.weights.iter().map(|(j, _)| *j).collect();
    assert_eq!(columns, [1, 20, 44]);
    let refit = hard_threshold(problem, 3, true, stop);
    assert!(refit.loss <= found.loss);
    let mut all = vec![0.0; 50];
    refit.weights.iter().for_each(|&(j, w)| all[j as usize] = w);
    let again = mean_loss(&features, &targets, Loss::Logistic, &all, refit.intercept);
    assert!((again - refit.loss).abs() < 1e-9);
}

#[test]
fn no_step_raises_the_loss_and_no_more_weights_are_kept_than_asked_for() {
    let features = uniform(60, 30, 13);
    let targets: Vec<f64> = (0..60).map(|i| f64::from(u8::from(i % 3 == 0))).collect();
    for loss in [Loss::Logistic, SQUARE, Loss::Squared { threshold: 0.2 }] {
        let problem = LinearProblem {
            design: (&features).into(),
            targets: &targets,
            loss,
            intercept: false,
        };
        for nonzeros in [0, 1, 7, 30, 99] {
            let mut last = f64::INFINITY;
            for steps in [0, 1, 2, 5, 20] {
                let found = hard_threshold(problem, nonzeros, false, Stop { gap: 0.0, steps });
                assert!(found.weights.len() <= nonzeros && found.loss <= last);
                assert_eq!(found.intercept, 0.0);
                last = found.loss;
            }
        }
    }
}

/// Three classes, decided by one column each.
fn three() -> (Matrix<'static>, Vec<u32>) {
    let features = uniform(400, 12, 14);
    let mut classes = Vec::new();
    for i in 0..400 {
        let mut row = [0f32; 12];
        features.for_row(i, |j, x| row[j] = x);
        let best = (0..3).max_by(|a, b| row[*a * 4].total_cmp(&row[*b * 4]));
        classes.push(best.unwrap() as u32);
    }
    (features, classes)
}

#[test]
fn several_classes_find_their_columns() {
    let (features, classes) = three();
    let problem = MultinomialProblem {
        design: (&features).into(),
        classes: &classes,
        count: 3,
        intercept: true,
    };
    let stop = Stop {
        gap: 1e-8,
        steps: 500,
    };
    let own = [(0, 0), (1, 4), (2, 8)];
    let found = multinomial_hard_threshold(problem, 3, stop);
    let places: Vec<(u32, u32)> = found.weights.iter().map(|w| (w.0, w.1)).collect();
    assert_eq!(places, own);
    assert!(found.weights.iter().all(|w| w.2 > 1.0) && found.loss < 0.6);
    let found = multinomial_lasso(problem, 0.05, stop);
    let largest = |class: u32| {
        let of_class = found.weights.iter().filter(|w| w.0 == class);
        of_class.max_by(|a, b| a.2.total_cmp(&b.2)).unwrap().1
    };
    assert_eq!([largest(0), largest(1), largest(2)], [0, 4, 8]);
}

/// At the optimum of the penalised loss no gradient exceeds λ, and at a weight it is −λ·sign.
#[test]
fn the_multinomial_lasso_meets_its_optimality_conditions() {
    let (features, classes) = three();
    let problem = MultinomialProblem {
        design: (&features).into(),
        classes: &classes,
        count: 3,
        intercept: true,
    };
    let lambda = 0.02;
    let found = multinomial_lasso(
        problem,
        lambda,
        Stop {
            gap: 1e-15,
            steps: 20_000,
        },
    );
    let mut weights = vec![0.0; 36];
    for &(class, column, weight) in &found.weights {
        weights[class as usize * 12 + column as usize] = weight;
    }
    let (mut gradient, mut slopes) = (vec![0.0; 36], [0.0; 3]);
    for (i, &class) in classes.iter().enumerate() {
        let mut scores = found.intercepts.clone();
        let mut row = [0.0; 12];
        features.for_row(i, |j, x| row[j] = f64::from(x));
        for (k, score) in scores.iter_mut().enumerate() {
            *score += (0..12).map(|j| row[j] * weights[12 * k + j]).sum::<f64>();
        }
        let total: f64 = scores.iter().map(|s| s.exp()).sum();
        for k in 0..3 {
            let own = f64::from(u8::from(class == k as u32));
            let slope = (scores[k].exp() / total - own) / 400.0;
            slopes[k] += slope;
            (0..12).for_each(|j| gradient[12 * k + j] += slope * row[j]);
        }
    }
    assert!(slopes.iter().all(|slope| slope.abs() < 1e-5), "{slopes:?}");
    for (g, w) in pairs(&gradient, &weights) {
        let off = if *w == 0.0 {
            (g.abs() - lambda).max(0.0)
        } else {
            (g + lambda * w.signum()).abs()
        };
        assert!(off < 1e-5, "{g} {w}");
    }
}

#[test]
fn empty_and_constant_tables_come_to_an_end() {
    for (rows, width) in [(0, 3), (4, 0), (4, 3)] {
        let features = Matrix::Dense(Dense::new(vec![0.0; rows * width], rows, width).unwrap());
        let targets = vec![1.0; rows];
        let problem = LinearProblem {
            design: (&features).into(),
            targets: &targets,
            loss: Loss::Logistic,
            intercept: true,
        };
        let found = hard_threshold(problem, 2, true, STOP);
        assert!(found.loss.is_finite() && found.weights.iter().all(|(_, w)| *w == 0.0));
        let classes = vec![0; rows];
        let problem = MultinomialProblem {
            design: (&features).into(),
            classes: &classes,
            count: 1,
            intercept: true,
        };
        assert_eq!(multinomial_hard_threshold(problem, 2, STOP).loss, 0.0);
    }
}
