//! What is public of a minimisation: how long rows and weights can be, how far one record
//! moves the minimiser, and how exactly floats can tell a gradient.

use super::{MinimiserError, RegularisedLoss};
use crate::noise::Grid;
use crate::privacy::Adjacency;
use crate::table::Clip;
use crate::table::MOST_RECORDS;
use crate::table::RecordBound;

/// Rows that are summed one after the other.
pub(super) const BLOCK: usize = 1024;
/// Pieces of the rows, each a sum of blocks.
pub(super) const PIECES: usize = 64;

/// The longest linear term and the longest weights. Norms and values are computed from squares and
/// products of these: beyond, they overflow, the search can not tell where it is, and plain steps would
/// take longer than anyone waits.
const MOST: f64 = 1e150;

/// τ is this share of R·B/n: far below what one record does.
const TOLERANCE: f64 = 1.0 / 16_384.0;

/// The public numbers of a minimisation.
///
/// *Errors of the computed gradient.* Let u = 2⁻⁵³ and γₘ = mu/(1 − mu) (Higham 2002). There are
/// at most N records, n under replace-one and 2³² under add-remove, and A = N/n. At ‖w‖ ≤ W: a
/// margin is off by at most γₖ₊₄·B·W; a slope by c times that, and by 8u(R + 1) of its own
/// roundings (where Huber's is clipped it has none); so the mean of ψx by A·B times that, and by
/// A·R·B·γₜ for a sum of blocks in pieces, t terms deep (each coordinate is off by
/// γₜ·Σ|ψ||xⱼ|/n, and the norm of a sum of such vectors is at most N·R·B). λw and the linear term
/// add 4u(λW + L). A step w − αg rounds by u·W, as if the gradient were off by uW/α. E is the
/// sum of all this, and τ is at least 5·E. (A centre v makes the linear term b/n − λv: b is rounded
/// three times before it meets the sum, λv twice, and the sum twice; τ has room for these.) Under
/// add-remove N is so large, because the number of records is private, that 5·E is thousands of times
/// the share of R·B/n that is wanted: a teacher's sensitivity is about twice what it would be, and
/// objective perturbation is not worth its noise.
///
/// *W.* Wherever F(w) ≤ F(0) ≤ A·ℓ₀, ℓ₀ = max ℓ(0, y), no loss being negative:
/// (λ/2)‖w‖² ≤ A·ℓ₀ + L‖w‖, hence ‖w‖ ≤ 2L/λ + √(2Aℓ₀/λ) = W. With a centre, (λ/2)‖w − v‖² is
/// (λ/2)‖w‖² − λ⟨v, w⟩ but for a constant: the same holds with L + λ‖v‖ in the place of L, and neither
/// strong convexity, smoothness nor what one record does to a gradient depends on v.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::population::central) struct Bounds {
    /// k.
    pub coordinates: usize,
    /// a·R·B: how far one record moves the sum of ψx.
    pub of_sum: f64,
    /// c·B²/(nλ).
    pub curvature: f64,
    /// A·c·B² + λ: the smoothness of the objective.
    pub smooth: f64,
    /// τ.
    pub tolerance: f64,
    /// W.
    pub largest: f64,
    /// a·R·B/(nλ) + 2τ/λ, rounded up.
    pub moved: f64,
    /// 2τ/λ, rounded up.
    pub loose: f64,
}

impl Bounds {
    /// The bounds with `columns` weights and a linear term, that of a centre included, of norm at most
    /// `linear`.
    pub fn new(
        what: &RegularisedLoss<'_>,
        columns: usize,
        clip: &Clip,
        adjacency: Adjacency,
        linear: f64,
    ) -> Result<Self, MinimiserError> {
        let lambda = what.lambda;
        if !(lambda > 0.0 && lambda.is_finite()) {
            return Err(MinimiserError::Lambda(lambda));
        }
        if what.records == 0 {
            let (given, public) = (0, 0);
            return Err(MinimiserError::Records { given, public });
        }
        let n = what.records as f64;
        let (apart, most) = match adjacency {
            Adjacency::ReplaceOne => (2.0, n),
            Adjacency::AddRemove => (1.0, n.max(MOST_RECORDS as f64)),
        };
        let length = row_norm(clip, columns, what.intercept);
        let (slope, c) = (what.loss.slope_bound(), what.loss.curvature());
        let coordinates = columns + usize::from(what.intercept);
        let share = most / n;
        let smooth = share * c * length * length + lambda;
        let at_zero = what.loss.value(0.0, 1.0);
        let largest = 2.0 * linear / lambda + (2.0 * share * at_zero / lambda).sqrt();
        // Public numbers, or functions of what was released (a centre): no record decides this.
        if !(linear <= MOST && largest <= MOST) {
            return Err(MinimiserError::Far);
        }
        let wanted = TOLERANCE * slope * length / n;
        let error = {
            let unit = f64::EPSILON / 2.0;
            let margin = length * largest;
            let of_slope = c * gamma(coordinates + 4) * margin + 8.0 * unit * (slope + 1.0);
            let deep = BLOCK + (most / (PIECES * BLOCK) as f64).ceil() as usize + PIECES + 4;
            let of_sum = share * length * (of_slope + slope * gamma(deep));
            let of_rest = 4.0 * unit * (lambda * largest + linear) + unit * largest * smooth;
            of_sum + of_rest
        };
        let tolerance = wanted.max(5.0 * error);
        let up = |x: f64| x * (1.0 + 1e-12);
        let (of_sum, loose) = (up(apart * slope * length), up(2.0 * tolerance / lambda));
        Ok(Self {
            coordinates,
            of_sum,
            curvature: up(c * length * length / (n * lambda)),
            smooth,
            tolerance,
            largest,
            moved: up(of_sum / (n * lambda) + loose),
            loose,
        })
    }
}

/// An upper bound of ‖x‖₂ for a row of `columns` entries, with a one behind them if `ones`.
fn row_norm(clip: &Clip, columns: usize, ones: bool) -> f64 {
    let bound = clip.steps as f64 * clip.grid.step();
    let squared = match clip.bound {
        RecordBound::L2(_) => bound * bound,
        RecordBound::Linf(_) => bound * bound * columns as f64,
    };
    let ones = if ones { 1.0 } else { 0.0 };
    (squared + ones).sqrt() * (1.0 + 1e-12)
}

/// γₘ = mu/(1 − mu), rounded up.
pub(in crate::population::central) fn gamma(terms: usize) -> f64 {
    let product = terms as f64 * f64::EPSILON / 2.0;
    product / (1.0 - product) * (1.0 + 1e-12)
}

/// The grid of which `moved` spans 2²⁶ to 2²⁷ steps.
pub(in crate::population::central) fn grid_under(moved: f64) -> Result<Grid, MinimiserError> {
    if !(moved > 0.0 && moved.is_finite()) {
        return Err(MinimiserError::Grid);
    }
    let exponent = moved.log2().floor() as i32 - 26;
    Grid::new(exponent).map_err(|_| MinimiserError::Grid)
}
