//! Σ hᵢ·xᵢxᵢᵀ over some of the columns: the second derivative of a sum of losses.

use rayon::prelude::*;

use super::design::Design;

/// The place of a column that is left out.
pub(super) const ABSENT: u32 = u32::MAX;

/// Parts that are summed separately and then in order, so that the sums do not depend on the
/// threads; each takes a matrix of its own.
const PARTS: usize = 8;

/// Which columns, and whether there is a further constant one.
pub(super) struct Selection {
    /// The place of each column of the design, increasing, or [`ABSENT`].
    pub places: Vec<u32>,
    /// The value of a last column that the design does not hold.
    pub ones: Option<f64>,
    /// How many there are, that one included.
    pub order: usize,
}

impl Selection {
    /// Some columns, in increasing order.
    pub(super) fn of(columns: &[usize], width: usize, ones: Option<f64>) -> Self {
        let mut places = vec![ABSENT; width];
        for (place, &column) in columns.iter().enumerate() {
            places[column] = place as u32;
        }
        Self {
            places,
            ones,
            order: columns.len() + usize::from(ones.is_some()),
        }
    }

    /// Σ hᵢ·xᵢxᵢᵀ, all of it, row by row. Cost: the square of each row's entries.
    pub(super) fn curvature(&self, design: Design<'_>, weights: &[f64]) -> Vec<f64> {
        let order = self.order;
        let part = |p: usize| {
            let share = design.rows().div_ceil(PARTS);
            let mut sums = vec![0.0; order * order];
            let mut row = Vec::with_capacity(order);
            for (i, &weight) in weights.iter().enumerate().skip(p * share).take(share) {
                self.gather(design, i, &mut row);
                add_square(&row, weight, &mut sums, order);
            }
            sums
        };
        let parts: Vec<Vec<f64>> = (0..PARTS).into_par_iter().map(part).collect();
        let mut sums = vec![0.0; order * order];
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
        }
        for i in 0..order {
            for j in 0..i {
                sums[j * order + i] = sums[i * order + j];
            }
        }
        sums
    }

    /// The chosen entries of a row, by place.
    fn gather(&self, design: Design<'_>, i: usize, row: &mut Vec<(u32, f64)>) {
        row.clear();
        design.features.for_row(i, |column, value| {
            let place = self.places[column];
            if place != ABSENT && value != 0.0 {
                row.push((place, f64::from(value) * design.unit));
            }
        });
        if let Some(ones) = self.ones {
            row.push((self.order as u32 - 1, ones));
        }
    }
}

/// Adds weight·x·xᵀ to the lower triangle.
fn add_square(row: &[(u32, f64)], weight: f64, sums: &mut [f64], order: usize) {
    for (k, &(place, x)) in row.iter().enumerate() {
        let line = &mut sums[place as usize * order..(place as usize + 1) * order];
        let scaled = weight * x;
        for &(other, y) in &row[..=k] {
            line[other as usize] += scaled * y;
        }
    }
}
