//! The gradient of several linear functions, one a class, under the multinomial loss.

mod length;
mod renewal;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use super::about::{self, Frame};
use super::margins::Margins;
use super::scatter::{self, Change};
use super::{ALONE, About, BLOCK, Cap, MOST_SLOPE_STEPS, SlopeGridError};
use crate::matrix::csc::Csc;
use crate::noise::Grid;
use crate::population::groups::GroupScores;
use crate::population::query::{LIMIT, Query, RecordSteps, Scores, Sensitivity};
use crate::population::records::Records;
use crate::privacy::Adjacency;
use crate::solve::Vertex;
use crate::table::MOST_RECORDS;
use length::Lengths;
use renewal::Renewal;

/// The sum of r ⊗ (x, 1) over the records, for functions that move step by step: r = p − e_y
/// are a record's residuals, its shares of the classes less 1 for its own.
///
/// # Privacy
///
/// Let q be the public slope step, M = ⌊1/q⌋ and b = ⌊B/g⌋ the bound of the rows in grid steps.
/// Each record keeps whole numbers of slope steps, kₗ for each class l, and adds kₗ·x to the
/// sums of class l and kₗ to its intercept's: exact products of whole numbers.
///
/// *Their size.* The residuals are truncated towards zero, and then held, in integers, to
/// −M ≤ k_y ≤ 0 for the record's own class y, kₗ ≥ 0 for the others, and Σ_{l≠y} kₗ ≤ M. So
/// ‖k‖∞ ≤ M, ‖k‖₁ ≤ 2M, and ‖k‖₂² ≤ M² + (Σ_{l≠y} kₗ)² ≤ 2M², whatever floats did.
///
/// *They lag, all together.* A record's residuals are renewed, every one of them, when one is
/// more than a step away from its exact value, and else none is. Were they renewed one at a time
/// they would be residuals of several models, and no bound would hold for the whole. What a
/// record keeps depends on itself and on the path of released steps: so for one path,
/// neighbouring tables have the same k and x in every record they share (see
/// [`Gradient`](super::Gradient)).
///
/// *What a record adds*: k ⊗ x, with ℓ₂ norm ‖k‖₂·‖x‖₂ ≤ √2·M·‖x‖₂ and every entry at most M·b
/// in size; to the intercepts, k itself. One record more or less moves the sums by that,
/// replacing one by at most twice that.
///
/// *A norm* R ([`Records::class_gradient_clipped`]). Residuals longer than R are shortened to it, and in
/// integers to ‖k‖₂ ≤ N = ⌊R/q⌋: then a record adds at most N·‖x‖₂. The direction stays, so that it is
/// the gradient of a loss that rises more slowly where a record is far on the wrong side.
///
/// *And a length* C and a constant b₀ ([`Records::class_gradient_within`]). A record whose row (x, b₀)
/// is longer than C has its residuals multiplied by about C/‖(x, b₀)‖: a weight that is a function
/// of the row alone. It is enforced in integers: the record has caps Mᵢ and Nᵢ in the place of M and N,
/// with Mᵢ·‖(x, b₀)‖₂ ≤ M·⌊C/g⌋ in grid steps, and Nᵢ likewise. Then what it adds to all K·(d + 1)
/// sums together is at most N·⌊C/g⌋ long, and at most √2·M·⌊C/g⌋.
///
/// *Columns by their norms* ([`column_norms`](ClassGradient::column_norms)). A record adds k·xⱼ to the
/// sums of column j over the classes, a vector no longer than min(N, √2·M)·b. Norms move by no
/// more than what they are norms of, and rounded down to whole numbers by no more than that rounded up.
///
/// *The classes together.* Under one choice a class, each among ± the columns, a record moves the
/// scores of class l against each other by at most range_l = 2(|kₗ|·‖x‖∞ + |k′ₗ|·‖x′‖∞), primes
/// for the one it replaces (no second term under add-remove). Each vector (|kₗ|·‖x‖∞)ₗ is at most
/// √2·M·b long, so by the triangle inequality in ℓ₂ Σ range_l² ≤ 4·(2√2·M·b)² = 32·(M·b)² for one
/// replaced, and 4·(√2·M·b)² = 8·(M·b)² for one more or less; the number of classes does not
/// enter.
///
/// There is no getter, `Debug`, `Clone` or `Serialize`: only queries leave.
pub struct ClassGradient<'a> {
    records: &'a Records<'a>,
    classes: usize,
    slope_grid: Grid,
    /// The grid of the sums: a slope step times a feature step.
    grid: Grid,
    /// M.
    most: i32,
    /// N, if residuals are clipped.
    norm: Option<i32>,
    lengths: Option<Lengths>,
    /// One a class.
    margins: Vec<Margins>,
    /// Sparse features by column, once one was asked for.
    by_column: Option<Csc>,
    /// The k of each record, record after record.
    residuals: Vec<i32>,
    /// Σ kₗ·x, class after class.
    sums: Vec<i64>,
    /// Σ kₗ, one a class.
    totals: Vec<i64>,
    /// Whether the margins have moved since the residuals were looked at.
    moved: bool,
}

