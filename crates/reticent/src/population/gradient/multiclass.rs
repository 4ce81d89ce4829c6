//! Renewing the residuals of several classes for records where one has moved by more than a step.

use super::follow::BLOCK;
use super::margins::Line;
use super::pass::Block;
use super::rows::RowNumbers;
use crate::loss::residuals;

/// What the residuals of a record depend on besides the record.
pub(super) struct Renewal<'a> {
    /// One per class.
    pub lines: &'a [Line],
    /// What is added to the margins of each class; empty for 0.
    pub offsets: &'a [f64],
    pub rows: &'a RowNumbers,
    /// N.
    pub norm: Option<i32>,
    /// M.
    pub most: i32,
    /// Slope steps in 1.
    pub per_step: f64,
}

/// The work on one block, as what `pulp` compiles for several kinds of registers: a closure would not
/// be inlined there.
struct Wide<'a, 'b, 'c> {
    renewal: &'a Renewal<'a>,
    block: &'b mut Block<'c>,
    moves: &'b mut [Vec<i32>],
}

impl pulp::NullaryFnOnce for Wide<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.renewal.renew(self.block, self.moves);
    }
}

impl Renewal<'_> {
    /// Renews the residuals kept by a block of records, and sets by how much each has moved: in the
    /// widest registers that there are.
    pub fn of_block(&self, block: &mut Block<'_>, moves: &mut [Vec<i32>]) {
        pulp::Arch::new().dispatch(Wide {
            renewal: self,
            block,
            moves,
        });
    }

    #[inline(always)]
    fn renew(&self, block: &mut Block<'_>, moves: &mut [Vec<i32>]) {
        let classes = self.lines.len();
        let Block {
            first,
            kept,
            scaled,
            targets,
        } = block;
        let first = *first;
        let mut by_class = vec![[0.0; BLOCK]; classes];
        for ((line, scaled), buffer) in self.lines.iter().zip(scaled).zip(&mut by_class) {
            line.at(scaled, buffer);
        }
        let mut exact = vec![0.0; classes];
        let mut renewed = vec![0; classes];
        for (i, (kept, target)) in kept.chunks_mut(classes).zip(*targets).enumerate() {
            for (exact, margins) in exact.iter_mut().zip(&by_class) {
                *exact = margins[i];
            }
            // Classes are whole numbers from 0 below their number.
            let class = *target as usize;
            let row = first + i;
            let scale = *self.rows.scales.get(row).unwrap_or(&self.per_step);
            if let Some(shortening) = self.rows.shortening {
                let factor = scale * shortening;
                exact.iter_mut().for_each(|margin| *margin *= factor);
            }
            for (margin, offset) in exact.iter_mut().zip(self.offsets) {
                *margin += offset;
            }
            residuals(&mut exact, class);
            let own = |own: &[i32]| own.get(row).copied();
            let cap = own(&self.rows.caps).unwrap_or(self.most);
            let norm = own(&self.rows.norms).or(self.norm);
            let scale = scale * self.rows.shares.get(row).unwrap_or(&1.0);
            exact.iter_mut().for_each(|exact| *exact *= scale);
            if let Some(norm) = norm {
                shorten(&mut exact, f64::from(norm));
            }
            if settled(kept, &exact) {
                continue;
            }
            let steps = truncated(&exact, class, cap);
            renewed
                .iter_mut()
                .zip(steps)
                .for_each(|(to, from)| *to = from);
            if let Some(norm) = norm {
                clip_steps(&mut renewed, norm);
            }
            for ((kept, renewed), moves) in kept.iter_mut().zip(&renewed).zip(&mut *moves) {
                moves[i] = renewed - *kept;
                *kept = *renewed;
            }
        }
    }
}

/// Shortens a vector to about a given length.
pub(super) fn shorten(exact: &mut [f64], most: f64) {
    let length = exact.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > most {
        exact.iter_mut().for_each(|exact| *exact *= most / length);
    }
}

/// Limits a vector of whole numbers to a length: floats may have left it slightly too long, and the
/// integers decide. Each iteration moves every coordinate one step towards zero.
pub(super) fn clip_steps(steps: &mut [i32], most: i32) {
    let square = |k: &i32| u64::from(k.unsigned_abs()).pow(2);
    while steps.iter().map(square).sum::<u64>() > square(&most) {
        steps.iter_mut().for_each(|k| *k -= k.signum());
    }
}

/// Whether no residual is more than a step from its exact value.
fn settled(kept: &[i32], exact: &[f64]) -> bool {
    let near = |(kept, exact): (&i32, &f64)| (exact - f64::from(*kept)).abs() <= 1.0;
    kept.iter().zip(exact).all(near)
}

/// Residuals in whole steps, towards zero, in the set that the sensitivity rests on: at most 0 for
/// the record's own class, at least 0 for the others; the one and the sum of the others at most
/// `cap` in size.
fn truncated(exact: &[f64], class: usize, cap: i32) -> impl Iterator<Item = i32> {
    let mut left = cap;
    exact.iter().enumerate().map(move |(l, exact)| {
        // The cast truncates, and would turn NaN into 0.
        let steps = *exact as i32;
        if l == class {
            steps.clamp(-cap, 0)
        } else {
            let steps = steps.clamp(0, left);
            left -= steps;
            steps
        }
    })
}
