//! Renewing the residuals of several classes for records where one has moved by more than a step.

use super::follow::BLOCK;
use super::margins::Line;
use super::pass::Block;
use super::rows::RowNumbers;
use super::scatter::Change;
use crate::loss::residuals;
use crate::population::records::Records;

/// What the residuals of a record depend on besides the record.
pub(super) struct Renewal<'a> {
    pub records: &'a Records<'a>,
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

impl Renewal<'_> {
    /// Renews the residuals `kept` by the records from `first` on, one block of them, and appends
    /// what has changed in each class.
    pub fn of_block(&self, block: &mut Block<'_>, changes: &mut [Vec<Change>]) {
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
        for (i, (kept, target)) in kept.chunks_mut(classes).zip(*targets).enumerate() {
            for (exact, margins) in exact.iter_mut().zip(&by_class) {
                *exact = margins[i];
            }
            // Classes are whole numbers from 0 below their number.
            let class = *target as usize;
            let row = first + i;
            if let Some(factor) = self.rows.shortening.get(row) {
                exact.iter_mut().for_each(|margin| *margin *= factor);
            }
            for (margin, offset) in exact.iter_mut().zip(self.offsets) {
                *margin += offset;
            }
            residuals(&mut exact, class);
            let own = |own: &[i32]| own.get(row).copied();
            let cap = own(&self.rows.caps).unwrap_or(self.most);
            let norm = own(&self.rows.norms).or(self.norm);
            let scale = self.rows.scales.get(row).unwrap_or(&self.per_step);
            exact.iter_mut().for_each(|exact| *exact *= scale);
            if let Some(norm) = norm {
                shorten(&mut exact, f64::from(norm));
            }
            if settled(kept, &exact) {
                continue;
            }
            let mut renewed: Vec<i32> = truncated(&exact, class, cap).collect();
            if let Some(norm) = norm {
                clip_steps(&mut renewed, norm);
            }
            for ((kept, renewed), changes) in kept.iter_mut().zip(renewed).zip(&mut *changes) {
                let row = row as u32;
                let by = (renewed - *kept) * self.records.weight(row);
                if by != 0 {
                    changes.push(Change { row, by });
                    *kept = renewed;
                }
            }
        }
    }
}

/// Shortens a vector to about a given length.
fn shorten(exact: &mut [f64], most: f64) {
    let length = exact.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > most {
        exact.iter_mut().for_each(|exact| *exact *= most / length);
    }
}

/// Limits a vector of whole numbers to a length: floats may have left it slightly too long, and the
/// integers decide. Each iteration moves every coordinate one step towards zero.
fn clip_steps(steps: &mut [i32], most: i32) {
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
