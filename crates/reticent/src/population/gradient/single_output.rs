//! Renewing the slopes of one function that have moved by more than a step.

use super::follow::BLOCK;
use super::margins::Line;
use super::pass::Block;
use super::rows::RowNumbers;
use super::scatter::Change;
use crate::loss::Loss;
use crate::population::records::Records;

/// What the slope of a record depends on besides the record.
pub(super) struct Renewal<'a> {
    pub records: &'a Records<'a>,
    /// One.
    pub lines: &'a [Line],
    pub rows: &'a RowNumbers,
    pub loss: Loss,
    /// R.
    pub bound: f64,
    /// K.
    pub most: i32,
    /// Slope steps in 1.
    pub per_step: f64,
}

impl Renewal<'_> {
    /// Renews the slopes `kept` by the records from `first` on, one block of them, and appends what
    /// has changed.
    pub fn of_block(&self, block: &mut Block<'_>, changes: &mut Vec<Change>) {
        let Block {
            first,
            kept,
            scaled,
            targets,
        } = block;
        let (first, count) = (*first, kept.len());
        let mut buffer = [0.0; BLOCK];
        let exact = &mut buffer[..count];
        self.lines[0].at(scaled[0], exact);
        multiply(exact, self.rows.shortening.iter().skip(first));
        self.loss.slopes(exact, targets);
        let clip = |slope: &mut f64| *slope = slope.clamp(-self.bound, self.bound);
        exact.iter_mut().for_each(clip);
        match self.rows.scales.get(first..) {
            Some(scales) if !scales.is_empty() => multiply(exact, scales.iter()),
            _ => exact.iter_mut().for_each(|slope| *slope *= self.per_step),
        }
        let everywhere = [self.most; BLOCK];
        let caps = match &self.rows.caps[..] {
            [] => &everywhere[..count],
            caps => &caps[first..][..count],
        };
        // No branch: about as many slopes have moved as not, without a pattern. What has not moved
        // is overwritten by the next.
        let mut moved = [Change::default(); BLOCK];
        let mut moves = 0;
        for (i, ((kept, exact), most)) in kept.iter_mut().zip(exact).zip(caps).enumerate() {
            // To the nearest: the cast truncates, and would turn NaN into 0. The sensitivity
            // rests on the clamp.
            let nearest = (*exact + 0.5f64.copysign(*exact)) as i32;
            let is_far = (*exact - f64::from(*kept)).abs() > 1.0;
            let renewed = if is_far { nearest.clamp(-most, *most) } else { *kept };
            let row = (first + i) as u32;
            moved[moves] = Change {
                row,
                by: (renewed - *kept) * self.records.weight(row),
            };
            moves += usize::from(is_far);
            *kept = renewed;
        }
        changes.extend_from_slice(&moved[..moves]);
    }
}

fn multiply<'a>(values: &mut [f64], factors: impl Iterator<Item = &'a f64>) {
    for (value, factor) in values.iter_mut().zip(factors) {
        *value *= factor;
    }
}
