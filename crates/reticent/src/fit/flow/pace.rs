//! How large the steps of a flow are.

use super::Flow;
use crate::fit::Facts;
use crate::loss::Loss;
use crate::population::Gradient;
use crate::privacy::Adjacency;

/// The largest step, times the largest curvature there can be: with momentum it is stable.
const LARGEST_STEP: f64 = 2.0;
/// The least and the greatest momentum.
const MOMENTUM: (f64, f64) = (0.5, 0.97);

/// How large steps are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::fit) enum Pace {
    /// Heavy ball. The steps together are as long as it takes for the noise to gather `deviations`
    /// in a weight (on the scale of records of length 1) where the loss is flat: longer only
    /// adds noise, shorter leaves what could be learnt.
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
        /// Whether it sinks as weights grow, as that of the logistic loss does.
        sinking: bool,
    },
}

impl Pace {
    /// The pace of a flow whose length is known.
    pub(super) fn start(
        self,
        flow: &Flow,
        facts: &Facts,
        length: f64,
        adjacency: Adjacency,
    ) -> Walk {
        let moment = length * length / facts.columns as f64;
        let (size, momentum) = match self {
            Self::Momentum { deviations } => {
                let steps = flow.steps.get() as f64;
                // What T steps are worth: μ = √T/z.
                let strength = steps.sqrt() / flow.noise.get();
                let way = way(deviations, strength, flow.slope, facts.records, adjacency);
                let most = LARGEST_STEP / Loss::Logistic.curvature();
                let momentum = (1.0 - steps * most / way).clamp(MOMENTUM.0, MOMENTUM.1);
                let size = (way * (1.0 - momentum) / steps).min(most);
                (size / (length * length), momentum)
            }
            Self::Averaging { curvature, .. } => (1.0 / (moment * curvature), 0.0),
        };
        Walk {
            pace: self,
            size,
            momentum,
            moment,
            velocity: Vec::new(),
            taken: 0,
            gathered: Vec::new(),
        }
    }
}

/// Θ: how long all steps together are, times the gradient, if noise is to gather so many deviations in
/// a weight. `strength`, μ, is what the steps are worth together.
pub(in crate::fit) fn way(
    deviations: f64,
    strength: f64,
    slope: f64,
    records: u64,
    adjacency: Adjacency,
) -> f64 {
    deviations * strength * records as f64 / Gradient::moved(adjacency, slope, 1.0)
}

/// A pace on its way.
pub(super) struct Walk {
    pace: Pace,
    size: f64,
    momentum: f64,
    /// The mean square of a column, if all are alike.
    moment: f64,
    velocity: Vec<f64>,
    taken: u64,
    /// How much of the noise of each step is in a weight by now.
    gathered: Vec<f64>,
}

impl Walk {
    /// Moves the point along the gradient at `weights`; tells how many times the noise of one
    /// gradient has gathered in a weight by now.
    pub fn step(&mut self, point: &mut [f64], gradient: &[f64], weights: &[f64]) -> f64 {
        let size = match self.pace {
            Pace::Momentum { .. } => self.size,
            Pace::Averaging { full, sinking, .. } => {
                let damping = match self.taken.checked_sub(full) {
                    None => 1.0,
                    Some(beyond) => 1.0 / (beyond as f64 + 2.0),
                };
                let sunk = if sinking { self.sunk(weights) } else { 1.0 };
                self.size * damping / sunk
            }
        };
        self.taken += 1;
        self.velocity.resize(point.len(), 0.0);
        for ((x, velocity), slope) in point.iter_mut().zip(&mut self.velocity).zip(gradient) {
            *velocity = self.momentum * *velocity + slope;
            *x -= size * *velocity;
        }
        self.gathered.push(0.0);
        let mut factor = size;
        for gathered in self.gathered.iter_mut().rev() {
            *gathered += factor;
            factor *= self.momentum;
        }
        self.gathered.iter().map(|g| g * g).sum::<f64>().sqrt()
    }

    /// About how much of the curvature ¼ of the logistic loss is left where margins have the
    /// standard deviation that these weights give them: 1/√(1 + πσ²/8·…) by the probit
    /// approximation E[σ′(m)] ≈ ¼/√(1 + 0.39·var).
    fn sunk(&self, weights: &[f64]) -> f64 {
        let squares: f64 = weights.iter().map(|w| w * w).sum();
        1.0 / (1.0 + 0.39 * self.moment * squares).sqrt()
    }
}
