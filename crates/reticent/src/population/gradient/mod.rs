//! The gradient of a linear model on sealed records, as queries.

mod batch;
pub(super) mod dense;
mod follow;
mod frame;
mod margins;
mod multiclass;
mod pass;
mod products;
mod rows;
mod scatter;
mod single_output;
mod storage;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::Population;
use super::groups::GroupScores;
use super::query::{LIMIT, Query, RecordSteps, Scores, Sensitivity};
use crate::noise::Grid;
use crate::parallel::{self, COORDINATES};
use crate::privacy::Adjacency;
use crate::solve::Vertex;

pub use batch::{BatchGradient, Point, RecordClip};
pub(super) use follow::Following;
pub use follow::{Follow, Move, SumsOfGradient};
use frame::Rule;
pub use frame::{Frame, Length, RowFrame, SCALE_STEPS, SlopeGridError, Slopes, slope_grid};
use rows::{longest, sqrt_up};
pub(super) use rows::{squared_norms, whole_quotient};
pub(super) use scatter::{Change, add_rows};

/// The sum of ψ(x·w + b, y)·x over the records, for a model that moves step by step; for several
/// classes, of r ⊗ x, r = p − e_y being a record's *residuals*: its class probabilities, minus 1
/// for its own class.
///
/// # Privacy
///
/// Let q be the public slope step, b = ⌊B/g⌋ the bound of the rows in grid steps. Each record i keeps
/// whole numbers of slope steps, kₗ for each function l, and adds kₗ·xᵢ, an exact product of whole
/// numbers, to the sums of function l, and kₗ to the sum of its slopes.
///
/// *One function.* |k| ≤ K = ⌊R/q⌋: what a record adds has a norm of at most K·b in the norm of the
/// bound; to the sum of slopes, K.
///
/// *Several classes.* The residuals are truncated towards zero, and then clipped, in integers, to
/// −M ≤ k_y ≤ 0 for the record's own class y, kₗ ≥ 0 for the others, and Σ_{l≠y} kₗ ≤ M = ⌊1/q⌋. So
/// ‖k‖∞ ≤ M, ‖k‖₁ ≤ 2M, and ‖k‖₂² ≤ M² + (Σ_{l≠y} kₗ)² ≤ 2M², whatever the floats are; if clipped
/// to a norm R, they are also limited to ‖k‖₂ ≤ N = ⌊R/q⌋. A record adds k ⊗ x, of ℓ₂ norm
/// ‖k‖₂·‖x‖₂ and with no entry beyond M·b; to the sums of slopes, k itself.
///
/// *They lag.* k is renewed only when some exact slope is more than one step away from it (all
/// functions of a record together: renewed one at a time they would be residuals of several models,
/// and no bound would hold for the whole). So the sum is that of slopes each within q of the exact
/// one, and most records stay unchanged most of the time. k depends on record i alone, on the loss
/// and on where the model has been: the path of released steps. No other record affects it. So for
/// one and the same path (which is what the privacy of a composition of adaptive releases is about)
/// neighbouring tables have the same k and x in every record that they share, and their sums differ
/// by what the others add: once for one record added or removed, twice for one replaced, whatever
/// the path.
///
/// *The margins are floats*, and may be rounded in any way: a slope is clamped after all rounding,
/// and which float it comes from is again a function of the record and the path.
///
/// *A length C* ([`Length::Within`]). A record whose row (x, b₀) is longer than C has slopes weighted
/// by about C/‖(x, b₀)‖, enforced in integers: one function's to the largest k ≤ K with
/// k·‖(x, b₀)‖₂ ≤ L = ⌊R·C/(q·g)⌋, the norm in grid steps; several classes' to caps Mᵢ and Nᵢ in
/// place of M and N with Mᵢ·‖(x, b₀)‖₂ ≤ M·⌊C/g⌋, and Nᵢ likewise. Then what a record adds to all
/// the columns *and* the constants together is at most L long, and N·⌊C/g⌋ or √2·M·⌊C/g⌋.
///
/// *Length one, from a centre* ([`Length::One`]). m is truncated to grid steps within the bound of an
/// entry, and so is b₀. Let Nᵢ be the length of (xᵢ − m, b₀) in grid steps and 2⁻ᵉ the grid of the
/// sums. Slopes become the whole numbers nearest to ψ·2ᵉ/Nᵢ with ‖k‖₂·Nᵢ ≤ L = ⌊R·2ᵉ⌋, by a cap found
/// in integers, and |k| ≤ K, a public number such that n·K·b < 2⁶². A record adds k ⊗ (xᵢ − m, b₀),
/// exactly: a vector of ℓ₂ norm at most L. It is summed as Σ kx and Σ k, and m is subtracted when
/// [`all`](Self::all) makes the query: Σ k(x − m) = Σ kx − m·Σ k, in integers the same number. The
/// model that it belongs to has the margins (x·w + b)/‖(x − m, b₀)‖₂: set b = b₀·w₀ − m·w.
///
/// *Columns with scales* s, in place of a centre. s is rounded to whole numbers a of S parts, and a
/// grid step of the rows is divided into S parts, so that (s∘xᵢ, b₀) is (a∘xᵢ, S·b₀) in whole numbers,
/// of length Nᵢ. Everything above holds with these: ‖k‖₂·Nᵢ ≤ L, and n·K·b·S < 2⁶². A record adds
/// k ⊗ (a∘xᵢ, S·b₀), which is summed as Σ kx and multiplied by a when `all` makes the query: the same
/// number, in integers. a depends on no record.
///
/// *Columns by their norms* ([`column_norms`](Self::column_norms)). A record adds k·xⱼ to the sums of
/// column j over the classes, a vector no longer than min(N, √2·M)·b. Norms move by no
/// more than what they are norms of, and rounded down to whole numbers by no more than that rounded up.
///
/// *The classes together* ([`by_class`](Self::by_class)). Under one choice per class, each among ± the
/// columns, a record moves the scores of class l against each other by at most
/// range_l = 2(|kₗ|·‖x‖∞ + |k′ₗ|·‖x′‖∞), primes for the one it replaces (no second term under
/// add-remove). Each vector (|kₗ|·‖x‖∞)ₗ is at most √2·M·b long, so by the triangle inequality in
/// ℓ₂ Σ range_l² ≤ 4·(2√2·M·b)² = 32·(M·b)² for one replaced, and 4·(√2·M·b)² = 8·(M·b)² for one
/// added or removed; the number of classes does not enter.
///
/// *Rows of a unit* have shares of all these caps (K, M, N and L), rounded down, which add up to at most
/// 1: so what a unit adds is at most what a record may, by the triangle inequality, in each of
/// the norms above, and Σ over a unit of |kₗ|·‖x‖∞, class by class, is a vector at most √2·M·b long. A
/// row's slope is the share of its exact slope, and the grid as much finer as a unit may have rows.
///
/// *Sums are integers below 2⁶²*, so that adding the changes gives the same bits as a fresh sum,
/// in any order, on any number of threads and in any parts.
///
/// There is no getter, `Debug`, `Clone` or `Serialize`: only queries come out.
pub struct Gradient<'a> {
    frame: Arc<Frame>,
    state: Box<dyn Follow + 'a>,
}

