//! Gradient descent on weights that are shrunk after each step: the loop that hard thresholding
//! and proximal gradients share, for one output or one per class.

use rayon::prelude::*;

use super::columns::Columns;
use super::design::{Design, sum};
use super::frank_wolfe::Stop;
use super::largest::keep_largest;
use super::region::dot;
use crate::loss::Loss;

/// What the margins are compared with.
#[derive(Clone, Copy)]
pub(super) enum Outputs<'a> {
    /// One margin per record, and a target.
    Linear { loss: Loss, targets: &'a [f64] },
    /// One margin per class, and the record's class.
    Classes { classes: &'a [u32], count: usize },
}

/// What is done to the weights after a step of size `size`.
#[derive(Clone, Copy)]
pub(super) enum Shrink {
    /// All but so many are set to 0.
    KeepLargest(usize),
    /// Each moves towards 0 by this times the size; the loss has this times ‖w‖₁ added.
    Soft(f64),
}

/// Where it ended.
pub(super) struct End {
    /// Weights by output.
    pub weights: Vec<f64>,
    /// One per output.
    pub intercepts: Vec<f64>,
    /// Without a penalty.
    pub loss: f64,
    pub steps: u64,
}

/// How often the step is halved, in all: from a size that is too large by a factor of at most 2⁶⁰.
const MOST_HALVINGS: usize = 60;

/// Minimises the mean loss. The step starts at 1/L, L by power iteration from below, and is
/// halved where the loss would rise, so that it never does.
pub(super) fn descend(
    design: Design<'_>,
    outputs: Outputs<'_>,
    intercept: bool,
    shrink: Shrink,
    stop: Stop,
) -> End {
    assert_eq!(design.rows(), outputs.records(), "one target per row");
    let problem = Problem {
        columns: Columns::of(design),
        width: design.width(),
        outputs,
        intercept,
        shrink,
    };
    let mut size = problem.first_size();
    let mut halvings = 0;
    let mut here = problem.at(problem.zero());
    // Where the gradient is taken; ahead of `here` if there is momentum.
    let (mut ahead, mut momentum) = (None, 1.0f64);
    let mut steps = 0;
    while steps < stop.steps {
        let from = ahead.as_ref().unwrap_or(&here);
        let next = problem.at(problem.step(from, size));
        if next.objective.is_nan() || next.objective > here.objective {
            // Too far: first without momentum, then with shorter steps.
            if ahead.take().is_none() {
                size *= 0.5;
                halvings += 1;
            }
            momentum = 1.0;
            if halvings > MOST_HALVINGS {
                break;
            }
            continue;
        }
        steps += 1;
        let fell = here.objective - next.objective;
        if let Shrink::Soft(_) = shrink {
            let faster = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
            let share = (momentum - 1.0) / faster;
            let pairs = next.point.iter().zip(&here.point);
            let point = pairs.map(|(new, old)| new + share * (new - old)).collect();
            ahead = Some(problem.at(point));
            momentum = faster;
        }
        here = next;
        if fell <= stop.gap {
            break;
        }
    }
    let (weights, intercepts) = here.point.split_at(problem.width * outputs.count());
    End {
        weights: weights.to_vec(),
        intercepts: intercepts.to_vec(),
        loss: here.loss,
        steps,
    }
}

struct Problem<'a> {
    columns: Columns,
    width: usize,
    outputs: Outputs<'a>,
    intercept: bool,
    shrink: Shrink,
}

/// Weights output by output, then intercepts, and what is known there.
struct At {
    point: Vec<f64>,
    margins: Vec<Vec<f64>>,
    loss: f64,
    objective: f64,
}

impl Outputs<'_> {
    fn records(&self) -> usize {
        match self {
            Self::Linear { targets, .. } => targets.len(),
            Self::Classes { classes, .. } => classes.len(),
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::Linear { .. } => 1,
            Self::Classes { count, .. } => *count,
        }
    }

    /// The largest second derivative in the margins: ½ for the softmax (Böhning 1992).
    fn curvature(&self) -> f64 {
        match self {
            Self::Linear { loss, .. } => loss.curvature(),
            Self::Classes { .. } => 0.5,
        }
    }

    fn value(&self, margins: &[Vec<f64>], i: usize) -> f64 {
        match self {
            Self::Linear { loss, targets } => loss.value(margins[0][i], targets[i]),
            Self::Classes { classes, .. } => {
                let (most, total) = exponentials(margins, i);
                most + total.ln() - margins[classes[i] as usize][i]
            }
        }
    }

    /// The slope of each output at each record.
    fn slopes(&self, margins: &[Vec<f64>]) -> Vec<Vec<f64>> {
        match self {
            Self::Linear { loss, targets } => {
                let pairs = margins[0].par_iter().zip(*targets);
                vec![pairs.map(|(&m, &y)| loss.slope(m, y)).collect()]
            }
            Self::Classes { classes, .. } => {
                let totals: Vec<(f64, f64)> = (0..classes.len())
                    .into_par_iter()
                    .map(|i| exponentials(margins, i))
                    .collect();
                let of_class = |(k, margins): (usize, &Vec<f64>)| {
                    let slope = |i: usize| {
                        let (most, total) = totals[i];
                        let own = f64::from(u8::from(classes[i] as usize == k));
                        (margins[i] - most).exp() / total - own
                    };
                    (0..margins.len()).map(slope).collect()
                };
                margins.par_iter().enumerate().map(of_class).collect()
            }
        }
    }
}

