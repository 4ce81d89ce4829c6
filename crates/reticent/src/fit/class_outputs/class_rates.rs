//! How likely each class is, from noisy counts.

use crate::fit::{Facts, LinearFunction, Task};
use crate::privacy::Adjacency;
use crate::table::ClassWeight;

/// The released class counts.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassRates {
    /// About how many records each class has, at least one or half a deviation.
    counts: Vec<f64>,
    /// The standard deviation of the noise of a count. Two classes whose total is public: of the
    /// count that both give together.
    pub deviation: f64,
    /// How many records there are, in all: the public number, or the sum of the counts.
    pub total: f64,
    /// How many functions a model has: one for two classes, or one per class.
    functions: usize,
    /// How much a record counts for in the mean: 1, unless classes have weights.
    pub mass: f64,
}

impl ClassRates {
    /// From noisy counts and the standard deviation of their noise.
    pub fn new(
        released: Vec<f64>,
        deviation: f64,
        adjacency: Adjacency,
        (task, facts): (Task, &Facts),
    ) -> Self {
        let public = adjacency == Adjacency::ReplaceOne;
        let (mut counts, deviation) = match released[..] {
            // Each count tells the other.
            [first, second] if public => {
                let total = facts.records as f64;
                let second = (total - first + second) / 2.0;
                (vec![total - second, second], deviation / 2f64.sqrt())
            }
            _ => (released, deviation),
        };
        let least = (deviation / 2.0).max(1.0);
        counts
            .iter_mut()
            .for_each(|count| *count = count.max(least));
        let total = match public {
            true => facts.records as f64,
            false => counts.iter().sum(),
        };
        Self {
            counts,
            deviation,
            total,
            functions: task.outputs(),
            mass: 1.0,
        }
    }

    /// The weight of each class, and the rates where a record counts for that of its class.
    pub fn weighted(&self, asked: &ClassWeight) -> (Self, Vec<f64>) {
        let weights = asked.of_counts(&self.counts);
        let before: f64 = self.counts.iter().sum();
        let counts: Vec<f64> = self
            .counts
            .iter()
            .zip(&weights)
            .map(|(n, w)| n * w)
            .collect();
        let total: f64 = counts.iter().sum();
        let weighted = Self {
            counts,
            total,
            mass: total / before,
            ..self.clone()
        };
        (weighted, weights)
    }

    /// About how many records the second of two classes has.
    pub fn second(&self) -> f64 {
        self.counts.get(1).copied().unwrap_or(0.0)
    }

    /// The share of each class; together they are 1.
    pub fn shares(&self) -> Vec<f64> {
        let sum: f64 = self.counts.iter().sum();
        self.counts.iter().map(|count| count / sum).collect()
    }

    /// The margins of a model that knows nothing else: of one function the log-odds of the second
    /// class, of one per class the logarithms of their shares.
    pub fn log_odds(&self) -> Vec<f64> {
        match (self.functions, &self.shares()[..]) {
            (1, [first, second]) => vec![(second / first).ln()],
            (_, shares) => shares.iter().map(|share| share.ln()).collect(),
        }
    }

    /// That model.
    pub fn functions(&self) -> Vec<LinearFunction> {
        let of = |intercept| LinearFunction {
            intercept,
            ..LinearFunction::default()
        };
        self.log_odds().into_iter().map(of).collect()
    }

    /// The margins at which slopes that are clipped to `slope` in size (several classes: residuals, in
    /// norm) add up to 0, as those of the rates do without a clip.
    pub fn clipped_log_odds(&self, slope: f64) -> Vec<f64> {
        let shares = self.shares();
        if let (1, [first, second]) = (self.functions, &shares[..]) {
            // At a probability below the clip, the rarer class has slopes of that size: q·slope of
            // one are as many as 1 − q times the probability of the other.
            let rare = first.min(*second);
            let probability = rare * slope.min(1.0 - rare) / (1.0 - rare);
            let log_odds = (probability / (1.0 - probability)).ln();
            return vec![if second <= first { log_odds } else { -log_odds }];
        }
        balanced(&shares, slope)
    }
}

/// Descent on the mean clipped residuals of a model that consists of offsets.
fn balanced(shares: &[f64], norm: f64) -> Vec<f64> {
    const STEPS: usize = 500;
    const LEAST_SHARE: f64 = 0.01;
    let mut offsets: Vec<f64> = shares.iter().map(|share| share.ln()).collect();
    for _ in 0..STEPS {
        let largest = offsets.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let odds: Vec<f64> = offsets.iter().map(|c| (c - largest).exp()).collect();
        let total: f64 = odds.iter().sum();
        let p: Vec<f64> = odds.iter().map(|odds| odds / total).collect();
        let squares: f64 = p.iter().map(|p| p * p).sum();
        let mut mean = vec![0.0; p.len()];
        for (class, share) in shares.iter().enumerate() {
            let length = (squares - 2.0 * p[class] + 1.0).max(0.0).sqrt();
            let factor = share * (norm / length.max(norm));
            for (l, mean) in mean.iter_mut().enumerate() {
                *mean += factor * (p[l] - f64::from(u8::from(l == class)));
            }
        }
        for ((offset, mean), share) in offsets.iter_mut().zip(&mean).zip(shares) {
            *offset -= 0.5 * mean / share.max(LEAST_SHARE);
        }
    }
    let middle = offsets.iter().sum::<f64>() / offsets.len() as f64;
    offsets.iter().map(|offset| offset - middle).collect()
}