impl<'a> Gradient<'a> {
    /// The gradient at weights and intercepts 0, its slopes on `slope_grid`.
    ///
    /// The grid must come from public facts. A slope step of about an eighth of the noise of the
    /// mean gradient disappears in it, and a coarser grid makes steps faster: see [`slope_grid`].
    ///
    /// # Panics
    ///
    /// If slopes of classes are asked for and the targets are numbers, or if the centre is neither
    /// empty nor has one value per column.
    pub fn ask(
        population: &'a dyn Population,
        slopes: Slopes,
        slope_grid: Grid,
        rows: &RowFrame<'_>,
    ) -> Result<Self, SlopeGridError> {
        let frame = Arc::new(Frame::new(population.shape(), slopes, slope_grid, rows)?);
        let state = population.follow(&frame);
        Ok(Self { frame, state })
    }

    /// The farthest that one record can move the sum, if slopes are at most `slope` and rows with
    /// their constant at most `length`: in real numbers, before any grid is chosen. A query's own
    /// sensitivity is no larger.
    pub fn moved(adjacency: Adjacency, slope: f64, length: f64) -> f64 {
        f64::from(adjacency.differing_records()) * slope * length
    }
}

impl Gradient<'_> {
    /// How many functions the model has.
    pub fn outputs(&self) -> usize {
        self.frame.outputs()
    }

    /// The gradient of the weights: one coordinate per column, function after function.
    pub fn columns(&mut self) -> Query<'_> {
        let record = self.frame.of_columns();
        let (grid, adjacency) = (self.frame.grid, self.frame.shape.adjacency);
        let sums = self.state.sums().columns;
        let sensitivity = Sensitivity::of(record, sums.len(), adjacency);
        Query::new("gradient", sums, grid, adjacency, sensitivity)
    }

    /// The gradient of the intercepts: the sum of the slopes of each function.
    pub fn intercepts(&mut self) -> Query<'_> {
        let record = self.frame.of_intercepts();
        let (grid, adjacency) = (self.frame.slope_grid, self.frame.shape.adjacency);
        let totals = self.state.sums().totals;
        let sensitivity = Sensitivity::of(record, totals.len(), adjacency);
        Query::new(
            "gradient of intercepts",
            totals,
            grid,
            adjacency,
            sensitivity,
        )
    }

    /// The whole gradient: the weights as in [`columns`](Self::columns), minus the centre times the
    /// sum of the slopes of their function if there is a centre, or times the scales if there are any; then b₀ times that sum for each
    /// function. Where rows are free b₀ is one grid step, so that the last are the sums of the
    /// slopes in that grid.
    pub fn all(&mut self) -> Query<'static> {
        let frame = &self.frame;
        let SumsOfGradient { columns, totals } = self.state.sums();
        let width = frame.shape.width.max(1);
        let mut values = vec![0; columns.len() + totals.len()];
        for (l, (sums, total)) in columns.chunks(width).zip(totals).enumerate() {
            let values = &mut values[l * width..][..sums.len()];
            in_frame(frame, sums, *total, values);
        }
        let limit = i128::from(LIMIT);
        let intercept = |total: &i64| i128::from(*total) * i128::from(frame.constant);
        // The clamp, which moves no two neighbours farther apart, makes the conversion exact.
        let clamped = |total| intercept(total).clamp(-limit, limit) as i64;
        let intercepts = values[columns.len()..].iter_mut();
        intercepts
            .zip(totals)
            .for_each(|(to, total)| *to = clamped(total));
        let adjacency = frame.shape.adjacency;
        let sensitivity = Sensitivity::of(frame.of_all(), values.len(), adjacency);
        Query::new(
            "gradient of all",
            values,
            frame.grid,
            adjacency,
            sensitivity,
        )
    }

    /// Scores of the vertices of one ℓ₁ ball per function, to choose one in each.
    pub fn by_class(&mut self) -> GroupScores<'_> {
        let frame = &self.frame;
        let adjacency = frame.shape.adjacency;
        let differing = u128::from(adjacency.differing_records());
        // At most 2²²·2²⁰.
        let most = u128::from(frame.most as u64 * frame.largest_entry(0));
        let squares = 8 * (differing * most) * (differing * most);
        let outputs = frame.outputs();
        let sums = self.state.sums().columns;
        GroupScores::new("gradient by class", sums, outputs, adjacency, squares)
    }

    /// Scores of some columns: the ℓ₂ norm of each one's gradient over the functions. The aim is the
    /// highest.
    ///
    /// # Panics
    ///
    /// If there is no such column.
    pub fn column_norms(&mut self, columns: &[usize]) -> Scores<'static> {
        let frame = &self.frame;
        let width = frame.shape.width;
        let sums = self.state.sums().columns;
        let norm = |&column: &usize| {
            assert!(column < width, "there is no such column");
            let of_function = sums.iter().skip(column).step_by(width);
            // Each sum is below 2⁶², and the norm below √2 times that (triangle inequality).
            let squares: u128 = of_function
                .map(|sum| u128::from(sum.unsigned_abs()).pow(2))
                .sum();
            squares.isqrt().min(LIMIT as u128) as i64
        };
        let norms: Vec<i64> = columns.iter().map(norm).collect();
        let adjacency = frame.shape.adjacency;
        let moves =
            u64::from(adjacency.differing_records()) * frame.slope_norm(frame.largest_entry(0));
        // Some up and some down.
        Scores::new("norms of columns", norms, adjacency, 2 * moves)
    }

    /// Moves the weights of every function: w ← (1 − size)·w, and those listed towards their vertex,
    /// w ← (1 − size)·w + size·vertex.
    ///
    /// # Panics
    ///
    /// If there is no such function, or a vertex has another number of columns than the records.
    pub fn step(&mut self, towards: &[(usize, Vertex)], size: f64) {
        self.state.advance(&Move::Step { towards, size });
    }

    /// Sets the weights: function after function, one per column. Cost: all entries.
    ///
    /// # Panics
    ///
    /// If there is not one weight per column and function.
    pub fn set_weights(&mut self, weights: &[f64]) {
        self.state.advance(&Move::Weights(weights));
    }

    /// Sets the intercepts.
    ///
    /// # Panics
    ///
    /// If there is not one per function.
    pub fn set_intercepts(&mut self, intercepts: &[f64]) {
        self.state.advance(&Move::Intercepts(intercepts));
    }
}