impl Records<'_> {
    /// The gradient of one linear function a class, at weights and intercepts 0, its residuals on
    /// `slope_grid`, which must come from public facts.
    ///
    /// # Panics
    ///
    /// If the targets are numbers.
    pub fn class_gradient(&self, slope_grid: Grid) -> Result<ClassGradient<'_>, SlopeGridError> {
        assert!(self.classes > 1, "the targets are not classes");
        let steps = 1.0 / slope_grid.step();
        if !(1.0..=MOST_SLOPE_STEPS).contains(&steps) {
            return Err(SlopeGridError::Steps { bound: 1.0, steps });
        }
        let most = steps as i32;
        let exponent = slope_grid.exponent() + self.clip.grid.exponent();
        let grid = Grid::new(exponent).map_err(|_| SlopeGridError::Product)?;
        self.check_sums(most, self.clip.steps)?;
        let count = self.targets.len();
        let classes = self.classes as usize;
        Ok(ClassGradient {
            records: self,
            classes,
            slope_grid,
            grid,
            most,
            norm: None,
            lengths: None,
            margins: (0..classes).map(|_| Margins::zero(count)).collect(),
            by_column: None,
            residuals: vec![0; count * classes],
            sums: vec![0; classes * self.width()],
            totals: vec![0; classes],
            moved: true,
        })
    }

    /// The same with residuals of norm at most `norm`, a public number between a slope step and √2.
    ///
    /// # Panics
    ///
    /// If the targets are numbers.
    pub fn class_gradient_clipped(
        &self,
        slope_grid: Grid,
        norm: f64,
    ) -> Result<ClassGradient<'_>, SlopeGridError> {
        let mut gradient = self.class_gradient(slope_grid)?;
        let steps = norm / slope_grid.step();
        if !(1.0..=2.0 * MOST_SLOPE_STEPS).contains(&steps) {
            return Err(SlopeGridError::Steps { bound: norm, steps });
        }
        // At most 2²³.
        gradient.norm = Some(steps as i32);
        Ok(gradient)
    }

    /// The same for a weighted loss, in which no record is longer than the cap's length, its row with
    /// the constant b₀ that stands for the intercept (0 for none); the cap's slope is the norm.
    ///
    /// # Panics
    ///
    /// If the targets are numbers.
    pub fn class_gradient_within(
        &self,
        slope_grid: Grid,
        cap: Cap,
    ) -> Result<ClassGradient<'_>, SlopeGridError> {
        let mut gradient = self.class_gradient_clipped(slope_grid, cap.slope)?;
        let norm = gradient.norm.unwrap_or(gradient.most);
        let per_step = 1.0 / slope_grid.step();
        let lengths = Lengths::new(self, cap, per_step, gradient.most, norm)?;
        self.check_sums(gradient.most, lengths.constant)?;
        gradient.lengths = Some(lengths);
        Ok(gradient)
    }

    /// The gradient on rows that are seen from a centre and made of length 1, as
    /// [`gradient_about`](Self::gradient_about) has it; the slope is the norm.
    ///
    /// # Privacy
    ///
    /// A record's residuals are held to ‖k‖₂·Nᵢ ≤ L = ⌊R·2ᵉ⌋ in integers, and it adds
    /// k ⊗ (xᵢ − m, b₀) to the K·(d + 1) sums: a vector of norm ‖k‖₂·Nᵢ.
    ///
    /// # Panics
    ///
    /// If the targets are numbers, or the centre has values, and another number of them than there are
    /// columns.
    pub fn class_gradient_about(
        &self,
        slope_grid: Grid,
        about: About<'_>,
    ) -> Result<ClassGradient<'_>, SlopeGridError> {
        let mut gradient = self.class_gradient_clipped(slope_grid, about.slope)?;
        let frame = Frame::new(self, slope_grid, about)?;
        gradient.slope_grid = Grid::new(0).map_err(|_| SlopeGridError::Product)?;
        gradient.grid = frame.grid;
        gradient.most = frame.most;
        gradient.norm = None;
        gradient.lengths = Some(Lengths::about(frame));
        Ok(gradient)
    }

    /// Refuses sums of `most` slope steps times `entry` grid steps a record that may reach 2⁶².
    fn check_sums(&self, most: i32, entry: u64) -> Result<(), SlopeGridError> {
        let public_count = self.count().unwrap_or(MOST_RECORDS);
        // At most 2²²·2³⁶·2³²: no overflow in u128.
        if most as u128 * u128::from(entry) * public_count as u128 >= 1 << 62 {
            return Err(SlopeGridError::Records);
        }
        Ok(())
    }
}

