//! How large the steps of a noisy descent are.

use super::NoisyDescent;
use crate::fit::Facts;
use crate::loss::Loss;
use crate::population::Gradient;
use crate::privacy::Adjacency;

/// The largest step, times the largest possible curvature. (Several classes have a larger one only
/// where two of them share nearly all probability.)
const LARGEST_STEP: f64 = 2.0;
/// θ, how much of the last gradient is added to the momentum β, times (1 + β)/β. Where the loss has
/// curvature h, steps of size η then shrink a swing by √(β(1 − ηhθ)) each, and they are stable for
/// ηh < 2(1 + β)/(1 + θ(1 + β)), which is above 2 as long as this number is below 1.
const LEAD: f64 = 0.9;
/// The least and the greatest momentum.
const MOMENTUM: (f64, f64) = (0.5, 0.95);

/// How large steps are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::fit) enum StepRule {
    /// Momentum, and a share θ of the last gradient, which damps directions of large curvature: a
    /// heavy ball, θ = 0, swings there for longer than a fit lasts. (Nesterov's momentum is about
    /// θ = 1, and not stable for steps as large.) The total length of the steps is such that
    /// the noise accumulated in a weight has `deviations` (on the scale of records of length 1) where
    /// the loss is flat: a longer path only adds noise, a shorter one misses what could be learnt.
    Momentum {
        /// κ.
        deviations: f64,
    },
    /// Newton steps with a curvature guessed from C, `full` of them in full, and then shorter ones,
    /// 1/2, 1/3 …, so that their noise averages out.
    Averaging {
        /// The steps in full.
        full: u64,
        /// The mean second derivative of the loss at the start.
        curvature: f64,
        /// Whether it falls as weights grow, as that of the logistic loss does.
        shrinking: bool,
    },
}

impl StepRule {
    /// The step rule of a noisy descent whose length is known.
    pub(super) fn start(
        self,
        descent: &NoisyDescent,
        (facts, mass): (&Facts, f64),
        length: f64,
        adjacency: Adjacency,
    ) -> DescentState {
        let moment = length * length / facts.columns as f64;
        let (size, momentum) = match self {
            Self::Momentum { deviations } => {
                let steps = descent.steps.get() as f64;
                // What T steps are worth: μ = √T/z.
                let strength = steps.sqrt() / descent.noise.get();
                let path_length = path_length(
                    deviations,
                    strength,
                    descent.slope,
                    facts.records,
                    adjacency,
                );
                let most = LARGEST_STEP / (mass * Loss::Logistic.curvature());
                let momentum = (1.0 - steps * most / path_length).clamp(MOMENTUM.0, MOMENTUM.1);
                let size = (path_length * (1.0 - momentum) / steps).min(most);
                (size / (length * length), momentum)
            }
            Self::Averaging { curvature, .. } => (1.0 / (mass * moment * curvature), 0.0),
        };
        DescentState {
            step_rule: self,
            size,
            momentum,
            moment,
            taken: 0,
            accumulated: Vec::new(),
        }
    }
}

/// Θ: the total length of all steps, times the gradient, at which the noise accumulated in a weight
/// has so many deviations. `strength`, μ, is what the steps are worth together.
pub(in crate::fit) fn path_length(
    deviations: f64,
    strength: f64,
    slope: f64,
    records: u64,
    adjacency: Adjacency,
) -> f64 {
    deviations * strength * records as f64 / Gradient::moved(adjacency, slope, 1.0)
}

/// The state of a descent under its step rule.
pub(super) struct DescentState {
    step_rule: StepRule,
    size: f64,
    momentum: f64,
    /// The mean square of a column, if all are alike.
    moment: f64,
    taken: u64,
    /// How much of the noise of each step a weight holds so far.
    accumulated: Vec<f64>,
}

/// How one step moves a coordinate.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    size: f64,
    momentum: f64,
    /// θ times the momentum.
    lead: f64,
}

