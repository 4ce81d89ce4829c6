//! How far predictions are from probabilities.

use reticent::metric;

use crate::synthetic::Source;

/// Bins of equal width of a reliability diagram.
const BINS: usize = 10;
/// How many times labels are redrawn from the predictions.
const REDRAWN: u32 = 20;
/// Newton steps of the best rescaling, and when they end.
const STEPS: usize = 200;
const ENOUGH: f64 = 1e-9;

/// The figures of one fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// AUC; accuracy of several classes.
    pub order: f64,
    pub log_loss: f64,
    /// The log-loss, less that of the best rescaling in hindsight.
    pub to_rescaling: f64,
    /// ECE, less its mean over labels that are redrawn from the predictions.
    pub ece_excess: f64,
    /// The mean prediction over the base rate: of the second class, or of each of several.
    pub mean_over_rate: Vec<f64>,
}

impl Figures {
    pub fn list(&self) -> Vec<f64> {
        let mut list = vec![
            self.order,
            self.log_loss,
            self.to_rescaling,
            self.ece_excess,
        ];
        list.extend(&self.mean_over_rate);
        list
    }

    pub fn of(list: &[f64]) -> Self {
        Self {
            order: list[0],
            log_loss: list[1],
            to_rescaling: list[2],
            ece_excess: list[3],
            mean_over_rate: list[4..].to_vec(),
        }
    }
}

/// Scores of records, one per class and record after record, and the records' classes. Two classes
/// have the scores 0 and the log-odds.
struct Scored<'a> {
    scores: Vec<f64>,
    class: &'a [u32],
    classes: usize,
}

/// The figures of log-odds, or of one score per class; `seed` redraws labels.
pub fn figures(scores: Vec<f64>, class: &[u32], functions: usize, seed: u64) -> Figures {
    let (order, scored) = match functions {
        1 => {
            let metrics = metric::classes(&scores, class).expect("there are records");
            let both = scores.iter().flat_map(|score| [0.0, *score]).collect();
            let scored = Scored {
                scores: both,
                class,
                classes: 2,
            };
            (metrics.auc.expect("both classes occur"), scored)
        }
        classes => {
            let metrics = metric::multiclass(&scores, class, classes).expect("there are records");
            let scored = Scored {
                scores,
                class,
                classes,
            };
            (metrics.accuracy, scored)
        }
    };
    let log_loss = scored.log_loss(1.0, &vec![0.0; scored.classes]);
    let reported = scored.reported();
    let probabilities = scored.probabilities();
    let mut source = Source::new(seed + (1 << 41));
    let ece = |class: &[u32]| scored.ece(&probabilities, class);
    let redrawn: f64 = (0..REDRAWN)
        .map(|_| ece(&scored.redrawn(&probabilities, &mut source)))
        .sum();
    let ratio = |k: usize| {
        let mean: f64 = probabilities.iter().skip(k).step_by(scored.classes).sum();
        mean / class.iter().filter(|class| **class as usize == k).count() as f64
    };
    Figures {
        order,
        log_loss,
        to_rescaling: log_loss - scored.best_rescaling().min(log_loss),
        ece_excess: ece(class) - redrawn / f64::from(REDRAWN),
        mean_over_rate: reported.map(ratio).collect(),
    }
}

impl Scored<'_> {
    /// The classes whose predictions are looked at: the second of two, or all.
    fn reported(&self) -> std::ops::Range<usize> {
        match self.classes {
            2 => 1..2,
            classes => 0..classes,
        }
    }

    fn records(&self) -> std::slice::ChunksExact<'_, f64> {
        self.scores.chunks_exact(self.classes)
    }

    /// The mean log-loss of a·s + c.
    fn log_loss(&self, scale: f64, offsets: &[f64]) -> f64 {
        let mut sum = 0.0;
        let mut rescaled = vec![0.0; self.classes];
        for (scores, class) in self.records().zip(self.class) {
            rescale(scores, scale, offsets, &mut rescaled);
            let own = rescaled[*class as usize];
            let largest = rescaled.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let odds: f64 = rescaled.iter().map(|s| (s - largest).exp()).sum();
            sum += odds.ln() + largest - own;
        }
        sum / self.class.len() as f64
    }

    fn probabilities(&self) -> Vec<f64> {
        let mut all = self.scores.clone();
        all.chunks_exact_mut(self.classes).for_each(softmax);
        all
    }

    /// The least log-loss of any common scale and offset per class: Newton's method, each step halved
    /// until it gains.
    fn best_rescaling(&self) -> f64 {
        let count = self.classes;
        let mut at = vec![0.0; count + 1];
        at[count] = 1.0;
        let loss = |at: &[f64]| self.log_loss(at[count], &at[..count]);
        let mut least = loss(&at);
        for _ in 0..STEPS {
            let step = self.newton_step(&at);
            let moved = |factor: f64| -> Vec<f64> {
                let pairs = at.iter().zip(&step);
                pairs.map(|(at, step)| at - factor * step).collect()
            };
            let tried = (0..12).map(|k| moved(0.5f64.powi(k)));
            let better = tried.map(|next| (loss(&next), next)).find(|n| n.0 < least);
            let Some((lower, next)) = better else {
                break;
            };
            let gain = least - lower;
            (least, at) = (lower, next);
            if gain < ENOUGH {
                break;
            }
        }
        least
    }

    /// H⁻¹g in the offsets and the scale.
    fn newton_step(&self, at: &[f64]) -> Vec<f64> {
        let count = self.classes;
        let size = count + 1;
        let mut gradient = vec![0.0; size];
        let mut hessian = vec![vec![0.0; size]; size];
        let mut p = vec![0.0; count];
        for (scores, class) in self.records().zip(self.class) {
            rescale(scores, at[count], &at[..count], &mut p);
            softmax(&mut p);
            let mean: f64 = p.iter().zip(scores).map(|(p, s)| p * s).sum();
            for k in 0..count {
                gradient[k] += p[k];
                let weighted = p[k] * (scores[k] - mean);
                hessian[k][count] += weighted;
                hessian[count][k] += weighted;
                hessian[count][count] += weighted * (scores[k] - mean);
                hessian[k][k] += p[k];
                for l in 0..count {
                    hessian[k][l] -= p[k] * p[l];
                }
            }
            gradient[*class as usize] -= 1.0;
            gradient[count] += mean - scores[*class as usize];
        }
        // Offsets are known but for a constant.
        let ridge = 1e-9 * self.class.len() as f64 + 1e-300;
        (0..size).for_each(|k| hessian[k][k] += ridge);
        solved(hessian, gradient)
    }

    /// The expected calibration error of each class against the rest, in bins of equal width; their mean.
    fn ece(&self, probabilities: &[f64], class: &[u32]) -> f64 {
        let of_class = |k: usize| -> f64 {
            let mut gaps = [0.0; BINS];
            let predicted = probabilities.iter().skip(k).step_by(self.classes);
            for (p, class) in predicted.zip(class) {
                let bin = ((p * BINS as f64) as usize).min(BINS - 1);
                gaps[bin] += p - f64::from(u8::from(*class as usize == k));
            }
            gaps.iter().map(|gap| gap.abs()).sum()
        };
        let reported = self.reported();
        let count = reported.len() as f64;
        reported.map(of_class).sum::<f64>() / (count * class.len() as f64)
    }

    /// Classes as the predictions have them.
    fn redrawn(&self, probabilities: &[f64], source: &mut Source) -> Vec<u32> {
        let draw = |p: &[f64]| {
            let mut left = source.uniform();
            let drawn = p.iter().position(|p| {
                left -= p;
                left < 0.0
            });
            // Rounding may leave a remainder for the last.
            drawn.unwrap_or(p.len() - 1) as u32
        };
        probabilities.chunks_exact(self.classes).map(draw).collect()
    }
}