impl ClassGradient<'_> {
    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The gradient of the weights: one coordinate a column, class after class.
    pub fn columns(&mut self) -> Query<'_> {
        self.renew();
        let adjacency = self.records.adjacency;
        let record = RecordSteps::Both {
            l2: self.residual_norm(self.row_length(0)),
            linf: self.most as u64 * self.largest_entry(0),
        };
        let sensitivity = Sensitivity::of(record, self.sums.len(), adjacency);
        Query::new(&self.sums, self.grid, adjacency, sensitivity)
    }

    /// The gradient of the intercepts: the sum of the residuals of each class.
    pub fn of_intercepts(&mut self) -> Query<'_> {
        self.renew();
        let adjacency = self.records.adjacency;
        let record = RecordSteps::Both {
            l2: self.residual_norm(1),
            linf: self.most as u64,
        };
        let sensitivity = Sensitivity::of(record, self.totals.len(), adjacency);
        Query::new(&self.totals, self.slope_grid, adjacency, sensitivity)
    }

    /// All that the gradient has: the weights as in [`columns`](Self::columns), less the centre times
    /// the sum of the residuals of their class if there is a centre; then b₀ times that sum for each
    /// class. Without a length b₀ is one grid step, so that the last are the sums of the residuals in
    /// that grid.
    pub fn all(&mut self) -> Query<'static> {
        self.renew();
        let lengths = self.lengths.as_ref();
        let constant = lengths.map_or(1, |lengths| lengths.constant);
        let adjacency = self.records.adjacency;
        let record = match lengths.and_then(|lengths| lengths.whole) {
            Some(whole) => RecordSteps::L2(whole.max(1)),
            None => RecordSteps::Both {
                l2: self.residual_norm(self.row_length(constant)),
                linf: self.most as u64 * self.largest_entry(constant),
            },
        };
        let centre = lengths.map_or(&[][..], |lengths| &lengths.centre);
        let width = self.records.width().max(1);
        let of_class = |(sums, total): (_, &i64)| about::less_centre(sums, *total, centre);
        let sums = self.sums.chunks(width).zip(&self.totals);
        let intercepts = self
            .totals
            .iter()
            .map(|total| i128::from(*total) * i128::from(constant));
        let values: Vec<i128> = sums.flat_map(of_class).chain(intercepts).collect();
        let sensitivity = Sensitivity::of(record, values.len(), adjacency);
        Query::clamped(values, self.grid, adjacency, sensitivity)
    }

    /// The vertices of an ℓ₁ ball a class, to choose one in each.
    pub fn by_class(&mut self) -> GroupScores<'_> {
        self.renew();
        let adjacency = self.records.adjacency;
        let apart: u128 = match adjacency {
            Adjacency::ReplaceOne => 2,
            Adjacency::AddRemove => 1,
        };
        // At most 2²²·2²⁰.
        let most = u128::from(self.most as u64 * self.largest_entry(0));
        let squares = 8 * (apart * most) * (apart * most);
        GroupScores::new(&self.sums, self.classes, adjacency, squares)
    }

    /// Scores of some columns: the ℓ₂ norm of each one's gradient over the classes. The aim is the
    /// highest.
    ///
    /// # Panics
    ///
    /// If there is no such column.
    pub fn column_norms(&mut self, columns: &[usize]) -> Scores<'static> {
        self.renew();
        let width = self.records.width();
        let norm = |&column: &usize| {
            assert!(column < width, "there is no such column");
            let of_class = self.sums.iter().skip(column).step_by(width);
            // Each sum is below 2⁶², and the norm below √2 times that (triangle inequality).
            let squares: u128 = of_class
                .map(|sum| u128::from(sum.unsigned_abs()).pow(2))
                .sum();
            squares.isqrt().min(LIMIT as u128) as i64
        };
        let adjacency = self.records.adjacency;
        let apart = match adjacency {
            Adjacency::ReplaceOne => 2,
            Adjacency::AddRemove => 1,
        };
        let moves = apart * self.residual_norm(self.largest_entry(0));
        let norms: Vec<i64> = columns.iter().map(norm).collect();
        // Some up and some down.
        Scores::new(norms, adjacency, 2 * moves)
    }

    /// Moves the weights of every class: w ← (1 − size)·w, and those listed towards their vertex,
    /// w ← (1 − size)·w + size·vertex.
    ///
    /// # Panics
    ///
    /// If there is no such class, or a vertex has another number of columns than the records.
    pub fn step(&mut self, towards: &[(usize, Vertex)], size: f64) {
        let unit = self.records.clip.grid.step();
        let features = &self.records.features;
        for margins in &mut self.margins {
            margins.shrink(1.0 - size);
        }
        for (class, vertex) in towards {
            let margins = &mut self.margins[*class];
            match vertex {
                Vertex::Axis { column, value } => {
                    let by_column = &mut self.by_column;
                    margins.add_column(features, by_column, *column, size * value * unit);
                }
                Vertex::Point(point) => margins.add_point(features, point, size * unit),
            }
        }
        self.moved = true;
    }

    /// Sets the weights: those that are not zero, by column, one list a class.
    ///
    /// # Panics
    ///
    /// If there is not one list a class, or no such column.
    pub fn set_point(&mut self, weights: &[Vec<(u32, f64)>]) {
        assert_eq!(weights.len(), self.classes, "one list a class");
        let dense = |list: &Vec<(u32, f64)>| {
            let mut point = vec![0.0; self.records.width()];
            for &(column, weight) in list {
                point[column as usize] = weight;
            }
            Vertex::Point(point)
        };
        let points: Vec<_> = weights.iter().map(dense).enumerate().collect();
        self.step(&points, 1.0);
    }

    /// Sets the intercepts.
    ///
    /// # Panics
    ///
    /// If there is not one a class.
    pub fn set_intercepts(&mut self, intercepts: &[f64]) {
        assert_eq!(intercepts.len(), self.classes, "one intercept a class");
        for (margins, intercept) in self.margins.iter_mut().zip(intercepts) {
            margins.intercept = *intercept;
        }
        self.moved = true;
    }

    /// The largest entry of (x, c) that counts, in grid steps: that of the bound, which is one of
    /// every entry in either norm, or of the constant c; no more than the length.
    fn largest_entry(&self, constant: u64) -> u64 {
        let most = self.lengths.as_ref().map_or(u64::MAX, |l| l.most);
        self.records.clip.steps.max(constant).min(most)
    }

    /// The largest ‖(x, c)‖₂ that counts, in grid steps.
    fn row_length(&self, constant: u64) -> u64 {
        let rows = length::longest(&self.records.clip, self.records.width(), constant);
        let most = self.lengths.as_ref().map_or(u64::MAX, |l| l.most);
        rows.min(most)
    }

    /// ⌈√2·M·length⌉, or N·length if that is less: the largest ℓ₂ norm of k ⊗ x for rows of that
    /// length, 2³⁷ at most. (Longer ones have smaller caps.)
    fn residual_norm(&self, length: u64) -> u64 {
        let product = self.most as u128 * u128::from(length);
        let free = length::sqrt_up(2 * product * product);
        let clipped = self.norm.map(|norm| norm as u64 * length);
        clipped.map_or(free, |clipped| clipped.min(free))
    }

    /// Renews the residuals of records one of which has moved by more than a step, and the sums.
    fn renew(&mut self) {
        if !self.moved {
            return;
        }
        self.moved = false;
        let changes = self.renew_residuals();
        let features = &self.records.features;
        // A chunk has at least one element, also where there is none.
        let width = self.records.width().max(1);
        let sums = self.sums.par_chunks_mut(width).zip(&mut self.totals);
        sums.zip(&changes).for_each(|((sums, total), changes)| {
            *total += changes.iter().map(|c| i64::from(c.by)).sum::<i64>();
            scatter::add_rows(features, changes, sums);
        });
    }

    /// Renews the residuals, and tells what has changed in each class: one pass over the records.
    fn renew_residuals(&mut self) -> Vec<Vec<Change>> {
        let renewal = Renewal {
            margins: &self.margins,
            lengths: self.lengths.as_ref(),
            norm: self.norm,
            most: self.most,
            // Exact, as the step is a power of two.
            per_step: 1.0 / self.slope_grid.step(),
        };
        let (kept, targets) = (&mut self.residuals, &self.records.targets);
        let block = BLOCK * self.classes;
        let renew = |(number, (kept, targets)): (usize, (&mut [i32], &[f64]))| {
            renewal.of_block(number * BLOCK, kept, targets)
        };
        let blocks: Vec<Vec<Vec<Change>>> = if kept.len() < ALONE {
            let blocks = kept.chunks_mut(block).zip(targets.chunks(BLOCK));
            blocks.enumerate().map(renew).collect()
        } else {
            let blocks = kept.par_chunks_mut(block).zip(targets.par_chunks(BLOCK));
            blocks.enumerate().map(renew).collect()
        };
        let mut all = vec![Vec::new(); self.classes];
        for block in blocks {
            for (all, mut changes) in all.iter_mut().zip(block) {
                all.append(&mut changes);
            }
        }
        all
    }
}