/// The most that one record adds.
impl Frame {
    /// To the columns.
    fn of_columns(&self) -> RecordSteps {
        let clip = &self.shape.clip;
        match self.slopes {
            Slopes::Loss(_) => RecordSteps::of(clip.bound, clip.steps * self.most as u64),
            Slopes::Classes => RecordSteps::Both {
                l2: self.slope_norm(self.row_length(0)),
                linf: self.most as u64 * self.largest_entry(0),
            },
        }
    }

    /// To the sums of the slopes.
    fn of_intercepts(&self) -> RecordSteps {
        match self.slopes {
            Slopes::Loss(_) => RecordSteps::Linf(self.most as u64),
            Slopes::Classes => RecordSteps::Both {
                l2: self.slope_norm(1),
                linf: self.most as u64,
            },
        }
    }

    /// To the columns and the constants. (A record of no slope steps at all adds nothing, but a
    /// sensitivity is at least 1.)
    fn of_all(&self) -> RecordSteps {
        let most = self.most as u64;
        let entry = most * (self.shape.clip.steps * self.parts_of_a_step()).max(self.constant);
        match (self.slopes, &self.rule) {
            (Slopes::Loss(_), Rule::Free) => RecordSteps::Linf(entry),
            (Slopes::Loss(_), Rule::Within { limit, .. }) => RecordSteps::Both {
                l2: (*limit).max(1),
                linf: entry,
            },
            (Slopes::Loss(_), Rule::One { limit, centre, .. }) => RecordSteps::Both {
                l2: (*limit).max(1),
                linf: match centre[..] {
                    [] => entry,
                    _ => (*limit).max(1),
                },
            },
            (Slopes::Classes, Rule::One { limit, .. }) => RecordSteps::L2((*limit).max(1)),
            (Slopes::Classes, _) => RecordSteps::Both {
                l2: self.slope_norm(self.row_length(self.constant)),
                linf: most * self.largest_entry(self.constant),
            },
        }
    }