fn rescale(scores: &[f64], scale: f64, offsets: &[f64], into: &mut [f64]) {
    for ((into, score), offset) in into.iter_mut().zip(scores).zip(offsets) {
        *into = scale * score + offset;
    }
}

fn softmax(scores: &mut [f64]) {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|s| *s = (*s - largest).exp());
    let total: f64 = scores.iter().sum();
    scores.iter_mut().for_each(|s| *s /= total);
}

/// The solution of a positive definite system, by elimination.
fn solved(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for k in 0..size {
        let pivot = matrix[k].clone();
        for i in k + 1..size {
            let factor = matrix[i][k] / pivot[k];
            for (entry, above) in matrix[i][k..].iter_mut().zip(&pivot[k..]) {
                *entry -= factor * above;
            }
            right[i] -= factor * right[k];
        }
    }
    for k in (0..size).rev() {
        let known: f64 = (k + 1..size).map(|l| matrix[k][l] * right[l]).sum();
        right[k] = (right[k] - known) / matrix[k][k];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Normal log-odds, and classes that follow them.
    fn drawn(rows: usize) -> (Vec<f64>, Vec<u32>) {
        let mut source = Source::new(1);
        let scores: Vec<f64> = (0..rows).map(|_| 2.0 * source.normal() - 1.0).collect();
        let mut second = |score: &f64| source.uniform() < 1.0 / (1.0 + (-score).exp());
        let class = scores.iter().map(|score| u32::from(second(score)));
        let class = class.collect();
        (scores, class)
    }

    /// The deviations over seeds are 0.001 or less of each: limits are five of them and more.
    #[test]
    fn true_log_odds_have_no_excess_and_no_better_rescaling() {
        let (scores, class) = drawn(40_000);
        let found = figures(scores, &class, 1, 0);
        assert!(found.ece_excess.abs() < 0.01, "{found:?}");
        assert!((0.0..0.001).contains(&found.to_rescaling), "{found:?}");
        assert!((found.mean_over_rate[0] - 1.0).abs() < 0.04, "{found:?}");
    }

    #[test]
    fn a_rescaling_in_hindsight_undoes_one() {
        let (scores, class) = drawn(10_000);
        let best = |scores: Vec<f64>| {
            let found = figures(scores, &class, 1, 0);
            found.log_loss - found.to_rescaling
        };
        let wrong = scores.iter().map(|s| 0.1 * s + 2.0).collect();
        let apart = scores.iter().map(|s| 7.0 * s - 3.0).collect();
        let least = best(scores);
        assert!((best(wrong) - least).abs() < 1e-7);
        assert!((best(apart) - least).abs() < 1e-7);
    }

    #[test]
    fn two_scores_of_two_classes_are_their_difference() {
        let (scores, class) = drawn(2000);
        let both: Vec<f64> = scores.iter().flat_map(|s| [-0.4 * s, 0.6 * s]).collect();
        let (one, two) = (figures(scores, &class, 1, 3), figures(both, &class, 2, 3));
        assert!((one.log_loss - two.log_loss).abs() < 1e-12);
        assert!((one.to_rescaling - two.to_rescaling).abs() < 1e-7);
        assert!((one.mean_over_rate[0] - two.mean_over_rate[0]).abs() < 1e-9);
    }
}