/// The largest margin of a record, and the sum of exp(margin − largest).
fn exponentials(margins: &[Vec<f64>], i: usize) -> (f64, f64) {
    let of_record = || margins.iter().map(|of_class| of_class[i]);
    let most = of_record().fold(f64::NEG_INFINITY, f64::max);
    (most, of_record().map(|m| (m - most).exp()).sum())
}

impl Problem<'_> {
    fn zero(&self) -> Vec<f64> {
        vec![0.0; (self.width + 1) * self.outputs.count()]
    }

    fn weights_and_intercepts<'p>(&self, point: &'p [f64]) -> (&'p [f64], &'p [f64]) {
        point.split_at(self.width * self.outputs.count())
    }

    /// Margins and objective at a point: the columns with weights that are not zero.
    fn at(&self, point: Vec<f64>) -> At {
        let n = self.outputs.records();
        let (weights, intercepts) = self.weights_and_intercepts(&point);
        let of_output = |k: usize| {
            let mut margins = vec![intercepts[k]; n];
            let weights = &weights[k * self.width..(k + 1) * self.width];
            self.columns.add_point(weights, &mut margins);
            margins
        };
        let margins: Vec<Vec<f64>> = (0..self.outputs.count())
            .into_par_iter()
            .map(of_output)
            .collect();
        let loss = sum(n, |i| self.outputs.value(&margins, i)) / n.max(1) as f64;
        let penalty = match self.shrink {
            Shrink::KeepLargest(_) => 0.0,
            Shrink::Soft(lambda) => lambda * weights.iter().map(|w| w.abs()).sum::<f64>(),
        };
        At {
            objective: loss + penalty,
            point,
            margins,
            loss,
        }
    }

    /// Along the gradient, then shrunk.
    fn step(&self, from: &At, size: f64) -> Vec<f64> {
        let slopes = self.outputs.slopes(&from.margins);
        let scale = size / self.outputs.records().max(1) as f64;
        let mut point = from.point.clone();
        let (weights, intercepts) = point.split_at_mut(self.width * slopes.len());
        for (k, slopes) in slopes.iter().enumerate() {
            let gradient = self.columns.gradient(slopes);
            let weights = &mut weights[k * self.width..(k + 1) * self.width];
            for (weight, g) in weights.iter_mut().zip(gradient) {
                *weight -= scale * g;
            }
            if self.intercept {
                intercepts[k] -= scale * slopes.iter().sum::<f64>();
            }
        }
        match self.shrink {
            Shrink::KeepLargest(count) => keep_largest(weights, count),
            Shrink::Soft(lambda) => {
                for weight in weights {
                    *weight = weight.signum() * (weight.abs() - size * lambda).max(0.0);
                }
            }
        }
        point
    }

    /// 1/L, L = c·‖(X, 1)‖²/n by thirty rounds of power iteration; 1 for a table of zeros.
    fn first_size(&self) -> f64 {
        let n = self.outputs.records();
        let mut vector: Vec<f64> = (0..n).map(|i| 1.0 + (i % 7) as f64 / 7.0).collect();
        let mut square = 0.0;
        for _ in 0..30 {
            let length = dot(&vector, &vector).sqrt();
            if !(length > 0.0 && length.is_finite()) {
                break;
            }
            vector.iter_mut().for_each(|x| *x /= length);
            let image = self.columns.gradient(&vector);
            let ones: f64 = vector.iter().sum();
            let of_ones = if self.intercept { ones } else { 0.0 };
            square = dot(&image, &image) + of_ones * of_ones;
            vector.fill(of_ones);
            self.columns.add_point(&image, &mut vector);
        }
        let smoothness = self.outputs.curvature() * square / n.max(1) as f64;
        if smoothness > 0.0 {
            1.0 / smoothness
        } else {
            1.0
        }
    }
}
