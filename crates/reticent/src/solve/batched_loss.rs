//! The mean loss of a linear model, whose gradient is taken over a few of the rows.

use super::Design;
use crate::loss::{Loss, residuals};

/// What the targets are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Targets {
    /// A number per record, or the first or second class: one function.
    Of(Loss),
    /// One of so many classes: a function for each.
    Classes(usize),
}

/// Rows, each divided by a common length, and their targets. A point is function after function: one weight
/// per column, and then the intercept.
pub struct BatchedLoss<'a> {
    /// The rows.
    pub design: Design<'a>,
    /// What is predicted: a number, or a class from 0 on.
    pub targets: &'a [f64],
    /// What these are.
    pub kind: Targets,
    /// What rows are divided by.
    pub length: f64,
    /// Whether there is an intercept.
    pub intercept: bool,
}

impl BatchedLoss<'_> {
    /// How many functions there are.
    pub fn functions(&self) -> usize {
        match self.kind {
            Targets::Of(_) => 1,
            Targets::Classes(count) => count,
        }
    }

    /// The gradient of the mean loss of some rows at a point.
    pub fn gradient(&self, rows: &[u32], point: &[f64]) -> Vec<f64> {
        let width = self.design.width();
        let unit = self.design.unit / self.length;
        let constant = f64::from(u8::from(self.intercept));
        let mut gradient = vec![0.0; point.len()];
        let mut slopes = vec![0.0; self.functions()];
        let share = 1.0 / rows.len().max(1) as f64;
        for row in rows.iter().map(|row| *row as usize) {
            let functions = point.chunks(width + 1);
            for (slope, weights) in slopes.iter_mut().zip(functions) {
                let mut margin = 0.0;
                let features = self.design.features;
                features.for_row(row, |column, x| margin += f64::from(x) * weights[column]);
                *slope = unit * margin + constant * weights[width];
            }
            match self.kind {
                Targets::Of(loss) => slopes[0] = loss.slope(slopes[0], self.targets[row]),
                // Classes were mapped to whole numbers below their count.
                Targets::Classes(_) => residuals(&mut slopes, self.targets[row] as usize),
            }
            for (slope, gradient) in slopes.iter().zip(gradient.chunks_mut(width + 1)) {
                let slope = slope * share;
                let features = self.design.features;
                features.for_row(row, |column, x| {
                    gradient[column] += slope * unit * f64::from(x);
                });
                gradient[width] += slope * constant;
            }
        }
        gradient
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Dense, Matrix};

    /// Central differences of the mean loss: of logistic, squared and multinomial.
    #[test]
    fn the_gradient_is_that_of_the_mean_loss_of_the_batch() {
        let values: Vec<f32> = (0..12).map(|i| (i as f32 * 0.7).sin()).collect();
        let features = Matrix::Dense(Dense::new(values, 4, 3).unwrap());
        let rows = [0u32, 2, 3];
        for kind in [
            Targets::Of(Loss::Logistic),
            Targets::Of(Loss::Squared { threshold: 9.0 }),
            Targets::Classes(3),
        ] {
            let loss = BatchedLoss {
                design: Design {
                    features: &features,
                    unit: 0.5,
                },
                targets: &[1.0, 0.0, 0.0, 1.0],
                kind,
                length: 2.0,
                intercept: true,
            };
            let value = |point: &[f64]| -> f64 {
                let of_row = |row: &u32| {
                    let row = *row as usize;
                    let margins: Vec<f64> = point
                        .chunks(4)
                        .map(|weights| {
                            let mut sum = weights[3];
                            features.for_row(row, |j, x| sum += 0.25 * f64::from(x) * weights[j]);
                            sum
                        })
                        .collect();
                    let target = loss.targets[row];
                    match kind {
                        Targets::Of(loss) => loss.value(margins[0], target),
                        Targets::Classes(_) => {
                            let sum: f64 = margins.iter().map(|m| m.exp()).sum();
                            sum.ln() - margins[target as usize]
                        }
                    }
                };
                rows.iter().map(of_row).sum::<f64>() / rows.len() as f64
            };
            let point: Vec<f64> = (0..4 * loss.functions())
                .map(|i| (i as f64 * 1.3).cos())
                .collect();
            for (j, slope) in loss.gradient(&rows, &point).into_iter().enumerate() {
                let at = |h: f64| {
                    let mut moved = point.clone();
                    moved[j] += h;
                    value(&moved)
                };
                let expected = (at(1e-6) - at(-1e-6)) / 2e-6;
                assert!((slope - expected).abs() < 1e-8, "{kind:?} {j}: {slope}");
            }
        }
    }
}
