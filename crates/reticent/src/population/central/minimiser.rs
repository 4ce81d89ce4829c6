//! A query that is a minimiser: the weights of a regularised linear model, or what they answer
//! on public rows.

mod bounds;
mod point;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use super::CentralRecords;
use crate::loss::Loss;
use crate::noise::Grid;
use crate::population::Population;
use crate::population::query::{Query, Sensitivity};
use crate::privacy::Adjacency;
use crate::solve::operator_norm_bound;
use crate::table::PublicFeatures;
pub(super) use bounds::{Bounds, gamma, grid_under};
pub(super) use point::Restricted;

/// What is minimised: (1/n)·Σ ℓ(x·w, y) + (λ/2)·‖w − v‖₂². All of it is public.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegularisedLoss<'a> {
    /// ℓ.
    pub loss: Loss,
    /// λ, for every weight and the intercept alike: strong convexity is what bounds the
    /// sensitivity.
    pub lambda: f64,
    /// The columns that have a weight, in increasing order: public or released; all if `None`.
    pub support: Option<&'a [u32]>,
    /// Whether a column of ones stands behind them.
    pub intercept: bool,
    /// v: one number per weight, that of the intercept last; all 0 if `None`. Public, or computed
    /// from what was released before.
    pub centre: Option<&'a [f64]>,
    /// n: the number of records under replace-one adjacency, the declared number that takes
    /// its place under add-remove.
    pub records: u64,
}

/// Why there is no minimiser. All of it is about declared, public numbers.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MinimiserError {
    /// λ can not be used.
    #[error("lambda must be a finite number above 0; got {0}")]
    Lambda(f64),
    /// Not the number of records that there are, or none.
    #[error("the loss is averaged over {given} records, and there are {public}")]
    Records {
        /// The number given.
        given: u64,
        /// The public one.
        public: u64,
    },
    /// The loss is not one of these targets.
    #[error("the logistic loss is for two classes, and the squared loss for numbers")]
    Targets,
    /// The support is no list of columns.
    #[error("a support must name columns below {width}, in increasing order, at least one")]
    Support {
        /// How many columns there are.
        width: usize,
    },
    /// The centre is no point of the weights.
    #[error("a centre needs one finite number per weight, {expected} in all; {given} were given")]
    Centre {
        /// How many were given.
        given: usize,
        /// How many weights there are.
        expected: usize,
    },
    /// The public rows have another number of columns than there are weights.
    #[error("the public rows have {given} columns, and there are {expected} weights for them")]
    Public {
        /// What was given.
        given: usize,
        /// What there should be.
        expected: usize,
    },
    /// The public rows are all zero, or none, or beyond all bounds.
    #[error("the public rows say nothing of the weights; give some that are not all zero")]
    NoPublic,
    /// The sensitivity is beyond every grid.
    #[error("the bound of the rows over lambda is too small or too large; scale the rows")]
    Grid,
    /// Weights, or the linear term that draws them, are beyond what floats can square.
    #[error(
        "the weights are drawn beyond all bounds; use fewer steps, a larger lambda or another scale of rows"
    )]
    Far,
    /// Only a loss with a continuous second derivative can be perturbed.
    #[error("objective perturbation is proved for the logistic loss only; perturb the output")]
    NotSmooth,
    /// ε does not pay for the change of volume.
    #[error(
        "objective perturbation with this lambda costs more than epsilon = {least}; {given} was given: use a larger lambda"
    )]
    Epsilon {
        /// The ε given.
        given: f64,
        /// What it must exceed.
        least: f64,
    },
}

/// The minimiser ŵ of a regularised loss over the enforced records: the *teacher* of knowledge
/// transfer, and what output perturbation releases.
///
/// There is no getter, `Debug`, `Clone` or `Serialize`: only queries leave.
///
/// # Privacy
///
/// Let F be the objective, λ-strongly convex on ℝᵏ (k weights: the support, and the intercept) whatever
/// its centre, which is the same for neighbours.
/// *Sensitivity of the exact minimiser* (Chaudhuri et al. 2011). Neighbouring tables have
/// objectives F and F′ whose gradients differ at any one point by (ψx − ψ′x′)/n if a record is
/// replaced and by ψx/n₀ if there is one more: by at most a·R·B/n in norm, a = 2 and 1. At ŵ,
/// ∇F = 0, so ‖∇F′(ŵ)‖ ≤ a·R·B/n, and λ‖ŵ − ŵ′‖ ≤ ‖∇F′(ŵ) − ∇F′(ŵ′)‖ ≤ a·R·B/n by strong
/// convexity. R bounds the slope everywhere: 1 for the logistic loss, the threshold for Huber's,
/// which is C¹ and needs no more here. B bounds the row on the support: the declared ℓ₂ bound or √s
/// times the ℓ∞ bound, and √(B² + 1) with a column of ones.
///
/// *The point that is found* has ‖∇F‖₂ ≤ τ and so lies within τ/λ of ŵ: two neighbours' points
/// are at most a·R·B/(nλ) + 2τ/λ apart. τ is a function of public numbers; it is checked at
/// the point, in floats, with an allowance for their errors that is proved in `bounds`. How the
/// point was found does not matter, and the search ends for every table, so that none makes
/// it fail.
///
/// *Weights* are rounded to the nearest step of a public grid g, which moves each of two points
/// by at most √k·g/2: √k·g is added. *Answers* X̃·w for public rows X̃ are at most ‖X̃‖₂ times as
/// far apart as the points, and ‖X̃‖₂ is bounded from above, with a proof; the float errors of
/// the products and √m·g for rounding m answers are added.
pub struct Minimiser {
    point: Vec<f64>,
    intercept: bool,
    bounds: Bounds,
    adjacency: Adjacency,
}

