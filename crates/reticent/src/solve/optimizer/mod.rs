//! First-order optimisers over gradients that are given one after another, exact or noisy, of batches or
//! of everything: they ask for nothing and know nothing of where gradients come from.
//!
//! ```text
//! gradient ──smoothing──> rule (plain, momentum, Adam) ──step size──> point ──> average of points
//! ```

mod recursive_momentum;
mod smoothing;
mod storm;
mod swings;

pub use recursive_momentum::RecursiveMomentum;
pub use smoothing::LaplacianSmoothing;
pub use storm::Storm;
pub use swings::Swings;

/// How a gradient g moves a point θ with a step of size η.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum UpdateRule {
    /// θ ← θ − η·g.
    Plain,
    /// v ← β·v + g and θ ← θ − η·(v + λ·g): a heavy ball for λ = 0, Nesterov's momentum for about λ = 1.
    Momentum {
        /// β, from 0 to below 1.
        decay: f64,
        /// λ: how much more of the last gradient. It damps directions of large curvature, in which a
        /// heavy ball swings.
        lead: f64,
    },
    /// θ ← θ − η·m̂/(√v̂ + 10⁻⁸), where m̂ and v̂ are decaying means of g and of g², corrected for their
    /// start at 0 (Kingma and Ba 2015).
    Adam {
        /// The decay of the mean of g.
        first: f64,
        /// The decay of the mean of g².
        second: f64,
    },
}

impl UpdateRule {
    /// Adam as published.
    pub const ADAM: Self = Self::Adam {
        first: 0.9,
        second: 0.999,
    };
}

/// How the size of steps changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Schedule {
    /// It does not.
    Constant,
    /// The t-th step is 1/t of the first.
    InverseTime,
    /// It falls in a line, to 1/T for the last of T steps.
    Linear {
        /// T.
        steps: u64,
    },
}

impl Schedule {
    /// The size of a step after so many, relative to the first.
    pub fn factor(self, taken: u64) -> f64 {
        match self {
            Self::Constant => 1.0,
            Self::InverseTime => 1.0 / (taken + 1) as f64,
            Self::Linear { steps } => steps.saturating_sub(taken) as f64 / steps.max(1) as f64,
        }
    }
}

/// A point that gradients move.
#[derive(Debug, Clone)]
pub struct Optimizer {
    rule: UpdateRule,
    size: f64,
    schedule: Schedule,
    taken: u64,
    point: Vec<f64>,
    /// v of momentum, m of Adam; empty for plain steps.
    first: Vec<f64>,
    /// v of Adam.
    second: Vec<f64>,
    /// How far the gradient of the first step has moved the point, in steps.
    held: f64,
    /// The squares of how far the gradient of each step has.
    squares: f64,
    /// Whether steps have had several sizes for another reason than the schedule.
    halved: bool,
    /// From this step on points are averaged.
    averaged_from: u64,
    average: Vec<f64>,
}

/// What keeps Adam from dividing by 0.
const LEAST_ROOT: f64 = 1e-8;

impl Optimizer {
    /// At `start`, with a first step of size `size`.
    pub fn new(rule: UpdateRule, size: f64, schedule: Schedule, start: Vec<f64>) -> Self {
        let zeros = |needed: bool| match needed {
            true => vec![0.0; start.len()],
            false => Vec::new(),
        };
        Self {
            first: zeros(rule != UpdateRule::Plain),
            second: zeros(matches!(rule, UpdateRule::Adam { .. })),
            rule,
            size,
            schedule,
            taken: 0,
            held: 0.0,
            squares: 0.0,
            halved: false,
            averaged_from: u64::MAX,
            average: Vec::new(),
            point: start,
        }
    }

    /// The same that averages the points it reaches after so many steps (Polyak and Juditsky 1992).
    #[must_use]
    pub fn averaging_from(self, steps: u64) -> Self {
        Self {
            averaged_from: steps,
            ..self
        }
    }

    /// From now on steps are half as long.
    pub fn halve(&mut self) {
        self.size /= 2.0;
        self.halved = true;
    }

    /// Where it is.
    pub fn point(&self) -> &[f64] {
        &self.point
    }

    /// Moves the point along a gradient.
    ///
    /// # Panics
    ///
    /// If the gradient has another length than the point.
    pub fn step(&mut self, gradient: &[f64]) {
        assert_eq!(gradient.len(), self.point.len(), "one slope per coordinate");
        let size = self.size * self.schedule.factor(self.taken);
        self.taken += 1;
        let moves = self.point.iter_mut().zip(gradient);
        match self.rule {
            UpdateRule::Plain => moves.for_each(|(x, g)| *x -= size * g),
            UpdateRule::Momentum { decay, lead } => {
                for ((x, g), v) in moves.zip(&mut self.first) {
                    *v = decay * *v + g;
                    *x -= size * (*v + lead * g);
                }
            }
            UpdateRule::Adam { first, second } => {
                // More steps than an i32 counts leave the corrections at 1.
                let steps = self.taken.min(i32::MAX as u64) as i32;
                let size = size / (1.0 - first.powi(steps));
                let scale = 1.0 / (1.0 - second.powi(steps));
                for (((x, g), m), v) in moves.zip(&mut self.first).zip(&mut self.second) {
                    *m = first * *m + (1.0 - first) * g;
                    *v = second * *v + (1.0 - second) * g * g;
                    *x -= size * *m / ((scale * *v).sqrt() + LEAST_ROOT);
                }
            }
        }
        let (decay, lead) = match self.rule {
            UpdateRule::Momentum { decay, lead } => (decay, lead),
            UpdateRule::Plain | UpdateRule::Adam { .. } => (0.0, 0.0),
        };
        self.held = decay * self.held + 1.0;
        self.squares += (self.held + lead) * (self.held + lead);
        self.add_to_average();
    }

    /// The standard deviation that independent noise of deviation 1 in each gradient has given each coordinate
    /// of the point; `None` where that depends on the gradients, or steps were of several sizes.
    pub fn noise_of_point(&self) -> Option<f64> {
        let known = self.schedule == Schedule::Constant
            && !self.halved
            && !matches!(self.rule, UpdateRule::Adam { .. });
        known.then(|| self.size * self.squares.sqrt())
    }

    fn add_to_average(&mut self) {
        let Some(count) = self.taken.checked_sub(self.averaged_from) else {
            return;
        };
        if self.average.is_empty() {
            self.average.clone_from(&self.point);
            return;
        }
        let weight = 1.0 / (count + 1) as f64;
        for (mean, x) in self.average.iter_mut().zip(&self.point) {
            *mean += weight * (x - *mean);
        }
    }

    /// The average, if there is one, or the last point.
    pub fn result(self) -> Vec<f64> {
        match self.average.is_empty() {
            true => self.point,
            false => self.average,
        }
    }
}

/// λ·θ²/(1 + θ²) of a weight.
pub fn saturating_penalty(weight: f64, lambda: f64) -> f64 {
    let square = weight * weight;
    lambda * square / (1.0 + square)
}

/// The gradient of λ·Σ θⱼ²/(1 + θⱼ²), a penalty that is not convex: it spares large weights (Reddi et al.
/// 2016).
pub fn saturating_penalty_slope(weight: f64, lambda: f64) -> f64 {
    let square = 1.0 + weight * weight;
    2.0 * lambda * weight / (square * square)
}

#[cfg(test)]
mod tests;