impl Pace {
    /// Moves a coordinate along its slope.
    #[inline(always)]
    pub fn follow(self, x: &mut f64, velocity: &mut f64, slope: f64) {
        *velocity = self.momentum * *velocity + slope;
        *x -= self.size * (*velocity + self.lead * slope);
    }
}

impl DescentState {
    /// The next step, along the gradient at `weights`, and how many times the noise of one gradient a
    /// weight holds after it.
    pub fn step(&mut self, weights: &[f64]) -> (Pace, f64) {
        let size = match self.step_rule {
            StepRule::Momentum { .. } => self.size,
            StepRule::Averaging {
                full, shrinking, ..
            } => {
                let damping = match self.taken.checked_sub(full) {
                    None => 1.0,
                    Some(beyond) => 1.0 / (beyond as f64 + 2.0),
                };
                let remaining = if shrinking {
                    self.remaining_curvature(weights)
                } else {
                    1.0
                };
                self.size * damping / remaining
            }
        };
        self.taken += 1;
        let pace = Pace {
            size,
            momentum: self.momentum,
            lead: LEAD * self.momentum / (1.0 + self.momentum),
        };
        self.accumulated.push(pace.lead * size);
        let mut factor = size;
        for accumulated in self.accumulated.iter_mut().rev() {
            *accumulated += factor;
            factor *= self.momentum;
        }
        let held = self.accumulated.iter().map(|g| g * g).sum::<f64>().sqrt();
        (pace, held)
    }

    /// About what part of the curvature ¼ of the logistic loss remains where margins have the
    /// standard deviation that these weights give them: 1/√(1 + πσ²/8·…) by the probit
    /// approximation E[σ′(m)] ≈ ¼/√(1 + 0.39·var).
    fn remaining_curvature(&self, weights: &[f64]) -> f64 {
        let squares: f64 = weights.iter().map(|w| w * w).sum();
        1.0 / (1.0 + 0.39 * self.moment * squares).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: usize = 128;

    fn state(size: f64, momentum: f64) -> DescentState {
        DescentState {
            step_rule: StepRule::Momentum { deviations: 1.0 },
            size,
            momentum,
            moment: 1.0,
            taken: 0,
            accumulated: Vec::new(),
        }
    }

    /// A heavy ball would keep √β per step, 0.037 after all steps with the greatest momentum.
    #[test]
    fn swings_settle_within_a_fit_up_to_the_largest_curvature() {
        for momentum in [MOMENTUM.0, 0.8, MOMENTUM.1] {
            for product in [0.1, 0.5, 1.0, 1.5, LARGEST_STEP] {
                let mut state = state(1.0, momentum);
                let (mut point, mut velocity) = (1.0, 0.0);
                for _ in 0..STEPS {
                    let slope = product * point;
                    state
                        .step(&[0.0])
                        .0
                        .follow(&mut point, &mut velocity, slope);
                }
                assert!(point.abs() < 0.01, "{momentum} {product}: {point}");
            }
        }
    }

    #[test]
    fn the_noise_that_a_weight_holds_is_what_each_step_has_moved_it_by() {
        let (size, momentum) = (0.3, 0.9);
        let moved_by = |noisy: usize| {
            let mut state = state(size, momentum);
            let (mut point, mut velocity) = (0.0f64, 0.0);
            for step in 0..20 {
                let slope = f64::from(u8::from(step == noisy));
                state
                    .step(&[0.0])
                    .0
                    .follow(&mut point, &mut velocity, slope);
            }
            point
        };
        let expected = (0..20).map(|noisy| moved_by(noisy).powi(2)).sum::<f64>();
        let mut state = state(size, momentum);
        let held = (0..20).map(|_| state.step(&[0.0]).1);
        let held = held.last().expect("there are steps");
        assert!((held - expected.sqrt()).abs() < 1e-9, "{held}");
    }
}