    /// The largest entry of (x, c) that counts, in grid steps: that of the bound, which bounds
    /// every entry in either norm, or of the constant c; no more than the length.
    fn largest_entry(&self, constant: u64) -> u64 {
        self.shape.clip.steps.max(constant).min(self.row_limit())
    }

    /// The largest ‖(x, c)‖₂ that counts, in grid steps.
    fn row_length(&self, constant: u64) -> u64 {
        longest(&self.shape.clip, self.shape.width, constant).min(self.row_limit())
    }

    /// ℓ, if rows are capped at a length.
    fn row_limit(&self) -> u64 {
        match self.rule {
            Rule::Within { steps, .. } => steps,
            Rule::Free | Rule::One { .. } => u64::MAX,
        }
    }

    /// The largest ℓ₂ norm of k ⊗ x for rows of some length: K·length for one function, and for
    /// several classes ⌈√2·M·length⌉, or N·length if that is less, 2³⁷ at most. (Longer rows have
    /// smaller caps.)
    fn slope_norm(&self, length: u64) -> u64 {
        if let Slopes::Loss(_) = self.slopes {
            return self.most as u64 * length;
        }
        let product = self.most as u128 * u128::from(length);
        let free = sqrt_up(2 * product * product);
        let clipped = self.norm.map(|norm| norm as u64 * length);
        clipped.map_or(free, |clipped| clipped.min(free))
    }
}

/// The sums of the columns of one function, whose slopes add up to `total`, minus the centre times that
/// total, or times the scales.
///
/// No overflow: rows with a centre are scaled to length one, where n·K·b is at most 2⁶¹, and m is
/// within the bound b of an entry. So |Σ k·x| and |m·Σ k| are at most 2⁶¹, and no difference exceeds
/// [`LIMIT`]. With scales, n·K·b·S is below 2⁶².
fn in_frame(frame: &Frame, sums: &[i64], total: i64, values: &mut [i64]) {
    let chunks = values.chunks_mut(COORDINATES).zip(sums.chunks(COORDINATES));
    let threads = parallel::threads(sums.len());
    parallel::share(chunks.enumerate(), threads, |(chunk, (values, sums))| {
        let first = chunk * COORDINATES;
        values.copy_from_slice(sums);
        let centre = frame.centre().get(first..).unwrap_or_default();
        for (value, m) in values.iter_mut().zip(centre) {
            *value -= total * i64::from(*m);
        }
        let scales = frame.scales().get(first..).unwrap_or_default();
        for (value, scale) in values.iter_mut().zip(scales) {
            *value *= i64::from(*scale);
        }
    });
}
