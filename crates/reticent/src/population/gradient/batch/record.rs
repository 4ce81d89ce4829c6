//! What one record of a batch adds: whole numbers of slope steps, one for each function.

use super::RecordClip;
use crate::loss::residuals;
use crate::population::gradient::frame::{Frame, Slopes};
use crate::population::gradient::multiclass::{clip_steps, shorten};
use crate::population::gradient::rows::whole_quotient;
use crate::population::shares::Share;

/// What the slopes of a record depend on besides its margins.
pub(super) struct Row {
    /// N².
    pub square: u128,
    pub target: f64,
    pub share: Share,
}

/// Lists of one number for each function, used again for each record.
#[derive(Default)]
pub(super) struct Buffers {
    now: Vec<f64>,
    before: Vec<f64>,
    of_difference: Vec<i32>,
}

/// How records become steps: the same for all of them.
pub(super) struct RecordRule<'a> {
    pub frame: &'a Frame,
    pub clip: RecordClip,
    /// L of the gradient and of the difference.
    pub limits: (u64, Option<u64>),
    /// The intercepts at the point, and at the one before.
    pub intercepts: [&'a [f64]; 2],
}

impl RecordRule<'_> {
    /// k of a record from its products with the weights, at the point and at the one before.
    pub fn steps_of(
        &self,
        row: &Row,
        products: [impl Iterator<Item = f64>; 2],
        buffers: &mut Buffers,
        steps: &mut [i32],
    ) {
        let frame = self.frame;
        // Of a slope of 1, and what margins are multiplied by.
        let (per_slope, shortening) = match frame.unit_of_length() {
            None => (1.0 / frame.slope_grid.step(), 1.0),
            Some(unit) if row.square > 0 => {
                let length = (row.square as f64).sqrt();
                (1.0 / (frame.grid.step() * length), unit / length)
            }
            // A row of length 0 adds nothing, whatever its slope.
            Some(_) => (0.0, 0.0),
        };
        let factor = per_slope * row.share.factor();
        let cap = |limit: u64, most: i32| {
            whole_quotient(row.share.bound(limit), row.square, row.share.cap(most))
        };
        let Buffers {
            now,
            before,
            of_difference,
        } = buffers;
        let [products, products_before] = products;
        self.slopes_at(0, row, products, shortening, now);
        let (limit, limit_of_difference) = self.limits;
        match (self.clip, limit_of_difference) {
            (RecordClip::Recursive { momentum, .. }, Some(of_limit)) => {
                self.slopes_at(1, row, products_before, shortening, before);
                for (before, now) in before.iter_mut().zip(&*now) {
                    *before = (1.0 - momentum) * (now - *before) * factor;
                }
                now.iter_mut().for_each(|slope| *slope *= momentum * factor);
                of_difference.resize(steps.len(), 0);
                truncate(now, cap(limit, frame.most / 2), steps);
                truncate(before, cap(of_limit, frame.most / 2), of_difference);
                let both = steps.iter_mut().zip(of_difference);
                both.for_each(|(k, second)| *k += *second);
            }
            _ => {
                now.iter_mut().for_each(|slope| *slope *= factor);
                truncate(now, cap(limit, frame.most), steps);
            }
        }
    }

    /// ψ or the residuals at one of the points.
    fn slopes_at(
        &self,
        point: usize,
        row: &Row,
        products: impl Iterator<Item = f64>,
        shortening: f64,
        slopes: &mut Vec<f64>,
    ) {
        let margins = products.zip(self.intercepts[point]);
        slopes.clear();
        slopes.extend(margins.map(|(product, b)| (product + b) * shortening));
        for (margin, offset) in slopes.iter_mut().zip(&self.frame.offsets) {
            *margin += offset;
        }
        match self.frame.slopes {
            Slopes::Loss(loss) => slopes[0] = loss.slope(slopes[0], row.target),
            // Classes are whole numbers from 0 below their number.
            Slopes::Classes => residuals(slopes, row.target as usize),
        }
    }
}

/// A vector shortened to a length of at most `cap`, in whole steps towards zero: floats shorten it, and
/// integers decide. One that is not finite is 0.
fn truncate(exact: &mut [f64], cap: i32, steps: &mut [i32]) {
    if exact.iter().any(|x| !x.is_finite()) {
        exact.fill(0.0);
    }
    shorten(exact, f64::from(cap));
    for (step, exact) in steps.iter_mut().zip(exact) {
        // The cast truncates.
        *step = (*exact as i32).clamp(-cap, cap);
    }
    clip_steps(steps, cap);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_truncated_towards_zero_and_never_longer_than_their_cap() {
        let cases: [(&[f64], i32, &[i32]); 6] = [
            (&[1.9, -1.9], 100, &[1, -1]),
            (&[3.0, 4.0], 5, &[3, 4]),
            (&[30.0, 40.0], 5, &[3, 4]),
            (&[1e150, 1.0], 7, &[7, 0]),
            (&[f64::NAN, 3.0], 5, &[0, 0]),
            (&[1.0, f64::INFINITY], 5, &[0, 0]),
        ];
        for (given, cap, expected) in cases {
            let mut steps = vec![9; given.len()];
            truncate(&mut given.to_vec(), cap, &mut steps);
            let square: i64 = steps.iter().map(|k| i64::from(*k).pow(2)).sum();
            assert!(square <= i64::from(cap).pow(2), "{given:?}");
            let near = steps.iter().zip(expected).all(|(k, e)| (k - e).abs() <= 1);
            assert!(near && steps.iter().zip(expected).all(|(k, e)| k.abs() <= e.abs()));
        }
    }
}
