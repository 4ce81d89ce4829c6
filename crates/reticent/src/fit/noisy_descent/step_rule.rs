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
        facts: &Facts,
        length: f64,
        settled: f64,
        adjacency: Adjacency,
    ) -> DescentState {
        let moment = length * length / facts.columns as f64;
        let (size, momentum, path_length) = match self {
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
                let most = LARGEST_STEP / Loss::Logistic.curvature();
                let momentum = (1.0 - steps * most / path_length).clamp(MOMENTUM.0, MOMENTUM.1);
                let size = (path_length * (1.0 - momentum) / steps).min(most);
                (size / (length * length), momentum, path_length)
            }
            Self::Averaging { curvature, .. } => (1.0 / (moment * curvature), 0.0, 1.0),
        };
        DescentState {
            step_rule: self,
            size,
            momentum,
            moment,
            velocity: Vec::new(),
            taken: 0,
            accumulated: Vec::new(),
            tail: Tail {
                before: before_tail(descent.steps.get(), settled / path_length),
                ..Tail::default()
            },
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

/// How many steps come before those whose points are averaged, if the path has `settled` after this
/// part of it: at least half of them, and all but the last if it has not.
fn before_tail(steps: u64, settled: f64) -> u64 {
    ((settled.clamp(0.5, 1.0) * steps as f64) as u64).min(steps - 1)
}

/// The state of a descent under its step rule.
pub(super) struct DescentState {
    step_rule: StepRule,
    size: f64,
    momentum: f64,
    /// The mean square of a column, if all are alike.
    moment: f64,
    velocity: Vec<f64>,
    taken: u64,
    /// How much of the noise of each step a weight holds so far.
    accumulated: Vec<f64>,
    tail: Tail,
}

/// The last points of a descent, added up.
#[derive(Default)]
struct Tail {
    /// How many steps come before it.
    before: u64,
    points: Vec<f64>,
    accumulated: Vec<f64>,
}

impl DescentState {
    /// Moves the point along the gradient at `weights`; returns how many times the noise of one
    /// gradient a weight holds so far.
    pub fn step(&mut self, point: &mut [f64], gradient: &[f64], weights: &[f64]) -> f64 {
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
        let lead = LEAD * self.momentum / (1.0 + self.momentum);
        self.velocity.resize(point.len(), 0.0);
        for ((x, velocity), slope) in point.iter_mut().zip(&mut self.velocity).zip(gradient) {
            *velocity = self.momentum * *velocity + slope;
            *x -= size * (*velocity + lead * slope);
        }
        self.accumulated.push(lead * size);
        let mut factor = size;
        for accumulated in self.accumulated.iter_mut().rev() {
            *accumulated += factor;
            factor *= self.momentum;
        }
        if self.taken > self.tail.before {
            add(&mut self.tail.points, point);
            add(&mut self.tail.accumulated, &self.accumulated);
        }
        self.accumulated.iter().map(|g| g * g).sum::<f64>().sqrt()
    }

    /// With momentum, the mean of the last points, and how many times the noise of one gradient a
    /// weight of it holds: where the loss is curved the noise of steps averages
    /// out (Polyak and Juditsky 1992). None for the other rule, whose steps become shorter instead.
    pub fn tail_average(self) -> Option<(Vec<f64>, f64)> {
        let StepRule::Momentum { .. } = self.step_rule else {
            return None;
        };
        let count = self.taken.checked_sub(self.tail.before)?.max(1) as f64;
        let average = self.tail.points.iter().map(|x| x / count).collect();
        let held = self.tail.accumulated.iter().map(|g| (g / count).powi(2));
        Some((average, held.sum::<f64>().sqrt()))
    }

    /// About what part of the curvature ¼ of the logistic loss remains where margins have the
    /// standard deviation that these weights give them: 1/√(1 + πσ²/8·…) by the probit
    /// approximation E[σ′(m)] ≈ ¼/√(1 + 0.39·var).
    fn remaining_curvature(&self, weights: &[f64]) -> f64 {
        let squares: f64 = weights.iter().map(|w| w * w).sum();
        1.0 / (1.0 + 0.39 * self.moment * squares).sqrt()
    }
}

/// Adds some values to sums that start at 0.
fn add(sums: &mut Vec<f64>, values: &[f64]) {
    sums.resize(values.len(), 0.0);
    sums.iter_mut().zip(values).for_each(|(sum, x)| *sum += x);
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
            velocity: Vec::new(),
            taken: 0,
            accumulated: Vec::new(),
            tail: Tail::default(),
        }
    }

    /// A heavy ball would keep √β per step, 0.037 after all steps with the greatest momentum.
    #[test]
    fn swings_settle_within_a_fit_up_to_the_largest_curvature() {
        for momentum in [MOMENTUM.0, 0.8, MOMENTUM.1] {
            for product in [0.1, 0.5, 1.0, 1.5, LARGEST_STEP] {
                let mut state = state(1.0, momentum);
                let mut point = [1.0];
                for _ in 0..STEPS {
                    let gradient = [product * point[0]];
                    state.step(&mut point, &gradient, &[0.0]);
                }
                let left = point[0].abs();
                assert!(left < 0.01, "{momentum} {product}: {left}");
            }
        }
    }

    #[test]
    fn the_noise_that_a_weight_holds_is_what_each_step_has_moved_it_by() {
        let (size, momentum) = (0.3, 0.9);
        let moved_by = |noisy: usize| {
            let mut state = state(size, momentum);
            let mut point = [0.0];
            for step in 0..20 {
                let gradient = [f64::from(u8::from(step == noisy))];
                state.step(&mut point, &gradient, &[0.0]);
            }
            point[0]
        };
        let expected = (0..20).map(|noisy| moved_by(noisy).powi(2)).sum::<f64>();
        let mut state = state(size, momentum);
        let held = (0..20).map(|_| state.step(&mut [0.0], &[0.0], &[0.0]));
        let held = held.last().expect("there are steps");
        assert!((held - expected.sqrt()).abs() < 1e-9, "{held}");
    }
}
