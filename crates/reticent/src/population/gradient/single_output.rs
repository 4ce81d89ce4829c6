//! Renewing the slopes of one function that have moved by more than a step.

use super::follow::BLOCK;
use super::margins::Margins;
use super::rows::RowNumbers;
use super::scatter::Change;
use crate::loss::Loss;
use crate::population::records::Records;

/// What the slope of a record depends on besides the record.
pub(super) struct Renewal<'a> {
    pub records: &'a Records<'a>,
    pub margins: &'a Margins,
    pub rows: &'a RowNumbers,
    pub loss: Loss,
    /// What is added to each margin.
    pub offset: f64,
    /// R.
    pub bound: f64,
    /// K.
    pub most: i32,
    /// Slope steps in 1.
    pub per_step: f64,
}

impl Renewal<'_> {
    /// Renews the slopes `kept` by the records from `first` on, one block of them, and returns what
    /// has changed.
    pub fn of_block(&self, first: usize, kept: &mut [i32], targets: &[f64]) -> Vec<Change> {
        let mut buffer = [0.0; BLOCK];
        let exact = &mut buffer[..kept.len()];
        self.margins.read(first, exact);
        multiply(exact, self.rows.shortening.iter().skip(first));
        exact.iter_mut().for_each(|margin| *margin += self.offset);
        self.loss.slopes(exact, targets);
        let clip = |slope: &mut f64| *slope = slope.clamp(-self.bound, self.bound);
        exact.iter_mut().for_each(clip);
        match self.rows.scales.get(first..) {
            Some(scales) if !scales.is_empty() => multiply(exact, scales.iter()),
            _ => exact.iter_mut().for_each(|slope| *slope *= self.per_step),
        }
        let mut changes = Vec::new();
        for (i, (kept, exact)) in kept.iter_mut().zip(exact).enumerate() {
            if (*exact - f64::from(*kept)).abs() > 1.0 {
                // To the nearest: the cast truncates, and would turn NaN into 0. The sensitivity
                // rests on the clamp.
                let nearest = (*exact + 0.5f64.copysign(*exact)) as i32;
                let row = first + i;
                let most = self.rows.caps.get(row).copied().unwrap_or(self.most);
                let renewed = nearest.clamp(-most, most);
                let row = row as u32;
                let by = (renewed - *kept) * self.records.weight(row);
                changes.push(Change { row, by });
                *kept = renewed;
            }
        }
        changes
    }
}

fn multiply<'a>(values: &mut [f64], factors: impl Iterator<Item = &'a f64>) {
    for (value, factor) in values.iter_mut().zip(factors) {
        *value *= factor;
    }
}