impl CentralRecords<'_> {
    /// The minimiser of a regularised loss: see [`Minimiser`].
    pub fn minimiser(&self, what: &RegularisedLoss<'_>) -> Result<Minimiser, MinimiserError> {
        let bounds = self.bounds_of(what, 0.0)?;
        let linear = vec![0.0; bounds.coordinates];
        let whole = Restricted::of(self.records, what);
        let point = whole.minimum(&linear, &bounds);
        #[cfg(test)]
        let point = whole.worst(point, &linear, &bounds);
        Ok(Minimiser {
            point,
            intercept: what.intercept,
            bounds,
            adjacency: self.records.adjacency,
        })
    }

    /// The public bounds of a problem to which a linear term of at most `linear` in norm is
    /// added; refuses one that is not posed.
    pub(super) fn bounds_of(
        &self,
        what: &RegularisedLoss<'_>,
        linear: f64,
    ) -> Result<Bounds, MinimiserError> {
        let shape = self.records.shape();
        if let Some(count) = shape.count {
            let public = count as u64;
            if public != what.records {
                let given = what.records;
                return Err(MinimiserError::Records { given, public });
            }
        }
        // R and the bound of the loss at 0 hold for two classes, 0 and 1, or for numbers in [−1, 1]:
        // nothing clamps a slope here, as a gradient does.
        if !what.loss.suits(shape.classes) {
            return Err(MinimiserError::Targets);
        }
        let width = shape.width;
        let columns = match what.support {
            None => width,
            Some(support) => {
                let sorted = support.is_sorted_by(|a, b| a < b);
                let last = support.last().map(|last| *last as usize);
                if !sorted || last.is_none_or(|last| last >= width) {
                    return Err(MinimiserError::Support { width });
                }
                support.len()
            }
        };
        let pull = pull(what, columns + usize::from(what.intercept))?;
        Bounds::new(what, columns, &shape.clip, shape.adjacency, linear + pull)
    }
}

/// λ‖v‖, rounded up: the norm of the linear term −λv, which is all that a centre changes of an
/// objective (and a constant).
fn pull(what: &RegularisedLoss<'_>, expected: usize) -> Result<f64, MinimiserError> {
    let Some(centre) = what.centre else {
        return Ok(0.0);
    };
    if centre.len() != expected || centre.iter().any(|v| !v.is_finite()) {
        let given = centre.len();
        return Err(MinimiserError::Centre { given, expected });
    }
    let squares: f64 = centre.iter().map(|v| v * v).sum();
    // For the roundings of the sum.
    Ok(what.lambda * squares.sqrt() * (1.0 + 1e-6))
}

impl Minimiser {
    /// The weights of the support in its order, then the intercept if there is one.
    pub fn weights(&self) -> Result<Query<'static>, MinimiserError> {
        on_grid(
            "minimiser",
            self.point.iter().copied(),
            self.bounds.moved,
            self.adjacency,
        )
    }

    /// The margins of public rows, one coordinate per row; the rows have one column per weight.
    ///
    /// The rows must not depend on the records, other than through what was released.
    pub fn answers(&self, public: &PublicFeatures) -> Result<Query<'static>, MinimiserError> {
        let expected = self.point.len() - usize::from(self.intercept);
        if public.features().width() != expected {
            let given = public.features().width();
            return Err(MinimiserError::Public { given, expected });
        }
        let rows = public.dense(self.intercept);
        let width = self.point.len();
        let norm = operator_norm_bound(&rows, width);
        let squares: f64 = rows.par_iter().map(|x| x * x).sum();
        // Each product of k terms is off by at most γₖ·‖x‖‖w‖ (Higham 2002, § 3.1).
        let errors = 2.0 * gamma(width + 2) * squares.sqrt() * self.bounds.largest;
        // The last factor is for the roundings of this line and of the sum above.
        let moved = (norm * self.bounds.moved + errors) * (1.0 + 1e-6);
        if !(moved > 0.0 && moved.is_finite()) {
            return Err(MinimiserError::NoPublic);
        }
        let answer = |row: &[f64]| {
            let products = row.iter().zip(&self.point);
            products.map(|(x, w)| x * w).sum::<f64>()
        };
        let answers = rows.chunks_exact(width).map(answer);
        on_grid("answers", answers, moved, self.adjacency)
    }
}

/// A vector that one record moves by at most `moved` in ℓ₂, rounded to a grid.
///
/// Two roundings of at most half a step in each of m coordinates: √m steps are added.
pub(super) fn on_grid(
    question: &'static str,
    values: impl Iterator<Item = f64>,
    moved: f64,
    adjacency: Adjacency,
) -> Result<Query<'static>, MinimiserError> {
    let grid = grid_under(moved)?;
    let per_step = 1.0 / grid.step();
    // A cast saturates, and the clamp that follows keeps neighbours as near as they were.
    let rounded: Vec<i128> = values.map(|x| (x * per_step).round() as i128).collect();
    let sensitivity = steps_for(moved, rounded.len(), grid);
    Ok(Query::clamped(
        question,
        rounded,
        grid,
        adjacency,
        sensitivity,
    ))
}

/// The sensitivity in whole steps of a vector of `dimension` coordinates, rounded to `grid`.
pub(super) fn steps_for(moved: f64, dimension: usize, grid: Grid) -> Sensitivity {
    // At most 2²⁷ + 2³², so that the cast is exact; 2 steps more than the roundings up take.
    let steps = (moved / grid.step()).ceil() + (dimension as f64).sqrt().ceil() + 2.0;
    Sensitivity::whole(steps as u64)
}
